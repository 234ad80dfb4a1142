package stress

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
)

// An outcome that came once in n executions is not a sequential one if it does
// not come in steadyRuns times n sequential runs. There are at least steadyLeast
// of them. If they take longer than steadyTime, the outcome may be either.
const (
	steadyRuns  = 10
	steadyLeast = 20000
	// steadyTogether is for runs in which calls are open at the same time. Each takes as long
	// as hundreds of others.
	steadyTogether = 200
)

var steadyTime = 20 * time.Second

// trials are repeated sequential runs of a program. They show whether each shuffle always
// has the same outcome, and whether all expected outcomes occur.
type trials struct {
	class    *Class
	program  *Program
	expected *Expected

	all  []trialRun // all shuffles, with their first outcomes
	same bool
}

// A trialRun is an order of invocations with the outcome of the program. The last of
// them, counted by waiting, wait forever.
type trialRun struct {
	order   []int
	outcome Outcome
	waiting int
}

// run makes enough trials for a chance result to appear that comes once in n
// executions. Invocations that wait have to do so for longer than before.
// It reports whether all shuffles had the same results, and whether the limit left
// time for enough of them.
func (t *trials) run(n int64, limit time.Duration) (same, enough bool) {
	seen := &tally{}
	shuffles := newShuffler(t.class, t.program, seen)
	defer shuffles.bench.close()
	t.same = true
	start, runs, most := time.Now(), int64(0), max(steadyRuns*n, steadyLeast)
	if t.program.together {
		most = steadyTogether
	}
	for pass := 0; t.same && (pass < 2 || runs < most && time.Since(start) < limit && !t.class.crowded()); pass++ {
		i, begin := 0, time.Now()
		shuffles.ran = func(order []int, o Outcome, waiting int) {
			if pass == 0 {
				t.all = append(t.all, trialRun{slices.Clone(order), o, waiting})
			}
			t.same = t.same && i < len(t.all) && o.equal(t.all[i].outcome)
			i++
			runs += int64(shuffles.times)
		}
		if pass == 1 { // see once more what waits
			shuffles.known = map[string]bool{}
		}
		shuffles.next()
		t.same = t.same && i == len(t.all) && !shuffles.differs
		// On a busy machine, switching between goroutines takes most of a pass.
		if pass > 0 && time.Since(begin) < max(limit/64, 20*time.Millisecond) {
			shuffles.times = min(2*shuffles.times, 64)
		}
	}
	if shuffles.failure != nil {
		return true, false
	}
	if t.class.crowded() { // it cannot make steadyLeast objects
		most = steadyRuns * n
	}
	t.same = t.same && seen.n == t.expected.set.n &&
		!slices.ContainsFunc(t.all, func(r trialRun) bool { return !t.expected.Contains(r.outcome) }) &&
		!shuffles.bench.unclear && t.slowly() && shuffles.bench.stayed() && t.waitAlone()
	return t.same, runs >= most
}

// waitAlone reports whether the calls that have to be open together really wait without each
// other, and not for a timer.
func (t *trials) waitAlone() bool {
	if !t.program.together {
		return true
	}
	p := t.program.clone() // which is not
	alone := newShuffler(t.class, p, &tally{})
	defer alone.bench.close()
	alone.next()
	return !alone.bench.unclear && alone.bench.stayed()
}

const (
	// slowPause is how long a sequential run may stop before a call, as threads
	// do on a busy machine. All pauses of a run take at most slowTime.
	slowPause = 50 * time.Millisecond
	slowTime  = time.Second
	slowRuns  = 64               // at most
	slowLimit = 10 * time.Second // for the calls of one
)

// slowly reports whether shuffles have the same results if time passes between
// their calls. An object that reads the clock may have others.
func (t *trials) slowly() bool {
	calls := steps(t.program)
	if t.program.together || slices.ContainsFunc(calls, func(s step) bool { return s.method.Weak && !s.method.ReadOnly }) {
		return true // a call that failed is not known
	}
	pause := min(slowPause, slowTime/time.Duration(len(calls)))
	list := slices.DeleteFunc(slices.Clone(t.all), func(r trialRun) bool { return r.waiting > 0 })
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(len(list), slowRuns, max(t.class.spare()/3, 1))]
	pauses := []func() time.Duration{
		func() time.Duration { return pause },
		func() time.Duration { return pause / 20 },
		func() time.Duration { return pause * time.Duration(rand.IntN(2)) },
	}
	same := make(chan bool, len(pauses)*len(list))
	for _, pause := range pauses {
		for _, r := range list {
			go func() { same <- t.slow(calls, r, pause) }()
		}
	}
	late := time.After(slowTime + slowLimit)
	for range cap(same) {
		select {
		case s := <-same:
			if !s {
				return false
			}
		case <-late:
			return false
		}
	}
	return true
}

// slow runs a shuffle with pauses before its calls and reports whether the results
// are those of before.
func (t *trials) slow(calls []step, r trialRun, pause func() time.Duration) bool {
	object := t.class.New()
	defer t.class.close(object)
	var results []history.Value
	for _, i := range r.order {
		time.Sleep(pause())
		results = append(results, calls[i].run(object))
	}
	return slices.EqualFunc(results, r.order, func(v history.Value, i int) bool { return v.Equal(r.outcome[i]) })
}

// widenRuns is how many further sequential runs of a program widen makes at most.
const widenRuns = 64

// widen adds outcomes to those expected of a program whose objects leave goroutines, until all
// outcomes of the run are among them. Such a goroutine may change the object between two calls,
// and an execution leaves it more time for that than a shuffle. So each of these sequential runs
// pauses before some of its calls.
func (s *searcher) widen(p *Program, run *Run, e *Expected) {
	var orders [][]int
	shuffles := newShuffler(s.class, p, &e.set)
	defer shuffles.bench.close()
	shuffles.ran = func(order []int, _ Outcome, waiting int) {
		if waiting == 0 {
			orders = append(orders, slices.Clone(order))
		}
	}
	shuffles.next()
	for n := 0; n < widenRuns && len(orders) > 0 && !s.class.crowded() && unexpected(p, run, e) != nil; n++ {
		order := orders[rand.IntN(len(orders))]
		calls := make([]Call, len(order))
		for k, i := range order {
			pause := time.Duration(0)
			if rand.IntN(2) == 0 {
				pause = time.Microsecond << rand.IntN(12) // up to 2 ms
			}
			calls[k] = func(object any) history.Value {
				for start := time.Now(); time.Since(start) < pause; {
					runtime.Gosched()
				}
				return shuffles.calls[i].run(object)
			}
		}
		results := shuffles.bench.run(calls)
		if len(results) < len(order) {
			continue // one waits
		}
		outcome := make(Outcome, len(order))
		for k, i := range order {
			outcome[i] = results[k]
		}
		e.set.add(outcome, 1)
	}
}
