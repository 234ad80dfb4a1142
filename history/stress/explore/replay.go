package explore

import (
	"context"
	"fmt"
	"slices"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Replay implements stress.Executor: it replays a schedule.
func (x *executor) Replay(ctx context.Context, p *stress.Program, j *stress.ReplayJob) (*stress.Replayed, error) {
	s, err := schedule.ParseSchedule(j.Schedule)
	if err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	e, err := expectedOf(x.class, p)
	if err != nil {
		return nil, err
	}
	by := newExplorer(ctx, withTogether(e), x.options.Checker)
	if !x.options.Failures {
		by.faults = newFaultFinder(nil, "")
	}
	var left []int
	result := &stress.Replayed{Program: p.String(), Schedule: s.String(), Times: max(j.Times, 1)}
	for n := range result.Times {
		r := by.search.Execute(schedule.NewReplay(s))
		seen := by.search.Record(r)
		if n == 0 && (r.Diverged || len(r.Schedule) < len(s)) {
			return nil, fmt.Errorf("the schedule is of another program, or the object depends on more than the schedule: %d of its %d decisions fit",
				bodies.Fitting(r.Schedule, s), len(s))
		}
		if seen == nil {
			switch {
			case r.Panic != nil:
				result.Panic = bodies.PanicText(r.Panic)
			case r.Cut:
				result.Cut = true
			}
			continue
		}
		rec, f := executedOf(seen), by.Suspect(seen, r, 0)
		m, outcome := bodies.Mark(r.Fingerprint, rec.Events), rec.Outcome.String()
		if n == 0 || result.Outcome == "" {
			result.Mark, result.Outcome = m, outcome
			if result.Violates, err = by.judge(rec, &Violation{Found: &bodies.Found{Numbers: schedule.Drawn()}, allowance: allowanceOf(r)}, r.Preemptions); err != nil {
				return nil, err
			}
			if f != nil && !result.Violates && by.IsFault(seen, f) {
				result.Violates, result.Fault, left = true, foundAs(f).fault, foundAs(f).left
			}
		}
		if m == result.Mark && outcome == result.Outcome {
			result.Same++
		}
	}
	steps, blocked := by.steps(s, left)
	result.Steps = steps
	for _, b := range blocked {
		result.Waiting = append(result.Waiting, b.Text)
	}
	return result, nil
}

// replay runs the schedule of a violation the given number of times, and returns how many
// executions had the same steps and results.
func (x *explorer) replay(v *Violation, times int) int {
	return x.search.Replay(v.Found, times, func(s *bodies.Seen) bool {
		rec := executedOf(s)
		return rec.Outcome.Equal(v.Outcome) && slices.Equal(rec.Events, v.events)
	})
}

// showsTime reports whether a violation has other results when the clock advances
// faster. An invocation then returns a time, or what depends on one. The sequential
// runs have other times, as they have other steps.
func (x *explorer) showsTime(v *Violation) bool {
	seen := x.search.ReplayLate(v.Found)
	return seen != nil && !executedOf(seen).Outcome.Equal(v.Outcome)
}
