package explore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// mark returns a hash of the steps and the order of events.
func mark(trace uint64, events []int16) string {
	for _, e := range events {
		trace = (trace ^ uint64(uint16(e))) * 0x100000001b3
	}
	return strconv.FormatUint(trace, 16)
}

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
	by := newExplorer(ctx, enabled(e), x.options.Checker)
	by.faults = newFaultFinder(nil, "")
	var left []int
	result := &stress.Replayed{Program: p.String(), Schedule: s.String(), Times: max(j.Times, 1)}
	for n := range result.Times {
		r := by.execute(schedule.NewReplay(s))
		rec := by.record(r)
		if n == 0 && (r.Diverged || len(r.Schedule) < len(s)) {
			return nil, fmt.Errorf("the schedule is of another program, or the object depends on more than the schedule: %d of its %d decisions fit",
				fitting(r.Schedule, s), len(s))
		}
		if rec == nil {
			switch {
			case r.Panic != nil:
				result.Panic = panicText(r.Panic)
			case r.Cut:
				result.Cut = true
			}
			continue
		}
		f := by.suspect(rec, r, 0)
		m, outcome := mark(r.Fingerprint, rec.Events), rec.Outcome.String()
		if n == 0 || result.Outcome == "" {
			result.Mark, result.Outcome = m, outcome
			if result.Violates, err = by.judge(rec, &Violation{numbers: schedule.Drawn(), allowance: allowanceOf(r)}, r.Preemptions); err != nil {
				return nil, err
			}
			if f != nil && !result.Violates && by.isFault(rec, f) {
				result.Violates, result.Fault, left = true, f.fault, f.left
			}
		}
		if m == result.Mark && outcome == result.Outcome {
			result.Same++
		}
	}
	result.Steps, result.Waiting, _ = by.steps(s, left)
	return result, nil
}

// fitting returns how many decisions are the same.
func fitting(a, b schedule.Schedule) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// panicReplays is how often a panic is replayed.
const panicReplays = 10

// panics reports whether a goroutine of the object panics in each of some replays.
func (x *explorer) panics(e *Exploration) bool {
	for range panicReplays {
		if r := x.execute(schedule.NewReplay(e.PanicSchedule)); r.Diverged || r.Panic == nil || panicText(r.Panic) != e.Panic {
			return false
		}
	}
	return true
}

// panicText returns what the runtime prints when a panic or an error ends the process.
func panicText(p any) string {
	if f, ok := p.(schedule.Fatal); ok {
		return f.Error()
	}
	return fmt.Sprintf("panic: %v", p)
}

// replay runs the schedule of a violation the given number of times, and returns how many
// executions had the same steps and results.
func (x *explorer) replay(v *Violation, times int) int {
	same := 0
	for range times {
		r := x.execute(schedule.NewReplay(v.Schedule))
		rec := x.record(r)
		if rec != nil && r.Fingerprint == v.trace && rec.Outcome.Equal(v.Outcome) && slices.Equal(rec.Events, v.events) {
			same++
		}
	}
	return same
}

// anotherTick is Limits.Tick of a clock with other readings than the usual one.
const anotherTick = 1003

// showsTime reports whether a violation has other results when the clock advances
// faster. An invocation then returns a time, or what depends on one. The sequential
// runs have other times, as they have other steps.
func (x *explorer) showsTime(v *Violation) bool {
	rec := x.record(schedule.Run(&x.run, schedule.NewReplay(v.Schedule), schedule.Limits{Tick: anotherTick}))
	return rec != nil && !rec.Outcome.Equal(v.Outcome)
}
