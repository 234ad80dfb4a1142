package stress

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
)

const (
	// To confirm a failure, a program runs sequentially before and after, confirmRuns to mostConfirmRuns
	// times, for confirmRunsTime each.
	confirmRuns     = 3000
	mostConfirmRuns = 1_000_000
	confirmRunsTime = 5 * time.Second
	// leavingRuns is the number for objects that leave goroutines. These need memory, so programs have
	// leavingExecutions on threads, in batches of leavingBatch.
	leavingRuns       = 100
	leavingExecutions = 100
	leavingBatch      = 16
)

// failingWait is how long no thread may move until a call does not return, and confirmWait in the
// process that confirms it. A machine with other work may keep a thread for seconds.
var (
	failingWait = 4 * time.Second
	confirmWait = 10 * time.Second
)

// failingThreads is the Executor of a search for failures on threads.
type failingThreads struct {
	*threads
	leaves bool // objects leave goroutines
}

func newFailingThreads(t *threads) *failingThreads {
	x := &failingThreads{t, t.class.leaves()}
	if x.batch = batchFor(x.class); x.leaves {
		x.batch = min(x.batch, leavingBatch)
	}
	return x
}

// Expected implements Executor: most programs do not fail, and need no other sequential runs. A call has
// to wait twice, as later programs do not call its method: a build beside the search may take the
// processors for seconds.
func (x *failingThreads) Expected(p *Program) (*Expected, error) {
	e, err := firstRuns(x.class, p)
	if errors.As(err, new(*WaitsError)) {
		return firstRuns(x.class, p)
	}
	return e, err
}

// Run implements Executor. A call that does not return is a crash: the process is of no use any more.
func (x *failingThreads) Run(ctx context.Context, e *Expected, t *Try) (*Trial, error) {
	o := RunOptions{Time: x.options.Effort.Program, Seed: x.options.Seed + uint64(x.report.Programs)}
	run := x.runUntilFailure(ctx, e, o, t.Left.Time)
	trial := &Trial{Whole: true, Exercised: overlapping(e.Program, run.histories)}
	if run.Waits != nil {
		text := make([]byte, 1<<20)
		stacks := strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n")
		inCalls := slices.DeleteFunc(stacks, func(s string) bool { return !strings.Contains(s, "stress.(*prepared).run(") })
		x.report.Crash(&Crash{Program: e.Program.String(), What: WaitingFailure, Stack: stacksIn(inCalls)}, x.options.Crashed)
		return trial, nil
	}
	x.report.Worn = x.report.Worn || run.Leaves
	trial.Finding = failing(e, run)
	return trial, nil
}

// runUntilFailure runs a program until it fails.
func (x *failingThreads) runUntilFailure(ctx context.Context, e *Expected, o RunOptions, within time.Duration) *Run {
	o.Stop, o.Wait = e, failingWait
	if o.least = int64(o.Time / usualTime); x.leaves {
		o.Executions, o.least = leavingExecutions, 0
	}
	return x.run(ctx, e, o, within)
}

// failing returns what has failed in a run, and fails in no sequential run, or nil.
func failing(e *Expected, run *Run) *Finding {
	f := unexpected(e, run)
	if f == nil || e.runAll() != nil {
		return nil
	}
	return unexpected(e, run)
}

// Prove implements Executor: another process does.
func (x *failingThreads) Prove(context.Context, *Finding, time.Duration) (bool, error) {
	return true, nil
}

// Again implements Executor.
func (x *failingThreads) Again(ctx context.Context, f *Finding, e *Expected, within time.Duration) *Finding {
	return failing(e, x.runUntilFailure(ctx, e, RunOptions{Time: 3 * occursWithin(f), Seed: x.options.Seed + 2}, within))
}

// Replay implements Executor. It runs a program sequentially many times, and then in parallel until it fails as none
// of these runs has, nor any of three times as many as it took.
func (x *failingThreads) Replay(ctx context.Context, p *Program, j *ReplayJob) (*Replayed, error) {
	e := ExpectedOf(x.class, p, threadRuns{x.class, p})
	least := int64(confirmRuns)
	if x.leaves {
		least = leavingRuns
	}
	result := &Replayed{Program: p.String()}
	var waits *WaitsError
	err := x.repeat(e, least)
	if errors.As(err, &waits) {
		result.Waiting = []string{waits.Method}
	}
	if result.Sequential = waits != nil || e.failures()[alike(j.Failure)]; err != nil || result.Sequential {
		return result, nil
	}
	if x.options.repeats != nil {
		x.options.repeats(goTestOfFailure(x.class, p))
	}
	run := RunProgram(ctx, x.class, p, RunOptions{Time: j.Threads, Stop: e, Wait: confirmWait, Recorded: -1, Batch: x.batch, memory: x.memory})
	if run.Waits != nil {
		result.Failure, result.Seen, result.Executions = failureOf(WaitingFailure), 1, 1
		result.Sequential = len(e.failures()) > 0 // one that fails may keep a lock
		return result, nil
	}
	result.Executions, err = run.Executions, x.repeat(e, min(3*run.Executions, mostConfirmRuns))
	for _, o := range run.Outcomes {
		if f := e.failure(o.Outcome); f != nil && err == nil {
			result.Failure = f
			result.Seen += o.Times
		} else {
			result.Sequential = result.Sequential || slices.ContainsFunc(o.Outcome, func(v history.Value) bool { return v.Kind() == history.Exception })
		}
	}
	return result, nil
}

// repeat adds sequential runs to what is expected of a program, in every order: some as they are, some
// with pauses, in which goroutines go on, and some beside other objects. It ends after least runs, or after
// confirmRunsTime.
func (x *failingThreads) repeat(e *Expected, least int64) error {
	classes := []*Class{x.class, x.class, x.class.crowded(e.Program)}
	runs, start := int64(0), time.Now()
	defer x.class.paused.Store(false)
	for pass := 0; pass < len(classes) || runs < least && time.Since(start) < confirmRunsTime; pass++ {
		x.class.paused.Store(pass == 1)
		if err := sequentially(classes[pass%len(classes)], e.Program, func(_ []int, o Outcome) bool {
			e.set.add(o, 1)
			runs++
			return true
		}); err != nil {
			return err
		}
	}
	return nil
}

// crowded returns a class with other objects beside each new one, on which the calls of the program
// were made: objects may share something.
func (c *Class) crowded(p *Program) *Class {
	other, calls := *c, p.prepared()
	other.New = func() any {
		object, beside := c.New(), c.New()
		for i := range calls {
			calls[i].run(beside)
		}
		c.Release(beside)
		return object
	}
	return &other
}
