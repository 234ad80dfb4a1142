package explore_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// A workshop has methods of many kinds, some of which are not atomic. It is what the
// rewriter would make of one with packages sync and sync/atomic.
type workshop struct {
	mu    sync.RWMutex
	n     atomic.Int64
	words map[int]int
	once  sync.Once
	first int
	last  atomic.Pointer[int]
}

func newWorkshop() *workshop { return &workshop{words: map[int]int{}} }

func (w *workshop) Lost() int { // an update that may be lost
	n := w.n.Load()
	w.n.Store(n + 1)
	return int(n)
}

func (w *workshop) Add() int { return int(w.n.Add(1)) }

func (w *workshop) Swap(v int) bool { return w.n.CompareAndSwap(int64(v), int64(v)+2) }

func (w *workshop) Put(k, v int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words[k] = v
}

func (w *workshop) Get(k int) int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.words[k]
}

// Move is not atomic.
func (w *workshop) Move(from, to int) { w.Put(to, w.Get(from)) }

func (w *workshop) First(v int) int {
	w.once.Do(func() { w.first = v })
	return w.first
}

func (w *workshop) Set(v int) { w.last.Store(&v) }

func (w *workshop) Last() int {
	if p := w.last.Load(); p != nil {
		return *p
	}
	return -1
}

// TestExploreReal: whatever real threads do, some schedule does.
func TestExploreReal(t *testing.T) {
	c := classOf(t, newWorkshop, stress.ReflectOptions{ReadOnly: []string{"Get", "Last"}})
	programs, err := stress.Generate(c, stress.GeneratorOptions{Bounds: stress.Bounds{MaxInvocations: 4}, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	n, outcomes, several := 0, 0, 0
	most := 25
	if *full {
		most = 200
	}
	for p := range programs {
		e, err := explore.Schedules(context.Background(), c, p, nil, explore.Plan{Preemptions: -1})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Violations) == 0 && e.Complete != explore.Unbounded || e.Cut+e.Diverged+e.Undecided > 0 {
			t.Fatalf("%v: %+v", p, e)
		}
		if len(e.Violations) > 0 { // it stops there
			if e, err = explore.Schedules(context.Background(), c, p, nil, explore.Plan{Preemptions: -1, All: true}); err != nil || e.Complete != explore.Unbounded {
				t.Fatal(p, e, err)
			}
		}
		run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: 10 * time.Millisecond})
		for _, real := range run.Outcomes {
			if !slices.ContainsFunc(e.Outcomes, func(o stress.Count) bool { return o.Outcome.String() == real.Outcome.String() }) {
				t.Errorf("%v: no schedule has the outcome %v of real threads, only %s", p, real.Outcome, fmt.Sprint(e.Outcomes))
			}
		}
		outcomes += len(run.Outcomes)
		if len(run.Outcomes) > 1 {
			several++
		}
		if n++; n == most {
			break
		}
	}
	t.Logf("%d outcomes of real threads; %d programs had several", outcomes, several)
}
