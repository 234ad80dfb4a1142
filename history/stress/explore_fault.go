package stress

import (
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/stress/explore/schedule"
)

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
	return "is not atomic"
}

// isAbout reports whether the finding says that a method is not atomic, or "" several together.
func (f *Finding) isAbout(method string) bool { return f.Fault == "" && f.Method == method }

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
	usual   *recorded       // the execution without preemptions, if it has a result to compare
	best    int             // the fewest switches of one that was found
	guilty  map[uint64]bool // the Result.Places of those
	times   int64           // executions with these
}

func newFaultFinder(known map[string]bool, only string) *faultFinder {
	return &faultFinder{known: known, only: only, checked: map[uint64]int{}, guilty: map[uint64]bool{}, best: Unbounded}
}

// seeks makes the explorer search for the fault of a finding, if it has one.
func (x *explorer) seeks(f *Finding) {
	if f.Fault != "" {
		x.faults = newFaultFinder(nil, f.found.faultKey())
	}
}

// isSolo reports whether the program is one call of a new object.
func (p *Program) isSolo() bool {
	return p.Len() == 1 && len(p.Sequences) == 1 && len(p.Sequences[0]) == 1
}

// suspect returns a violation if the execution that has just ended may have a fault.
func (x *explorer) suspect(rec *recorded, r *schedule.Result, at int) *Violation {
	if x.faults == nil || rec == nil || r.Spins || r.Lost > 0 {
		return nil
	}
	v := &Violation{Outcome: rec.outcome, Execution: x.result.Executions, ByDelays: x.result.ByDelays, events: rec.events, bound: at, numbers: schedule.Drawn()}
	v.started, v.places = r.Started, r.Places
	f := x.faults
	if f.guilty[r.Places] {
		f.times++
	}
	v.compares = x.program.isSolo() && depends(r) && !rec.outcome.waits() && (f.usual == nil || !f.usual.outcome.equal(rec.outcome))
	v.waits = (r.Left > 0 || rec.outcome.waits() && r.Started != 0) &&
		(f.checked[r.Places] < mostChecks && f.checks < firstChecks+x.result.Executions/checkedOne || f.best < Unbounded)
	if v.describe(r); !v.waits && !v.compares || v.Switches >= f.best {
		return nil
	}
	return v
}

// depends reports whether the result of the only call of an execution can depend on nothing but
// the order of the steps of goroutines that the call has started.
func depends(r *schedule.Result) bool {
	return r.Started != 0 && r.Choices == 0 && r.Ticks == 0 && !r.Timed && !r.Deadlock
}

// isFault reports whether an execution that may have a fault has one that is searched for.
func (x *explorer) isFault(rec *recorded, v *Violation) bool {
	x.faults.checks++
	found := v.waits && x.waitsForever(v) || v.compares && x.differs(rec, v)
	key, f := v.faultKey(), x.faults
	if v.waits && v.fault != LeakFault && v.fault != DeadlockFault {
		f.checked[v.places]++
	}
	if !found {
		return false
	}
	if f.only != "" && f.only != key || f.only == "" && f.known[key] {
		f.checked[v.places] = mostChecks
		return false
	}
	h, err := rec.history(x.class, x.program)
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
	for _, b := range schedule.Forever(&x.run, v.Schedule) {
		if b.Index < 0 || b.Index >= len(calls) {
			continue // started by the constructor, or the harness waits
		}
		if v.left = append(v.left, b.Thread); !b.Daemon {
			continue
		}
		v.method = calls[b.Index].Method.Name
		if v.fault = LeakFault; v.Outcome[b.Index] == Waiting {
			v.fault = DeadlockFault
		}
	}
	if v.fault == "" && x.program.isSolo() && v.Outcome.waits() && v.started != 0 && x.oracle != nil && x.oracle.returns() {
		v.fault, v.method = DeadlockFault, calls[0].Method.Name
	}
	return v.fault != ""
}

