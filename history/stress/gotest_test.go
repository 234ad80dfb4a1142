package stress

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/testdata/results"
	"github.com/leadline/leadline/history/stress/values"
)

// goTestOf returns the Go test of a program, as if it had a violation.
func goTestOf(t *testing.T, r *Reflected, program string) *GoTest {
	t.Helper()
	p, err := Parse(program, r.Class)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExpected(r.Class, p)
	if err != nil {
		t.Fatal(err)
	}
	return (&Finding{Seen: Seen{Expected: e}}).goTest(NewThreads(r.Class, &Options{}, &Report{}))
}

// TestGoTestResults: a Go test with each kind of result fails on a broken object, and passes on a correct one.
// One fails when calls do not return.
func TestGoTestResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the Go tool")
	}
	r, err := Reflect(results.New, ReflectOptions{Weak: []string{"Size", "Each", "Peek=monotonic"}, ReadOnly: []string{"Size", "Each", "Peek"}})
	if err != nil {
		t.Fatal(err)
	}
	counts := goTestOf(t, r, `[ Bool(); Ints(); Floats(); Texts(); Bytes(); None(); Map() ] { Nothing(); Inc(); Peek() } || { Inc() } || { Size(); Inc() } order 2<0
		[ Elapsed(); Fails(); Succeeds([1]); Panics(3); Each(=true); Size() ]`)
	waits := goTestOf(t, r, "{ Forth() } || { Back() }")
	waits.Body = strings.Replace(waits.Body, "limit+20*time.Second", "limit", 1) // to wait less
	dir, overlay := t.TempDir(), map[string]string{}
	const qualifier = values.Mark + "github.com/leadline/leadline/history/stress/testdata/results" + values.Mark + "."
	for _, test := range []gotest.Test{
		{Name: "TestCorrect", Body: counts.Body, Constructor: "new(" + qualifier + "New())"},
		{Name: "TestBroken", Body: counts.Body, Constructor: qualifier + "NewBroken()"},
		{Name: "TestWaits", Body: waits.Body, Constructor: qualifier + "NewBroken()"},
	} {
		test.Package, test.Comment, test.Imports = "results_test", "is a test.", &gotest.Imports{Taken: gotest.Taken}
		file := filepath.Join(dir, test.Name+"_test.go")
		seen, err := filepath.Abs("testdata/results/" + test.Name + "_test.go")
		if overlay[seen] = file; errors.Join(err, os.WriteFile(file, []byte(test.Source()), 0o666)) != nil {
			t.Fatal(err)
		}
	}
	text, _ := json.Marshal(map[string]any{"Replace": overlay}) // strings
	file, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "results.test")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", program, "-overlay="+file, "./testdata/results").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s%s", err, out, counts.Missing)
	}
	for name, want := range map[string]string{"TestCorrect": "PASS", "TestBroken": gotest.Unexplained, "TestWaits": "panic: " + gotest.NotReturning} {
		out, err := exec.CommandContext(t.Context(), program, "-test.short", "-test.run="+name).CombinedOutput()
		if (err == nil) != (want == "PASS") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %s\n%s", name, err, want, out)
		}
	}
}

type tree struct{ Children []tree }

type unprintable struct{ n int }

func (u *unprintable) Inc() int              { u.n++; return u.n }
func (u *unprintable) Self() *unprintable    { return u }
func (u *unprintable) Any() any              { return u.n }
func (u *unprintable) All() func(func(int))  { return nil }
func (u *unprintable) Wait() <-chan int      { return nil }
func (u *unprintable) Hidden() []unprintable { return nil }
func (u *unprintable) Complex() complex128   { return 0 }
func (u *unprintable) Tree() tree            { return tree{} }
func (u *unprintable) Each(f func(*int) bool) {
}
func (u *unprintable) Offer() (int, bool) { u.n++; return u.n, true }
func (u *unprintable) Address() string    { return "at 0xc000012345" }
func (u *unprintable) Join(separate bool) (string, string) {
	if u.n++; u.n > 1 {
		return "a", "b"
	}
	return "ab", ""
}

// TestGoTestMissing: without strings that show what differs, the finding has a reason instead of a Go test.
func TestGoTestMissing(t *testing.T) {
	failure := map[string]history.Value{"Offer": history.NullValue}
	r, err := Reflect(func() *unprintable { return &unprintable{} }, ReflectOptions{Weak: []string{"Offer"}, Failure: failure})
	if err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]string{
		"{ Inc() } || { Inc() }":           "",
		"{ Inc() } || { Self() }":          "a result of Self holds a pointer",
		"{ Inc() } || { Any() }":           "a result of Any holds an interface",
		"{ Inc() } || { All() }":           "a result of All holds a function",
		"{ Inc() } || { Wait() }":          "a result of Wait holds a channel",
		"{ Inc() } || { Hidden() }":        "a result of Hidden holds an unexported field",
		"{ Inc() } || { Complex() }":       "a result of Complex holds a complex number",
		"{ Inc() } || { Tree() }":          "a result of Tree holds values of its own type",
		"{ Inc() } || { Each(=true) }":     "what Each calls or writes to is part of its result",
		"{ Inc() } || { Offer() }":         "the failure of Offer is not that of zero results",
		"{ Inc() } || { Address() }":       "its results hold addresses",
		"{ Join(true) } || { Join(true) }": "not all of its results differ as strings",
		"{ Inc(); Inc(); Inc(); Inc() } || { Inc(); Inc(); Inc(); Inc() } || { Inc(); Inc() }": "the program has 3150 outcomes",
	} {
		if got := goTestOf(t, r, program); got.Missing != want || (got.Body == "") != (want != "") {
			t.Errorf("%s: %q, want %q", program, got.Missing, want)
		}
	}
	r.Class.Close = func(any) {}
	if got := goTestOf(t, r, "{ Inc() } || { Inc() }").Missing; got != "its objects have to be closed" {
		t.Error(got)
	}
	r.Class.Close = nil
	r.Class.Methods = []*Method{{Name: "own", Prepare: func([]history.Value) Call { return func(any) history.Value { return history.NoValue } }}}
	if got := goTestOf(t, r, "{ own() } || { own() }").Missing; got != "its methods do not belong to a Go type" {
		t.Error(got)
	}
}
