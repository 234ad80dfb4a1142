package explore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Limits of the runs of one list of calls: over all choices of an object, and over all schedules of
// one that starts goroutines.
const (
	maxAfter         = 1 << 10
	maxThreadedAfter = 1 << 11
)

var errAfter = fmt.Errorf("the calls that one below complete may see have more than %d runs", maxAfter)

// After implements stress.SequentialRuns: it tries every choice of the object. For an object that
// starts goroutines, there may be more results than it finds; then unsure is set.
func (o *oracle) After(invocations []int) ([]history.Value, error) {
	var last history.Value
	var results []history.Value
	returned, paused := false, false
	p := o.scheduled
	p.Threads = []func(){func() {
		pause := pause{}
		if paused {
			pauses := o.pauses()
			pause = pauses[schedule.Choose(len(pauses))]
		}
		for k, i := range invocations {
			pause.pass()
			schedule.Invocation(0, k)
			last = o.calls[i](o.object)
			schedule.Returned()
		}
		returned = true
	}}
	run := func(s schedule.Strategy, limit int) (whole bool, err error) {
		for range limit {
			returned = false
			r := schedule.Run(&p, s, o.limits())
			o.threads, o.timed = o.threads || r.Spawned > 0, o.timed || r.Timed
			switch {
			case r.Panic != nil:
				return false, fmt.Errorf("a goroutine of the object panics in a sequential run: %v", r.Panic)
			case r.Diverged:
				o.diverged = true
				return false, errors.New("a sequential run depends on more than its schedule")
			case r.Cut && !o.threads:
				return false, errSpins
			case returned && !slices.ContainsFunc(results, last.Equal):
				results = append(results, last)
			}
			if !s.Next(r) {
				return true, nil
			}
		}
		return false, nil
	}
	for _, paused = range []bool{false, true} {
		if paused && !o.timed {
			break
		}
		whole, err := run(sequentialStrategy(0, false), maxAfter)
		if err == nil && o.threads {
			all := schedule.NewDPOR()
			whole, err = run(all, maxThreadedAfter)
			o.unsure = o.unsure || !whole || !all.Exhausted()
		} else if err == nil && !whole {
			err = errAfter
		}
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// allows reports whether the levels allow the outcome in the order of a known run that respects the
// order of events.
func (o *oracle) allows(outcome stress.Outcome, events []int16) bool {
	if !o.expected.IsRelaxed() {
		return false
	}
	x := &stress.Execution{Outcome: outcome, Events: events}
	for _, list := range o.runs {
		for _, r := range list {
			if o.expected.Allows(r, x) {
				return true
			}
		}
	}
	return false
}

// violatingExecutions returns the executions that violate, in their order.
func (x *explorer) violatingExecutions() []stress.Execution {
	var list []stress.Execution
	for _, r := range x.judged {
		if r.seen.Verdict == bodies.Violates {
			list = append(list, stress.Execution{Outcome: r.Outcome, Events: r.Events, Times: r.seen.Times})
		}
	}
	slices.SortFunc(list, func(a, b stress.Execution) int {
		return cmp.Or(a.Outcome.Compare(b.Outcome), slices.Compare(a.Events, b.Events))
	})
	return list
}

// runs returns the sequential runs that executions are compared with: those in which time does not
// jump, and those with the jumps of executions.
func (x *explorer) runs() []stress.SequentialRun {
	list, _ := x.oracle.All()
	for _, e := range x.others {
		more, _ := e.Runs.All()
		list = append(list, more...)
	}
	slices.SortFunc(list, compareRuns)
	return slices.CompactFunc(list, func(a, b stress.SequentialRun) bool { return compareRuns(a, b) == 0 })
}

// Weak returns what explains all violations of the exploration, by methods; see
// stress.Expected.Explaining.
func (e *Exploration) Weak(methods ...string) []string {
	return e.by.expected.Explaining(methods, e.by.violatingExecutions())
}
