package decide_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/leadline/leadline/history"
)

// selfOptions limit a self test. A seed determines the histories, unless time runs out.
type selfOptions struct {
	ops      int // every history up to this many operations
	seed     uint64
	random   int           // random histories
	most     int           // the most operations of one, maxOps at most
	duration time.Duration // three quarters are for the histories of a few operations; 0: no limit
}

// A selfReport is the result of a self test.
type selfReport struct {
	Kinds       []kindCount
	Comparisons int64 // verdicts of engines compared with brute force
	Wrong       int64 // histories with a verdict that differs
	// Disagreements are some of the smallest of those.
	Disagreements []disagreement
	// Complete is the largest number of operations for which every history was
	// tested. Stopped is true if time ended the test early.
	Complete int
	Stopped  bool
}

// A kindCount counts the tested histories of a type.
type kindCount struct {
	Name         string
	Small        int64 // of a few operations, each of them
	Random       int64
	Linearizable int64 // of both
}

// A disagreement is a history on which at least one verdict differs from brute
// force.
type disagreement struct {
	History      *history.History
	Linearizable bool // the verdict of brute force
	Verdicts     []engineVerdict
	order        [2]int // unit, number within it
}

// An engineVerdict is the verdict of an engine on a history.
type engineVerdict struct {
	Engine, Verdict string
	Wrong           bool
}

const (
	keptPerUnit = 3
	kept        = 100
	randomUnit  = 64 // random histories of a unit
)

// A unit is a piece of work with its own random numbers. It has the histories
// of a shape whose first operation is a given call, or some random histories.
type unit struct {
	kind  int
	shape *shape // nil: random
	first int    // call of the first operation
	count int    // random histories
}

// selfTest compares all engines with brute force on histories of these kinds.
func selfTest(kinds []*kind, o selfOptions) *selfReport {
	t := &tester{o: o, kinds: kinds, report: &selfReport{}}
	for _, k := range kinds {
		t.report.Kinds = append(t.report.Kinds, kindCount{Name: k.name})
	}
	start := time.Now()
	t.small(start, o.duration*3/4)
	t.run(t.randomUnits(), t.randomUnit, start, o.duration)
	t.report.keepSmallest()
	return t.report
}

// keepSmallest sorts the disagreements and drops all but the smallest.
func (r *selfReport) keepSmallest() {
	slices.SortFunc(r.Disagreements, func(a, b disagreement) int {
		return cmp.Or(compareSize(a, b), slices.Compare(a.order[:], b.order[:]))
	})
	r.Disagreements = r.Disagreements[:min(len(r.Disagreements), kept)]
}

type tester struct {
	o       selfOptions
	kinds   []*kind
	started int // units started; numbers them
	mu      sync.Mutex
	report  *selfReport
}

// small tests all histories of 1, 2, ... operations.
func (t *tester) small(start time.Time, limit time.Duration) {
	for n := 1; n <= t.o.ops && !t.report.Stopped; n++ {
		units := t.smallUnits(n)
		t.run(len(units), func(i int) unit { return units[i] }, start, limit)
		if !t.report.Stopped {
			t.report.Complete = n
		}
	}
}

// smallUnits returns the units in random order, so that a test that ends early
// has covered every type.
func (t *tester) smallUnits(n int) []unit {
	all := shapes(n)
	var units []unit
	for k, kind := range t.kinds {
		for s := range all {
			for first := range all[s].list(kind, 0) {
				units = append(units, unit{kind: k, shape: &all[s], first: first})
			}
		}
	}
	r := rand.New(rand.NewPCG(t.o.seed, uint64(n)))
	r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	return units
}

// randomUnits returns the number of units of random histories.
func (t *tester) randomUnits() int { return (t.o.random + randomUnit - 1) / randomUnit }

// randomUnit returns the i-th of them; kinds take turns.
func (t *tester) randomUnit(i int) unit {
	return unit{kind: i % len(t.kinds), count: min(t.o.random-i*randomUnit, randomUnit)}
}

// run runs n units on a worker for each processor.
func (t *tester) run(n int, at func(int) unit, start time.Time, limit time.Duration) {
	ctx := context.Background()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, start.Add(limit))
		defer cancel()
	}
	base := t.started
	t.started += n
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			w := worker{t: t, ctx: ctx}
			for i := range next {
				w.do(at(i), base+i)
			}
		})
	}
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	t.report.Stopped = t.report.Stopped || ctx.Err() != nil
}

func compareSize(a, b disagreement) int { return cmp.Compare(len(a.History.Ops), len(b.History.Ops)) }
