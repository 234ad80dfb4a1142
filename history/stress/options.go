package stress

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/worker"
)

// Options are the options of Search. The zero value means the default effort, the bounds
// of Violat and all methods. Supervise passes them on as JSON, without the functions.
type Options struct {
	// ReflectOptions are used by package stresstest and ServeLike, which derive the
	// class. Search itself ignores them.
	ReflectOptions
	Effort Effort // DefaultEffort if zero
	Bounds Bounds
	// Seed fixes the programs, not how their threads interleave.
	Seed uint64
	// Methods are the names of the target methods. By default these are all
	// that are neither core nor weak, and then "": the core methods among
	// themselves.
	Methods []string
	// Programs are run instead of generated ones; see Parse.
	Programs []string
	// Exhaustive enumerates the programs within the bounds by rising rank
	// instead of drawing them; see Generate.
	Exhaustive bool
	// GoOn lets the search of a class go on after a violation that no single method is to
	// blame for. No later program calls all methods of the violation in parallel.
	GoOn bool
	// Threads asks Both for threads alone, without schedules.
	Threads bool
	// Schedules explores the schedules of each program instead of running it on
	// threads; see Explore. The class has to be instrumented: Both sets it. Programs get schedules
	// with one preemption first, then with two, and at last with Preemptions, which is 3
	// if it is 0; -1 is for as many, and then without a bound. Delays is as in
	// ExploreOptions.
	Schedules   bool
	Preemptions int
	Delays      int
	// Keep is how many recorded executions of each program History receives.
	// They are executions in which invocations overlapped.
	Keep int
	// Dir is where package stresstest saves the histories of violations. By
	// default this is testdata/leadline in the directory of the package under
	// test or, under go test -artifacts, the directory of the artifacts.
	Dir string
	// Strict makes methods that Reflect leaves out, but Exclude does not name,
	// an error of tests of package stresstest, and so if no program could be judged.
	Strict bool

	// Checker decides about histories. Search needs it.
	Checker Checker `json:"-"`
	// Silence is how long a supervised process may write nothing, in addition
	// to the time of a program, until it counts as hanging. It is 45 s by
	// default, as waiting threads are slow on a busy machine.
	Silence time.Duration `json:"-"`
	// OnThreads returns a program without instrumentation, for Supervise: the programs of
	// violations that were found by schedules run in it. It may be nil, and may return nil.
	OnThreads func() *worker.Program `json:"-"`
	// Starting receives each program before it runs, with its target method.
	Starting func(method, program string) `json:"-"`
	// Found receives each violation.
	Found func(*Finding) `json:"-"`
	// Crashed receives each crash.
	Crashed func(*Crash) `json:"-"`
	// History receives recorded executions in leadline's format, each with a
	// comment that has the program and how often the execution was seen.
	History func(text string) `json:"-"`

	targets   func(methods []string) // receives the names of the target methods
	started   func(startingMessage)  // receives what Starting does
	parallel  func()                 // called when the sequential runs of a program are over
	unreduced func(*Finding)         // receives each violation before it is reduced
	known     [][]string             // the methods of violations and crashes that another process has seen
}

// A Checker knows which histories are linearizable. Package stresstest has the one that uses
// leadline's checker.
type Checker interface {
	// Violates reports whether the history is certainly not linearizable with
	// respect to the model in its header.
	Violates(ctx context.Context, h *history.History) (bool, error)
}

// An Effort is how long a class is tested.
type Effort struct {
	// Time is for a class. Its target methods share it. A violation that is seen
	// just before the end may take some seconds more to be proved and reduced.
	Time time.Duration
	// Program is for a program without a violation.
	Program time.Duration
}

// QuickEffort is the default of Go tests, and DefaultEffort the one of everything else.
var (
	QuickEffort   = Effort{Time: 10 * time.Second, Program: 20 * time.Millisecond}
	DefaultEffort = Effort{Time: 2 * time.Minute, Program: 50 * time.Millisecond}
)

