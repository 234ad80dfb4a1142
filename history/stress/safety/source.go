package safety

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/leadline/leadline/history/stress/values"
)

// A writer writes tests in Go.
type writer struct {
	*catalog
	test    *Test
	names   map[string]string // by import path
	imports []string
}

// packageMark is the placeholder for the package in the source of a Function.
var packageMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bp\.`) })

// textOf writes a test in short.
func (c *catalog) textOf(t *Test) string {
	parts := []string{c.textOfCalls(t.Prefix)}
	for _, s := range t.Suffixes {
		parts = append(parts, "{ "+c.textOfCalls(s)+" }")
	}
	return parts[0] + "; " + strings.Join(parts[1:], " || ")
}

func (c *catalog) textOfCalls(calls []call) string {
	var parts []string
	for _, call := range calls {
		parts = append(parts, c.text(call.Function))
	}
	return strings.Join(parts, "; ")
}

// Scale sets how often the Go test in Source runs the calls.
func (f *Exposure) Scale(executions int) {
	f.Source = executionsLine().ReplaceAllString(f.Source, fmt.Sprintf("const executions = %d", executions))
}

// defaultExecutions is how often a Go test runs the calls if Scale is not called.
const defaultExecutions = 100_000

var executionsLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`const executions = \d+`) })

// source returns a Go test that reproduces a failure and needs nothing but the
// package. See Finding.Scale for how often it runs the calls.
func (c *catalog) source(t *Test, f *Failure) string {
	w := &writer{catalog: c, test: t, names: map[string]string{}}
	for _, p := range []string{"math/rand/v2", "runtime", "sync/atomic", "testing", "time"} {
		w.use(p)
	}
	var body strings.Builder
	w.calls(&body, t.Prefix, 0)
	body.WriteString("return []func(){")
	for i, s := range t.Suffixes {
		body.WriteString("\nfunc() {\n")
		w.calls(&body, s, i+1)
		body.WriteString("},")
	}
	body.WriteString("\n}")
	must := ""
	if strings.Contains(body.String(), "must(") {
		must = mustSource
	}
	name := regexp.MustCompile(`\W`).ReplaceAllString(c.text(c.methods[0]), "_")
	name, _, _ = strings.Cut(name, "_")
	var text bytes.Buffer
	fmt.Fprintf(&text, testSource, strings.Join(w.imports, "\n"), name, oneLine(f.Kind+": "+f.Text), defaultExecutions, body.String(), must)
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return text.String()
	}
	return string(formatted)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// use returns the name by which the test calls a package, and imports it.
func (w *writer) use(importPath string) string {
	if name, ok := w.names[importPath]; ok {
		return name
	}
	name := path.Base(importPath)
	if importPath == w.library.Path {
		name = w.library.Package
	} else if regexp.MustCompile(`^v\d+$`).MatchString(name) {
		name = path.Base(path.Dir(importPath))
	}
	name = regexp.MustCompile(`\W`).ReplaceAllString(name, "_")
	for slices.Contains(reserved, name) || slices.Contains(slices.Collect(maps.Values(w.names)), name) {
		name += "x"
	}
	w.names[importPath] = name
	line := strconv.Quote(importPath)
	if name != path.Base(importPath) {
		line = name + " " + line
	}
	w.imports = append(w.imports, line)
	return name
}

// reserved are names that the test has for something else.
var reserved = []string{"t", "parallel", "executions", "must", "int", "string", "new"}

// named replaces the import paths between marks.
func (w *writer) named(text string) string {
	parts := strings.Split(text, values.Mark)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = w.use(parts[i])
	}
	return strings.Join(parts, "")
}

// calls writes a sequence: number 0 is the prefix.
func (w *writer) calls(b *strings.Builder, calls []call, sequence int) {
	for i, c := range calls {
		f := w.functions[c.Function]
		var left []string
		used := false
		for j := range f.out {
			name := "_"
			if w.isUsed(sequence, i, j) {
				used, name = true, variable(sequence, i, j)
				if f.address[j] {
					name += "value"
				}
			}
			left = append(left, name)
		}
		switch {
		case used:
			b.WriteString(strings.Join(left, ", ") + " := ")
		case f.complete:
			b.WriteString("_ = ")
		}
		b.WriteString(w.call(c, sequence) + "\n")
		for j, address := range f.address {
			if address && w.isUsed(sequence, i, j) {
				name := variable(sequence, i, j)
				fmt.Fprintf(b, "%s := &%svalue\n", name, name)
			}
		}
	}
}

func variable(sequence, call, result int) string {
	name := string(rune('a'+sequence)) + strconv.Itoa(call)
	if result > 0 {
		name += "r" + strconv.Itoa(result)
	}
	return name
}

// isUsed reports whether a later call has the result as an argument.
func (w *writer) isUsed(sequence, at, result int) bool {
	has := func(calls []call, from origin) bool {
		return slices.ContainsFunc(calls, func(c call) bool {
			return slices.ContainsFunc(c.Args, func(a argument) bool { return a.From == from && a.Call == at && a.Result == result })
		})
	}
	if sequence > 0 {
		return has(w.test.Suffixes[sequence-1], fromOwn)
	}
	return has(w.test.Prefix, fromOwn) || slices.ContainsFunc(w.test.Suffixes, func(s []call) bool { return has(s, fromPrefix) })
}

func (w *writer) call(c call, sequence int) string {
	f := w.functions[c.Function]
	var args []string
	for i, a := range c.Args {
		switch a.From {
		case literal:
			_, text := literalOf(f.parameter(i), a.Literal)
			args = append(args, w.named(text))
		case fromPrefix:
			args = append(args, variable(0, a.Call, a.Result))
		case fromOwn:
			args = append(args, variable(sequence, a.Call, a.Result))
		}
	}
	if f.method {
		return args[0] + "." + f.name + "(" + strings.Join(args[1:], ", ") + ")"
	}
	if f.name == "new" {
		_, text := values.TypeSource(f.out[0].Elem())
		return "new(" + w.named(text) + ")"
	}
	name := f.name
	if packageMark().MatchString(name) {
		name = packageMark().ReplaceAllString(name, w.use(w.library.Path)+".")
	}
	if f.must {
		name = "must(" + name + ")"
	}
	if f.complete {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

const mustSource = `
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
`

const testSource = `package safety_test

