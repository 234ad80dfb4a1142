package selftest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/leadline/leadline/history"
)

// Options limit the test. The zero value of a field stands for the default.
type Options struct {
	Ops       int    // every history up to this many operations; 3, MaxOps at most
	Seed      uint64 // of all random choices
	Random    int    // random histories; none
	RandomOps int    // the most operations of one; 12, MaxOps at most
	Jobs      int    // histories tested at the same time; GOMAXPROCS
	// Duration is the time limit; no limit by default. If random histories are
	// requested, the histories of a few operations get three quarters of it.
	Duration time.Duration
	// Progress is called with the number of additional histories tested. Its
	// calls do not overlap.
	Progress func(histories int)
}

// MaxOps is the largest number of operations of a history here.
const MaxOps = maxOps

// A Report is the result of a test.
type Report struct {
	Kinds       []Count
	Comparisons int64 // verdicts of engines compared with brute force
	Wrong       int64 // histories with a verdict that differs
	// Disagreements are some of the smallest of those.
	Disagreements []Disagreement
	// Complete is the largest number of operations for which every history was
	// tested. Stopped is true if time or the context ended the test early.
	Complete int
	Stopped  bool
	Elapsed  time.Duration
}

// Histories is the number of histories tested.
func (r *Report) Histories() int64 {
	n := int64(0)
	for _, k := range r.Kinds {
		n += k.Small + k.Random
	}
	return n
}

// A Count counts the tested histories of a type.
type Count struct {
	Name         string
	Small        int64 // of a few operations, each of them
	Random       int64
	Linearizable int64 // of both
}

// A Disagreement is a history on which at least one verdict differs from brute
// force.
type Disagreement struct {
	History      *history.History
	Linearizable bool // the verdict of brute force
	Verdicts     []EngineVerdict
	order        [2]int // unit, number within it
}

// An EngineVerdict is the verdict of an engine on a history.
type EngineVerdict struct {
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

// Run runs the test. When ctx is cancelled, it returns early with the results
// so far.
func Run(ctx context.Context, o Options) (*Report, error) {
	o.Ops, o.RandomOps = cmp.Or(o.Ops, 3), cmp.Or(o.RandomOps, 12)
	o.Jobs = cmp.Or(o.Jobs, runtime.GOMAXPROCS(0))
	if o.Ops < 0 || o.Ops > MaxOps || o.RandomOps < 1 || o.RandomOps > MaxOps || o.Random < 0 || o.Jobs < 1 || o.Duration < 0 {
		return nil, fmt.Errorf("selftest: options out of range: %+v", o)
	}
	start := time.Now()
	t := &tester{o: o, kinds: kinds(), report: &Report{}}
	for _, k := range t.kinds {
		t.report.Kinds = append(t.report.Kinds, Count{Name: k.name})
	}
	smallTime := o.Duration
	if o.Random > 0 {
		smallTime = o.Duration * 3 / 4
	}
	t.small(ctx, start, smallTime)
	t.run(ctx, t.randomUnits(), t.randomUnit, start, o.Duration)
	t.report.keepSmallest()
	t.report.Elapsed = time.Since(start)
	return t.report, nil
}

// keepSmallest sorts the disagreements and drops all but the smallest.
func (r *Report) keepSmallest() {
	slices.SortFunc(r.Disagreements, func(a, b Disagreement) int {
		return cmp.Or(compareSize(a, b), slices.Compare(a.order[:], b.order[:]))
	})
	r.Disagreements = r.Disagreements[:min(len(r.Disagreements), kept)]
}

type tester struct {
	o       Options
	kinds   []*kind
	started int // units started; numbers them
	mu      sync.Mutex
	report  *Report
}

// small tests all histories of 1, 2, ... operations.
func (t *tester) small(ctx context.Context, start time.Time, limit time.Duration) {
	for n := 1; n <= t.o.Ops && !t.report.Stopped; n++ {
		units := t.smallUnits(n)
		t.run(ctx, len(units), func(i int) unit { return units[i] }, start, limit)
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
	r := rand.New(rand.NewPCG(t.o.Seed, uint64(n)))
	r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	return units
}

// randomUnits returns the number of units of random histories.
func (t *tester) randomUnits() int { return (t.o.Random + randomUnit - 1) / randomUnit }

// randomUnit returns the i-th of them; kinds take turns.
func (t *tester) randomUnit(i int) unit {
	return unit{kind: i % len(t.kinds), count: min(t.o.Random-i*randomUnit, randomUnit)}
}

// run runs n units on o.Jobs workers.
func (t *tester) run(ctx context.Context, n int, at func(int) unit, start time.Time, limit time.Duration) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, start.Add(limit))
		defer cancel()
	}
	base := t.started
	t.started += n
	next := make(chan int)
	var workers sync.WaitGroup
	for range t.o.Jobs {
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

func compareSize(a, b Disagreement) int { return cmp.Compare(len(a.History.Ops), len(b.History.Ops)) }
