package decide_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A worker tests units, one after another.
type worker struct {
	t   *tester
	ctx context.Context
	p   problem

	unit  unit
	order int // number of the unit
	found part
}

// A part is the contribution of a unit to the report.
type part struct {
	histories, linearizable, comparisons, wrong int64
	disagreements                               []disagreement
}

// do tests the histories of a unit.
func (w *worker) do(u unit, order int) {
	w.unit, w.order, w.found = u, order, part{}
	r := rand.New(rand.NewPCG(w.t.o.seed, 1<<32+uint64(order)))
	k := w.t.kinds[u.kind]
	if u.shape == nil {
		for range u.count {
			if w.ctx.Err() != nil {
				break
			}
			random(&w.p, k, w.t.o.most, r)
			w.test()
		}
	} else {
		u.shape.labels(k, u.first, func(label []int) bool {
			u.shape.arrange(&w.p, k, label, r)
			w.test()
			return w.found.histories&0xff != 0 || w.ctx.Err() == nil
		})
	}
	w.report()
}

// test compares the engines with brute force on w.p.
func (w *worker) test() {
	want := w.p.linearizable()
	w.found.histories++
	if want {
		w.found.linearizable++
	}
	trial, err := newTrial(&w.p, want)
	verdicts := []engineVerdict{{"the specification", fmt.Sprint(err), true}}
	if err == nil {
		var decided int
		decided, verdicts = trial.compare()
		w.found.comparisons += int64(decided)
	}
	if verdicts == nil {
		return
	}
	w.found.wrong++
	name := fmt.Sprintf("%s-%d-%d", w.p.kind.name, w.order, w.found.histories)
	found := append(w.found.disagreements,
		disagreement{w.p.history(name), want, verdicts, [2]int{w.order, int(w.found.histories)}})
	slices.SortStableFunc(found, compareSize)
	w.found.disagreements = found[:min(len(found), keptPerUnit)]
}

// report merges the results into the report.
func (w *worker) report() {
	t, found := w.t, &w.found
	t.mu.Lock()
	defer t.mu.Unlock()
	count := &t.report.Kinds[w.unit.kind]
	if w.unit.shape == nil {
		count.Random += found.histories
	} else {
		count.Small += found.histories
	}
	count.Linearizable += found.linearizable
	t.report.Comparisons += found.comparisons
	t.report.Wrong += found.wrong
	t.report.Disagreements = append(t.report.Disagreements, found.disagreements...)
	if len(t.report.Disagreements) > 4*kept {
		t.report.keepSmallest()
	}
}
