package stress

import (
	"context"
	"time"

	"github.com/leadline/leadline/history"
)

// An Executor runs the programs of a class, each many times on fresh objects, and knows what
// they can do sequentially. There are two: NewThreads makes the one that runs sequences in
// threads, and explore.New the one that controls their schedules. Search asks them for
// everything that depends on how programs run. They count what they run in the Report.
type Executor interface {
	// Levels is the number of levels at which programs can be run: each shows more than
	// the one before, and takes more time.
	Levels() int
	// Expected runs the program sequentially. It is a *WaitsError if that is not possible
	// since a call may wait for ever.
	Expected(p *Program) (*Expected, error)
	// Run runs a program until it shows a violation, or as long as t says.
	Run(ctx context.Context, e *Expected, t *Try) (*Trial, error)
	// Prove reports whether a violation is real, and adds what is known of it.
	Prove(ctx context.Context, f *Finding, within time.Duration) (bool, error)
	// Again runs the program of e, which is smaller than the one of f, for as long as the same
	// violation should take to occur. It returns the violation, proved, or nil.
	Again(ctx context.Context, f *Finding, e *Expected, within time.Duration) *Finding
	// Simplify looks for the simplest execution with the violation of a program that is no
	// longer reduced. It reports whether the violation is still real.
	Simplify(ctx context.Context, f *Finding, within time.Duration) (bool, error)
	// Replay runs a program again that showed a violation.
	Replay(ctx context.Context, p *Program, j *ReplayJob) (*Replayed, error)
}

// A NewExecutor makes the Executor of a search.
type NewExecutor func(*Class, *Options, *Report) Executor

// A Try says how a program is run: at all levels after From, up to Level.
type Try struct {
	From, Level int
	// Method is the target, or "".
	Method string
	// Left is what is left of the search for the program, and Share how much of its time a method
	// may have.
	Left  Effort
	Share time.Duration
	Slow  bool // the program calls a method whose programs take long
	// All counts all outcomes: a violation does not end the run.
	All bool
}

// A Trial is what an Executor saw of a program.
type Trial struct {
	Finding *Finding // a violation, or nil
	// Whole means that no higher level can show more.
	Whole bool
	// Exercised are methods; see MethodAccount.Exercised.
	Exercised []*Method
	// Executed are the executions that were looked at one by one, each with how often it was seen.
	Executed []Execution
	// Violating executions are those of Try.All that no order explains. Those that were not recorded
	// have no Events.
	Violating []Execution
	// Runs are the sequential runs with which those of Try.All were compared; nil for those of Expected.
	Runs []SequentialRun
	// Waits are methods with a call that may wait for ever, as far as the Executor knows.
	Waits []string
	// Left means that the program says nothing about the object on this Executor.
	Left bool
}

// Seen is a violation as an Executor saw it.
type Seen struct {
	Expected *Expected
	Outcome  Outcome
	History  *history.History
	// Violating are the executions that violate, as far as they are known. Those that were not
	// recorded have no Events.
	Violating []Execution
	Detail    any // of the Executor
}
