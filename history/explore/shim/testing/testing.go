package testing

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	std "testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	stand "github.com/leadline/leadline/history/explore/shim/context"
)

// MainStart is for the main packages of test programs. It is a variable, since a type of its arguments has no name here.
var MainStart = std.MainStart

// real is nil. It makes a T a TB, which has a method that no other package can declare.
type real = std.TB

// A T replaces testing.T.
type T struct {
	real
	*shared
	name   string
	parent *T
	subs   []*T // those that are parallel
	names  map[string]int

	failed, skipped bool
	exits           bool // by FailNow or SkipNow
	parallel        bool // it waits until the body of its parent has ended, or did
	over            bool // its body has ended
	done            bool // so have its subtests and cleanups
	alone           bool // it changes the state of the process
	cleanups        []func()
	ctx             context.Context
	cancel          context.CancelFunc
	temporary       string
	temporaries     int
}

// shared is what a test and its subtests share.
type shared struct {
	log    strings.Builder
	first  string           // failure
	levels []*regexp.Regexp // of subtests that run
}

// AllocsPerRun also counts what stand-ins allocate.
func AllocsPerRun(runs int, f func()) float64 {
	schedule.Collected("testing.AllocsPerRun")
	return std.AllocsPerRun(runs, f)
}

// New returns the T of a test. It runs the subtests that match a pattern of go test -run.
func New(name, run string) *T {
	t := &T{shared: &shared{}, name: name, names: map[string]int{}}
	_, below, _ := strings.Cut(run, "/")
	for _, level := range strings.Split(below, "/") {
		if matches, err := regexp.Compile(level); err == nil { // or it matches all
			t.levels = append(t.levels, matches)
		}
	}
	return t
}

// runs reports whether the pattern of -run names the subtest.
func (t *T) runs() bool {
	level := strings.Count(t.name, "/") - 1
	return level >= len(t.levels) || t.levels[level].MatchString(t.name[strings.LastIndex(t.name, "/")+1:])
}

// First returns the place and text of the first failure, or "". Logged returns what the test has logged, and
// Done reports whether the test, its subtests and cleanups have ended.
func (t *T) First() string  { return t.first }
func (t *T) Logged() string { return t.log.String() }
func (t *T) Done() bool     { return t.done }

// Body runs the test, its subtests and cleanups in the calling thread, which may end by Goexit.
func (t *T) Body(f func(*T)) {
	returned := false
	defer func() {
		if !schedule.Ending() && (returned || t.exits || t.exited()) {
			t.end()
		}
	}()
	f(t)
	returned = true
}

// exited reports whether the caller, a deferred function, runs since the thread ends by Goexit without a word to t,
// and not by a panic.
func (t *T) exited() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		switch f, more := frames.Next(); {
		case f.Function == "runtime.Goexit":
			t.Error("test executed panic(nil) or runtime.Goexit")
			return true
		case f.Function == "runtime.gopanic" || !more:
			return false
		}
	}
}

// end runs what is left when the body has ended. A cleanup may end the thread by Goexit.
func (t *T) end() {
	t.over = true
	t.changes()
	for _, s := range t.subs {
		s.await("a parallel subtest", func() bool { return s.done })
	}
	t.subs = nil
	if t.cancel != nil {
		t.cancel()
	}
	returned := false
	defer func() {
		if !returned && t.exits && !schedule.Ending() {
			t.end()
		}
	}()
	for n := len(t.cleanups); n > 0; n = len(t.cleanups) {
		f := t.cleanups[n-1]
		t.cleanups = t.cleanups[:n-1]
		f()
	}
	returned, t.done = true, true
	t.changes()
}

// An until is ready when it returns true.
type until func() bool

func (u until) Ready() bool { return u() }

func (t *T) await(what string, ready func() bool) {
	schedule.Wait(schedule.Read, unsafe.Pointer(t), until(ready), what)
}

// changes is a step on which those that await something of t depend.
func (t *T) changes() { schedule.Step(schedule.Write, unsafe.Pointer(t)) }

// Run runs f as a subtest.
func (t *T) Run(name string, f func(t *T)) bool {
	s := t.sub(name)
	if !s.runs() {
		return true
	}
	if !schedule.Active() {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Body(f)
		}()
		<-ended
		return !s.failed
	}
	schedule.Go(func() { s.Body(f) })
	s.await("subtest "+s.name, func() bool { return s.done || s.parallel })
	if !s.done {
		t.subs = append(t.subs, s)
	}
	return !s.failed
}

var space = regexp.MustCompile(`\s`)

// sub returns a new subtest.
func (t *T) sub(name string) *T {
	name = t.name + "/" + space.ReplaceAllString(name, "_")
	n := t.names[name]
	if t.names[name]++; n > 0 || strings.HasSuffix(name, "/") {
		name += fmt.Sprintf("#%02d", n)
	}
	return &T{shared: t.shared, name: name, parent: t, names: map[string]int{}}
}

// Parallel lets the caller of Run go on, and waits until its body has ended.
func (t *T) Parallel() {
	if t.parallel || t.alone {
		panic("testing: t.Parallel called twice, or after t.Setenv or t.Chdir")
	}
	t.parallel = true
	if p := t.parent; p != nil {
		t.changes()
		p.await("the end of "+p.name, func() bool { return p.over })
	}
}

// Deadline reports that the test has none.
func (t *T) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Name returns the name of the test.
func (t *T) Name() string { return t.name }

// Helper and Attr do nothing.
func (t *T) Helper()                {}
func (t *T) Attr(key, value string) {}

// Failed and Skipped report what happened to the test.
func (t *T) Failed() bool  { return t.failed }
func (t *T) Skipped() bool { return t.skipped }

// Fail marks the test, and those that it is part of, as failed.
func (t *T) Fail() { t.fails("Fail") }

