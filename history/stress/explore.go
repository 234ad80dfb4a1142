package stress

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// ExploreOptions say which schedules Explore runs. The zero value is for those
// without preemption.
type ExploreOptions struct {
	// Preemptions bounds how often a schedule interrupts a thread that could
	// continue, or continues with one that polls; -1 means no bound. Schedules with
	// fewer preemptions run first. Without a bound, threads that poll wait; if any
	// did, the schedules with up to 3 preemptions follow.
	Preemptions int
	// Delays bounds how often a schedule skips the thread whose turn it is, and
	// replaces Preemptions for objects that start goroutines. 0 means the value of
	// Preemptions for such objects, and no bound for others.
	Delays int
	// Strategy is "dfs", all schedules within the bound, or "pos", random ones. "" is
	// "dfs", and for objects that start goroutines some random schedules first.
	Strategy string
	// Executions and Time bound the exploration, if they are not 0.
	Executions int64
	Time       time.Duration
	Seed       uint64 // of random strategies
	// Checker judges executions with respect to the order of events. Without it,
	// only outcomes count.
	Checker Checker
	// All continues after a violation.
	All bool
}

// An Exploration is what Explore found.
type Exploration struct {
	// Complete is a bound up to which all schedules were run: -1 if not even those
	// without preemption were, and Unbounded if no schedules are left. If a thread
	// polls forever, some are always left. ByDelays means that the bound is one of
	// delays.
	Complete int
	ByDelays bool
	// Executions is the number of executions, and Steps that of all their steps. Cut
	// executions had too many steps, or spun, but perhaps not forever. Diverged ones did
	// not follow their schedule. Neither are judged.
	Executions, Steps, Cut, Diverged int64
	// Overlapping executions had invocations of different sequences open at the same
	// time. Waited ones wait forever.
	Overlapping, Waited int64
	// Judged executions are violations, or are known not to be.
	Judged int64
	// Undecided are executions that are not known to be violations, as the
	// sequential runs were too many.
	Undecided int64
	Outcomes  []Count
	// Violations are executions that no order of the invocations explains, the
	// first of each outcome and order of events. Without ExploreOptions.All
	// there is at most one.
	Violations []*Violation
	// Panic is the panic value of a goroutine of the object, and PanicSchedule the
	// schedule of that execution.
	Panic         string
	PanicSchedule schedule.Schedule

	histories []recorded
}

// Unbounded is a bound that no schedule exceeds.
const Unbounded = 1 << 20

// A Violation is an execution that no order of the invocations explains.
type Violation struct {
	Outcome             Outcome
	Schedule            schedule.Schedule
	Preemptions, Delays int
	ByDelays            bool  // it was found with a bound of delays
	Switches            int   // from one thread to another
	Execution           int64 // which one it was
	RealTime            bool  // the outcome is expected; see Finding
	History             *history.History
	events              []int16
	trace               uint64 // fingerprint of its steps
	bound               int
	ticks               int      // of its result
	numbers             []uint64 // random ones that it drew
	spins               bool     // threads spin forever

	// Of a fault: its kind, the method to blame, and the threads that wait forever. An execution
	// that may have one has threads that wait, or a result that compares with others.
	fault, method   string
	left            []int
	waits, compares bool
	started, places uint64
}

// Explore runs a program of the class under the schedules that the options name,
// each on a fresh object, and compares the executions with the sequential runs of
// the program. Objects have to call the hooks of package schedule: see package
// instrument.
func Explore(ctx context.Context, c *Class, p *Program, o ExploreOptions) (*Exploration, error) {
	x, err := newExplorer(ctx, c, p, o.Checker)
	if err != nil {
		return nil, err
	}
	return x.explore(o)
}

// An explorer runs a program in the scheduler.
type explorer struct {
	ctx      context.Context
	class    *Class
	program  *Program
	checker  Checker
	calls    []step
	expected *Expected
	oracle   *oracle // nil if the model of the class is asked
	run      schedule.Program

	object  any
	outcome Outcome
	events  []int16
	ended   []sequenceEnd
	seen    recordedTally
	result  *Exploration
	options ExploreOptions
	spawns  bool // the object starts goroutines

	faults   *faultFinder // nil if executions are not checked for faults
	explored *Explored    // nil, or gets the methods that took a step
}

// A sequenceEnd reports whether a sequence has ended.
type sequenceEnd struct{ done bool }

// Ready implements schedule.Waiter.
func (e *sequenceEnd) Ready() bool { return e.done }

func newExplorer(ctx context.Context, c *Class, p *Program, checker Checker) (*explorer, error) {
	run := func(p *Program) (*Expected, error) {
		o, err := newOracle(c, p)
		if err != nil {
			return nil, err
		}
		p.oracle = o
		return o.expected, nil
	}
	e, err := run(p)
	if err != nil {
		return nil, err
	}
	e = enabled(p, e, run)
	return explorerOf(ctx, c, p, checker, e, p.oracle), nil
}

