package stress

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/worker"
)

const (
	// confirmTime is how long a program runs in another process to confirm a failure, and confirmLate
	// how much longer than its time and the proofs a search may take for that.
	confirmTime = 10 * time.Second
	confirmLate = 90 * time.Second
	// mostUnconfirmed ends a search that finds nothing else.
	mostUnconfirmed = 5
	// In that process, the program runs sequentially before and after, confirmRuns to mostConfirmRuns
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

// failures returns what a run of a program has shown in a search for failures. A call that does not
// return is a crash: the process is of no use any more.
func (x *threads) failures(e *Expected, run *Run) *Trial {
	if run.Waits != nil {
		text := make([]byte, 1<<20)
		stacks := strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n")
		inCalls := slices.DeleteFunc(stacks, func(s string) bool { return !strings.Contains(s, "stress.(*step).run(") })
		x.report.Crash(&Crash{Program: e.Program.String(), What: WaitingFailure, Stack: stacksIn(inCalls)}, x.options.Crashed)
		return &Trial{Whole: true, Left: true}
	}
	x.report.Worn = x.report.Worn || run.Leaves
	return &Trial{Whole: true, Finding: x.seen(context.Background(), e, run), Exercised: overlapping(e.Program, run.histories)}
}

// replayFailure runs a program sequentially many times, and then in parallel until it fails as none
// of these runs has, nor any of three times as many as it took.
func (x *threads) replayFailure(ctx context.Context, p *Program, j *ReplayJob) (*Replayed, error) {
	e := ExpectedOf(x.class, p, threadRuns{x.class, p})
	least, batch := int64(confirmRuns), batchFor(x.class)
	if x.class.leaves() {
		least, batch = leavingRuns, min(batch, leavingBatch)
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
	run := RunProgram(ctx, x.class, p, RunOptions{Time: j.Threads, Stop: e, Wait: confirmWait, Recorded: -1, Batch: batch, memory: x.memory})
	if run.Waits != nil {
		result.Failure, result.Seen, result.Executions = failureOf(WaitingFailure), 1, 1
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
// with pauses, in which goroutines go on, and some with other objects. There are at least so many, unless
// that takes confirmRunsTime.
func (x *threads) repeat(e *Expected, least int64) error {
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
	other, calls := *c, steps(p)
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

// failureIn returns the finding of a crash.
func failureIn(c *Crash) *Finding {
	f := &Finding{Program: c.Program, Failure: failureOf(c.What)}
	f.Failure.Stack = c.Stack
	if c.Schedule != "" {
		f.Scheduled = &Scheduled{Schedule: c.Schedule}
	}
	return f
}

// diedFailing handles a death of a process that nothing outside has caused.
func (s *supervisor) diedFailing(death *worker.Death) {
	s.interrupted()
	s.crashes++
	if f := failureOfDeath(death); s.sequential {
		s.sequentially(s.last.Program)
	} else if f != nil {
		s.failed(&Finding{Program: s.last.Program, Failure: f})
	} else {
		s.result.Account.omit(s.last.Program, s.last.Given > 0, "a process ended in an unclear way: "+death.Text)
	}
}

// failureOfDeath returns the failure that has ended a process, or nil if something else has.
func failureOfDeath(death *worker.Death) *Failure {
	switch {
	case death.Cause == worker.Silent || death.Text == deadlock:
		return &Failure{WaitingFailure, waitsText, stacksOf(death)}
	case death.Cause != worker.Crashed || len(death.Stacks) == 0 || strings.Contains(death.Stacks[0], "stress.(*thread).prepare("):
		return nil
	}
	f := failureOf(death.Text)
	for _, resource := range []string{"out of memory", "cannot allocate", "thread"} {
		if f.Kind == FatalFailure && strings.Contains(f.Text, resource) {
			return nil
		}
	}
	f.Stack = stacksOf(death)
	return f
}

// failed adds a failure that was seen: to the findings if another process confirms it.
func (s *supervisor) failed(f *Finding) {
	if len(s.result.Findings) > 0 { // one is enough
		return
	}
	f.Subject, f.Elapsed = s.result.Subject, time.Since(s.begin)
	began := time.Now()
	confirmed, sequential := s.confirmed(f)
	if !sequential {
		s.begin = s.begin.Add(time.Since(began))
	}
	if sequential {
		s.sequentially(f.Program)
		return
	} else if !confirmed {
		if s.result.Unconfirmed = append(s.result.Unconfirmed, f); len(s.result.Unconfirmed) >= mostUnconfirmed {
			s.drop("")
		}
		return
	}
	s.drop("")
	s.result.Findings = append(s.result.Findings, f)
	if s.job.Found != nil {
		s.job.Found(f)
	}
}

// sequentially notes a program with a failure that sequential runs have, too.
func (s *supervisor) sequentially(program string) {
	s.result.Account.omit(program, false, "calls one after another fail or wait, too")
}

// confirmed reports whether another process has the failure, too, or that a sequential run there has it.
func (s *supervisor) confirmed(f *Finding) (confirmed, sequential bool) {
	switch {
	case f.Scheduled != nil && f.Outcome == "": // a crash
		r, err := s.replay(s.limited, s.program, &ReplayJob{Program: f.Program, Schedule: f.Scheduled.Schedule, Times: elsewhere})
		if err != nil || r.Panic != f.Failure.String() {
			return false, false
		}
		f.Scheduled.Elsewhere, f.Scheduled.Steps, f.GoTest = elsewhere, r.Steps, r.GoTest
		return true, false
	case f.Scheduled != nil:
		return s.verify(f) && f.Scheduled.Elsewhere > 0, false
	}
	j := s.job
	j.Replay = &ReplayJob{Program: f.Program, Threads: confirmTime, Failure: f.Failure.String()}
	m, err := answer(s.limited, s.program, j)
	var death *worker.Death
	again := (*Failure)(nil)
	switch {
	case s.limited.Err() != nil:
	case errors.As(err, &death):
		again, f.Times, f.Executions = failureOfDeath(death), 1, 0
		sequential = again != nil && m.Repeats == nil
	case m.Replayed != nil:
		again, sequential, f.Times, f.Executions = m.Replayed.Failure, m.Replayed.Sequential, m.Replayed.Seen, m.Replayed.Executions
		if len(m.Replayed.Waiting) > 0 { // no later program calls that method in parallel
			s.job.Known = append(s.job.Known, m.Replayed.Waiting)
		}
	}
	if again == nil || sequential {
		return false, sequential
	}
	again.Stack = cmp.Or(again.Stack, f.Failure.Stack)
	f.Failure, f.GoTest = again, m.Repeats
	return true, false
}