func (t *T) fails(text string) {
	if t.done {
		panic("Fail in goroutine after " + t.name + " has completed")
	}
	if t.first == "" {
		t.first = place() + ": " + short(text)
	}
	for ; t != nil; t = t.parent {
		t.failed = true
	}
}

// ours matches a line of leadline, or of what it runs in, in a trace of testify.
var ours = regexp.MustCompile(`(?m)^\s+\S*(/history/explore/|/iter/iter\.go|/runtime/(coro\.go|asm_\w+\.s)).*\n`)

// testifies matches what testify reports: it has the error between other sections.
var testifies = regexp.MustCompile(`(?s)^\s*Error Trace:.*?Error:\s*(.*?)\s*Test:\s+(?:\S+)\s*(?:Messages:\s*(.*))?$`)

// short returns the first line of a text, or the error in it.
func short(text string) string {
	if m := testifies.FindStringSubmatch(text); m != nil {
		text = strings.Join(strings.Fields(m[1]+" "+m[2]), " ")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n") // the log has the rest
	return first
}

// assertions matches functions that report failures of others.
var assertions = regexp.MustCompile(`/history/explore/|leadline/replay/stresstest\.|/testify/`)

// place returns the innermost place that is not in a library of assertions, and that in the test if it is another.
func place() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	found := ""
	for {
		f, more := frames.Next()
		at := filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		switch {
		case found == "" && f.File != "" && !assertions.MatchString(f.Function):
			found = at
		case strings.Contains(f.Function, ".leadline__Test") && found != "" && at != found:
			return found + " (" + at + ")"
		}
		if !more {
			return cmp.Or(found, "?")
		}
	}
}

// FailNow marks the test as failed and ends the calling goroutine.
func (t *T) FailNow() {
	t.fails("FailNow")
	t.exits = true
	runtime.Goexit()
}

// SkipNow marks the test as skipped and ends the calling goroutine.
func (t *T) SkipNow() {
	t.skipped, t.exits = true, true
	runtime.Goexit()
}

// mostLogged bounds the bytes that are kept.
const mostLogged = 1 << 16

func (t *T) logs(text string) string {
	if t.done {
		panic("Log in goroutine after " + t.name + " has completed: " + strings.TrimSpace(text))
	}
	if t.log.Len() < mostLogged {
		fmt.Fprintf(&t.log, "%s: %s\n", place(), strings.TrimSuffix(ours.ReplaceAllString(text, ""), "\n"))
	}
	return text
}

// Log and the others keep a line, and fail or skip the test as their names say.
func (t *T) Log(args ...any)                 { t.logs(fmt.Sprintln(args...)) }
func (t *T) Logf(format string, args ...any) { t.logs(fmt.Sprintf(format, args...)) }
func (t *T) Error(args ...any)               { t.fails(t.logs(fmt.Sprintln(args...))) }
func (t *T) Errorf(format string, args ...any) {
	t.fails(t.logs(fmt.Sprintf(format, args...)))
}

// Fatal is Error and FailNow.
func (t *T) Fatal(args ...any) {
	t.Error(args...)
	t.FailNow()
}

// Fatalf is Errorf and FailNow.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	t.FailNow()
}

// Skip is Log and SkipNow.
func (t *T) Skip(args ...any) {
	t.Log(args...)
	t.SkipNow()
}

// Skipf is Logf and SkipNow.
func (t *T) Skipf(format string, args ...any) {
	t.Logf(format, args...)
	t.SkipNow()
}

// Output returns a writer to the log.
func (t *T) Output() io.Writer { return &t.log }

// Cleanup calls f when the test and its subtests have ended.
func (t *T) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// Context returns a context that is canceled before the cleanups.
func (t *T) Context() context.Context {
	if t.ctx == nil {
		if t.ctx, t.cancel = stand.WithCancel(context.Background()); t.over {
			t.cancel()
		}
	}
	return t.ctx
}

// isAlone notes that the test changes the state of the process.
func (t *T) isAlone() {
	for s := t; s != nil; s = s.parent {
		if s.parallel {
			panic("testing: test using t.Setenv or t.Chdir can not use t.Parallel")
		}
	}
	t.alone = true
}

// Setenv sets a variable of the environment until the test ends.
func (t *T) Setenv(key, value string) {
	t.isAlone()
	before, had := os.LookupEnv(key)
	t.must(os.Setenv(key, value))
	t.Cleanup(func() {
		if had {
			t.must(os.Setenv(key, before))
		} else {
			t.must(os.Unsetenv(key))
		}
	})
}

func (t *T) must(err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// Chdir changes the working directory until the test ends.
func (t *T) Chdir(dir string) {
	t.isAlone()
	before, err := os.Getwd()
	t.must(err)
	t.must(os.Chdir(dir))
	t.Cleanup(func() { t.must(os.Chdir(before)) })
	absolute, err := os.Getwd()
	t.must(err)
	t.Setenv("PWD", absolute)
}

// TempDir returns a new directory, which is removed in the end.
func (t *T) TempDir() string {
	if t.temporary == "" {
		dir, err := os.MkdirTemp("", "leadline-test-")
		t.must(err)
		t.temporary = dir
		if schedule.AtEnd(remover(dir)); !schedule.Active() {
			t.Cleanup(remover(dir).Reset)
		}
	}
	t.temporaries++
	dir := filepath.Join(t.temporary, fmt.Sprintf("%03d", t.temporaries))
	t.must(os.Mkdir(dir, 0o777))
	return dir
}

// ArtifactDir is TempDir.
func (t *T) ArtifactDir() string { return t.TempDir() }

// A remover removes a directory when the execution has ended, in whatever way.
type remover string

func (r remover) Reset() { _ = os.RemoveAll(string(r)) }
