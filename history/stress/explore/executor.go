package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// mostPreemptions is Options.Preemptions by default, for given programs. Generated ones may get one more.
const mostPreemptions = 3

// levelExecutions is how many schedules of each level a generated program gets at
// most.
var levelExecutions = [...]int64{2000, 5000, 20000, 100000}

// An executor is the stress.Executor that controls schedules. At level n it runs those with up to n
// preemptions, or delays for objects that start goroutines.
type executor struct {
	class    *stress.Class
	options  *stress.Options
	report   *stress.Report
	diverged int             // how often a program was found to diverge
	faults   map[string]bool // those found, by kind and method
	alone    map[string]bool // the calls that were tried alone
}

// New returns the Executor that controls the schedules of instrumented objects.
func New(c *stress.Class, o *stress.Options, r *stress.Report) stress.Executor {
	x := &executor{class: c, options: o, report: r, faults: map[string]bool{}, alone: map[string]bool{}}
	r.Explored = &stress.Explored{Diverging: []string{}}
	if r.Account.Preemptions = x.Levels(); o.Preemptions < 0 {
		r.Account.Preemptions-- // the last level has no bound
	}
	return x
}

// Levels implements stress.Executor: it is the largest bound.
func (x *executor) Levels() int {
	switch o := x.options; {
	case o.Preemptions > 0:
		return o.Preemptions
	case o.Preemptions < 0:
		return mostPreemptions + 1 // which stands for no bound
	case x.isGiven():
		return mostPreemptions
	}
	return mostPreemptions + 1 // for a small share of the generated programs
}

// isGiven reports whether the options give the programs.
func (x *executor) isGiven() bool { return len(x.options.Programs) > 0 }

// Expected implements stress.Executor: it runs the program in the scheduler. If some call waits
// in every order, the runs are those in which calls enable each other.
func (x *executor) Expected(p *stress.Program) (*stress.Expected, error) {
	e, err := expectedOf(x.class, p)
	if err == nil && !e.Complete {
		e = withTogether(e)
		err = levelsTogether(e)
	}
	return e, err
}

// levelsTogether returns an error for levels of a program whose calls wait for one another.
func levelsTogether(e *stress.Expected) error {
	if e.Together && e.IsRelaxed() {
		return errors.New("levels of consistency are for calls that can return one after another")
	}
	return nil
}

// Run implements stress.Executor.
func (x *executor) Run(ctx context.Context, e *stress.Expected, t *stress.Try) (*stress.Trial, error) {
	if !t.All && !x.options.Failures {
		if f, err := x.tryAlone(ctx, e.Program, t); f != nil || err != nil {
			return &stress.Trial{Finding: f}, err
		}
	}
	if x.isGiven() && t.Level > mostPreemptions && x.options.Preemptions < 0 {
		bounded, begin := *t, time.Now()
		bounded.Level = mostPreemptions
		trial, err := x.runAt(ctx, e, &bounded)
		if err != nil || trial.Whole || trial.Finding != nil {
			return trial, err
		}
		t.From = mostPreemptions
		t.Left.Time = max(t.Left.Time-time.Since(begin), 1)
	}
	return x.runAt(ctx, e, t)
}