func explorerOf(ctx context.Context, c *Class, p *Program, checker Checker, e *Expected, o *oracle) *explorer {
	x := &explorer{ctx: ctx, class: c, program: p, checker: checker, calls: steps(p), expected: e, oracle: o,
		ended: make([]sequenceEnd, len(p.Sequences))}
	x.outcome = make(Outcome, len(x.calls))
	x.run = schedule.Program{Before: x.before, After: x.after}
	from := len(p.Initial)
	for s, sequence := range p.Sequences {
		x.run.Threads = append(x.run.Threads, x.thread(s, from, from+len(sequence)))
		from += len(sequence)
	}
	return x
}

// before makes the object and runs the initial part.
func (x *explorer) before() {
	x.events = x.events[:0]
	for i := range x.outcome {
		x.outcome[i] = notCalled
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
	x.class.close(x.object)
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
	x.outcome[i] = Waiting
	v := x.calls[i].run(x.object)
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
	if x.oracle != nil {
		x.oracle.timed, x.oracle.sleeps = x.oracle.timed || r.Timed, x.oracle.sleeps || r.Slept
	}
	e := x.result
	e.Executions++
	e.Steps += int64(r.Steps)
	if x.explored != nil && e.Executions <= watched {
		x.noteSteps(r)
	}
	switch {
	case r.Diverged || r.Foreign > 0:
		e.Diverged++
	case r.Cut:
		e.Cut++
	}
	return r
}

// watched is the number of executions of a program whose steps are attributed to methods.
const watched = 16

// noteSteps records which methods took a step, including those that did not return.
func (x *explorer) noteSteps(r *schedule.Result) {
	var begun [schedule.MaxThreads]*schedule.Event
	note := func(begin *schedule.Event, end int32) {
		m := x.calls[begin.Index].method
		if !m.ReadOnly && !x.explored.Stepped[m.Name] {
			isOwn := func(a schedule.Access) bool { return a.Thread == begin.Thread }
			x.explored.step(m.Name, end < 0 || slices.ContainsFunc(r.Trace[begin.Stamp:end], isOwn))
		}
	}
	for i := range r.Events {
		e := &r.Events[i]
		if !e.Return {
			begun[e.Thread] = e
			continue
		}
		note(begun[e.Thread], e.Stamp)
		begun[e.Thread] = nil
	}
	for _, begin := range begun {
		if begin != nil {
			note(begin, -1)
		}
	}
}

// record returns the execution that has just ended, which may have been seen before. It
// returns nil if the execution is not to be judged.
func (x *explorer) record(r *schedule.Result) *recorded {
	if r.Diverged || r.Foreign > 0 || r.Cut || r.Pruned || r.Panic != nil {
		return nil
	}
	if r.Deadlock {
		first, last := len(x.program.Initial), len(x.calls)-len(x.program.Final)
		for i := first; i < last; i++ {
			if x.outcome[i] == Waiting {
				x.events = append(x.events, int16(-1-i))
			}
		}
		if x.outcome.waits() { // otherwise only Close waits
			x.result.Waited++
		}
	}
	sortEvents(x.events)
	return x.seen.count(x.outcome, x.events)
}

// explore runs the schedules that the options name.
func (x *explorer) explore(o ExploreOptions) (*Exploration, error) {
	x.options, x.result, x.seen = o, &Exploration{Complete: -1}, recordedTally{}
	if x.oracle != nil && o.Time > 0 {
		x.oracle.end = time.Now().Add(o.Time)
		defer func() { x.oracle.end = time.Time{} }()
	}
	var err error
	switch o.Strategy {
	case "", "dfs":
		err = x.deepen(o)
	case "pos":
		_, err = x.all(schedule.NewPOS(o.Seed), o.Executions, nil)
	default:
		err = fmt.Errorf("unknown strategy %q", o.Strategy)
	}
	if err != nil {
		return nil, err
	}
	x.result.histories = x.seen.list()
	x.result.Outcomes = outcomesOf(x.result.histories)
	for i := range x.result.histories {
		r := &x.result.histories[i]
		if r.overlaps() {
			x.result.Overlapping += r.times
		}
		if r.verdict == explainable || r.verdict == violates {
			x.result.Judged += r.times
		}
	}
	return x.result, nil
}

// randomSchedules is how many random schedules an object that starts goroutines gets.
const randomSchedules = 512

// pollingPreemptions is the bound for programs that are explored without one, if a thread
// seems to poll forever.
const pollingPreemptions = 3

// deepen runs all schedules of one bound after another. It counts delays for objects
// that start goroutines, unless the options say otherwise.
func (x *explorer) deepen(o ExploreOptions) error {
	if o.Preemptions < 0 && o.Delays == 0 {
		s := schedule.NewDPOR()
		sure, err := x.all(s, o.Executions, nil)
		if sure < Unbounded || err != nil {
			return err
		}
		if s.Exhausted() {
			x.result.Complete = Unbounded
			return nil
		}
		x.result.Complete = 0
		o.Strategy, o.Preemptions = "dfs", pollingPreemptions
		if o.Executions > 0 {
			if o.Executions -= x.result.Executions; o.Executions <= 0 {
				return nil
			}
		}
	}
	dfs := schedule.DFSOptions{Preemptions: o.Preemptions, Delays: -1, Filter: true}
	auto := o.Delays == 0 && o.Strategy == ""
	if o.Delays > 0 {
		dfs.Preemptions, dfs.Delays = -1, o.Delays
	}
	if auto && !x.spawns { // the first execution shows whether it does
		if _, err := x.all(schedule.NewDFS(dfs), 1, nil); err != nil || x.stops() {
			return err
		}
	}
	if auto && x.spawns {
		dfs.Preemptions, dfs.Delays = -1, o.Preemptions
		if o.Preemptions > 0 {
			if _, err := x.all(schedule.NewPOS(o.Seed), randomSchedules, nil); err != nil || x.stops() {
				return err
			}
		}
	}
	x.result.ByDelays = dfs.Delays >= 0
	s := schedule.NewDFS(dfs)
	sure, err := x.all(s, o.Executions, s.Bound)
	if err != nil {
		return err
	}
	if sure < Unbounded || !s.Exhausted() {
		sure = min(sure, s.Complete())
	}
	x.result.Complete = max(x.result.Complete, sure)
	return nil
}

// stops reports whether a violation ends the exploration.
func (x *explorer) stops() bool {
	return len(x.result.Violations) > 0 && !x.options.All || x.result.Panic != "" || x.ctx.Err() != nil
}

// all runs the schedules of a strategy until one violates, most of them have
// run (0 means no limit), or the options end it. The bound of the strategy is nil if it
// has none. All returns the last bound at which each execution could be judged: -1
// without any, and Unbounded if these were all schedules.
func (x *explorer) all(s schedule.Strategy, most int64, bound func() int) (sure int, err error) {
	if bound == nil {
		bound = func() int { return 0 }
	}
	end := time.Time{}
	if x.options.Time > 0 {
		end = time.Now().Add(x.options.Time)
	}
	e := x.result
	sure = Unbounded
	for n := int64(1); ; n++ {
		at, before := bound(), e.Undecided
		r := x.execute(s)
		if r.Panic != nil {
			e.Panic, e.PanicSchedule = fmt.Sprint(r.Panic), slices.Clone(r.Schedule)
			return min(sure, at-1), nil
		}
		rec := x.record(r)
		if rec == nil && !r.Pruned {
			sure = min(sure, at-1)
		}
		var v *Violation
		if rec != nil && (rec.verdict == unjudged || rec.verdict == violates && switchesOf(r) < rec.violation.Switches) {
			v = &Violation{Outcome: rec.outcome, Execution: e.Executions, ByDelays: e.ByDelays, events: rec.events, bound: at, numbers: schedule.Drawn()}
			v.describe(r)
		}
		f := x.suspect(rec, r, at)
		if x.faults != nil && x.faults.only != "" {
			v = nil // only that fault counts
		}
		more := s.Next(r) // the sequential runs of judge overwrite the result
		switch {
		case v == nil:
		case rec.verdict == violates:
			v.RealTime, v.History = rec.violation.RealTime, rec.violation.History
			*rec.violation = *v
		default:
			bad, err := x.judge(rec, v, max(at, v.Preemptions))
			if err != nil {
				return -1, err
			}
			if bad && v.spins && !x.spinsLonger(v) {
				bad, rec.verdict = false, spinsAWhile
			}
			if bad {
				rec.violation = v
				e.Violations = append(e.Violations, v)
				if !x.options.All {
					return min(sure, at-1), nil
				}
			}
		}
		if f != nil && rec.verdict != violates && x.isFault(rec, f) {
			if e.Violations = append(e.Violations, f); !x.options.All {
				return min(sure, at-1), nil
			}
		}
		if rec != nil && rec.verdict == spinsAWhile {
			e.Cut++
			e.Waited--
		}
		if e.Undecided > before || rec != nil && rec.verdict == spinsAWhile {
			sure = min(sure, at-1)
		}
		if !more {
			return sure, nil
		}
		if n == most || n%64 == 0 && (x.ctx.Err() != nil || !end.IsZero() && time.Now().After(end)) {
			return min(sure, at-1, bound()-1), nil
		}
	}
}

// longSpin is how many steps each thread of a violation spins before that is reported.
var longSpin = 1 << 20

// spinsLonger reports whether the threads of a violation still spin if they have more time.
// A loop that counts its rounds may end.
func (x *explorer) spinsLonger(v *Violation) bool {
	return schedule.Run(&x.run, schedule.NewReplay(v.Schedule), schedule.Limits{Spin: longSpin}).Spins
}

// describe adds what is known of the execution.
func (v *Violation) describe(r *schedule.Result) {
	v.Schedule, v.Preemptions = slices.Clone(r.Schedule), r.Preemptions
	v.trace, v.Switches, v.spins, v.ticks = r.Fingerprint, switchesOf(r), r.Spins && v.Outcome.waits(), r.Ticks
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
func outcomesOf(list []recorded) []Count {
	var all []Count
	for i := range list {
		r := &list[i]
		if n := len(all); n > 0 && all[n-1].Outcome.equal(r.outcome) {
			all[n-1].Times += r.times
		} else {
			all = append(all, Count{r.outcome, r.times})
		}
	}
	return all
}