// Bounds limit the size and kind of programs. The zero value is what
// Violat generates by default ("Generating Tests of Observational Refinement
// for Concurrent Objects", section 3), with an initial and a final part besides.
type Bounds struct {
	// MinInvocations and MaxInvocations bound the invocations of a program's
	// sequences together: 3 and 6 if zero.
	MinInvocations, MaxInvocations int
	// Initial and Final bound the invocations of the initial part and of the
	// final part of a random program: 2 if zero, none if negative. They fill
	// the object and observe its last state. So a program needs fewer
	// invocations in parallel to go wrong, and to show it. Enumerated programs
	// have neither part.
	Initial, Final int
	// Sequences is the number of sequences of a random program. An
	// enumeration begins with 2 of them and ends with this number. 2 if zero.
	Sequences int
	// Values is how many values arguments are chosen from, 2 if zero. An
	// enumeration has programs that use no value, one, and so on.
	Values int
	// Weak lets programs call the methods that are documented not to be atomic.
	Weak bool
	// Ordered lets an enumeration put sequences in order. Random programs
	// have all their sequences in parallel.
	Ordered bool
}

// A word has 64 bits for values. Five sequences have 4231 partial orders, six
// have 130023.
const (
	maxValues  = 64
	maxOrdered = 5
)

// fill replaces zeros by defaults. A given bound moves the defaults of the
// others out of its way.
func (b Bounds) fill() Bounds {
	if b.Sequences == 0 {
		b.Sequences = 2
	}
	if b.Values == 0 {
		b.Values = 2
	}
	if b.Initial == 0 {
		b.Initial = 2
	}
	if b.Final == 0 {
		b.Final = 2
	}
	if b.MaxInvocations == 0 {
		b.MaxInvocations = max(6, b.MinInvocations, b.Sequences)
	}
	if b.MinInvocations == 0 {
		b.MinInvocations = min(3, b.MaxInvocations)
	}
	return b
}

// Validate returns an error if no program can be within the bounds.
func (b Bounds) Validate() error {
	b = b.fill()
	switch {
	case b.MinInvocations < 0 || b.MaxInvocations < 0 || b.Sequences < 0 || b.Values < 0:
		return fmt.Errorf("the bounds of a program are negative: %d to %d invocations, %d sequences, %d values",
			b.MinInvocations, b.MaxInvocations, b.Sequences, b.Values)
	case b.MinInvocations > b.MaxInvocations:
		return fmt.Errorf("at least %d invocations, but at most %d", b.MinInvocations, b.MaxInvocations)
	case b.Sequences > maxSequences:
		return fmt.Errorf("%d sequences, but at most %d are possible", b.Sequences, maxSequences)
	case b.MaxInvocations > maxInvocations:
		return fmt.Errorf("%d invocations, but at most %d are possible", b.MaxInvocations, maxInvocations)
	case b.Sequences > b.MaxInvocations:
		return fmt.Errorf("%d sequences, but at most %d invocations", b.Sequences, b.MaxInvocations)
	case b.Values > maxValues:
		return fmt.Errorf("%d values, but at most %d are possible", b.Values, maxValues)
	case b.Ordered && b.Sequences > maxOrdered:
		return fmt.Errorf("%d sequences, but at most %d can be put in order", b.Sequences, maxOrdered)
	}
	return nil
}

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
	// RealTime violations have an outcome that some order explains, but none
	// that respects which invocation ended before which began.
	RealTime bool `json:"real_time"`
	// Fault is "deadlock", "leak" or "results" if the violation is one inside a single call, of
	// the Method: some order may explain the outcome all the same. See DeadlockFault.
	Fault string `json:"fault,omitempty"`
	// Waiting has a line for each invocation that waits forever, with the place where
	// it waits, and lines for those that could continue in some order. It is empty if
	// all invocations return.
	Waiting []string `json:"waiting,omitempty"`
	// Scheduled is the schedule of History, if schedules were explored. Then Executions
	// are the schedules that were tried with the same number of preemptions, and Times
	// those that are violations.
	Scheduled *Scheduled `json:"scheduled,omitempty"`

	program  *Program
	outcome  Outcome
	expected []Count
	history  *history.History
	found    *Violation
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
	Steps []ScheduledStep `json:"steps"`
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

