package explore

import (
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
)

// randomSchedules is how many random schedules an object that starts goroutines gets.
const randomSchedules = 512

// pollingPreemptions is the bound for programs that are explored without one, if a thread
// seems to poll forever.
const pollingPreemptions = 3

// deepen runs all schedules of one bound after another. It counts delays for objects
// that start goroutines, unless the plan says otherwise.
func (x *explorer) deepen(plan Plan) error {
	if plan.Preemptions < 0 && plan.Delays == 0 {
		s := schedule.NewDPOR()
		sure, err := x.runAll(s, plan.Executions, nil)
		if sure < Unbounded || err != nil {
			return err
		}
		if s.Exhausted() {
			x.result.Complete = Unbounded
			return nil
		}
		x.result.Complete = 0
		plan.Strategy, plan.Preemptions = "dfs", pollingPreemptions
		if plan.Executions > 0 {
			if plan.Executions -= x.result.Executions; plan.Executions <= 0 {
				return nil
			}
		}
	}
	dfs := schedule.DFSOptions{Bound: plan.Preemptions, Filter: true}
	auto := plan.Delays == 0 && plan.Strategy == ""
	if plan.Delays > 0 {
		dfs.Bound, dfs.Delays = plan.Delays, true
	}
	if auto && !x.spawns { // the first execution shows whether it does
		if _, err := x.runAll(schedule.NewDFS(dfs), 1, nil); err != nil || x.stops() {
			return err
		}
	}
	if auto && x.spawns {
		dfs.Delays = plan.Preemptions >= 0
		if plan.Preemptions > 0 {
			if _, err := x.runAll(schedule.NewPOS(plan.Seed), randomSchedules, nil); err != nil || x.stops() {
				return err
			}
		}
	}
	x.result.ByDelays = dfs.Delays
	s := schedule.NewDFS(dfs)
	sure, err := x.runAll(s, plan.Executions, s.Bound)
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
	return len(x.result.Violations) > 0 && !x.plan.All || x.result.Panic != "" || x.ctx.Err() != nil
}

// runAll runs the schedules of a strategy until one violates, most of them have
// run (0 means no limit), or the plan ends it. The bound of the strategy is nil if it
// has none. It returns the last bound at which each execution could be judged: -1
// without any, and Unbounded if these were all schedules.
func (x *explorer) runAll(s schedule.Strategy, most int64, bound func() int) (sure int, err error) {
	if bound == nil {
		bound = func() int { return 0 }
	}
	sure, err = x.runEach(s, most, bound)
	for _, p := range x.postponed {
		if err != nil || x.seeksPlain || len(x.result.Violations) > 0 || x.ctx.Err() != nil {
			break
		}
		before := x.result.Undecided
		if _, err = x.isViolation(p.rec, p.v); err != nil || x.result.Undecided > before {
			sure = min(sure, p.v.bound-1)
		}
	}
	x.postponed = nil
	return sure, err
}

// A postponed execution is judged after all others: there are many sequential runs to compare
// it with.
type postponed struct {
	rec *executed
	v   *Violation
}

// runEach is runAll without judging what was postponed.
func (x *explorer) runEach(s schedule.Strategy, most int64, bound func() int) (sure int, err error) {
	e := x.result
	sure = Unbounded
	for n := int64(1); ; n++ {
		at, before := bound(), e.Undecided
		r := x.execute(s)
		if r.Panic != nil {
			e.Panic, e.PanicSchedule, e.panicStack = panicText(r.Panic), slices.Clone(r.Schedule), r.Crash.Trace()
			return min(sure, at-1), nil
		}
		rec := x.record(r)
		if rec == nil && !r.Pruned {
			sure = min(sure, at-1)
		}
		v, f := x.toJudge(rec, r, at), x.suspect(rec, r, at)
		more := s.Next(r) // the sequential runs of judge overwrite the result
		switch {
		case v == nil:
		case rec.verdict == violates:
			v.RealTime, v.History, v.expected = rec.violation.RealTime, rec.violation.History, rec.violation.expected
			*rec.violation = *v
		case x.postpones(v):
			rec.verdict = later
			x.postponed = append(x.postponed, postponed{rec, v})
		default:
			bad, err := x.isViolation(rec, v)
			if err != nil {
				return -1, err
			}
			if bad && !x.plan.All {
				return min(sure, at-1), nil
			}
		}
		if f != nil && rec.verdict != violates && x.isFault(rec, f) {
			if e.Violations = append(e.Violations, f); !x.plan.All {
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
		if n%64 == 0 {
			x.class.Moved()
		}
		if n == most || x.plan.Steps > 0 && e.Steps >= x.plan.Steps || n%64 == 0 && (x.ctx.Err() != nil || !x.oracle.end.IsZero() && time.Now().After(x.oracle.end)) {
			return min(sure, at-1, bound()-1), nil
		}
	}
}

// toJudge returns an execution that has just ended as a violation if it is to be judged, or has a
// simpler schedule than one that was. The strategy had the given bound.
func (x *explorer) toJudge(rec *executed, r *schedule.Result, bound int) *Violation {
	switch {
	case rec == nil || x.faults != nil && x.faults.only != "": // only that fault counts
		return nil
	case rec.verdict == unjudged, rec.verdict == violates && switchesOf(r) < rec.violation.Switches:
		v := x.violation(rec, bound)
		v.describe(r)
		return v
	}
	return nil
}

// isViolation judges an execution, and adds it to the violations if it is one.
func (x *explorer) isViolation(rec *executed, v *Violation) (bool, error) {
	bad, err := x.judge(rec, v, max(v.bound, v.Preemptions))
	if err != nil {
		return false, err
	}
	if bad && v.spins && !x.spinsLonger(v) {
		bad, rec.verdict = false, spinsAWhile
	}
	if bad {
		rec.violation = v
		x.result.Violations = append(x.result.Violations, v)
	}
	return bad, nil
}

// postpones reports whether an execution is judged after all others: time jumps in it, while
// goroutines of the object go on, and no run without such a jump explains it.
func (x *explorer) postpones(v *Violation) bool {
	return x.spawns && v.allowance != plain && v.allowance != x.oracle.allowance && !v.spins && !x.oracle.explains(v.Outcome, v.events)
}

// longSpin is how many steps each thread of a violation spins before that is reported.
var longSpin = 1 << 20

// spinsLonger reports whether the threads of a violation still spin if they have more time.
// A loop that counts its rounds may end.
func (x *explorer) spinsLonger(v *Violation) bool {
	return schedule.Run(&x.run, schedule.NewReplay(v.Schedule), schedule.Limits{Spin: longSpin}).Spins
}
