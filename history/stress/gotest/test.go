package gotest

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress/values"
)

// A Test is a Go test of one program of calls.
type Test struct {
	Package, Name string
	Comment       string // lines for the documentation of the function, after its name
	// Body has import paths between marks of package values, calls the functions of this
	// package, and makes objects by values.NewObject.
	Body string
	// Declaration declares what Constructor needs, an expression that makes an object.
	Declaration, Constructor string
	// Suffix ends the names of functions, in a package that has others.
	Suffix string
	// Imports has at least Own, Known and Taken.
	Imports *Imports
}

// Taken are names that the body of a test has for something else than packages.
var Taken = []string{"t", "o", "r", "e", "expected", "limit", "begin", "executions", "outcomes", "outcome", "got", "parallel", "must", "result", "shown", "sequence",
	"pointer", "try", "addresses", "quoted", "opaque", "any", "append", "bool", "error", "int", "len", "new", "nil", "string", "true", "false"}

var functions = regexp.MustCompile(`(^|[^.\w])(parallel|result|shown|showAll|show1|showTime|sequence|pairsOf|opaque|quoted|must|pointer|try)([(\[])`)

const pointerSource = `
func pointer[T any](v T) *T { return &v }
`

const trySource = `
// try returns what a call does, or its panic.
func try(call func() string) (shown string) {
	defer func() {
		if p := recover(); p != nil {
			shown = "!" + strconv.Quote(fmt.Sprintf("panic: %v", p))
		}
	}()
	return call()
}
`

// Source writes the test.
func (t *Test) Source() string {
	needed := slices.Concat(ParallelImports, ShownImports)
	helpers := Parallel + Shown
	if strings.Contains(t.Constructor, "must(") {
		helpers += Must
	}
	if strings.Contains(t.Constructor, "pointer(") {
		helpers += pointerSource
	}
	if strings.Contains(t.Body, "try(") {
		helpers += trySource
		needed = append(needed, "fmt")
	}
	slices.Sort(needed)
	for _, p := range slices.Compact(needed) {
		t.Imports.Name(p)
	}
	body, constructor := t.Imports.Resolve(t.Body), t.Imports.Resolve(t.Constructor)
	declaration := t.Imports.Resolve(t.Declaration)
	renamed := func(text string) string { return functions.ReplaceAllString(text, "${1}${2}"+t.Suffix+"${3}") }
	body = strings.ReplaceAll(renamed(body), values.NewObject, renamed(constructor))
	helpers = strings.ReplaceAll(renamed(helpers), "addresses", "addresses"+t.Suffix)
	var text bytes.Buffer
	fmt.Fprintf(&text, "package %s\n\n%s\n%s\n// %s %s\nfunc %[4]s(t *testing.T) {\n%[6]s}\n%s", t.Package, t.Imports, declaration, t.Name,
		strings.ReplaceAll(strings.TrimSpace(t.Comment), "\n", "\n// "), body, helpers)
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return text.String()
	}
	return string(formatted)
}

// Name returns a name of a test from words with other characters between them.
func Name(words string) string {
	name := "Test"
	for _, word := range strings.FieldsFunc(words, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		first := []rune(word)
		first[0] = unicode.ToUpper(first[0])
		name += string(first)
	}
	return name
}

// Unexplained is what a test reports of an outcome that it does not expect.
const Unexplained = "which no order of the calls explains"

// A Trial is how often the program of a test failed.
type Trial struct {
	Runs    int `json:"runs"`
	Failing int `json:"failing"`
}

func (t Trial) String() string { return fmt.Sprintf("fails in %d of %d runs", t.Failing, t.Runs) }

// A test that fails each time runs trials times. A run takes ten seconds, or one if less than
// wholeTrial is left, and longTrial at most. All runs have lateTrials at least.
const (
	trials     = 3
	wholeTrial = 15 * time.Second
	longTrial  = 40 * time.Second
	lateTrials = 3 * time.Second
)

// Try runs a test in its program a few times, until a run does not fail or no time is left.
func Try(ctx context.Context, left time.Duration, program, dir, name string) (t Trial) {
	ctx, stop := context.WithTimeout(ctx, max(left, lateTrials))
	defer stop()
	for t.Runs < trials && t.Failing == t.Runs && ctx.Err() == nil {
		limited, cancel := context.WithTimeout(ctx, longTrial)
		cmd := exec.CommandContext(limited, program, "-test.run=^"+name+"$", "-test.timeout=0", "-test.count=1", fmt.Sprintf("-test.short=%t", left < wholeTrial))
		cmd.Dir, cmd.WaitDelay = dir, time.Second
		worker.Lead(cmd)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState != nil {
			_ = worker.Kill(cmd) // what the test has started
		}
		cancel()
		if ctx.Err() != nil {
			break
		}
		t.Runs++
		if err != nil && (bytes.Contains(out, []byte(Unexplained)) || bytes.Contains(out, []byte(NotReturning))) {
			t.Failing++
		}
	}
	return t
}