// A ScheduledStep is a step of a thread, or the beginning or the end of an
// invocation.
type ScheduledStep struct {
	// Thread counts the sequences first, and then goroutines of the object. It is -1
	// for the initial and the final part.
	Thread int    `json:"thread"`
	Event  bool   `json:"event,omitempty"` // an invocation begins or ends
	What   string `json:"what"`            // the invocation, its result, or what kind of step
	Place  string `json:"place,omitempty"` // file:line
	Value  string `json:"value,omitempty"` // that was read or written, if it is known
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

// A Report is what Search found out about a class.
type Report struct {
	Subject   string   `json:"subject"` // the name of the class
	Core      []string `json:"core"`
	Atomic    []string `json:"atomic"` // exercised, and no violation was seen
	NonAtomic []string `json:"non_atomic"`
	Weak      []string `json:"weak"` // documented not to be atomic
	// Unexercised methods are neither core nor weak. No sequence called them in a
	// program with overlaps and several possible outcomes.
	Unexercised []string  `json:"unexercised,omitempty"`
	LeftOut     []LeftOut `json:"left_out"` // exported methods that the class does not have
	// Unsteady programs return different results from one sequential run to
	// the next.
	Unsteady []string `json:"unsteady"`
	// Clock says that the time of the effort was over before all programs had run.
	Clock bool `json:"clock,omitempty"`
	// MethodPrograms counts the programs that were run by the methods that they call in
	// parallel.
	MethodPrograms map[string]int `json:"method_programs,omitempty"`
	Crashes        []Crash        `json:"crashes"`
	Programs       int            `json:"programs"`
	Executions     int64          `json:"executions"`
	Recorded       int64          `json:"recorded"`
	// Waited is how many executions wait forever, in schedules. MayWait are methods with a
	// call that did not return on threads: later programs there do not call them. If
	// OnlySchedules is not empty, it says why threads cannot judge the object at all.
	// Worn means that the search ended early because of objects that are not garbage; Memory
	// is then how many bytes the process had.
	Waited        int64    `json:"waited,omitempty"`
	MayWait       []string `json:"may_wait,omitempty"`
	Left          int      `json:"left_to_schedules,omitempty"` // programs that threads do not judge
	OnlySchedules string   `json:"only_schedules,omitempty"`
	NoSchedules   string   `json:"no_schedules,omitempty"` // why there were threads only; see Both
	// Together is how many programs have orders in which every call returns only if calls
	// that wait for one another are open at the same time. Hopeless programs have none:
	// generated ones are not run.
	Together int           `json:"together,omitempty"`
	Hopeless int           `json:"hopeless,omitempty"`
	Worn     bool          `json:"worn,omitempty"`
	Memory   int64         `json:"memory,omitempty"`
	Overlap  float64       `json:"overlap"` // share of recorded executions that overlapped
	Elapsed  time.Duration `json:"elapsed_ns"`
	Explored *Explored     `json:"explored,omitempty"` // of schedules
	Findings []*Finding    `json:"-"`                  // encoded one by one
}

// Explored is what schedules were run.
type Explored struct {
	// Complete[n] is the number of programs for which all schedules with at most n
	// preemptions (delays for objects that start goroutines) were run.
	Complete []int `json:"complete"`
	// Unbounded says that the last number is of programs all of whose schedules were run.
	Unbounded bool  `json:"unbounded,omitempty"`
	ByDelays  int   `json:"by_delays"` // programs of such objects
	Steps     int64 `json:"steps"`
	// Cut executions had too many steps, or spun, but perhaps not forever. Undecided ones
	// may have an outcome of a sequential run, but there were too many runs. Neither counts
	// as a violation.
	Cut       int64 `json:"cut"`
	Undecided int64 `json:"undecided"`
	// Judged executions are known not to be violations, and are of programs without a
	// violation that do not diverge.
	Judged int64 `json:"judged"`
	// Diverging programs behave differently when a schedule is replayed: they depend
	// on something else, such as a global variable or real time.
	Diverging []string `json:"diverging"`
	// Blocked programs waited outside the scheduler, in code that is not
	// instrumented.
	Blocked []string `json:"blocked,omitempty"`
	// Unverified are programs with a violation that is not reported, since another
	// process could not replay it, each with the error.
	Unverified []string `json:"unverified,omitempty"`
	// Varying calls start goroutines and have different results under different schedules,
	// though nothing else is called; each with two results.
	Varying []string `json:"varying,omitempty"`
	// Stepped says for each called method that is not read-only whether one of its
	// invocations took a step.
	Stepped map[string]bool `json:"stepped,omitempty"`
}

// Stepless returns the methods that took no step. No other thread can interrupt such a
// method, so no violation caused by it alone can be found.
func (e *Explored) Stepless() []string {
	var list []string
	for m, stepped := range e.Stepped {
		if !stepped {
			list = append(list, m)
		}
	}
	slices.Sort(list)
	return list
}

// Remarks returns a line for each reason why executions do not count.
func (e *Explored) Remarks() []string {
	var lines []string
	if n := int(e.Cut); n > 0 {
		lines = append(lines, counted(n, "execution had too many steps and does not count", "executions had too many steps and do not count"))
	}
	if n := int(e.Undecided); n > 0 {
		lines = append(lines, counted(n, "execution is", "executions are")+" undecided, as the sequential runs of their programs are too many")
	}
	if n := len(e.Diverging); n > 0 {
		lines = append(lines, fmt.Sprintf("%s more than the schedule, such as %s: a global variable, real time, addresses or code that is not instrumented",
			counted(n, "program depends on", "programs depend on"), e.Diverging[0]))
	}
	if n := len(e.Blocked); n > 0 {
		lines = append(lines, fmt.Sprintf("%s waited in code that is not instrumented, such as %s", counted(n, "program", "programs"), e.Blocked[0]))
	}
	if n := len(e.Unverified); n > 0 {
		lines = append(lines, fmt.Sprintf("%s could not be replayed in another process, as %s", counted(n, "violation", "violations"), e.Unverified[0]))
	}
	for _, text := range e.Varying {
		lines = append(lines, "the result of a call depends on the schedule, though nothing else is called: "+text)
	}
	return lines
}

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// add adds what another process explored.
func (e *Explored) add(other *Explored) {
	for len(e.Complete) < len(other.Complete) {
		e.Complete = append(e.Complete, 0)
	}
	for b, n := range other.Complete {
		e.Complete[b] += n
	}
	e.ByDelays += other.ByDelays
	e.Steps += other.Steps
	e.Cut += other.Cut
	e.Undecided += other.Undecided
	e.Judged += other.Judged
	e.Diverging = append(e.Diverging, other.Diverging...)
	e.Blocked = append(e.Blocked, other.Blocked...)
	e.Unverified = append(e.Unverified, other.Unverified...)
	e.Varying = append(e.Varying, other.Varying...)
	for m, stepped := range other.Stepped {
		e.step(m, stepped)
	}
}

// step notes whether an invocation of a method took a step.
func (e *Explored) step(method string, stepped bool) {
	if e.Stepped == nil {
		e.Stepped = map[string]bool{}
	}
	e.Stepped[method] = e.Stepped[method] || stepped
}

// Coverage describes how many programs ran how often, and how many of these executions
// overlapped; or how many schedules were explored, and how many programs are complete to
// which bound.
func (r *Report) Coverage() string {
	e := r.Explored
	if e == nil {
		share := fmt.Sprintf("%.0f", 100*r.Overlap)
		if r.Overlap < 0.01 {
			share = fmt.Sprintf("%.1g", 100*r.Overlap) // on one processor, it matters whether there are any
		}
		return fmt.Sprintf("%s, %s, %s %% of those recorded overlapped", counted(r.Programs, "program", "programs"),
			counted(int(r.Executions), "execution", "executions"), share)
	}
	one, many := "preemption", "preemptions"
	if e.ByDelays > 0 {
		one, many = "delay", "delays"
	}
	text := fmt.Sprintf("%s, %s, %s", counted(r.Programs, "program", "programs"),
		counted(int(r.Executions), "schedule", "schedules"), counted(int(e.Steps), "step", "steps"))
	separator := "; of the programs "
	for b, n := range e.Complete {
		if n == 0 {
			continue
		}
		bound := "to " + counted(b, one, many)
		if e.Unbounded && b == len(e.Complete)-1 {
			bound = "without a bound"
		}
		text += fmt.Sprintf("%s%d complete %s", separator, n, bound)
		separator = ", "
	}
	return text
}

// Remarks returns lines about methods that were not tested sufficiently to know whether
// they are atomic.
func (r *Report) Remarks() []string {
	var lines []string
	if _, nothing := r.Unsteadiness(); len(r.Unexercised) > 0 && !nothing {
		lines = append(lines, "not exercised, as nothing overlapped or no order was visible: "+strings.Join(r.Unexercised, " "))
	}
	if len(r.MayWait) > 0 {
		lines = append(lines, "may wait for ever, as only schedules can tell, so that threads do not judge their programs: "+strings.Join(r.MayWait, " "))
	}
	if line := r.fewPrograms(); line != "" {
		lines = append(lines, line)
	}
	if r.Explored != nil {
		if list := r.Explored.Stepless(); len(list) > 0 {
			lines = append(lines, "without a step in any schedule, as their code is not instrumented or shares nothing: "+strings.Join(list, " "))
		}
	}
	return lines
}

// Unsteadiness returns a line about the unsteady programs, or "" if there are none.
// nothing reports that all programs are, that no invocations overlapped, or that no
// execution under a schedule could be judged: then the search says nothing about the
// object.
func (r *Report) Unsteadiness() (line string, nothing bool) {
	clean := len(r.Findings)+len(r.Crashes) == 0
	n := len(r.Unsteady)
	switch {
	case r.OnlySchedules != "":
		return "nothing could be judged on threads, as " + r.OnlySchedules, true
	case r.Explored != nil && r.Explored.Judged == 0 && clean:
		return "nothing could be judged, as no execution of a program counts", true
	case r.Programs > 0 && n+r.Left == r.Programs && n == 0 && clean:
		return "nothing could be judged on threads, as calls may wait for ever", true
	case n < r.Programs && r.Explored == nil && r.Recorded > 0 && r.Overlap == 0 && clean:
		return "nothing could be judged, as no invocations overlapped in the executions that were recorded", true
	case n == 0:
		return "", false
	case n < r.Programs || len(r.Findings) > 0:
		return fmt.Sprintf("%s returned different results from one sequential run to the next, such as %s", counted(n, "program", "programs"), r.Unsteady[0]), false
	}
	return "nothing could be judged, as every program returned different results from one sequential run to the next, such as " +
		r.Unsteady[0] + ": new objects may share what they change", true
}

// A Crash is a program that ended the process of its runner, or hung it; see
// Supervise.
type Crash struct {
	Method  string `json:"method"`
	Program string `json:"program"`
	What    string `json:"what"` // the first line of the runtime's message, or "hangs"
	// Sequential means that it happened before anything ran in parallel.
	Sequential bool `json:"sequential,omitempty"`
	// Stack has the goroutines that were in calls of the object, and the one that
	// ended the process, as far as the process wrote them.
	Stack string `json:"stack,omitempty"`
}
