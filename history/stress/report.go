package stress

import (
	"fmt"
	"time"
)

// A Report is what Search found out about a class.
type Report struct {
	Subject   string   `json:"subject"` // the name of the class
	Core      []string `json:"core"`
	Atomic    []string `json:"atomic"` // exercised, and no violation was seen
	NonAtomic []string `json:"non_atomic"`
	Weak      []string `json:"weak"` // documented not to be atomic
	Account   Account  `json:"account"`
	// Unsteady programs return different results from one sequential run to
	// the next.
	Unsteady []string `json:"unsteady"`
	// Ended is the bound of the effort that ended the search before all programs had run, as
	// "1000 executions", "1000 schedules", "20000 steps" or "2m0s on the clock".
	Ended      string  `json:"ended,omitempty"`
	Crashes    []Crash `json:"crashes"`
	Programs   int     `json:"programs"` // that were tried, also those that could not be run
	Executions int64   `json:"executions"`
	Recorded   int64   `json:"recorded"`
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
	// Unconfirmed are failures that were seen, and that another process has not confirmed.
	Unconfirmed []*Finding `json:"-"`
	// Outcomes are those of Options.Programs, with Options.Outcomes.
	Outcomes []ProgramOutcomes `json:"outcomes,omitempty"`

	overlapping int64 // of the recorded executions
}

// Count adds executions: how many there were, were recorded, and overlapped among those.
func (r *Report) Count(executions, recorded, overlapping int64) {
	r.Executions += executions
	r.Recorded += recorded
	r.overlapping += overlapping
}

// Explored is what schedules were run.
type Explored struct {
	ByDelays int   `json:"by_delays"` // programs of objects that start goroutines: delays are bounded there
	Steps    int64 `json:"steps"`
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
	// Either are programs with executions that are not judged: of two calls, both may have released a
	// third one that waited.
	Either []string `json:"either,omitempty"`
	// Unverified are programs with a violation that is not reported, since another
	// process could not replay it, each with the error.
	Unverified []string `json:"unverified,omitempty"`
	// Varying calls start goroutines and have different results under different schedules,
	// though nothing else is called; each with two results.
	Varying []string `json:"varying,omitempty"`
	// Synchronised says that an execution had a step of a lock, an atomic operation, a channel or
	// the like.
	Synchronised bool `json:"synchronised"`
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
	if n := len(e.Either); n > 0 {
		lines = append(lines, fmt.Sprintf("outcomes of %s are not judged, such as of %s: a call that waited had been released by either of two that had both returned",
			counted(n, "program", "programs"), e.Either[0]))
	}
	if n := len(e.Unverified); n > 0 {
		lines = append(lines, fmt.Sprintf("%s could not be replayed in another process, as %s", counted(n, "violation", "violations"), e.Unverified[0]))
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
	e.ByDelays += other.ByDelays
	e.Steps += other.Steps
	e.Cut += other.Cut
	e.Undecided += other.Undecided
	e.Judged += other.Judged
	e.Synchronised = e.Synchronised || other.Synchronised
	e.Diverging = append(e.Diverging, other.Diverging...)
	e.Either = append(e.Either, other.Either...)
	e.Unverified = append(e.Unverified, other.Unverified...)
	e.Varying = append(e.Varying, other.Varying...)
}

// Coverage describes how many programs ran how often, and how many of these executions
// overlapped; or how many schedules were explored.
func (r *Report) Coverage() string {
	e := r.Explored
	if e == nil {
		share := fmt.Sprintf("%.0f", 100*r.Overlap)
		if r.Overlap < 0.01 {
			share = fmt.Sprintf("%.1g", 100*r.Overlap) // on one processor, it matters whether there are any
		}
		return fmt.Sprintf("%s, %s, %s %% of those recorded overlapped", counted(r.Account.programs(), "program", "programs"),
			counted(int(r.Executions), "execution", "executions"), share)
	}
	return fmt.Sprintf("%s, %s, %s", counted(r.Account.programs(), "program", "programs"),
		counted(int(r.Executions), "schedule", "schedules"), counted(int(e.Steps), "step", "steps"))
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
	case r.Programs > 0 && r.Left == r.Programs && clean && len(r.MayWait) == 0:
		return "nothing could be judged on threads, as what was seen there did not come again, and may be chance", true
	case r.Programs > 0 && r.Left == r.Programs && clean:
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
	// Schedule repeats the execution, if schedules were explored.
	Schedule string `json:"schedule,omitempty"`
	// Stack has the goroutines that were in calls of the object, and the one that
	// ended the process, as far as the process wrote them.
	Stack string `json:"stack,omitempty"`
}
