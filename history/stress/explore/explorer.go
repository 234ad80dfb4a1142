package explore

import (
	"context"
	"slices"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Schedules runs a program of the class under the schedules that the plan names,
// each on a fresh object, and compares the executions with the sequential runs of
// the program. Objects have to call the hooks of package schedule: see package
// instrument.
//
// The checker judges executions with respect to the order of events. Without it, only outcomes count.
func Schedules(ctx context.Context, c *stress.Class, p *stress.Program, checker stress.Checker, plan Plan) (*Exploration, error) {
	e, err := expectedOf(c, p)
	if err != nil {
		return nil, err
	}
	e = withTogether(e)
	if err := levelsTogether(e); err != nil {
		return nil, err
	}
	return newExplorer(ctx, e, checker).explore(plan)
}

// An explorer runs a program in the scheduler.
type explorer struct {
	ctx      context.Context
	class    *stress.Class
	program  *stress.Program
	checker  stress.Checker
	all      []stress.Invocation
	calls    []stress.Call // of them
	expected *stress.Expected
	oracle   *oracle // of executions without jumps of time
	search   *bodies.Search

	object  any
	outcome stress.Outcome
	events  []int16
	ended   []sequenceEnd
	seen    stress.Executions
	judged  map[executedKey]*executed
	others  map[allowance]*stress.Expected // of executions with such jumps
	// togethers are what is expected if calls that wait for one another take effect together.
	togethers map[*stress.Expected]togetherResult
	either    int64 // see Exploration.Either

	faults   *faultFinder     // nil if executions are not checked for faults
	explored *stress.Explored // nil, or gets whether steps synchronise

	watched []watchedCall // the invocations
}

// An executed is an execution with the verdict on it. Executions that are the same have one.
type executed struct {
	*stress.Execution
	seen bodies.Seen // its Detail is the executed
}

// executedOf returns what Record has made.
func executedOf(s *bodies.Seen) *executed { return s.Detail.(*executed) }

// foundAs returns what Describe or Suspect has added.
func foundAs(f *bodies.Found) *Violation { return f.Detail.(*Violation) }

type executedKey struct {
	execution *stress.Execution
	allowance allowance
}

// A sequenceEnd reports whether a sequence has ended.
type sequenceEnd struct{ done bool }

// Ready implements schedule.Waiter.
func (e *sequenceEnd) Ready() bool { return e.done }

// newExplorer returns an explorer of the program of e.
func newExplorer(ctx context.Context, e *stress.Expected, checker stress.Checker) *explorer {
	p := e.Program
	x := &explorer{ctx: ctx, class: e.Class, program: p, checker: checker, all: p.All(), expected: e, oracle: e.Runs.(*oracle),
		ended: make([]sequenceEnd, len(p.Sequences)), judged: map[executedKey]*executed{}, others: map[allowance]*stress.Expected{},
		togethers: map[*stress.Expected]togetherResult{}}
	x.calls = p.Calls()
	x.outcome, x.watched = make(stress.Outcome, len(x.calls)), make([]watchedCall, len(x.calls))
	x.search = &bodies.Search{Ctx: ctx, Oracle: x, Result: &bodies.Exploration{}, Body: schedule.Program{Before: x.before, After: x.after}}
	from := len(p.Initial)
	for s, sequence := range p.Sequences {
		x.search.Body.Threads = append(x.search.Body.Threads, x.thread(s, from, from+len(sequence)))
		from += len(sequence)
	}
	return x
}

// before makes the object and runs the initial part.
func (x *explorer) before() {
	x.events = x.events[:0]
	for i := range x.outcome {
		x.outcome[i] = stress.NotCalled
	}
	clear(x.ended)
	x.object = x.class.New()
	for i := range x.program.Initial {
		x.invoke(-1, i)
	}
}

// after runs the final part.
func (x *explorer) after() {
	for i := len(x.calls) - len(x.program.Final); i < len(x.calls); i++ {
		x.invoke(-1, i)
	}
	x.class.Release(x.object)
}

// thread returns what runs a sequence.
func (x *explorer) thread(s, from, to int) func() {
	var before []*sequenceEnd
	for _, o := range x.program.Order {
		if o[1] == s {
			before = append(before, &x.ended[o[0]])
		}
	}
	return func() {
		for _, e := range before {
			schedule.Wait(schedule.Begin, nil, e, "the end of another sequence")
		}
		for i := from; i < to; i++ {
			x.invoke(s, i)
		}
		x.ended[s].done = true
	}
}

// invoke makes the call of an invocation.
func (x *explorer) invoke(sequence, i int) {
	schedule.Invocation(sequence, i)
	if sequence >= 0 {
		x.events = append(x.events, int16(i))
	}
	x.outcome[i] = stress.Waiting
	v := x.calls[i](x.object)
	schedule.Returned() // it does not return if the execution is being ended
	x.outcome[i] = v
	if sequence >= 0 {
		x.events = append(x.events, int16(-1-i))
	}
}

// Ran implements bodies.Oracle.
func (x *explorer) Ran(r *schedule.Result) {
	x.oracle.timed, x.oracle.sleeps = x.oracle.timed || r.Timed, x.oracle.sleeps || r.Slept
	if x.explored != nil && x.search.Result.Executions <= watchedExecutions {
		x.watch(r)
	}
	if x.explored != nil && !x.explored.Synchronised {
		x.explored.Synchronised = slices.ContainsFunc(r.Trace, synchronises)
	}
}

// Moved implements bodies.Oracle.
func (x *explorer) Moved() { x.class.Moved() }

// synchronises reports whether a step is one of a lock, an atomic operation, a channel or the like,
// if plain loads and stores are not steps.
func synchronises(a schedule.Access) bool {
	return a.Kind != schedule.Begin && a.Kind != schedule.Yield && a.Flags&schedule.Clock == 0
}

// Record implements bodies.Oracle: the execution may have been seen before.
func (x *explorer) Record(r *schedule.Result) *bodies.Seen {
	if r.Deadlock {
		first, last := len(x.program.Initial), len(x.calls)-len(x.program.Final)
		for i := first; i < last; i++ {
			if x.outcome[i] == stress.Waiting {
				x.events = append(x.events, int16(-1-i))
			}
		}
		if x.outcome.Waits() { // otherwise only Close waits
			x.search.Result.Waited++
		}
	}
	key := executedKey{x.seen.Count(x.outcome, x.events), allowanceOf(r)}
	rec := x.judged[key]
	if rec == nil {
		rec = &executed{Execution: key.execution}
		rec.seen.Detail = rec
		x.judged[key] = rec
	}
	return &rec.seen
}

// explore runs the schedules of a plan.
func (x *explorer) explore(plan Plan) (*Exploration, error) {
	x.seen, x.either = stress.Executions{}, 0
	clear(x.judged)
	if err := x.search.Explore(plan); err != nil {
		return nil, err
	}
	e := &Exploration{Exploration: x.search.Result, Either: x.either, Executed: x.seen.List(), by: x}
	e.Outcomes = outcomesOf(e.Executed)
	for _, f := range e.Found {
		e.Violations = append(e.Violations, foundAs(f))
	}
	for _, r := range x.judged {
		if r.Overlaps() {
			e.Overlapping += r.seen.Times
		}
		if v := r.seen.Verdict; v == bodies.Explainable || v == bodies.Violates {
			e.Judged += r.seen.Times
		}
	}
	return e, nil
}

// Describe implements bodies.Oracle. Of another execution with the same results, what Judge found
// stays.
func (x *explorer) Describe(s *bodies.Seen, f *bodies.Found, r *schedule.Result) {
	v := x.describe(s, f, r)
	if s.Found != nil {
		old := foundAs(s.Found)
		v.RealTime, v.History, v.expected = old.RealTime, old.History, old.expected
	}
}

// describe adds what is known of the execution that has just ended.
func (x *explorer) describe(s *bodies.Seen, f *bodies.Found, r *schedule.Result) *Violation {
	rec := executedOf(s)
	v := &Violation{Found: f, Outcome: rec.Outcome, events: rec.Events, allowance: allowanceOf(r)}
	f.Spins, f.Detail = f.Spins && rec.Outcome.Waits(), v
	return v
}

// outcomesOf returns the outcomes of executions, which are in their order.
func outcomesOf(list []stress.Execution) []stress.Count {
	var all []stress.Count
	for i := range list {
		r := &list[i]
		if n := len(all); n > 0 && all[n-1].Outcome.Equal(r.Outcome) {
			all[n-1].Times += r.Times
		} else {
			all = append(all, stress.Count{Outcome: r.Outcome, Times: r.Times})
		}
	}
	return all
}

// violating returns how many executions violate, or have the fault that is searched for.
func (x *explorer) violating() int64 {
	if x.faults != nil {
		return max(x.faults.times, 1)
	}
	n := int64(0)
	for _, r := range x.judged {
		if r.seen.Verdict == bodies.Violates {
			n += r.seen.Times
		}
	}
	return n
}

// hasDiverged reports whether sequential runs depended on more than their schedules.
func (x *explorer) hasDiverged() bool {
	diverged := x.oracle.diverged
	for _, e := range x.others {
		diverged = diverged || e.Runs.(*oracle).diverged
	}
	return diverged
}
