package explore

import (
	"slices"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// A check for faults collects garbage. So a program is checked at most mostChecks times while the
// same goroutines wait at the same places, and in all firstChecks times and once in checkedOne
// executions.
const mostChecks, firstChecks, checkedOne = 4, 64, 64

// A faultFinder is what an explorer knows about faults; nil if it does not search for any.
type faultFinder struct {
	known   map[string]bool // those that are reported, by kind and method
	only    string          // the one that is searched for, if not ""
	results bool            // ResultsFault is a violation
	checked map[uint64]int  // by Result.Places
	checks  int64
	usual   *executed       // the execution without preemptions, if it has a result to compare
	best    int             // the fewest switches of one that was found
	guilty  map[uint64]bool // the Result.Places of those
	times   int64           // executions with these
}

func newFaultFinder(known map[string]bool, only string) *faultFinder {
	return &faultFinder{known: known, only: only, checked: map[uint64]int{}, guilty: map[uint64]bool{}, best: Unbounded}
}

// seeks makes the explorer search for a violation like a finding: for its fault, if it has one.
func (x *explorer) seeks(f *stress.Finding) {
	x.search.OnlySoon, x.search.OnlyFaults = violationOf(f).allowance == plain, f.Fault != ""
	if f.Fault != "" {
		x.faults = newFaultFinder(nil, violationOf(f).faultKey())
	}
}

// Suspect implements bodies.Oracle.
func (x *explorer) Suspect(s *bodies.Seen, r *schedule.Result, bound int) *bodies.Found {
	f, rec := x.faults, executedOf(s)
	if f == nil || r.Spins || r.Lost > 0 {
		return nil
	}
	if f.guilty[r.Places] {
		f.times++
	}
	compares := x.program.IsSolo() && depends(r) && !rec.Outcome.Waits() && (f.usual == nil || !f.usual.Outcome.Equal(rec.Outcome))
	waits := (r.Left > 0 || rec.Outcome.Waits() && r.Started != 0) &&
		(f.checked[r.Places] < mostChecks && f.checks < firstChecks+x.search.Result.Executions/checkedOne || f.best < Unbounded)
	if !waits && !compares {
		return nil
	}
	found := x.search.New(r, bound)
	if found.Switches >= f.best {
		return nil
	}
	v := x.describe(s, found, r)
	v.started, v.places, v.waits, v.compares = r.Started, r.Places, waits, compares
	return found
}

// depends reports whether the result of the only call of an execution can depend on nothing but
// the order of the steps of goroutines that the call has started.
func depends(r *schedule.Result) bool {
	return r.Started != 0 && r.Choices == 0 && r.Ticks == 0 && !r.Timed && !r.Deadlock
}

// IsFault implements bodies.Oracle: the execution has a fault that is searched for.
func (x *explorer) IsFault(s *bodies.Seen, found *bodies.Found) bool {
	return x.isFault(executedOf(s), foundAs(found))
}

func (x *explorer) isFault(rec *executed, v *Violation) bool {
	x.faults.checks++
	found := v.waits && x.waitsForever(v) || v.compares && x.differs(rec, v)
	key, f := v.faultKey(), x.faults
	if v.waits && v.fault != stress.LeakFault && v.fault != stress.DeadlockFault {
		f.checked[v.places]++
	}
	if !found {
		return false
	}
	if f.only != "" && f.only != key || f.only == "" && f.known[key] {
		f.checked[v.places] = mostChecks
		return false
	}
	h, err := rec.History(x.expected)
	if err != nil {
		return false
	}
	if v.History, f.best = h, min(f.best, v.Switches); v.waits && !f.guilty[v.places] {
		f.guilty[v.places] = true
		f.times++
	}
	return true
}

func (v *Violation) faultKey() string { return v.fault + " " + v.method }

// waitsForever reports whether goroutines that a call has started wait forever, or the call waits
// for them.
func (x *explorer) waitsForever(v *Violation) bool {
	calls := x.program.All()
	for _, b := range schedule.Forever(&x.search.Body, v.Schedule, x.search.Limits) {
		if b.Index < 0 || b.Index >= len(calls) {
			continue // started by the constructor, or the harness waits
		}
		if v.left = append(v.left, b.Thread); !b.Daemon {
			continue
		}
		v.method = calls[b.Index].Method.Name
		if v.fault = stress.LeakFault; v.Outcome[b.Index] == stress.Waiting {
			v.fault = stress.DeadlockFault
		}
	}
	if v.fault == "" && x.program.IsSolo() && v.Outcome.Waits() && v.started != 0 && x.oracle.returns() {
		v.fault, v.method = stress.DeadlockFault, calls[0].Method.Name
	}
	return v.fault != ""
}

// returns reports whether all calls return in some sequential run.
func (o *oracle) returns() bool {
	for _, list := range o.runs {
		if slices.ContainsFunc(list, func(r *stress.SequentialRun) bool { return r.Waiting == 0 }) {
			return true
		}
	}
	return false
}

// differs reports whether the result of the only call is another one without preemptions.
func (x *explorer) differs(rec *executed, v *Violation) bool {
	if x.faults.usual == nil {
		x.faults.usual = &executed{Execution: &stress.Execution{Outcome: slices.Clone(rec.Outcome)}}
		r := schedule.Run(&x.search.Body, schedule.NewReplay(nil), schedule.Limits{})
		if seen := x.search.Record(r); seen != nil && depends(r) && !executedOf(seen).Outcome.Waits() {
			x.faults.usual = executedOf(seen)
			x.faults.usual.Times--
		}
	}
	if x.faults.usual.Outcome.Equal(rec.Outcome) {
		return false
	}
	v.fault, v.method = stress.ResultsFault, x.all[0].Method.Name
	return true
}