// returns reports whether all calls return in some sequential run.
func (o *oracle) returns() bool {
	for _, list := range o.runs {
		if slices.ContainsFunc(list, func(r sequentialRun) bool { return r.waiting == 0 }) {
			return true
		}
	}
	return false
}

// differs reports whether the result of the only call is another one without preemptions.
func (x *explorer) differs(rec *recorded, v *Violation) bool {
	if x.faults.usual == nil {
		x.faults.usual = &recorded{outcome: slices.Clone(rec.outcome)}
		r := schedule.Run(&x.run, schedule.NewReplay(nil), schedule.Limits{})
		if other := x.record(r); other != nil && depends(r) && !other.outcome.waits() {
			other.times--
			x.faults.usual = other
		}
	}
	if x.faults.usual.outcome.equal(rec.outcome) {
		return false
	}
	v.fault, v.method = ResultsFault, x.calls[0].method.Name
	return true
}

// faultOf returns the fault that an exploration ended with, or nil.
func (e *Exploration) faultOf() *Violation {
	if n := len(e.Violations); n > 0 && e.Violations[n-1].fault != "" {
		return e.Violations[n-1]
	}
	return nil
}

// exploreFor explores a program for a target until it finds no other fault in it, and reports
// each.
func (s *searcher) exploreFor(t *target, x *explorer, o ExploreOptions) (*Exploration, error) {
	x.faults = newFaultFinder(s.faults, "")
	x.faults.results = len(s.programs) > 0
	for {
		e, err := s.exploreProgram(x, o)
		if err != nil || e.faultOf() == nil {
			return e, err
		}
		v := e.faultOf()
		e.Violations = slices.DeleteFunc(e.Violations, func(other *Violation) bool { return other == v })
		s.faults[v.faultKey()] = true
		if v.fault == ResultsFault && !x.faults.results {
			s.report.Explored.Varying = append(s.report.Explored.Varying, fmt.Sprintf("%v: %v or %v", x.program, x.faults.usual.outcome, v.Outcome))
			continue
		}
		f := s.findingOf(x, e, v)
		f.Fault, f.Method = v.fault, v.method
		f.Explored, f.Generated, f.Elapsed = t.explored, t.generated, time.Since(s.start)
		s.bounded(max(s.left(), reduceTime), func() { err = s.foundFault(t, f) })
		if err != nil || s.ctx.Err() != nil {
			return e, err
		}
		x.faults.best, x.faults.usual = Unbounded, nil
	}
}

// foundFault reduces, replays and reports a fault.
func (s *searcher) foundFault(t *target, f *Finding) error {
	if !s.repeats(f) {
		return nil
	}
	for _, inv := range f.program.All() {
		if inv.Method.Name != f.Method || f.program.isSolo() {
			continue
		}
		if less := s.retry(f, &Program{Sequences: [][]Invocation{{inv}}}); less != nil {
			*f = *less
		}
	}
	if !f.program.isSolo() {
		s.reduce(f)
	}
	if err := s.least(f); err != nil || !s.repeats(f) {
		return err
	}
	if err := s.describe(f); err != nil {
		return err
	}
	s.reported(t, f)
	return nil
}

// aloneExecutions bounds the schedules of a call that is tried alone.
const aloneExecutions = 500

// tryAlone explores each call of a generated program alone on a new object, once: whatever its
// goroutines do wrong, they do so in the smallest program.
func (s *searcher) tryAlone(t *target, p *Program) error {
	for _, inv := range p.All() {
		alone := &Program{Sequences: [][]Invocation{{inv}}}
		text := alone.String()
		if s.alone[text] || len(s.programs) > 0 {
			continue
		}
		s.alone[text] = true
		x := s.explorerFor(alone)
		if x == nil {
			continue
		}
		o := s.exploreOptions(1)
		o.Executions, o.Time = aloneExecutions, min(o.Time, s.limit())
		if _, err := s.exploreFor(t, x, o); err != nil {
			return err
		}
	}
	return nil
}
