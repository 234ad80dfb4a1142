package testing

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	std "testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	stand "github.com/leadline/leadline/history/explore/shim/context"
)

// real is the T outside of an execution. In one it is nil, and only makes a T a TB, which has a method
// without a name outside of its package.
type real = std.TB

// A T replaces testing.T.
type T struct {
	real
	of *std.T // the real one, outside of an execution

	name   string
	parent *T
	subs   []*T // those that are parallel
	names  map[string]int
	log    *strings.Builder // of the root
	first  *string          // the first failure, of the root

	failed, skipped bool
	parallel        bool // it waits until the body of its parent has ended, or did
	over            bool // its body has ended
	done            bool // so have its subtests and cleanups
	setsEnvironment bool
	cleanups        []func()
	cleaning        bool
	ctx             context.Context
	cancel          context.CancelFunc
	temporary       string
	temporaries     int
	exits           bool // by FailNow or SkipNow
}

// Outside returns the T of a test that does not run in an execution.
func Outside(t *std.T) *T { return &T{real: t, of: t} }

// Real returns the real T outside of an execution.
func (t *T) Real() *std.T { return t.of }

// New returns the T of a test in an execution.
func New(name string) *T {
	return &T{name: name, names: map[string]int{}, log: &strings.Builder{}, first: new(string)}
}

// Done reports whether the test, its subtests and cleanups have ended.
func (t *T) Done() bool { return t.done }

// First returns the place and text of the first failure, or "".
func (t *T) First() string { return *t.first }

// Logged returns what the test has logged.
func (t *T) Logged() string { return t.log.String() }

// Body runs the test, its subtests and cleanups in the calling thread. It may end by Goexit.
func (t *T) Body(f func(*T)) {
	returned := false
	defer func() {
		if schedule.Ending() || !returned && !t.exits && !t.exited() {
			return
		}
		t.end()
	}()
	f(t)
	returned = true
}

// exited reports whether the caller, a deferred function, runs since its test called Goexit, and not
// since it panics. A test does so only by FailNow or SkipNow of another T.
func (t *T) exited() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic" || f.Function == "runtime.sigpanic":
			return false
		case f.Function == "runtime.Goexit":
			t.Errorf("test executed panic(nil) or runtime.Goexit")
			return true
		case !more:
			return false
		}
	}
}

// end runs what is left when the body has ended.
func (t *T) end() {
	t.over = true
	t.changes()
	for _, s := range t.subs {
		s.await("a parallel subtest", func() bool { return s.done })
	}
	if t.cancel != nil {
		t.cancel()
	}
	t.clean()
	t.done = true
	t.changes()
}

// clean calls the cleanups, the last one first. One of them may end by Goexit.
func (t *T) clean() {
	t.cleaning = true
	for n := len(t.cleanups); n > 0; n = len(t.cleanups) {
		f := t.cleanups[n-1]
		t.cleanups = t.cleanups[:n-1]
		func() {
			returned := false
			defer func() {
				if !returned && t.exits && !schedule.Ending() {
					t.clean()
					t.done = true
					t.changes()
				}
			}()
			f()
			returned = true
		}()
	}
}

// An until is ready when it returns true.
type until func() bool

func (u until) Ready() bool { return u() }

func (t *T) await(what string, ready func() bool) {
	schedule.Wait(schedule.Read, unsafe.Pointer(t), until(ready), what)
}

// changes is a step that what awaits something of t depends on.
func (t *T) changes() { schedule.Step(schedule.Write, unsafe.Pointer(t)) }

// Run runs f as a subtest.
func (t *T) Run(name string, f func(t *T)) bool {
	if t.of != nil {
		return t.of.Run(name, func(t *std.T) { f(Outside(t)) })
	}
	s := t.sub(name)
	schedule.Go(func() { s.Body(f) })
	s.await("subtest "+s.name, func() bool { return s.done || s.parallel })
	if s.parallel && !s.done {
		t.subs = append(t.subs, s)
	}
	return !s.failed
}

