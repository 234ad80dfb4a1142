package explore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
)

// A Plan says which schedules of a body are run. The zero value is for those
// without preemption.
type Plan struct {
	// Preemptions bounds how often a schedule interrupts a thread that could
	// continue, or continues with one that polls; -1 means no bound. Schedules with
	// fewer preemptions run first. Without a bound, threads that poll wait; if any
	// did, the schedules with up to 3 preemptions follow.
	Preemptions int
	// Delays bounds how often a schedule skips the thread whose turn it is, and
	// replaces Preemptions for bodies that start goroutines. 0 means the value of
	// Preemptions for such bodies, and no bound for others.
	Delays int
	// Strategy is "dfs", all schedules within the bound, or "pos", random ones. "" is
	// "dfs", and for bodies that start goroutines some random schedules first.
	Strategy string
	// Executions, their Steps and Time bound the search, if they are not 0.
	Executions, Steps int64
	Time              time.Duration
	Seed              uint64 // of random strategies
	// All continues after a violation.
	All bool
}

// Unbounded is a bound that no schedule exceeds.
const Unbounded = 1 << 20

// An Exploration is what schedules of a body showed.
type Exploration struct {
	// Complete is a bound up to which all schedules were run: -1 if not even those
	// without preemption were, and Unbounded if no schedules are left. If a thread
	// polls forever, some are always left. ByDelays means that the bound is one of
	// delays.
	Complete int
	ByDelays bool
	// Executions is how many there were, and Steps is how many steps they took together. Cut
	// executions had too many steps, or spun, but perhaps not forever. Diverged ones did
	// not follow their schedule. Neither are judged.
	Executions, Steps, Cut, Diverged int64
	// Waited executions wait forever. Undecided are those that the oracle can neither explain nor
	// call a violation. It counts both.
	Waited, Undecided int64
	// Found are executions that violate, the first of each Seen. Without Plan.All there is at most
	// one.
	Found []*Found
	// Panic is the panic value of a goroutine of the body, and PanicSchedule the
	// schedule of that execution.
	Panic         string
	PanicSchedule schedule.Schedule
	PanicStack    string
}

// A Verdict is what an Oracle says of a Seen.
type Verdict uint8

// The verdicts.
const (
	Unjudged Verdict = iota
	Explainable
	Violates
	Undecided
	later       // it is judged after all others
	spinsAWhile // and would be a violation if it did so forever
)

// A Seen stands for executions that the oracle does not distinguish.
type Seen struct {
	Times   int64
	Verdict Verdict
	Found   *Found // if it violates
	Detail  any    // of the oracle
}

// A Found is an execution that violates, or may do so.
type Found struct {
	Schedule            schedule.Schedule
	Preemptions, Delays int
	Switches            int // from one thread to another
	Bound               int // of the strategy
	ByDelays            bool
	Spins               bool     // threads spin forever
	Execution           int64    // which one it was
	Trace               uint64   // fingerprint of its steps
	Numbers             []uint64 // random ones that it drew
	Detail              any      // of the oracle
}

// An Oracle says which executions of a body violate what it stands for.
type Oracle interface {
	// Ran notes each execution, also those that are not judged.
	Ran(*schedule.Result)
	// Record returns what stands for the execution that has just ended, which is to be judged.
	Record(*schedule.Result) *Seen
	// Describe sets the Detail of the execution that has just ended. The Seen may have another
	// Found, which f replaces.
	Describe(s *Seen, f *Found, r *schedule.Result)
	// Judge sets the verdict on a Seen, and reports whether it violates. It may run other bodies.
	// Schedules with fewer preemptions than the bound were run before.
	Judge(s *Seen, f *Found, bound int) (bool, error)
	// Postpones reports whether an execution is to be judged after all others.
	Postpones(*Found) bool
	// Suspect returns an execution that has just ended and may have a fault, or nil; IsFault, which
	// may run other bodies, reports whether it has one.
	Suspect(s *Seen, r *schedule.Result, bound int) *Found
	IsFault(*Seen, *Found) bool
	// Moved is called again and again while the search makes progress.
	Moved()
}

// A Search runs a body under one schedule after another, and asks an oracle.
type Search struct {
	Ctx    context.Context
	Body   schedule.Program
	Oracle Oracle
	// With OnlyFaults, executions are searched for faults alone. With OnlySoon, those that the
	// oracle postpones are not judged.
	OnlyFaults, OnlySoon bool
	// With Whole, the oracle judges executions that end by a panic or are cut as well.
	Whole  bool
	Limits schedule.Limits // of each execution

	Plan   Plan
	Result *Exploration
	Spawns bool      // an execution has started goroutines
	End    time.Time // of the search, if not zero

	postponed []*postponed
}

// A postponed execution is judged after all others: there are many runs to compare it with.
type postponed struct {
	seen  *Seen
	found *Found
}

// Explore runs the schedules of a plan. The body runs once for each of them.
func (s *Search) Explore(plan Plan) (err error) {
	s.Plan, s.Result, s.End = plan, &Exploration{Complete: -1}, time.Time{}
	if plan.Time > 0 {
		s.End = time.Now().Add(plan.Time)
		defer func() { s.End = time.Time{} }()
	}
	switch plan.Strategy {
	case "", "dfs":
		return s.deepen(plan)
	case "pos":
		_, err = s.runAll(schedule.NewPOS(plan.Seed), plan.Executions, nil)
		return err
	}
	return fmt.Errorf("unknown strategy %q", plan.Strategy)
}

// Execute runs the body once.
func (s *Search) Execute(by schedule.Strategy) *schedule.Result {
	r := schedule.Run(&s.Body, by, s.Limits)
	s.Spawns = s.Spawns || r.Spawned > 0
	e := s.Result
	e.Executions++
	e.Steps += int64(r.Steps)
	switch {
	case r.Diverged || r.Foreign > 0:
		e.Diverged++
	case r.Cut:
		e.Cut++
	}
	s.Oracle.Ran(r)
	return r
}

// Record returns what stands for the execution that has just ended, or nil if that is not to be judged.
func (s *Search) Record(r *schedule.Result) *Seen {
	if r.Diverged || r.Foreign > 0 || r.Pruned || !s.Whole && (r.Cut || r.Panic != nil) {
		return nil
	}
	seen := s.Oracle.Record(r)
	seen.Times++
	return seen
}

// New returns the execution that has just ended as one that may violate.
func (s *Search) New(r *schedule.Result, bound int) *Found {
	f := &Found{Schedule: slices.Clone(r.Schedule), Preemptions: r.Preemptions, Switches: switchesOf(r), Bound: bound, ByDelays: s.Result.ByDelays,
		Spins: r.Spins, Execution: s.Result.Executions, Trace: r.Fingerprint, Numbers: schedule.Drawn()}
	if f.ByDelays {
		f.Delays = bound
	}
	return f
}

func switchesOf(r *schedule.Result) int {
	n := 0
	for i := 1; i < len(r.Trace); i++ {
		if r.Trace[i].Thread != r.Trace[i-1].Thread {
			n++
		}
	}
	return n
}
