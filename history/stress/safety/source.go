package safety

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/values"
)

// A writer writes tests in Go.
type writer struct {
	*catalog
	gotest.Imports
	test *Test
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
	w := &writer{catalog: c, test: t, Imports: gotest.Imports{Known: map[string]string{c.library.Path: c.library.Package}, Taken: reserved}}
	for _, p := range gotest.ParallelImports {
		w.Name(p)
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
		must = gotest.Must
	}
	name := regexp.MustCompile(`\W`).ReplaceAllString(c.text(c.methods[0]), "_")
	name, _, _ = strings.Cut(name, "_")
	var text bytes.Buffer
	fmt.Fprintf(&text, testSource, w.Imports.String(), name, oneLine(f.Kind+": "+f.Text), defaultExecutions, body.String(), gotest.Parallel+must)
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return text.String()
	}
	return string(formatted)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// reserved are names that the test has for something else.
var reserved = []string{"t", "parallel", "executions", "must", "int", "string", "new"}

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
			args = append(args, w.Resolve(text))
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
		return "new(" + w.Resolve(text) + ")"
	}
	name := f.name
	if packageMark().MatchString(name) {
		name = packageMark().ReplaceAllString(name, w.Name(w.library.Path)+".")
	}
	if f.must {
		name = "must(" + name + ")"
	}
	if f.complete {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

const testSource = `package safety_test

%s
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
%[6]s`