// sub returns a new subtest.
func (t *T) sub(name string) *T {
	name = t.name + "/" + strings.Map(func(r rune) rune {
		if r == ' ' {
			return '_'
		}
		return r
	}, name)
	if n := t.names[name]; n > 0 || strings.HasSuffix(name, "/") {
		t.names[name]++
		name += fmt.Sprintf("#%02d", n)
	} else {
		t.names[name] = 1
	}
	return &T{name: name, parent: t, names: map[string]int{}, log: t.log, first: t.first}
}

// Parallel lets the caller of Run go on, and waits until its body has ended.
func (t *T) Parallel() {
	switch {
	case t.of != nil:
		t.of.Parallel()
		return
	case t.parallel:
		panic("testing: t.Parallel called multiple times")
	case t.setsEnvironment:
		panic("testing: test using t.Setenv or t.Chdir can not use t.Parallel")
	}
	t.parallel = true
	if p := t.parent; p != nil {
		t.changes()
		p.await("the end of "+p.name, func() bool { return p.over })
	}
}

// Deadline reports the time at which the test is ended: never, in an execution.
func (t *T) Deadline() (deadline time.Time, ok bool) {
	if t.of != nil {
		return t.of.Deadline()
	}
	return time.Time{}, false
}

// Name returns the name of the test.
func (t *T) Name() string {
	if t.of != nil {
		return t.of.Name()
	}
	return t.name
}

// Helper does nothing in an execution.
func (t *T) Helper() {
	if t.of != nil {
		t.of.Helper()
	}
}

// Failed reports whether the test has failed.
func (t *T) Failed() bool {
	if t.of != nil {
		return t.of.Failed()
	}
	return t.failed
}

// Skipped reports whether the test was skipped.
func (t *T) Skipped() bool {
	if t.of != nil {
		return t.of.Skipped()
	}
	return t.skipped
}

// Fail marks the test as failed.
func (t *T) Fail() {
	if t.of != nil {
		t.of.Fail()
		return
	}
	t.fails("")
}

// fails marks the test and those that it is part of as failed.
func (t *T) fails(text string) {
	if t.done {
		panic("Fail in goroutine after " + t.name + " has completed")
	}
	if *t.first == "" {
		place := place()
		*t.first = strings.TrimSpace(place + ": " + text)
	}
	for ; t != nil; t = t.parent {
		t.failed = true
	}
}

// place returns the innermost place of a call that is not in a library of assertions.
func place() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/history/explore/") && !strings.Contains(f.Function, "/testify/") && !strings.HasPrefix(f.Function, "runtime.") && f.File != "" {
			return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return ""
		}
	}
}

// FailNow marks the test as failed and ends the calling goroutine.
func (t *T) FailNow() {
	if t.of != nil {
		t.of.FailNow()
	}
	t.fails("FailNow")
	t.exits = true
	runtime.Goexit()
}

// SkipNow marks the test as skipped and ends the calling goroutine.
func (t *T) SkipNow() {
	if t.of != nil {
		t.of.SkipNow()
	}
	t.skipped, t.exits = true, true
	runtime.Goexit()
}

// logs adds a line to the log.
func (t *T) logs(text string) {
	if t.done {
		panic("Log in goroutine after " + t.name + " has completed: " + text)
	}
	const most = 1 << 16
	if t.log.Len() < most {
		fmt.Fprintf(t.log, "%s: %s\n", place(), strings.TrimSuffix(text, "\n"))
	}
}

// Log keeps a line.
func (t *T) Log(args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Log(args...)
		return
	}
	t.logs(fmt.Sprintln(args...))
}

// Logf keeps a line.
func (t *T) Logf(format string, args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Logf(format, args...)
		return
	}
	t.logs(fmt.Sprintf(format, args...))
}

// Error is Log and Fail.
func (t *T) Error(args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Error(args...)
		return
	}
	t.failing(fmt.Sprintln(args...))
}

