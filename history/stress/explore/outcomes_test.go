package explore_test

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A lossy counter runs on threads, too.
type lossy struct {
	mu sync.Mutex
	n  atomic.Int64
}

func (l *lossy) Inc() int64 {
	v := l.n.Load() + 1
	l.n.Store(v)
	return v
}

func (l *lossy) Locked() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Inc()
}

func (l *lossy) Get() int64 { return l.n.Load() }

// TestOutcomes: all outcomes of a program are counted, on threads and in schedules: those that no
// order has, and those of each order, also if they were never seen.
func TestOutcomes(t *testing.T) {
	c := classOf(t, func() *lossy { return &lossy{} }, stress.ReflectOptions{})
	for _, executor := range []stress.NewExecutor{stress.NewThreads, explore.New} {
		r, err := stress.Search(t.Context(), c, stress.Options{Outcomes: true, Programs: []string{"{ Inc() } || { Inc(); Get() }", "{ Locked() } || { Locked() }"},
			Preemptions: 1, Effort: stress.Effort{Time: patience, Program: 1}, Executor: executor, Checker: stresstest.Checker(nil)})
		if err != nil || len(r.Outcomes) != 2 || len(r.Findings) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		for i, p := range r.Outcomes {
			var expected []string
			times := int64(0)
			for _, o := range p.Outcomes {
				times += o.Times
				if o.OrdersInAll > 0 {
					expected = append(expected, o.Outcome)
				}
				if o.OrdersInAll == 0 && o.Violations != o.Times || o.Violations > o.Times {
					t.Errorf("%s: %+v", p.Program, o)
				}
			}
			if want := [][]string{{"1,2,2", "2,1,1", "2,1,2"}, {"1,2", "2,1"}}[i]; !slices.Equal(expected, want) || times != p.Executions || times == 0 {
				t.Errorf("%s: expected %q in %d of %d executions", p.Program, expected, times, p.Executions)
			}
			if lost := slices.ContainsFunc(p.Outcomes, func(o stress.SeenOutcome) bool { return o.Outcome == "1,1,1" && o.Violations > 0 }); r.Explored != nil && lost != (i == 0) {
				t.Errorf("%s: a lost update is seen: %v", p.Program, lost)
			}
		}
	}
	if _, err := stress.Search(t.Context(), c, stress.Options{Outcomes: true, Checker: stresstest.Checker(nil)}); err == nil {
		t.Error("outcomes of generated programs are counted")
	}
}

// TestOutcomesTicks: an outcome that calls one after another have only if time passes has an order.
func TestOutcomesTicks(t *testing.T) {
	class := &stress.Class{Name: "swept", New: func() any { return newSwept("ticker")() }, Methods: []*stress.Method{
		nullary("Set", func(s *swept) history.Value { s.Set(0, 0); return history.NoValue }),
		nullary("Len", func(s *swept) history.Value { return history.IntValue(int64(s.Len())) }),
	}}
	r, err := stress.Search(t.Context(), class, stress.Options{Outcomes: true, Programs: []string{"{ Set(); Len() } || { Len() }"}, Preemptions: 1,
		Effort: stress.Effort{Time: patience, Program: 1}, Executor: explore.New, Checker: stresstest.Checker(nil)})
	if err != nil || len(r.Outcomes) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	swept := false
	for _, o := range r.Outcomes[0].Outcomes {
		swept = swept || o.Outcome == "(),0,0" && o.Times > 0
		if o.Violations > 0 || o.OrdersInAll == 0 {
			t.Errorf("%+v", o)
		}
	}
	if !swept {
		t.Errorf("no execution in which time passes: %+v", r.Outcomes)
	}
}
