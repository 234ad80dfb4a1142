package stresstest

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	body "github.com/leadline/leadline/history/explore/shim/testing"
	"github.com/leadline/leadline/history/explore/tests"
	"github.com/leadline/leadline/history/explore/tests/inside"
	"github.com/leadline/leadline/history/explore/worker"
)

// Leaks say which goroutines that have not ended are faults, and Timers when time passes.
type (
	Leaks  = inside.Leaks
	Timers = inside.Timers
)

// The values of Leaks and Timers. Forever and WhenIdle are the zero values.
const (
	Forever  = inside.Forever  // those that nothing can wake any more
	AtEnd    = inside.AtEnd    // all that wait when the test has ended, timers apart
	NoLeaks  = inside.NoLeaks  // none
	WhenIdle = inside.WhenIdle // when nothing else can go on
	Anytime  = inside.Anytime  // then also at any other step, up to twice in an execution
)

// ExploreOptions say how Explore explores. The zero value is useful.
type ExploreOptions struct {
	// Preemptions bounds how often a schedule interrupts a goroutine that could go on; 0 means 2.
	Preemptions int
	// Executions and Time bound the search; 0 means 20,000, and ten seconds.
	Executions int64
	Time       time.Duration
	Leaks      Leaks
	Timers     Timers
	// Packages are instrumented in addition to that of the test, what it imports of its module, and what these
	// refer to. With Plain, plain loads and stores are steps.
	Packages []string
	Plain    bool
	Seed     uint64
}

// Explore runs f, a test, under one schedule of its goroutines after another, in an instrumented build of the test's
// program. It fails the test if f fails, panics, is in a deadlock, or leaves a goroutine that can never end, and shows
// the schedule, which it saves in testdata/leadline and tries first next time:
//
//	func TestShutdown(t *testing.T) {
//		stresstest.Explore(t, func(t *testing.T) { ... }, stresstest.ExploreOptions{})
//	}
//
// What f cannot do under schedules, such as using a network, is an error. The command leadline explore does the same
// for tests as they are. See package history/explore/tests.
func Explore[T TB](t T, f func(T), o ExploreOptions) {
	t.Helper()
	if schedule.Active() { // leadline explore explores the whole test
		f(t)
		return
	}
	call := calls.next(t)
	if f, ok := any(f).(func(*body.T)); ok { // this program is instrumented
		if worker.Name() == inside.Name(t.Name(), call) {
			os.Exit(inside.Serve(t.Name(), f))
		}
		return
	}
	if _, ok := any(t).(*testing.T); !ok {
		t.Errorf("explore: t is a %T, not a *testing.T", t)
		return
	}
	if worker.Name() != "" { // of another call
		return
	}
	r, err := exploreTest(t, call, o)
	var b strings.Builder
	if err == nil && r.Fault != nil {
		err = r.WriteFault(&b, "")
	}
	switch {
	case err != nil:
		t.Errorf("explore: %v", err)
	case r.Fault != nil:
		t.Errorf("explore: %s\n%sto see it again: %s replay %s", r.Says(), &b, Program(), r.Saved)
	case r.Status() == tests.Refused || r.Status() == tests.Cut:
		t.Errorf("explore: it was not explored: %s", r.Says())
	default:
		t.Logf("explore: %s", r.Says())
		for _, text := range r.NotTried {
			t.Logf("explore: %s", text)
		}
	}
}

// exploreTest builds the program and explores one call.
func exploreTest(t TB, call int, o ExploreOptions) (*tests.Result, error) {
	dir, err := os.MkdirTemp("", programsPrefix)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	options := &tests.Options{Patterns: []string{"."}, Packages: o.Packages, Plain: o.Plain,
		Options: inside.Options{Preemptions: o.Preemptions, Executions: o.Executions, Time: o.Time, Leaks: o.Leaks, Timers: o.Timers, Seed: o.Seed}}
	if tags := buildTags(); tags != "" {
		options.Tags = strings.Split(tags, ",")
	}
	program, err := tests.Build(contextOf(t), options, dir)
	if err != nil {
		return nil, err
	}
	return program.Explore(contextOf(t), options, t.Name(), call), nil
}
