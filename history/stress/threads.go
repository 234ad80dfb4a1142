package stress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// threads is the Executor that runs each sequence of a program in a thread of its own, as often as
// possible. How invocations interleave is left to chance.
type threads struct {
	class   *Class
	options *Options
	report  *Report
	memory  int64 // how many bytes the process may have
	batch   int   // see batchFor
}

// leaving is why threads do not judge an object.
const leaving = "objects leave goroutines, which may change them"

// NewThreads returns the Executor that runs programs on threads.
func NewThreads(c *Class, o *Options, r *Report) Executor {
	x := &threads{class: c, options: o, report: r, memory: memoryUsed() + maxMemory}
	if c.failing {
		return newFailingThreads(x)
	}
	if c.leaves() {
		r.OnlySchedules = leaving
	}
	return x
}

// Levels implements Executor: more time shows more, but there is no order in it.
func (x *threads) Levels() int { return 1 }

// Expected implements Executor.
func (x *threads) Expected(p *Program) (*Expected, error) { return NewExpected(x.class, p) }

// Run implements Executor.
func (x *threads) Run(ctx context.Context, e *Expected, t *Try) (*Trial, error) {
	o := RunOptions{Time: x.options.Effort.Program, Seed: x.options.Seed + uint64(x.report.Programs), Stop: e}
	o.least = min(int64(o.Time/usualTime), cmp.Or(t.Left.Executions, math.MaxInt64))
	if len(x.options.Programs) == 0 || x.options.Effort.Time == 0 {
		o.Executions = t.Left.Executions
	}
	if t.All {
		o.Stop = nil
	}
	run := x.run(ctx, e, o, t.Left.Time)
	if run.Leaves {
		x.report.OnlySchedules = leaving
	}
	if run.Leaves || run.Waits != nil {
		return &Trial{Whole: true, Left: true, Waits: run.Waits}, nil
	}
	if t.All {
		return x.outcomes(ctx, e, run), nil
	}
	trial := &Trial{Whole: true, Finding: x.seen(ctx, e, run), Exercised: overlapping(e.Program, run.histories), Executed: run.histories}
	return trial, nil
}

// outcomes returns what Try.All asks for.
func (x *threads) outcomes(ctx context.Context, e *Expected, run *Run) *Trial {
	trial := &Trial{Whole: true, Exercised: overlapping(e.Program, run.histories)}
	for _, c := range run.Outcomes {
		trial.Executed = append(trial.Executed, Execution{Outcome: c.Outcome, Times: c.Times})
		if !e.Contains(c.Outcome) {
			trial.Violating = append(trial.Violating, Execution{Outcome: c.Outcome, Times: c.Times})
		}
	}
	for i := range min(len(run.histories), sampledGiven) {
		r := &run.histories[i]
		if _, violates, err := r.check(ctx, e, x.options.Checker); err == nil && violates && e.Contains(r.Outcome) {
			trial.Violating = append(trial.Violating, *r)
		}
	}
	return trial
}

// A run takes at least leastRun, even if less time is left.
const leastRun = 50 * time.Millisecond

// run runs a program and counts its executions.
func (x *threads) run(ctx context.Context, e *Expected, o RunOptions, within time.Duration) *Run {
	if x.batch == 0 {
		x.batch = batchFor(x.class)
	}
	o.Batch, o.memory = x.batch, x.memory
	o.Time = min(o.Time, max(within, leastRun))
	run := RunProgram(ctx, x.class, e.Program, o)
	x.report.Count(run.Executions, run.Recorded, run.Overlapping)
	if used, over := overMemory(x.memory); over {
		x.report.Worn, x.report.Memory = true, used
	}
	return run
}

// sampled is how many recorded executions of a run are checked, and sampledGiven
// how many of a given program.
const (
	sampled      = 24
	sampledGiven = 1000
)

// seen returns a violation that was seen, if there is one.
func (x *threads) seen(ctx context.Context, e *Expected, run *Run) *Finding {
	if f := unexpected(e, run); f != nil {
		return f
	}
	return x.againstRealTime(ctx, e, run)
}

// unexpected returns the unexpected outcome of a run that was seen most often.
func unexpected(e *Expected, run *Run) *Finding {
	f := &Finding{Executions: run.Executions, Spent: run.Elapsed, Seen: Seen{Expected: e}}
	most := int64(0)
	for _, c := range run.Outcomes {
		if e.Contains(c.Outcome) {
			continue
		}
		f.Times += c.Times
		f.Seen.Violating = append(f.Seen.Violating, Execution{Outcome: c.Outcome})
		if c.Times > most {
			most, f.Seen.Outcome = c.Times, c.Outcome
		}
	}
	if f.Times == 0 {
		return nil
	}
	return f
}

// againstRealTime returns a recorded execution that is not linearizable,
// though its outcome is expected.
func (x *threads) againstRealTime(ctx context.Context, e *Expected, run *Run) *Finding {
	most := sampled
	if len(x.options.Programs) > 0 {
		most = sampledGiven
	}
	for i := range min(len(run.histories), most) {
		r := &run.histories[i]
		if h, violates, err := r.check(ctx, e, x.options.Checker); err == nil && violates {
			return &Finding{Times: r.Times, Executions: run.Recorded, Spent: run.Elapsed, Recorded: true, RealTime: true,
				Seen: Seen{Expected: e, Outcome: r.Outcome, History: h, Violating: run.histories[i : i+1]}}
		}
	}
	return nil
}

