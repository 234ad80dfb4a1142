package inside

import (
	"time"

	"github.com/leadline/leadline/history/explore"
)

// Options say how a test is explored. The zero value is useful.
type Options struct {
	// Preemptions bounds how often a schedule interrupts a goroutine that could go on, or how often
	// it delays one; see explore.Plan. 0 means 2, and -1 none.
	Preemptions int
	// Executions and Time bound the search; 0 means 20,000, and ten seconds.
	Executions int64
	Time       time.Duration
	Leaks      Leaks
	Timers     Timers
	Seed       uint64 // of random schedules
}

// Leaks say which goroutines that have not ended are faults.
type Leaks string

const (
	Forever Leaks = ""       // those that nothing can wake any more
	AtEnd   Leaks = "at-end" // all that wait when the test has ended, timers apart
	NoLeaks Leaks = "none"
)

// Timers say when time passes.
type Timers string

const (
	WhenIdle Timers = ""        // when nothing else can go on
	Anytime  Timers = "anytime" // then also at any other step, up to twice in an execution
)

// A Job is what the process of a test is asked for.
type Job struct {
	Options
	// Replay is a schedule to run instead of a search, as the first execution; it may be empty. Bounds are those of the
	// execution that had it.
	Replay *string `json:",omitempty"`
	Run    string  // a pattern of go test -run, for subtests
	Bounds
}

// Bounds are those of schedule.Limits which an execution had.
type Bounds struct {
	Ticks    int `json:"ticks"`
	MaxSteps int `json:"max_steps"`
}

// A Report is what the process of a test answers.
type Report struct {
	Test       string `json:"test"`
	Executions int64  `json:"executions"`
	Ended      int64  `json:"ended"` // those that came to an end, be it a fault
	Steps      int64  `json:"steps"`
	// Complete is a bound up to which all schedules were run: -1 for none; see explore.Exploration.
	Complete int  `json:"complete"`
	ByDelays bool `json:"by_delays,omitempty"`
	// Threads is the largest number of goroutines of an execution. The test itself is one of them.
	Threads int `json:"threads"`
	// Cut executions had too many steps or goroutines, or only slept. Spun ones spin for ever. In neither the test
	// has ended.
	Cut      int64  `json:"cut,omitempty"`
	CutBy    string `json:"cut_by,omitempty"`
	Spun     int64  `json:"spun,omitempty"`
	Diverged int64  `json:"diverged,omitempty"`
	Skipped  bool   `json:"skipped,omitempty"`
	// Unchecked is how many kinds of goroutines that were left have not been looked at, as there were too many.
	Unchecked int64 `json:"unchecked,omitempty"`
	// Uncontrolled goroutines are those that an execution starts in packages that are not instrumented.
	Uncontrolled int64  `json:"uncontrolled,omitempty"`
	Refused      string `json:"refused,omitempty"`
	Fault        *Fault `json:"fault,omitempty"`
}

// A Fault is what is wrong with an execution.
type Fault struct {
	Kind string `json:"kind"` // panic, fatal error, failed, deadlock or leak
	// Text says what happened and where. Threads say who waits, for what, where, and who holds it.
	Text    string   `json:"text"`
	Threads []string `json:"threads,omitempty"`
	Stack   string   `json:"stack,omitempty"`
	Output  string   `json:"output,omitempty"` // what the test has logged

	Schedule string `json:"schedule"`
	Bounds
	Preemptions int   `json:"preemptions"`
	Length      int   `json:"steps"`
	Execution   int64 `json:"execution"` // which one it was first
	// Replayed of Replays executions were the same, in the process of the search. Random of Randoms executions
	// under random schedules had a fault of the same kind.
	Replayed int `json:"replayed"`
	Replays  int `json:"replays"`
	Random   int `json:"random"`
	Randoms  int `json:"randoms"`
	// Fresh is how many new processes had the fault in their first execution.
	Fresh int            `json:"fresh"`
	Trace []explore.Step `json:"trace,omitempty"`

	Fingerprint uint64 `json:"fingerprint"`
}
