package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Schedules runs a program of the class under the schedules that the plan names,
// each on a fresh object, and compares the executions with the sequential runs of
// the program. Objects have to call the hooks of package schedule: see package
// instrument.
func Schedules(ctx context.Context, c *stress.Class, p *stress.Program, plan Plan) (*Exploration, error) {
	e, err := expectedOf(c, p)
	if err != nil {
		return nil, err
	}
	e = enabled(e)
	if err := levelsTogether(e); err != nil {
		return nil, err
	}
	return newExplorer(ctx, e, plan.Checker).explore(plan)
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
	run      schedule.Program

	object  any
	outcome stress.Outcome
	events  []int16
	ended   []sequenceEnd
	seen    stress.Executions
	judged  map[executedKey]*executed
	others  map[allowance]*stress.Expected // of executions with such jumps
	// togethers are what is expected if calls that wait for one another take effect together.
	togethers map[*stress.Expected]togetherResult
	result    *Exploration
	plan      Plan
	spawns    bool // the object starts goroutines

	postponed  []postponed
	seeksPlain bool // a violation in which time does not jump

	faults   *faultFinder     // nil if executions are not checked for faults
	explored *stress.Explored // nil, or gets whether steps synchronise

	watched []watchedCall // the invocations
}

// An executed is an execution with the verdict on it. Executions that are the same have one.
type executed struct {
	*stress.Execution
	times     int64
	verdict   judgement
	violation *Violation
}

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
		ended: make([]sequenceEnd, len(p.Sequences)), result: &Exploration{}, judged: map[executedKey]*executed{}, others: map[allowance]*stress.Expected{},
		togethers: map[*stress.Expected]togetherResult{}}
	x.calls = callsOf(p)
	x.outcome, x.watched = make(stress.Outcome, len(x.calls)), make([]watchedCall, len(x.calls))
	x.run = schedule.Program{Before: x.before, After: x.after}
	from := len(p.Initial)
	for s, sequence := range p.Sequences {
		x.run.Threads = append(x.run.Threads, x.thread(s, from, from+len(sequence)))
		from += len(sequence)
	}
	return x
}

// callsOf returns the calls of a program.
func callsOf(p *stress.Program) []stress.Call {
	var calls []stress.Call
	for _, inv := range p.All() {
		calls = append(calls, inv.Prepare())
	}
	return calls
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

// execute runs the program once.
func (x *explorer) execute(s schedule.Strategy) *schedule.Result {
	r := schedule.Run(&x.run, s, schedule.Limits{})
	x.spawns = x.spawns || r.Spawned > 0
	x.oracle.timed, x.oracle.sleeps = x.oracle.timed || r.Timed, x.oracle.sleeps || r.Slept
	e := x.result
	e.Executions++
	e.Steps += int64(r.Steps)
	if x.explored != nil && e.Executions <= watchedExecutions {
		x.watch(r)
	}
	if x.explored != nil && !x.explored.Synchronised {
		x.explored.Synchronised = slices.ContainsFunc(r.Trace, synchronises)
	}
	switch {
	case r.Diverged || r.Foreign > 0:
		e.Diverged++
	case r.Cut:
		e.Cut++
	}
	return r
}

// synchronises reports whether a step is one of a lock, an atomic operation, a channel or the like,
// if plain loads and stores are not steps.
func synchronises(a schedule.Access) bool {
	return a.Kind != schedule.Begin && a.Kind != schedule.Yield && a.Flags&schedule.Clock == 0
}

// record returns the execution that has just ended, which may have been seen before. It
// returns nil if the execution is not to be judged.
func (x *explorer) record(r *schedule.Result) *executed {
	if r.Diverged || r.Foreign > 0 || r.Cut || r.Pruned || r.Panic != nil {
		return nil
	}
	if r.Deadlock {
		first, last := len(x.program.Initial), len(x.calls)-len(x.program.Final)
		for i := first; i < last; i++ {
			if x.outcome[i] == stress.Waiting {
				x.events = append(x.events, int16(-1-i))
			}
		}
		if x.outcome.Waits() { // otherwise only Close waits
			x.result.Waited++
		}
	}
	key := executedKey{x.seen.Count(x.outcome, x.events), allowanceOf(r)}
	rec := x.judged[key]
	if rec == nil {
		rec = &executed{Execution: key.execution}
		x.judged[key] = rec
	}
	rec.times++
	return rec
}

// explore runs the schedules of a plan.
func (x *explorer) explore(plan Plan) (*Exploration, error) {
	x.plan, x.result, x.seen = plan, &Exploration{Complete: -1, by: x}, stress.Executions{}
	clear(x.judged)
	if plan.Time > 0 {
		x.oracle.end = time.Now().Add(plan.Time)
		defer func() { x.oracle.end = time.Time{} }()
	}
	var err error
	switch plan.Strategy {
	case "", "dfs":
		err = x.deepen(plan)
	case "pos":
		_, err = x.runAll(schedule.NewPOS(plan.Seed), plan.Executions, nil)
	default:
		err = fmt.Errorf("unknown strategy %q", plan.Strategy)
	}
	if err != nil {
		return nil, err
	}
	x.result.Executed = x.seen.List()
	x.result.Outcomes = outcomesOf(x.result.Executed)
	for _, r := range x.judged {
		if r.Overlaps() {
			x.result.Overlapping += r.times
		}
		if r.verdict == explainable || r.verdict == violates {
			x.result.Judged += r.times
		}
	}
	return x.result, nil
}

// violation returns the execution that has just ended as a violation. The strategy had the given
// bound.
func (x *explorer) violation(rec *executed, bound int) *Violation {
	return &Violation{Outcome: rec.Outcome, Execution: x.result.Executions, ByDelays: x.result.ByDelays, events: rec.Events, bound: bound, numbers: schedule.Drawn()}
}

// describe adds what is known of the execution.
func (v *Violation) describe(r *schedule.Result) {
	v.Schedule, v.Preemptions = slices.Clone(r.Schedule), r.Preemptions
	v.trace, v.Switches, v.spins, v.allowance = r.Fingerprint, switchesOf(r), r.Spins && v.Outcome.Waits(), allowanceOf(r)
	if v.ByDelays {
		v.Delays = v.bound
	}
}

func switchesOf(r *schedule.Result) int {
	n := 0
	for i := 1; i < len(r.Trace); i++ {
		if r.Trace[i].Thread != r.Trace[i-1].Thread {
			n++
		}
	}
	return n
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
		if r.verdict == violates {
			n += r.times
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
