package explore

import (
	"cmp"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
)

// randomSchedules is how many random schedules a body that starts goroutines gets.
const randomSchedules = 512

// pollingPreemptions is the bound for bodies that are explored without one, if a thread
// seems to poll forever.
const pollingPreemptions = 3

// deepen runs all schedules of one bound after another. It counts delays for bodies
// that start goroutines, unless the plan says otherwise.
func (s *Search) deepen(plan Plan) error {
	if plan.Preemptions < 0 && plan.Delays == 0 {
		all := schedule.NewDPOR()
		sure, err := s.runAll(all, plan.Executions, nil)
		if sure < Unbounded || err != nil {
			return err
		}
		if all.Exhausted() {
			s.Result.Complete = Unbounded
			return nil
		}
		s.Result.Complete = 0
		plan.Strategy, plan.Preemptions = "dfs", pollingPreemptions
		if plan.Executions > 0 {
			if plan.Executions -= s.Result.Executions; plan.Executions <= 0 {
				return nil
			}
		}
	}
	dfs := schedule.DFSOptions{Bound: plan.Preemptions, Filter: true}
	auto := plan.Delays == 0 && plan.Strategy == ""
	if plan.Delays > 0 {
		dfs.Bound, dfs.Delays = plan.Delays, true
	}
	if auto && !s.Spawns { // the first execution shows whether it does
		if _, err := s.runAll(schedule.NewDFS(dfs), 1, nil); err != nil || s.stops() {
			return err
		}
	}
	if auto && s.Spawns {
		dfs.Delays = plan.Preemptions >= 0
		if plan.Preemptions > 0 {
			if _, err := s.runAll(schedule.NewPOS(plan.Seed), min(randomSchedules, cmp.Or(plan.Executions, randomSchedules)), nil); err != nil || s.stops() {
				return err
			}
		}
	}
	s.Result.ByDelays = dfs.Delays
	within := schedule.NewDFS(dfs)
	sure, err := s.runAll(within, plan.Executions, within.Bound)
	if err != nil {
		return err
	}
	if sure < Unbounded || !within.Exhausted() {
		sure = min(sure, within.Complete())
	}
	s.Result.Complete = max(s.Result.Complete, sure)
	return nil
}

// stops reports whether a violation ends the search.
func (s *Search) stops() bool {
	return len(s.Result.Found) > 0 && !s.Plan.All || s.Result.Panic != "" || s.Ctx.Err() != nil
}

// runAll runs the schedules of a strategy until one violates, most of them have
// run (0 means no limit), or the plan ends it. The bound of the strategy is nil if it
// has none. It returns the last bound at which each execution could be judged: -1
// without any, and Unbounded if these were all schedules.
func (s *Search) runAll(by schedule.Strategy, most int64, bound func() int) (sure int, err error) {
	if bound == nil {
		bound = func() int { return 0 }
	}
	sure, err = s.runEach(by, most, bound)
	for _, p := range s.postponed {
		if err != nil || s.OnlySoon || len(s.Result.Found) > 0 || s.Ctx.Err() != nil {
			break
		}
		before := s.Result.Undecided
		if _, err = s.judge(p.seen, p.found); err != nil || s.Result.Undecided > before {
			sure = min(sure, p.found.Bound-1)
		}
	}
	s.postponed = nil
	return sure, err
}

// runEach is runAll without judging what was postponed.
func (s *Search) runEach(by schedule.Strategy, most int64, bound func() int) (sure int, err error) {
	e := s.Result
	sure = Unbounded
	for n := int64(1); ; n++ {
		at, before := bound(), e.Undecided
		r := s.Execute(by)
		if r.Panic != nil && !s.Whole {
			e.Panic, e.PanicSchedule, e.PanicStack = PanicText(r.Panic), slices.Clone(r.Schedule), r.Crash.Trace()
			return min(sure, at-1), nil
		}
		seen := s.Record(r)
		if seen == nil && !r.Pruned || r.Cut {
			sure = min(sure, at-1)
		}
		var f, suspect *Found
		if seen != nil {
			f, suspect = s.toJudge(seen, r, at), s.Oracle.Suspect(seen, r, at)
		}
		more := by.Next(r) // judging overwrites the result
		switch {
		case f == nil:
		case seen.Verdict == Violates:
			e.Found[slices.Index(e.Found, seen.Found)] = f
			seen.Found = f
		case s.Oracle.Postpones(f):
			seen.Verdict = later
			s.postponed = append(s.postponed, &postponed{seen, f})
		default:
			bad, err := s.judge(seen, f)
			if err != nil {
				return -1, err
			}
			if bad && !s.Plan.All {
				return min(sure, at-1), nil
			}
		}
		if suspect != nil && seen.Verdict != Violates && s.Oracle.IsFault(seen, suspect) {
			if e.Found = append(e.Found, suspect); !s.Plan.All {
				return min(sure, at-1), nil
			}
		}
		spun := seen != nil && seen.Verdict == spinsAWhile
		if spun {
			e.Cut++
			e.Waited--
		}
		if e.Undecided > before || spun {
			sure = min(sure, at-1)
		}
		if !more {
			return sure, nil
		}
		if n%64 == 0 {
			s.Oracle.Moved()
		}
		if n == most || s.Plan.Steps > 0 && e.Steps >= s.Plan.Steps || (s.Whole || n%64 == 0) && (s.Ctx.Err() != nil || !s.End.IsZero() && time.Now().After(s.End)) {
			return min(sure, at-1, bound()-1), nil
		}
	}
}

// toJudge returns an execution that has just ended if it is to be judged, or has a
// simpler schedule than one that was. The strategy had the given bound.
func (s *Search) toJudge(seen *Seen, r *schedule.Result, bound int) *Found {
	if s.OnlyFaults || seen.Verdict != Unjudged && (seen.Verdict != Violates || switchesOf(r) >= seen.Found.Switches) {
		return nil
	}
	f := s.New(r, bound)
	s.Oracle.Describe(seen, f, r)
	return f
}

// judge judges an execution, and adds it to the result if it violates.
func (s *Search) judge(seen *Seen, f *Found) (bool, error) {
	bad, err := s.Oracle.Judge(seen, f, max(f.Bound, f.Preemptions))
	if err != nil {
		return false, err
	}
	if bad && f.Spins && !s.spinsLonger(f) {
		bad, seen.Verdict = false, spinsAWhile
	}
	if bad {
		seen.Found = f
		s.Result.Found = append(s.Result.Found, f)
	}
	return bad, nil
}

// longSpin is how many steps each thread of a violation spins before that is reported.
const longSpin = 1 << 20

// spinsLonger reports whether the threads of a violation still spin if they have more time.
// A loop that counts its rounds may end.
func (s *Search) spinsLonger(f *Found) bool {
	limits := s.Limits
	limits.Spin = longSpin
	return schedule.Run(&s.Body, schedule.NewReplay(f.Schedule), limits).Spins
}
