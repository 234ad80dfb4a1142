package stress

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

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
	// Ended is the bound of the effort that ended the search before all programs had run, as
	// "1000 executions", "1000 schedules", "20000 steps" or "2m0s on the clock".
	Ended string `json:"ended,omitempty"`
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
	// NotInstrumented has a line for each package with code that schedules do not control.
	NotInstrumented []string `json:"not_instrumented,omitempty"`
	// Together is how many programs have orders in which every call returns only if calls
	// that wait for one another are open at the same time. Hopeless programs have none:
	// generated ones are not run.
	// Misused programs of a lock are left out, since some order of their calls unlocks what is not
	// locked; Misuse is the first of them, with the reason.
	Misused int    `json:"misused,omitempty"`
	Misuse  string `json:"misuse,omitempty"`
	// Refused are those of Options.Programs that could not be run, each with the reason.
	Refused  []string      `json:"refused,omitempty"`
	Together int           `json:"together,omitempty"`
	Hopeless int           `json:"hopeless,omitempty"`
	Worn     bool          `json:"worn,omitempty"`
	Memory   int64         `json:"memory,omitempty"`
	Overlap  float64       `json:"overlap"` // share of recorded executions that overlapped
	Elapsed  time.Duration `json:"elapsed_ns"`
	Explored *Explored     `json:"explored,omitempty"` // of schedules
	Findings []*Finding    `json:"-"`                  // encoded one by one
	// Enumerated has the programs of Options.Exhaustive by their numbers of invocations, unless they
	// are too many to count.
	Enumerated []Enumerated `json:"enumerated,omitempty"`
	// Outcomes are those of Options.Programs, with Options.Outcomes.
	Outcomes []ProgramOutcomes `json:"outcomes,omitempty"`

	overlapping int64 // of the recorded executions
}

// Enumerated is how many Programs were run Of those with a number of invocations.
type Enumerated struct {
	Invocations int `json:"invocations"`
	Programs    int `json:"programs"`
	Of          int `json:"of"`
}

// enumerated returns the entry for programs with n invocations.
func (r *Report) enumerated(n int) *Enumerated {
	at, found := slices.BinarySearchFunc(r.Enumerated, n, func(e Enumerated, n int) int { return e.Invocations - n })
	if !found {
		r.Enumerated = slices.Insert(r.Enumerated, at, Enumerated{Invocations: n})
	}
	return &r.Enumerated[at]
}

// addEnumerated adds what another process has run of the same programs, which may be the same.
func (r *Report) addEnumerated(list []Enumerated) {
	for _, e := range list {
		own := r.enumerated(e.Invocations)
		own.Programs, own.Of = max(own.Programs, e.Programs), max(own.Of, e.Of)
	}
}

// enumeration says how many of all programs were run; "" without Options.Exhaustive.
func (r *Report) enumeration() string {
	n, of, whole, complete := 0, 0, true, 0
	for _, e := range r.Enumerated {
		n, of = n+e.Programs, of+e.Of
		if whole = whole && e.Programs == e.Of; whole {
			complete = e.Invocations
		}
	}
	if of == 0 {
		return ""
	}
	text := fmt.Sprintf(" of %d within the bounds", of)
	if n != r.Programs {
		text = fmt.Sprintf(", %d%s", n, text)
	}
	if complete > 0 {
		text += fmt.Sprintf(" (complete up to %s)", counted(complete, "invocation", "invocations"))
	}
	return text
}

// Count adds executions: how many there were, were recorded, and overlapped among those.
func (r *Report) Count(executions, recorded, overlapping int64) {
	r.Executions += executions
	r.Recorded += recorded
	r.overlapping += overlapping
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
	// on something else, such as real time.
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
	// Synchronised says that an execution had a step of a lock, an atomic operation, a channel or
	// the like.
	Synchronised bool `json:"synchronised"`
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
		lines = append(lines, fmt.Sprintf("%s more than the schedule, such as %s: a global variable that is not instrumented, real time, addresses or code that is not instrumented",
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
	e.Synchronised = e.Synchronised || other.Synchronised
	e.Diverging = append(e.Diverging, other.Diverging...)
	e.Blocked = append(e.Blocked, other.Blocked...)
	e.Unverified = append(e.Unverified, other.Unverified...)
	e.Varying = append(e.Varying, other.Varying...)
	for m, stepped := range other.Stepped {
		e.Step(m, stepped)
	}
}

// Step notes whether an invocation of a method took a step.
func (e *Explored) Step(method string, stepped bool) {
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
		return fmt.Sprintf("%s%s, %s, %s %% of those recorded overlapped", counted(r.Programs, "program", "programs"), r.enumeration(),
			counted(int(r.Executions), "execution", "executions"), share)
	}
	one, many := "preemption", "preemptions"
	if e.ByDelays > 0 {
		one, many = "delay", "delays"
	}
	text := fmt.Sprintf("%s%s, %s, %s", counted(r.Programs, "program", "programs"), r.enumeration(),
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
	case len(r.Refused) > 0 && r.Executions == 0 && r.Explored == nil && clean:
		return "nothing could be judged, as no program could be run", true
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
