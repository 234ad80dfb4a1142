package stress

import (
	"fmt"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore"
)

// A Finding is a program with an outcome that no order of its invocations
// explains. The checker has found its History not linearizable.
type Finding struct {
	Subject string `json:"subject"` // the name of the class
	// Method is to blame, since all others are core; "" if no single one is. Methods are
	// those that the sequences of the Program call.
	Method   string            `json:"method"`
	Methods  []string          `json:"methods"`
	Program  string            `json:"program"`
	Outcome  string            `json:"outcome"`
	Expected []ExpectedOutcome `json:"expected"`
	// Times is how many of the program's Executions had unexpected outcomes.
	Times      int64 `json:"times"`
	Executions int64 `json:"executions"`
	// Spent is how long these took.
	Spent time.Duration `json:"spent_ns"`
	// Explored is how many programs with the method ran until then. Generated
	// is how many there are in all, or 0 if they are drawn without end.
	Explored  int           `json:"explored"`
	Generated int           `json:"generated"`
	Rank      [3]int        `json:"rank"` // invocations, sequences, values
	Elapsed   time.Duration `json:"elapsed_ns"`
	// History is an execution with the outcome, in leadline's format. If it is
	// not Recorded, only the order within the sequences is known.
	History  string `json:"history"`
	Recorded bool   `json:"recorded"`
	// Level is what the Method promises, if that is below complete.
	Level string `json:"level,omitempty"`
	// Weak are levels of methods, as in Len=monotonic. With any of them alone, all outcomes that
	// were seen would be expected, and with no stronger one, and so would what reading methods
	// return after them. There may be none. It is nil if this is not known.
	Weak []string `json:"weak"`
	// RealTime violations have an outcome that some order explains, but none
	// that respects which invocation ended before which began.
	RealTime bool `json:"real_time"`
	// Fault is "deadlock", "leak" or "results" if the violation is one inside a single call, of
	// the Method: some order may explain the outcome all the same. See DeadlockFault.
	Fault string `json:"fault,omitempty"`
	// Failure is what a search for failures has found.
	Failure *Failure `json:"failure,omitempty"`
	// Waiting has a line for each invocation that waits forever, with the place where
	// it waits, and lines for those that could continue in some order. It is empty if
	// all invocations return.
	Waiting []string `json:"waiting,omitempty"`
	// Scheduled is the schedule of History, if schedules were explored. Then Executions
	// are the schedules that were tried with the same number of preemptions, and Times
	// those that are violations.
	Scheduled *Scheduled `json:"scheduled,omitempty"`
	// Variations are nil if the program has no other arguments to try.
	Variations *Variations `json:"variations,omitempty"`
	GoTest     *GoTest     `json:"go_test,omitempty"` // between processes
	// Unsynchronised says that no method has a lock, an atomic operation, a channel or the like. The
	// violation is then an example of what that leads to, and the only one that is reported.
	Unsynchronised bool `json:"unsynchronised,omitempty"`

	// Cut is what was not done, as the effort was used up or the search was interrupted.
	Cut []string `json:"cut,omitempty"`

	Seen Seen `json:"-"` // not in a decoded one
}

// cut notes what was not done.
func (f *Finding) cut(what string) { f.Cut = append(f.Cut, what) }

// Unfinished returns a line about what was not done for want of time, or "".
func (f *Finding) Unfinished() string {
	if len(f.Cut) == 0 {
		return ""
	}
	return "cut short: not " + strings.Join(f.Cut, ", not ")
}