// runAt is Run with all schedules up to the bound at once.
func (x *executor) runAt(ctx context.Context, e *stress.Expected, t *stress.Try) (*stress.Trial, error) {
	diverged, start := x.diverged, time.Now()
	plan := x.plan(t.Level, t.Left.Time)
	if plan.Steps = t.Left.Steps; x.isGiven() || t.Left.Schedules > 0 && t.Left.Schedules < plan.Executions {
		plan.Executions = t.Left.Schedules
	}
	if t.Slow && !x.isGiven() {
		plan.Time = min(plan.Time, t.Share)
	}
	by := newExplorer(ctx, e, x.options.Checker)
	by.explored = x.report.Explored
	if t.All {
		return x.outcomes(by, plan, t)
	}
	found, f, err := x.explore(by, plan, t)
	if err != nil {
		return nil, err
	}
	methods, complete := by.exercised(&x.report.Account)
	trial := &stress.Trial{Finding: f, Exercised: methods, Executed: found.Executed}
	if f != nil && f.Fault != "" {
		return trial, nil
	}
	explored := x.report.Explored
	if x.isGiven() && f == nil && found.Complete < t.Level {
		x.report.Ended = cmp.Or(t.Left.Over(stress.Effort{Schedules: found.Executions, Steps: found.Steps, Time: time.Since(start)}), x.report.Ended)
	}
	first, last := t.From, min(found.Complete, t.Level)
	if t.From > 0 {
		first++
	}
	if trial.Whole = found.Complete == Unbounded; trial.Whole {
		last = x.Levels()
	}
	for b := first; b <= last; b++ {
		complete(b)
	}
	if found.ByDelays && t.From == 0 {
		explored.ByDelays++
	}
	if e.Together && t.From == 0 {
		x.report.Together++
	}
	if f == nil && x.diverged == diverged {
		explored.Judged += found.Judged
	}
	return trial, nil
}

// outcomes explores all that the plan names, for Try.All.
func (x *executor) outcomes(by *explorer, plan Plan, t *stress.Try) (*stress.Trial, error) {
	plan.All = true
	found, err := x.run(by, plan, t)
	if err != nil {
		return nil, err
	}
	methods, complete := by.exercised(&x.report.Account)
	trial := &stress.Trial{Exercised: methods, Executed: found.Executed, Whole: found.Complete == Unbounded, Violating: by.violatingExecutions(), Runs: by.runs()}
	for b := range min(found.Complete, t.Level) + 1 {
		complete(b)
	}
	x.report.Explored.Judged += found.Judged
	return trial, nil
}

// plan returns the plan for a generated program at a level.
func (x *executor) plan(level int, within time.Duration) Plan {
	p := Plan{Preemptions: level, Executions: levelExecutions[min(level, len(levelExecutions)-1)],
		Time: within, Seed: x.options.Seed + uint64(x.report.Programs)<<8}
	if x.options.Preemptions < 0 && level > mostPreemptions {
		p.Preemptions = -1
	}
	return p
}

// explore explores a program until it finds a violation, or a fault that was not found before.
func (x *executor) explore(by *explorer, plan Plan, t *stress.Try) (*Exploration, *stress.Finding, error) {
	if !x.options.Failures {
		by.faults = newFaultFinder(x.faults, "")
		by.faults.results = x.isGiven()
	}
	for {
		e, err := x.run(by, plan, t)
		if err != nil || len(e.Violations) == 0 {
			return e, nil, err
		}
		v := e.Violations[len(e.Violations)-1]
		f := findingOf(by, e, v)
		if v.fault == "" {
			return e, f, nil
		}
		if x.faults[v.faultKey()] = true; v.fault != stress.ResultsFault || by.faults.results {
			return e, f, nil
		}
		x.report.Explored.Varying = append(x.report.Explored.Varying, fmt.Sprintf("%v: %v or %v", by.program, by.faults.usual.Outcome, v.Outcome))
		by.faults.best, by.faults.usual = Unbounded, nil
	}
}

// aloneExecutions bounds the schedules of a call that is tried alone.
const aloneExecutions = 500

// tryAlone explores each call of a generated program alone on a new object, once: whatever its
// goroutines do wrong, they do so in the smallest program. It returns the first violation.
func (x *executor) tryAlone(ctx context.Context, p *stress.Program, t *stress.Try) (*stress.Finding, error) {
	for _, inv := range p.All() {
		alone := stress.Solo(inv)
		text := alone.String()
		if x.alone[text] || x.isGiven() {
			continue
		}
		if e, err := x.Expected(alone); err == nil {
			plan := x.plan(1, min(t.Left.Time, t.Share))
			plan.Executions = aloneExecutions
			_, f, err := x.explore(newExplorer(ctx, e, x.options.Checker), plan, t)
			if err != nil || f != nil && f.Fault != "" {
				return f, err
			}
		}
		x.alone[text] = true
	}
	return nil, nil
}

