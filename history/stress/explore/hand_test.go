package explore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A hand passes values over an unbuffered channel, until it is closed. Its counter loses updates.
type hand struct {
	values chan int
	done   chan struct{}
	once   sync.Once
	count  cell
}

func newHand() *hand { return &hand{values: make(chan int), done: make(chan struct{})} }

func (h *hand) Put(v int) bool {
	return schedule.Select(false, schedule.To(h.values).Case(v), schedule.RecvCase(h.done)) == 0
}

func (h *hand) Take() int {
	value := schedule.RecvCase(h.values)
	if schedule.Select(false, value, schedule.RecvCase(h.done)) == 1 {
		return -1
	}
	return value.Value()
}

func (h *hand) Close() { h.once.Do(func() { schedule.Close(h.done) }) }

func (h *hand) Inc() int {
	v := h.count.load() + 1
	h.count.store(v)
	return int(v)
}

// TestHand: a hand-over is correct though some order of the same calls, with Close first, lets all
// of them return without one. It does not end the exploration: a lost update beside it is found.
func TestHand(t *testing.T) {
	for program, violates := range map[string]bool{
		"{ Put(0) } || { Take() } || { Close() }":                  false,
		"{ Close() } || { Close(); Put(0) } || { Take() }":         false,
		"{ Take() } || { Close() } || { Put(0) }":                  false, // Close releases what waits in a select
		"{ Put(0); Close() } || { Take(); Put(1) } || { Take() }":  false,
		"{ Put(0); Inc() } || { Take(); Inc() } || { Close() }":    true,
		"{ Put(0) } || { Inc(); Take() } || { Close() } [ Inc() ]": false,
	} {
		c := classOf(t, newHand, stress.ReflectOptions{})
		r, err := search(c, stress.Options{Preemptions: 2, Programs: []string{program}, Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
		if err != nil || len(r.Findings) > 0 != violates || r.Executions < 10 || len(r.Explored.Diverging) > 0 {
			t.Fatalf("%s: %+v, %v", program, r, err)
		}
		for _, f := range r.Findings {
			isViolation(t, f.History)
			if !strings.HasPrefix(f.Program, "{ Inc() }") {
				t.Errorf("%s is reduced to %s", program, f.Program)
			}
		}
	}
}

// TestHandRealTime: calls that take effect together respect the order of those that do not.
func TestHandRealTime(t *testing.T) {
	c := classOf(t, newHand, stress.ReflectOptions{})
	p, err := stress.Parse("{ Put(0); Inc() } || { Take() } || { Close(); Put(1) }", c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explore.Schedules(t.Context(), c, p, stresstest.Checker(nil), explore.Plan{Preemptions: 2, All: true})
	if err != nil || len(e.Violations) > 0 || e.Undecided > 0 {
		t.Errorf("%+v, %v", e, err)
	}
	if !slices.ContainsFunc(e.Outcomes, func(c stress.Count) bool { return c.Outcome.String() == "T,1,0,(),F" }) {
		t.Errorf("no hand-over in %v", e.Outcomes)
	}
}
