package gotest

import (
	"context"
	"fmt"
	"go/format"
	"os/exec"
	"path"
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
	// Body has import paths between marks of package values, and makes objects by values.NewObject.
	Body string
	// Declaration declares what Constructor needs, an expression that makes an object. If ByValue, the
	// object is a pointer to what it makes.
	Declaration, Constructor string
	ByValue                  bool
	Imports                  *Imports // has at least Own, Known and Taken
}

// Taken are names that the body of a test has for something else than packages.
var Taken = []string{"t", "o", "i", "expected", "limit", "caught", "begin", "memory", "results", "result", "sequences", "final", "started", "ended", "calls", "n",
	"must", "pointer", "parallel", "any", "append", "bool", "error", "int", "len", "make", "new", "nil", "string", "true", "false"}

// Source writes the test.
func (t *Test) Source() string {
	calls := func(name string) bool { return strings.Contains(t.Body, name) }
	for _, p := range []string{"fmt", "runtime/metrics", "slices"} {
		if calls(path.Base(p) + ".") {
			t.Imports.Name(p)
		}
	}
	for _, p := range roundImports {
		t.Imports.Name(p)
	}
	made, declaration := t.Constructor, t.Declaration
	if t.ByValue {
		made, declaration = "pointer("+made+")", declaration+pointer
	}
	if calls("parallel(t, ") {
		declaration += parallel
	}
	body := t.Imports.Resolve(strings.ReplaceAll(t.Body, values.NewObject, made))
	declaration = t.Imports.Resolve(declaration)
	return Formatted(fmt.Sprintf("package %s\n\n%s\n// %s %s\nfunc %[3]s(t *testing.T) {\n%[5]s}\n\n%s", t.Package, t.Imports, t.Name,
		strings.ReplaceAll(strings.TrimSpace(t.Comment), "\n", "\n// "), body, declaration))
}

// Formatted formats the source of a file. It returns a faulty one as it is: the compiler reports it.
func Formatted(source string) string {
	formatted, err := format.Source([]byte(source))
	if err != nil {
		return source
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

// Unexplains reports whether the output of a test is about an outcome that it does not expect, or about
// calls that do not return.
func Unexplains(output string) bool {
	return strings.Contains(output, Unexplained) || strings.Contains(output, NotReturning)
}

// Fails reports whether the output of a test has a panic or a fatal error.
func Fails(output string) bool {
	return slices.ContainsFunc(strings.Split(output, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
}

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

// Try runs a test in its program a few times, until a run does not fail or no time is left. A run fails
// if its output says so.
func Try(ctx context.Context, left time.Duration, program, dir, name string, fails func(output string) bool) (t Trial) {
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
		if err != nil && fails(string(out)) {
			t.Failing++
		}
	}
	return t
}