// Errorf is Logf and Fail.
func (t *T) Errorf(format string, args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Errorf(format, args...)
		return
	}
	t.failing(fmt.Sprintf(format, args...))
}

func (t *T) failing(text string) {
	t.logs(text)
	t.fails(text)
}

// Fatal is Log and FailNow.
func (t *T) Fatal(args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Fatal(args...)
	}
	t.failing(fmt.Sprintln(args...))
	t.FailNow()
}

// Fatalf is Logf and FailNow.
func (t *T) Fatalf(format string, args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Fatalf(format, args...)
	}
	t.failing(fmt.Sprintf(format, args...))
	t.FailNow()
}

// Skip is Log and SkipNow.
func (t *T) Skip(args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Skip(args...)
	}
	t.logs(fmt.Sprintln(args...))
	t.SkipNow()
}

// Skipf is Logf and SkipNow.
func (t *T) Skipf(format string, args ...any) {
	if t.of != nil {
		t.of.Helper()
		t.of.Skipf(format, args...)
	}
	t.logs(fmt.Sprintf(format, args...))
	t.SkipNow()
}

// Output returns a writer to the log.
func (t *T) Output() io.Writer {
	if t.of != nil {
		return t.of.Output()
	}
	return t.log
}

// Attr does nothing in an execution.
func (t *T) Attr(key, value string) {
	if t.of != nil {
		t.of.Attr(key, value)
	}
}

// Cleanup calls f when the test and its subtests have ended.
func (t *T) Cleanup(f func()) {
	if t.of != nil {
		t.of.Cleanup(f)
		return
	}
	t.cleanups = append(t.cleanups, f)
}

// Context returns a context that is canceled before the cleanups.
func (t *T) Context() context.Context {
	if t.of != nil {
		return t.of.Context()
	}
	if t.ctx == nil {
		t.ctx, t.cancel = stand.WithCancel(context.Background())
		if t.cleaning {
			t.cancel()
		}
	}
	return t.ctx
}

// Setenv sets a variable of the environment until the test ends.
func (t *T) Setenv(key, value string) {
	if t.of != nil {
		t.of.Setenv(key, value)
		return
	}
	t.alone()
	before, had := os.LookupEnv(key)
	if err := os.Setenv(key, value); err != nil {
		t.Fatalf("cannot set environment variable: %v", err)
	}
	t.Cleanup(func() {
		if had {
			_ = os.Setenv(key, before) // it was valid before
		} else {
			_ = os.Unsetenv(key)
		}
	})
}

// alone notes that the test changes the state of the process.
func (t *T) alone() {
	for s := t; s != nil; s = s.parent {
		if s.parallel {
			panic("testing: test using t.Setenv or t.Chdir can not use t.Parallel")
		}
	}
	t.setsEnvironment = true
}

// Chdir changes the working directory until the test ends.
func (t *T) Chdir(dir string) {
	if t.of != nil {
		t.of.Chdir(dir)
		return
	}
	t.alone()
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chdir(before) })
	if absolute, err := filepath.Abs(dir); err == nil {
		t.Setenv("PWD", absolute)
	}
}

// TempDir returns a new directory, which is removed when the test ends.
func (t *T) TempDir() string {
	if t.of != nil {
		return t.of.TempDir()
	}
	if t.temporary == "" {
		dir, err := os.MkdirTemp("", "leadline-test-")
		if err != nil {
			t.Fatalf("TempDir: %v", err)
		}
		t.temporary = dir
		schedule.AtEnd(remover(dir))
	}
	t.temporaries++
	dir := filepath.Join(t.temporary, fmt.Sprintf("%03d", t.temporaries))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatalf("TempDir: %v", err)
	}
	return dir
}

// ArtifactDir returns a new directory, which is removed when the test ends.
func (t *T) ArtifactDir() string {
	if t.of != nil {
		return t.of.ArtifactDir()
	}
	return t.TempDir()
}

// A remover removes a directory when the execution has ended, in whatever way.
type remover string

func (r remover) Reset() { _ = os.RemoveAll(string(r)) }
