package explore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// TestSearchEnds: executions or steps end a search, with generated programs and with a given one, and
// the report says which.
func TestSearchEnds(t *testing.T) {
	const most = 300
	for _, executor := range []stress.NewExecutor{explore.New, stress.NewThreads} {
		isThreads := executor(hallClass(t), &stress.Options{}, &stress.Report{}).Levels() == 1
		for _, programs := range [][]string{nil, {"{ Enter(); Enter(); Enter() } || { Enter(); Enter(); Enter() } || { Enter(); Enter() }"}} {
			for _, test := range []struct {
				effort stress.Effort
				want   string
			}{{stress.Effort{Executions: most}, "300 executions"}, {stress.Effort{Schedules: most}, "300 schedules"}, {stress.Effort{Steps: 10 * most}, "3000 steps"}} {
				if isThreads != (test.effort.Executions > 0) || isThreads && programs != nil {
					continue // threads run a given program once
				}
				test.effort.Program = time.Millisecond
				r, err := stress.Search(t.Context(), hallClass(t), stress.Options{Executor: executor, Checker: stresstest.Checker(nil), Effort: test.effort, Programs: programs})
				if err != nil || r.Ended != test.want || len(r.Findings) > 0 {
					t.Errorf("%+v, programs %q: ended by %q after %d executions, %v", test.effort, programs, r.Ended, r.Executions, err)
				}
				if test.effort.Steps == 0 && (r.Executions < most || !isThreads && r.Executions > 2*most) {
					t.Errorf("%d executions", r.Executions)
				}
			}
		}
	}
}

// A hall is a room that is never full, also on threads.
type hall struct{ in atomic.Int64 }

func (h *hall) Enter() int64 {
	defer h.in.Add(-1)
	return max(1, h.in.Add(1)-8)
}

// hallClass is a class without a violation.
func hallClass(t *testing.T) *stress.Class {
	return classOf(t, func() *hall { return &hall{} }, stress.ReflectOptions{})
}

// TestSimplifyCut: a violation whose time is over keeps its schedule, and says so.
func TestSimplifyCut(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := hitsClass(false)
	o := stress.Options{Executor: explore.New, Checker: stresstest.Checker(nil), Programs: []string{"{ Inc() } || { Inc() }"}, Effort: stress.Effort{Time: patience}}
	r, err := stress.Search(ctx, c, o)
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Cut != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	f := r.Findings[0]
	before := f.Scheduled.Schedule
	real, err := explore.New(c, &o, r).Simplify(ctx, f, 0)
	if err != nil || !real || f.Scheduled.Schedule != before || !slices.Equal(f.Cut, []string{"searched for a simpler schedule"}) {
		t.Errorf("real %v, cut %q, schedule %s, %v", real, f.Cut, f.Scheduled.Schedule, err)
	}
}

// TestPassesEnd: the first pass has half of the bound, and the second the rest.
func TestPassesEnd(t *testing.T) {
	threads := func(context.Context, stress.Options) (*stress.Report, error) { return &stress.Report{}, nil }
	build := func(context.Context, bool) (*worker.Program, error) { p := child("hits"); return &p, nil }
	list, err := stress.Both(t.Context(), threads, build, stress.Options{Programs: []string{"{ Atomic(); Atomic(); Atomic() } || { Atomic(); Atomic(); Atomic() } || { Atomic(); Atomic(); Atomic() }"}, Effort: stress.Effort{Schedules: 1000, Time: patience}})
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	if first, second := list[1], list[2]; first.Executions < 500 || first.Executions >= 1000 || first.Ended != "500 schedules" ||
		first.Executions+second.Executions < 1000 || second.Ending() != "ended by its bound of 1000 schedules" {
		t.Errorf("%q after %d, %q after %d", first.Ended, first.Executions, second.Ending(), second.Executions)
	}
}