// Scheduled is the schedule of a violation.
type Scheduled struct {
	Schedule    string `json:"schedule"` // see schedule.ParseSchedule
	Preemptions int    `json:"preemptions"`
	Delays      int    `json:"delays"`
	Switches    int    `json:"switches"`
	// Execution is the number of the execution of the program as it was found.
	Execution int64 `json:"execution"`
	// Total is how many executions there were until then, of all programs.
	Total int64 `json:"total_executions"`
	// Steps are those of the execution.
	Steps []explore.Step `json:"steps"`
	// Mark is a hash of the steps and of the order of invocations and responses.
	Mark string `json:"mark"`
	// Replayed is how many times the schedule was replayed in the process, with the
	// same results each time, and Elsewhere how many times in another.
	Replayed  int `json:"replayed"`
	Elsewhere int `json:"replayed_elsewhere"`
	// OnThreads of ThreadExecutions on real threads had an outcome that was not
	// expected, without instrumentation.
	OnThreads        int64 `json:"on_threads"`
	ThreadExecutions int64 `json:"thread_executions"`
	// ThreadsFailed says why the run on real threads has no result, for example a crash.
	ThreadsFailed string `json:"threads_failed,omitempty"`
	// Spins says that threads do not block, but spin forever.
	Spins bool `json:"spins,omitempty"`
}

// RealThreads returns a line about the run on real threads, or "" if there was none.
func (s *Scheduled) RealThreads() string {
	switch {
	case s.ThreadsFailed != "":
		return "the run on real threads failed: " + s.ThreadsFailed
	case s.ThreadExecutions > 0:
		return fmt.Sprintf("seen on real threads: %d of %d executions", s.OnThreads, s.ThreadExecutions)
	}
	return ""
}

// again times the mean time between two violations is enough to see one almost
// certainly.
const again = 20

// Again returns how long the program has to run to show a violation again, almost
// certainly: 20 times as long as it took on average.
func (f *Finding) Again() time.Duration {
	d, step := again*f.Spent/time.Duration(max(f.Times, 1)), 100*time.Millisecond
	if d > 10*step {
		step = time.Second
	}
	return (d + step - 1).Truncate(step)
}

// An ExpectedOutcome is one that shuffles of a program lead to.
type ExpectedOutcome struct {
	Outcome string `json:"outcome"`
	Times   int64  `json:"shuffles"`
}

// Faults inside one call. They are violations although some order of the invocations may
// explain the outcome.
const (
	// DeadlockFault: a call waits forever for goroutines that it has started. Either nothing
	// can wake these any more (see schedule.Forever), or the call returns under another
	// schedule although it is the only one.
	DeadlockFault = "deadlock"
	// LeakFault: a goroutine that a call has started waits forever, and nothing that the
	// object or a running goroutine refers to can wake it.
	LeakFault = "leak"
	// ResultsFault: the result of a call that starts goroutines depends on the schedule, though
	// it is the only one. It is a violation only if the options give a program with that call.
	ResultsFault = "results"
)

// Says returns what a violation shows about the object, or about the Method if there is one.
func (f *Finding) Says() string {
	switch f.Fault {
	case DeadlockFault:
		return "deadlocks by itself"
	case LeakFault:
		return "leaks a goroutine"
	case ResultsFault:
		return "has results that depend on the schedule, though nothing else is called"
	}
	if f.Unsynchronised {
		return "has no synchronisation: no call has a lock, an atomic operation or a channel"
	}
	if f.Level != "" {
		return "is not consistent at level " + f.Level
	}
	return "is not atomic"
}

// In returns in how many executions the violation was seen, and how they ran. What was seen on threads
// is not proved: no schedule repeats it.
func (f *Finding) In() string {
	if f.Scheduled != nil {
		return fmt.Sprintf("in %d of %d schedules", f.Times, f.Executions)
	}
	return fmt.Sprintf("in %d of %d executions on threads, seen and not proved", f.Times, f.Executions)
}

// Explained returns a line about the levels that explain what was seen, or "". option is the format
// of the option for one.
func (f *Finding) Explained(option string) string {
	switch {
	case f.Weak == nil:
		return ""
	case len(f.Weak) == 0:
		return "no level of one method explains the outcomes seen, with what is read at the end"
	}
	var list []string
	for _, weak := range f.Weak {
		method, _, _ := strings.Cut(weak, "=")
		list = append(list, fmt.Sprintf("%s may miss calls that overlap it (%s)", method, fmt.Sprintf(option, weak)))
	}
	return "would be allowed if " + strings.Join(list, ", or if ")
}

// isAbout reports whether the finding says that a method is not atomic, or "" several together.
func (f *Finding) isAbout(method string) bool { return f.Fault == "" && f.Method == method }
