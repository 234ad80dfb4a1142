package stress

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
)

const (
	// confirmTime is how long a program runs in another process to confirm a failure, and confirmLate
	// how much longer than its time and the proofs a search may take for that.
	confirmTime = 10 * time.Second
	confirmLate = 90 * time.Second
	// mostUnconfirmed ends a search that finds nothing else.
	mostUnconfirmed = 5
)

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
	switch f := failureOfDeath(death); {
	case s.program.Schedules && death.Cause == worker.Silent:
		s.result.Account.omit(s.last.Program, s.last.Given > 0, notInstrumented)
	case s.sequential:
		s.sequentially(s.last.Program)
	case f == nil:
		s.result.Account.omit(s.last.Program, s.last.Given > 0, "a process ended in an unclear way: "+death.Text)
	default:
		s.failed(&Finding{Program: s.last.Program, Failure: f})
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
	if f.Kind == WaitingFailure { // a signal
		return nil
	}
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