// run explores a program and counts what was run.
func (x *executor) run(by *explorer, plan Plan, t *stress.Try) (*Exploration, error) {
	e, err := by.explore(plan)
	if err != nil {
		return nil, err
	}
	r := x.report
	r.Count(e.Executions, e.Executions, e.Overlapping)
	r.Waited += e.Waited
	r.Explored.Steps += e.Steps
	r.Explored.Cut += e.Cut
	r.Explored.Undecided += e.Undecided
	if text := by.program.String(); e.Either > 0 && !slices.Contains(r.Explored.Either, text) {
		r.Explored.Either = append(r.Explored.Either, text)
	}
	if e.Diverged > 0 || by.hasDiverged() {
		x.diverges(by.program)
	}
	if e.Panic != "" && !by.search.Panics(e.Exploration) {
		x.diverges(by.program)
	} else if e.Panic != "" && !(x.options.Failures && by.search.Spawns && by.oracle.panics()) {
		x.report.Crash(&stress.Crash{Method: t.Method, Program: by.program.String(), What: e.Panic,
			Schedule: e.PanicSchedule.String(), Stack: "schedule " + e.PanicSchedule.String() + "\n" + e.PanicStack}, x.options.Crashed)
	}
	return e, nil
}

// diverges records that a program behaves differently when a schedule is repeated.
func (x *executor) diverges(p *stress.Program) {
	x.diverged++
	text := p.String()
	if e := x.report.Explored; !slices.Contains(e.Diverging, text) && len(e.Diverging) < maxDiverging {
		e.Diverging = append(e.Diverging, text)
	}
}

// maxDiverging is how many diverging programs a report names.
const maxDiverging = 100

// findingOf returns a violation as a finding.
func findingOf(by *explorer, e *Exploration, v *Violation) *stress.Finding {
	expected := by.expected
	if v.expected != nil {
		expected = v.expected
	}
	return &stress.Finding{Recorded: true, RealTime: v.RealTime, Times: 1, Executions: e.Executions, Fault: v.fault, Method: v.method,
		Seen: stress.Seen{Expected: expected, Outcome: v.Outcome, History: v.History, Violating: by.violatingExecutions(), Detail: v}}
}

// violationOf returns what findingOf was given.
func violationOf(f *stress.Finding) *Violation {
	v, _ := f.Seen.Detail.(*Violation)
	return v
}

// Prove implements stress.Executor.
func (x *executor) Prove(ctx context.Context, f *stress.Finding, _ time.Duration) (bool, error) {
	if violationOf(f) == nil || !x.repeats(ctx, f) {
		return false, nil
	}
	x.describe(ctx, f)
	return true, nil
}

// inProcess is how often a schedule is replayed in the process.
const inProcess = 1000

// repeats reports whether replays of a violation have the same steps and the same
// results each time, also with another clock.
func (x *executor) repeats(ctx context.Context, f *stress.Finding) bool {
	by, v := newExplorer(ctx, f.Seen.Expected, x.options.Checker), violationOf(f)
	if by.replay(v, inProcess) < inProcess || by.showsTime(v) {
		x.diverges(by.program)
		return false
	}
	return true
}

// describe adds the steps of the schedule, and in a deadlock what waits for what.
func (x *executor) describe(ctx context.Context, f *stress.Finding) {
	v := violationOf(f)
	steps, blocked := newExplorer(ctx, f.Seen.Expected, x.options.Checker).steps(v.Schedule, v.left)
	f.Scheduled = &stress.Scheduled{Schedule: v.Schedule.String(), Preemptions: v.Preemptions, Delays: v.Delays, Switches: v.Switches, Execution: v.Execution,
		Total: x.report.Executions, Steps: steps, Mark: bodies.Mark(v.Trace, v.events), Replayed: inProcess, Spins: v.Spins}
	waits := map[int]string{}
	var texts []string
	for _, b := range blocked {
		texts = append(texts, b.Text)
		if !b.Daemon {
			waits[b.Index] = b.For
		}
	}
	if f.Seen.Outcome.Waits() || len(v.left) > 0 {
		f.Waiting = texts
	}
	if h := f.Seen.History; h != nil {
		for k := range h.Waits { // identifiers are the numbers of calls
			h.Waits[k].For = waits[int(h.Ops[h.Waits[k].Op].ID().Int())]
		}
	}
}

