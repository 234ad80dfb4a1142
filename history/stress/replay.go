package stress

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/worker"
)

// A ReplayJob is what an Executor is to run again.
type ReplayJob struct {
	Program, Schedule string
	Times             int
	// Threads, if not 0, is how long to run the program on real threads instead.
	Threads time.Duration
	// Failure is the text of the one that the program has shown on threads.
	Failure string `json:",omitempty"`
	// RealTime counts executions with an order of events that is not explained,
	// on real threads.
	RealTime bool
}

// A Replayed is what a replay of a schedule showed.
type Replayed struct {
	Program  string
	Schedule string
	Outcome  string
	// Mark is a hash of the steps and the order of events. Same is how many of Times
	// executions had the same ones and the same outcome.
	Mark        string
	Times, Same int
	Steps       []explore.Step
	Waiting     []string
	// Panic is that of a goroutine of the object. Cut says that the execution has too
	// many steps.
	Panic string
	Cut   bool
	// Violates means that no order explains the execution, or that it has a Fault; see
	// Finding.
	Violates bool
	Fault    string `json:",omitempty"`
	// Failure is what failed on real threads, in a search for failures.
	Failure *Failure `json:",omitempty"`
	GoTest  *GoTest  `json:",omitempty"` // of the program, then
	// Sequential says that some sequential run fails, or waits.
	Sequential bool `json:",omitempty"`
	// Seen of Executions on real threads had an outcome that is not expected.
	Seen, Executions int64
}

// Replay replays a schedule of a test in a worker; see Supervise.
func Replay(ctx context.Context, program worker.Program, o Options, test, schedule string) (*Replayed, error) {
	s := &supervisor{job: job{Options: o, Schedules: program.Schedules}}
	return s.replay(ctx, program, &ReplayJob{Program: test, Schedule: schedule, Times: elsewhere})
}

// elsewhere is how often a schedule is replayed in another process.
const elsewhere = 10

// onThreads bounds how long the program of a violation is run on real threads: 50 times
// as long as one without a violation, at most a second.
const onThreads, onThreadsPrograms = time.Second, 50

// spinningThreads is how much longer than that the process may take if threads may spin.
const spinningThreads = 5 * time.Second

// replay runs a ReplayJob in a process of its own, or in two if the first has to
// find out about the methods.
func (s *supervisor) replay(ctx context.Context, program worker.Program, r *ReplayJob) (*Replayed, error) {
	j := s.job
	j.Schedules, j.Replay = program.Schedules, r
	ctx, stop := context.WithTimeout(ctx, silence+r.Threads)
	defer stop()
	m, err := answer(ctx, program, j)
	if err == nil && m.Settled != nil {
		j.ReflectOptions, j.Settled = m.Settled.Reflect, true
		m, err = answer(ctx, program, j)
	}
	death, died := err.(*worker.Death)
	switch {
	case died:
		return nil, fmt.Errorf("the process ended early: %s", death.Text)
	case err != nil:
		return nil, fmt.Errorf("replaying: %w", err)
	}
	return m.Replayed, nil
}

// answer starts a process for a job, and waits for what it has found out.
func answer(ctx context.Context, program worker.Program, j job) (m message, err error) {
	p, err := worker.Start(ctx, program, worker.Guard{})
	if err != nil {
		return m, err
	}
	defer p.Close()
	_ = p.Send(j) // if it is dead, Receive says why
	for err == nil && m.Settled == nil && m.Replayed == nil {
		m = message{Repeats: m.Repeats}
		err = p.Receive(&m)
	}
	return m, err
}

// verify replays the schedule of a finding in another process, and runs its
// program on real threads. It returns false if the replay differs; the program is
// then diverging.
func (s *supervisor) verify(f *Finding) bool {
	if f.Scheduled == nil {
		return true
	}
	ctx := s.limited
	r, err := s.replay(ctx, s.program, &ReplayJob{Program: f.Program, Schedule: f.Scheduled.Schedule, Times: elsewhere})
	switch e := s.explored(); {
	case err == nil && r.Outcome == f.Outcome && r.Mark == f.Scheduled.Mark && r.Same == elsewhere && r.Violates && r.Fault == f.Fault:
		f.Scheduled.Elsewhere = elsewhere
	case ctx.Err() != nil:
		f.cut("replayed in another process")
		return true
	case err != nil:
		e.Unverified = append(e.Unverified, fmt.Sprintf("%s: %v", f.Program, err))
		return false
	default:
		if !slices.Contains(e.Diverging, f.Program) {
			e.Diverging = append(e.Diverging, f.Program)
		}
		return false
	}
	if s.job.OnThreads != nil && f.Fault == "" && len(f.Waiting) == 0 { // what waits, threads cannot tell
		if program := s.job.OnThreads(); program != nil {
			limit := min(onThreads, onThreadsPrograms*s.job.Effort.Program)
			limited, stop := ctx, func() {}
			if f.Scheduled.Spins { // threads cannot be stopped
				limited, stop = context.WithTimeout(ctx, limit+spinningThreads)
			}
			defer stop()
			switch r, err := s.replay(limited, *program, &ReplayJob{Program: f.Program, Threads: limit, RealTime: f.RealTime}); {
			case err == nil:
				f.Scheduled.OnThreads, f.Scheduled.ThreadExecutions = r.Seen, r.Executions
			case limited.Err() != nil && ctx.Err() == nil:
				f.Scheduled.ThreadsFailed = fmt.Sprintf("the process did not end within %v", limit+spinningThreads)
			case ctx.Err() == nil:
				f.Scheduled.ThreadsFailed = err.Error()
			default:
				f.cut("run on real threads")
			}
		}
	}
	return true
}
