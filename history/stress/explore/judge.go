package explore

import (
	"errors"
	"fmt"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// A togetherResult is what togetherOf returned.
type togetherResult struct {
	expected *stress.Expected
	err      error
}

// expectedWith returns what is expected of executions with an allowance.
func (x *explorer) expectedWith(a allowance) (*stress.Expected, error) {
	if a == x.oracle.allowance {
		return x.expected, nil
	}
	e := x.others[a]
	if e == nil {
		o := newOracle(x.class, x.program, a)
		o.timed, o.sleeps, o.end = x.oracle.timed, x.oracle.sleeps, x.oracle.end
		var err error
		if e, err = o.run(); err != nil {
			return nil, err
		}
		if x.expected.Together {
			e = withTogether(e)
		}
		x.others[a] = e
	}
	o := e.Runs.(*oracle)
	o.timed, o.sleeps, o.end = o.timed || x.oracle.timed, o.sleeps || x.oracle.sleeps, x.oracle.end
	return e, nil
}

// Judge implements bodies.Oracle.
func (x *explorer) Judge(s *bodies.Seen, f *bodies.Found, bound int) (bool, error) {
	x.oracle.end = x.search.End // sequential runs are a part of the search
	return x.judge(executedOf(s), foundAs(f), bound)
}

// Postpones implements bodies.Oracle: time jumps in the execution, while goroutines of the object go
// on, and no run without such a jump explains it.
func (x *explorer) Postpones(f *bodies.Found) bool {
	v := foundAs(f)
	return x.search.Spawns && v.allowance != plain && v.allowance != x.oracle.allowance && !f.Spins && !x.oracle.explains(v.Outcome, v.events)
}

// judge reports whether an execution is a violation, and describes it in v. The schedule
// has the given number of preemptions.
func (x *explorer) judge(rec *executed, v *Violation, bound int) (bool, error) {
	e, err := x.expectedWith(v.allowance)
	if err != nil {
		return false, fmt.Errorf("running %v sequentially: %w", x.program, err)
	}
	o := e.Runs.(*oracle)
	if x.class.IsFailing() {
		return x.judgeFailure(rec, v, e, bound)
	}
	rec.seen.Verdict, v.RealTime, v.expected = bodies.Explainable, e.Contains(rec.Outcome), e
	byRuns := x.class.Model == "" || rec.Outcome.Waits()
	if v.RealTime && x.checker == nil || byRuns && o.explains(rec.Outcome, rec.Events) {
		return false, nil
	}
	if byRuns || !v.RealTime {
		t := sought{outcome: rec.Outcome, bound: bound, numbers: v.Numbers}
		sure := true
		if byRuns && x.checker != nil {
			inTime := t
			inTime.events = rec.Events
			sure = o.search(inTime)
		}
		explained := byRuns && o.explains(rec.Outcome, rec.Events)
		if !explained && sure && !v.RealTime { // some other order may have the outcome
			sure = o.search(t)
			v.RealTime = e.Contains(rec.Outcome)
			explained = byRuns && o.explains(rec.Outcome, rec.Events)
		}
		if o.failure != nil {
			return false, fmt.Errorf("running %v sequentially: %w", x.program, o.failure)
		}
		switch {
		case explained, v.RealTime && x.checker == nil:
			return false, nil
		case !sure:
			rec.seen.Verdict = bodies.Undecided
			x.search.Result.Undecided++
			return false, nil
		}
	}
	if x.checker != nil {
		h, err := rec.History(e)
		if err != nil {
			return false, fmt.Errorf("execution of %v: %w", x.program, err)
		}
		bad, err := x.checker.Violates(x.ctx, h, x.class.Levels())
		if err != nil || !bad {
			return false, err
		}
		v.History = h
	}
	explained, sure := x.explainedTogether(e, rec)
	switch {
	case explained:
		return false, nil
	case !sure:
		rec.seen.Verdict = bodies.Undecided
		x.search.Result.Undecided++
		return false, nil
	case x.releasedByEither(e, rec):
		rec.seen.Verdict = bodies.Undecided
		x.either++
		return false, nil
	}
	rec.seen.Verdict = bodies.Violates
	return true, nil
}

// judgeFailure reports whether an execution fails as no sequential run does.
func (x *explorer) judgeFailure(rec *executed, v *Violation, e *stress.Expected, bound int) (bool, error) {
	o := e.Runs.(*oracle)
	v.expected = e
	sure := e.Contains(rec.Outcome) || o.search(sought{outcome: rec.Outcome, bound: bound, numbers: v.Numbers})
	switch {
	case o.failure != nil:
		return false, fmt.Errorf("running %v sequentially: %w", x.program, o.failure)
	case e.Contains(rec.Outcome):
		rec.seen.Verdict = bodies.Explainable
	case !sure:
		rec.seen.Verdict = bodies.Undecided
		x.search.Result.Undecided++
	default:
		rec.seen.Verdict = bodies.Violates
	}
	return rec.seen.Verdict == bodies.Violates, nil
}

// panics reports whether a goroutine of the object panics in a sequential run, under more of its
// schedules than those of the first runs.
func (o *oracle) panics() bool {
	o.explore(schedule.NewPOS(1), randomSequential)
	o.explore(sequentialStrategy(mostPreempted, true), maxThreaded)
	return o.failure != nil
}

// explainedTogether reports whether an execution that no order of calls explains is one of calls
// that wait for one another, and so take effect together. sure says that the runs of such calls
// are not too many.
func (x *explorer) explainedTogether(e *stress.Expected, rec *executed) (explained, sure bool) {
	if !e.Waited || e.Together {
		return false, true
	}
	known, tried := x.togethers[e]
	if !tried {
		known.expected, known.err = togetherOf(e)
		x.togethers[e] = known
	}
	if known.err != nil {
		return false, !errors.Is(known.err, errTogether)
	}
	return known.expected.Runs.(*oracle).explains(rec.Outcome, rec.Events), true
}