// Prove implements Executor. Threads prove nothing: what they see is reported as seen. It has to come
// again, and the sequential runs of the program have to have the same results every time, in so many
// runs that chance would have shown in them, too.
func (x *threads) Prove(ctx context.Context, f *Finding, within time.Duration) (bool, error) {
	v, start := &f.Seen, time.Now()
	if v.Expected.unsteady {
		return false, nil
	}
	times, executions := int64(timesLeast), f.Executions/f.Times // the checker knows a history against real time
	if !f.RealTime {
		times, executions = x.repeat(ctx, f, within)
	}
	same, enough := true, times >= timesLeast
	if enough {
		same, enough = x.isSteady(v.Expected.Program, max(steadyRuns*executions/(times-1), steadyLeast), within-time.Since(start))
	}
	v.Expected.unsteady = !same || !enough
	switch {
	case !same:
		x.report.Unsteady = append(x.report.Unsteady, v.Expected.Program.String())
	case !enough:
		x.report.Left++
		x.report.Account.omit(v.Expected.Program.String(), false, "seen on threads with an outcome that no order explains, but too seldom to tell it from chance")
	default:
		if err := x.confirm(ctx, f); ctx.Err() == nil {
			return err == nil, err
		}
	}
	return false, nil
}

// confirm asks the checker about the outcome of a finding, as a history in which only the order within
// the sequences is known. It is the History, unless one was recorded.
func (x *threads) confirm(ctx context.Context, f *Finding) error {
	v := &f.Seen
	if f.RealTime {
		return nil // its history was checked
	}
	loose, err := v.Expected.Unordered(v.Outcome)
	violates := false
	if err == nil {
		violates, err = x.options.Checker.Violates(ctx, loose, x.class.Levels())
	}
	switch {
	case err != nil:
		return fmt.Errorf("confirming %v with outcome %v: %w", v.Expected.Program, v.Outcome, err)
	case !violates:
		return fmt.Errorf("internal error: outcome %v of %v is not among those of its shuffles, but the checker does not find it wrong", v.Outcome, v.Expected.Program)
	}
	if v.History == nil {
		v.History = loose
	}
	return nil
}

// A violation has to come again timesLeast times in rareTime; the run ends when it has come
// timesEnough times.
const timesLeast, timesEnough = 3, 100

var rareTime = time.Second

// repeat runs the program of a finding again, and partly records it. It returns how often the
// violation came, and in how many executions. The execution that was found does not count: among all
// executions of a search, there is one with a result of chance, however rare that is.
func (x *threads) repeat(ctx context.Context, f *Finding, within time.Duration) (times, executions int64) {
	v, spent := &f.Seen, time.Duration(0)
	for piece := 16 * time.Millisecond; times < timesEnough && spent < rareTime && ctx.Err() == nil; piece *= 2 {
		run := x.run(ctx, v.Expected, RunOptions{Time: min(piece, rareTime-spent), Recorded: 32, Seed: x.options.Seed + 3}, within-spent)
		spent += run.Elapsed
		if run.Waits != nil || run.Leaves {
			break
		}
		executions += run.Executions
		for _, c := range run.Outcomes {
			if !v.Expected.Contains(c.Outcome) {
				times += c.Times
				v.Violating = append(v.Violating, Execution{Outcome: c.Outcome})
			}
		}
		for i := range run.histories {
			if r := &run.histories[i]; !f.Recorded && r.Outcome.Equal(v.Outcome) {
				if h, violates, err := r.check(ctx, v.Expected, x.options.Checker); err == nil && violates {
					v.History, f.Recorded = h, true
				}
			}
		}
	}
	f.Executions, f.Times, f.Spent = f.Executions+executions, f.Times+times, f.Spent+spent
	return times, executions
}

// occursWithin returns how long a violation should take to occur again, from 20 ms to a second.
func occursWithin(f *Finding) time.Duration {
	expected := time.Duration(float64(f.Executions) / float64(f.Times) * float64(usualTime))
	return min(max(expected, 20*time.Millisecond), time.Second)
}

// usualTime is what an execution usually takes.
const usualTime = 10 * time.Microsecond

// Again implements Executor.
func (x *threads) Again(ctx context.Context, f *Finding, e *Expected, within time.Duration) *Finding {
	most := 3 * occursWithin(f)
	run := x.run(ctx, e, RunOptions{Time: most, least: min(int64(most/usualTime), 10*f.Executions/f.Times), Seed: x.options.Seed + 2, Stop: e}, within)
	found := x.seen(ctx, e, run)
	if found == nil {
		return nil
	}
	if proved, err := x.Prove(ctx, found, within-run.Elapsed); err != nil || !proved {
		return nil
	}
	return found
}

// Simplify implements Executor: all executions on threads are alike.
func (x *threads) Simplify(context.Context, *Finding, time.Duration) (bool, error) { return true, nil }

// Replay implements Executor. It counts unexpected executions.
func (x *threads) Replay(ctx context.Context, p *Program, j *ReplayJob) (*Replayed, error) {
	e, err := NewExpected(x.class, p)
	if err != nil {
		return nil, err
	}
	ran := RunProgram(ctx, x.class, p, RunOptions{Time: j.Threads})
	if ran.Waits != nil {
		return nil, &WaitsError{strings.Join(ran.Waits, ", ")}
	}
	result := &Replayed{Program: p.String(), Executions: ran.Executions}
	for _, o := range ran.Outcomes {
		if !e.Contains(o.Outcome) {
			result.Seen += o.Times
		}
	}
	if result.Seen == 0 && j.RealTime {
		result.Executions = ran.Recorded
		for i := range ran.histories {
			r := &ran.histories[i]
			if _, bad, err := r.check(ctx, e, x.options.Checker); err != nil {
				return nil, err
			} else if bad {
				result.Seen += r.Times
			}
		}
	}
	if result.Seen > 0 {
		if same, _ := x.isSteady(p, steadyLeast, onThreads); !same {
			return nil, errors.New("results of calls one after another differ, as they depend on the time, on addresses or on chance")
		}
	}
	return result, nil
}