// steps returns the steps of a schedule, and the threads that wait for ever.
func (x *explorer) steps(s schedule.Schedule, left []int) ([]bodies.Step, []bodies.Blocked) {
	return x.search.Steps(s, left, func(i int) string {
		if i < 0 || i >= len(x.all) {
			return ""
		}
		return x.all[i].String()
	}, func(i int) string { return stress.Outcome{x.outcome[i]}.String() })
}

// Simplify implements stress.Executor.
func (x *executor) Simplify(ctx context.Context, f *stress.Finding, within time.Duration) (bool, error) {
	if err := x.least(ctx, f, time.Now().Add(within)); err != nil {
		return false, err
	}
	if !x.repeats(ctx, f) || f.Fault == "" && !x.stillUnexpected(ctx, f) {
		return false, nil
	}
	x.describe(ctx, f)
	return true, nil
}

// stillUnexpected runs the program sequentially once more, and reports whether the
// violation is still one. State outside of the objects may have changed since the
// first time.
func (x *executor) stillUnexpected(ctx context.Context, f *stress.Finding) bool {
	v := violationOf(f)
	e, err := x.Expected(f.Seen.Expected.Program)
	if err != nil {
		return false
	}
	if f.Seen.Expected.Together {
		e = withTogether(e)
	}
	by := newExplorer(ctx, e, x.options.Checker)
	rec := &executed{Execution: &stress.Execution{Outcome: f.Seen.Outcome, Events: v.events}}
	bad, err := by.judge(rec, &Violation{Found: &bodies.Found{Numbers: v.Numbers}, allowance: v.allowance}, max(v.Bound, v.Preemptions))
	if err == nil && !bad && rec.seen.Verdict == bodies.Explainable {
		x.diverges(by.program)
	}
	return err == nil && bad
}

// leastExecutions bounds the schedules among which the simplest is searched for.
const leastExecutions = 20000

// least replaces the schedule of a finding by one with as few preemptions as
// possible, and then with as few switches. It ends at the given time.
func (x *executor) least(ctx context.Context, f *stress.Finding, end time.Time) error {
	by, old := newExplorer(ctx, f.Seen.Expected, x.options.Checker), violationOf(f)
	by.seeks(f)
	plan := Plan{Strategy: "dfs", Executions: leastExecutions, All: true}
	most := max(old.Bound, min(old.Preemptions, mostPreempted))
	for b := 0; b <= most; b++ {
		if plan.Time = time.Until(end); plan.Time <= 0 || ctx.Err() != nil {
			f.Cut = append(f.Cut, "searched for a simpler schedule")
			return nil
		}
		if plan.Preemptions = b; old.ByDelays && b > 0 {
			plan.Preemptions, plan.Delays = 0, b
		}
		e, err := x.run(by, plan, &stress.Try{Method: f.Method})
		if err != nil {
			return err
		}
		var best *Violation
		for _, v := range e.Violations {
			if v.fault == f.Fault && (best == nil || v.Switches < best.Switches) {
				best = v
			}
		}
		if best == nil {
			continue
		}
		best.Execution = old.Execution
		f.RealTime, f.Executions, f.Times = best.RealTime, e.Executions, by.violating()
		f.Seen.Outcome, f.Seen.History, f.Seen.Detail = best.Outcome, best.History, best
		f.Seen.Violating = by.violatingExecutions()
		if best.expected != nil {
			f.Seen.Expected = best.expected
		}
		return nil
	}
	return nil
}

// Again implements stress.Executor.
func (x *executor) Again(ctx context.Context, f *stress.Finding, e *stress.Expected, within time.Duration) *stress.Finding {
	by, v := newExplorer(ctx, e, x.options.Checker), violationOf(f)
	by.seeks(f)
	found, err := x.run(by, x.plan(max(v.Bound, min(v.Preemptions, mostPreempted), 1), within), &stress.Try{Method: f.Method})
	if err != nil || len(found.Violations) == 0 {
		return nil
	}
	return findingOf(by, found, found.Violations[0])
}
