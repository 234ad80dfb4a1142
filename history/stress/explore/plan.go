package explore

import (
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// A Plan says which schedules of a program are run. The zero value is for those
// without preemption.
type Plan struct {
	// Preemptions bounds how often a schedule interrupts a thread that could
	// continue, or continues with one that polls; -1 means no bound. Schedules with
	// fewer preemptions run first. Without a bound, threads that poll wait; if any
	// did, the schedules with up to 3 preemptions follow.
	Preemptions int
	// Delays bounds how often a schedule skips the thread whose turn it is, and
	// replaces Preemptions for objects that start goroutines. 0 means the value of
	// Preemptions for such objects, and no bound for others.
	Delays int
	// Strategy is "dfs", all schedules within the bound, or "pos", random ones. "" is
	// "dfs", and for objects that start goroutines some random schedules first.
	Strategy string
	// Executions, their Steps and Time bound the exploration, if they are not 0.
	Executions, Steps int64
	Time              time.Duration
	Seed              uint64 // of random strategies
	// Checker judges executions with respect to the order of events. Without it,
	// only outcomes count.
	Checker stress.Checker
	// All continues after a violation.
	All bool
}

// An Exploration is what schedules of a program showed.
type Exploration struct {
	// Complete is a bound up to which all schedules were run: -1 if not even those
	// without preemption were, and Unbounded if no schedules are left. If a thread
	// polls forever, some are always left. ByDelays means that the bound is one of
	// delays.
	Complete int
	ByDelays bool
	// Executions is the number of executions, and Steps that of all their steps. Cut
	// executions had too many steps, or spun, but perhaps not forever. Diverged ones did
	// not follow their schedule. Neither are judged.
	Executions, Steps, Cut, Diverged int64
	// Overlapping executions had invocations of different sequences open at the same
	// time. Waited ones wait forever.
	Overlapping, Waited int64
	// Judged executions are violations, or are known not to be.
	Judged int64
	// Undecided are executions that are not known to be violations, as the
	// sequential runs were too many.
	Undecided int64
	Either    int64 // executions that are not judged; see stress.Explored
	Outcomes  []stress.Count
	// Violations are executions that no order of the invocations explains, the
	// first of each outcome and order of events. Without Plan.All
	// there is at most one.
	Violations []*Violation
	// Panic is the panic value of a goroutine of the object, and PanicSchedule the
	// schedule of that execution.
	Panic         string
	PanicSchedule schedule.Schedule
	panicStack    string
	// Executed are the different executions, by outcome and then by events, without those
	// that were cut or diverged.
	Executed []stress.Execution

	by *explorer
}

// Unbounded is a bound that no schedule exceeds.
const Unbounded = 1 << 20

// A Violation is an execution that no order of the invocations explains.
type Violation struct {
	Outcome             stress.Outcome
	Schedule            schedule.Schedule
	Preemptions, Delays int
	ByDelays            bool  // it was found with a bound of delays
	Switches            int   // from one thread to another
	Execution           int64 // which one it was
	RealTime            bool  // the outcome is expected; see stress.Finding
	History             *history.History
	events              []int16
	trace               uint64 // fingerprint of its steps
	bound               int
	allowance           allowance
	expected            *stress.Expected // by the sequential runs with that allowance
	numbers             []uint64         // random ones that it drew
	spins               bool             // threads spin forever

	// Of a fault: its kind, the method to blame, and the threads that wait forever. An execution
	// that may have one has threads that wait, or a result that compares with others.
	fault, method   string
	left            []int
	waits, compares bool
	started, places uint64
}
