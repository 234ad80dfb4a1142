package explore

import "fmt"

// A judgement is the verdict about a recorded execution.
type judgement uint8

const (
	unjudged judgement = iota
	explainable
	violates
	undecided
	spinsAWhile // and its outcome would be a violation if it did so forever
)

// judge reports whether an execution is a violation, and describes it in v. The schedule
// has the given number of preemptions.
func (x *explorer) judge(rec *executed, v *Violation, bound int) (bool, error) {
	rec.verdict, v.RealTime = explainable, x.expected.Contains(rec.Outcome)
	byRuns := x.class.Model == "" || rec.Outcome.Waits()
	if v.RealTime && x.checker == nil || byRuns && x.oracle.explains(rec.Outcome, rec.Events) {
		return false, nil
	}
	if byRuns || !v.RealTime {
		t := sought{outcome: rec.Outcome, bound: bound, ticks: v.ticks, numbers: v.numbers}
		sure := true
		if byRuns && x.checker != nil {
			inTime := t
			inTime.events = rec.Events
			sure = x.oracle.search(inTime)
		}
		explained := byRuns && x.oracle.explains(rec.Outcome, rec.Events)
		if !explained && sure && !v.RealTime { // some other order may have the outcome
			sure = x.oracle.search(t)
			v.RealTime = x.expected.Contains(rec.Outcome)
			explained = byRuns && x.oracle.explains(rec.Outcome, rec.Events)
		}
		if x.oracle.failure != nil {
			return false, fmt.Errorf("running %v sequentially: %w", x.program, x.oracle.failure)
		}
		switch {
		case explained, v.RealTime && x.checker == nil:
			return false, nil
		case !sure:
			rec.verdict = undecided
			x.result.Undecided++
			return false, nil
		}
	}
	if x.checker != nil {
		h, err := rec.History(x.expected)
		if err != nil {
			return false, fmt.Errorf("execution of %v: %w", x.program, err)
		}
		bad, err := x.checker.Violates(x.ctx, h)
		if err != nil || !bad {
			return false, err
		}
		v.History = h
	}
	rec.verdict = violates
	return true, nil
}