import (
%s
)

// Test%sConcurrently fails with
//
//	%[3]s
//
// which the same calls never do one after another.
func Test%[2]sConcurrently(t *testing.T) {
	const executions = %[4]d
	parallel(t, executions, func() []func() {
		%[5]s
	})
}

// parallel makes instances, a hundred at a time, and runs the sequences of calls of
// each in parallel. The sequences begin at the same time, except for short delays.
func parallel(t *testing.T, executions int, test func() []func()) {
	for done := 0; done < executions; done += 100 {
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.Sys > 2<<30 {
			t.Skipf("the instances use too much memory after %%d executions", done)
		}
		var batch [100][]func()
		for i := range batch {
			batch[i] = test()
		}
		var arrived [100]atomic.Int32
		ended := make(chan bool, len(batch[0]))
		for n := range batch[0] {
			go func() {
				for i, sequences := range batch {
					delay := rand.IntN(400) * rand.IntN(2)
					arrived[i].Add(1)
					for spins := 0; arrived[i].Load() < int32(len(sequences)); spins++ {
						if spins > 1000 {
							runtime.Gosched()
						}
					}
					for range delay {
						arrived[i].Load()
					}
					sequences[n]()
				}
				ended <- true
			}()
		}
		timer := time.NewTimer(20 * time.Second)
		for range batch[0] {
			select {
			case <-ended:
			case <-timer.C:
				stacks := make([]byte, 1<<20)
				t.Fatalf("` + notReturning + `:\n%%s", stacks[:runtime.Stack(stacks, true)])
			}
		}
		timer.Stop()
	}
}
%[6]s`
