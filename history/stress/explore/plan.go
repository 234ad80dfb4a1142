package explore

import (
	"github.com/leadline/leadline/history"
	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/stress"
)

// A Plan says which schedules of a program are run. The zero value is for those
// without preemption.
type Plan = bodies.Plan

// Unbounded is a bound that no schedule exceeds.
const Unbounded = bodies.Unbounded

// An Exploration is what schedules of a program showed.
type Exploration struct {
	*bodies.Exploration
	// Overlapping executions had invocations of different sequences open at the same
	// time.
	Overlapping int64
	// Judged executions are violations, or are known not to be.
	Judged   int64
	Either   int64 // executions that are not judged; see stress.Explored
	Outcomes []stress.Count
	// Violations are executions that no order of the invocations explains, the
	// first of each outcome and order of events. Without Plan.All
	// there is at most one.
	Violations []*Violation
	// Executed are the different executions, by outcome and then by events, without those
	// that were cut or diverged.
	Executed []stress.Execution

	by *explorer
}

// A Violation is an execution that no order of the invocations explains.
type Violation struct {
	*bodies.Found
	Outcome   stress.Outcome
	RealTime  bool // the outcome is expected; see stress.Finding
	History   *history.History
	events    []int16
	allowance allowance
	expected  *stress.Expected // by the sequential runs with that allowance

	// Of a fault: its kind, the method to blame, and the threads that wait forever. An execution
	// that may have one has threads that wait, or a result that compares with others.
	fault, method   string
	left            []int
	waits, compares bool
	started, places uint64
}
