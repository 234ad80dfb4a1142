package stress

import (
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// mostPreemptions is Options.Preemptions by default.
const mostPreemptions = 3

// levelExecutions is how many schedules of each bound a generated program gets at
// most, and levelWeight how much more an execution at the bound counts, when the
// time is divided among the bounds. A bound that most violations need comes first.
var (
	levelExecutions = [...]int64{2000, 5000, 20000, 100000}
	levelWeight     = [...]int64{1, 1, 3, 6}
)

// A later program has been explored at one level, and waits for the next.
type later struct {
	target  *target
	program *Program
}

// A level has the programs that wait to be explored with a bound, and the number of
// schedules that were run with it.
type level struct {
	programs []later
	spent    int64
}

// deepest returns the largest bound.
func (s *searcher) deepest() int {
	switch o := &s.options; {
	case o.Delays > 0:
		return o.Delays
	case o.Preemptions < 0:
		return mostPreemptions + 1 // which stands for no bound
	case o.Preemptions > 0:
		return o.Preemptions
	}
	return mostPreemptions
}

// exploreAll explores the schedules of one program after another: new programs with one
// preemption, and those without a violation later with more. Programs that the options
// give are explored up to the largest bound at once.
func (s *searcher) exploreAll() error {
	s.report.Explored = &Explored{Complete: make([]int, s.deepest()+1), Diverging: []string{}, Unbounded: s.options.Preemptions < 0}
	if len(s.programs) > 0 {
		for _, p := range s.programs {
			bound := min(s.deepest(), max(s.options.Preemptions, s.options.Delays, mostPreemptions))
			whole, err := s.tryAt(s.targets[0], p, 0, bound)
			if err == nil && !whole && bound < s.deepest() && len(s.report.Findings) == 0 {
				_, err = s.tryAt(s.targets[0], p, s.deepest(), s.deepest())
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	levels := make([]level, s.deepest()+1)
	for at := 0; s.hasTime(); {
		b, before := s.nextLevel(levels), s.report.Executions
		if b < 0 {
			return nil
		}
		var next later
		if b > 1 {
			next = s.takeLater(&levels[b])
			if next.target.done || s.isGuilty(next.program) {
				continue
			}
		} else {
			next.target = s.turn(at)
			at++
			var ok bool
			if next.program, ok = s.draw(next.target); !ok {
				next.target.ended = true
				continue
			}
		}
		from := b
		if b == 1 {
			from = 0
		}
		whole, err := s.tryAt(next.target, next.program, from, b)
		if err != nil {
			return err
		}
		levels[b].spent += max(s.report.Executions-before, 1) * levelWeight[min(b, len(levelWeight)-1)]
		if !whole && b < s.deepest() && !next.target.done && len(levels[b+1].programs) < maxLater {
			levels[b+1].programs = append(levels[b+1].programs, later{next.target, next.program.clone()})
		}
	}
	return nil
}

// takeLater takes the next program of a level, if possible one without a slow method that
// had its share of the time.
func (s *searcher) takeLater(l *level) later {
	first := l.programs[:min(len(l.programs), mostSlow)]
	n := max(0, slices.IndexFunc(first, func(l later) bool { return !s.hadShare(s.slowest(l.program)) }))
	next := l.programs[n]
	l.programs = slices.Delete(l.programs, n, n+1)
	return next
}

// maxLater is how many programs wait for a level at most.
const maxLater = 1 << 16

// nextLevel returns the bound whose turn it is, or -1. Each target has had a few
// programs at a level before the next level begins.
func (s *searcher) nextLevel(levels []level) int {
	const ahead = 16
	next := -1
	targets := 0
	for _, t := range s.targets {
		if !t.done && !t.ended {
			next = 1
		}
		if !t.done {
			targets++
		}
	}
	if targets == 0 {
		return -1
	}
	for b := 2; b < len(levels); b++ {
		l := &levels[b]
		if len(l.programs) == 0 || next == b-1 && len(l.programs) < ahead*targets && l.spent == 0 {
			continue
		}
		if next < 0 || l.spent < levels[next].spent {
			next = b
		}
	}
	return next
}

// tryAt explores a program with from to bound preemptions. It reports whether there are
// no schedules with more.
func (s *searcher) tryAt(t *target, p *Program, from, bound int) (whole bool, err error) {
	method := t.method
	if len(s.programs) > 0 {
		method = s.blamed(p)
	}
	s.starting(method, p)
	diverged := s.diverged
	if from == 0 {
		t.explored++
		s.report.Programs++
	}
	begin := time.Now()
	p, expected, err := s.fit(p)
	if err != nil {
		s.charge(p, time.Since(begin))
	}
	switch {
	case err != nil && len(s.programs) > 0:
		return false, fmt.Errorf("running %v: %w", p, err)
	case err != nil:
		s.skipped, s.why = s.skipped+1, err
		return true, nil
	}
	x := explorerOf(s.ctx, s.class, p, s.options.Checker, expected, p.oracle)
	x.explored = s.report.Explored
	o := s.exploreOptions(bound)
	if len(s.programs) > 0 {
		o.Executions, o.Time = 0, s.options.Effort.Time
	} else if from == 0 || s.isSlow(s.slowest(p)) {
		o.Time = min(o.Time, s.limit())
	}
	explored := time.Now()
	if err := s.tryAlone(t, p); err != nil {
		return false, err
	}
	e, err := s.exploreFor(t, x, o)
	if err != nil {
		return false, err
	}
	if from == 0 {
		s.ran(p, time.Since(begin))
	} else {
		s.charge(p, time.Since(begin))
	}
	s.report.Clock = s.report.Clock || o.Executions == 0 && time.Since(explored) >= o.Time
	last := min(e.Complete, bound)
	if whole = e.Complete == Unbounded; whole {
		last = s.deepest()
	}
	for b := from; b <= last; b++ {
		s.report.Explored.Complete[b]++
	}
	if e.ByDelays && from == 0 {
		s.report.Explored.ByDelays++
	}
	if p.together && from == 0 {
		s.report.Together++
	}
	if len(e.Violations) > 0 && s.enables(p, e.Violations[0].Outcome, e.Violations[0].RealTime, expected) {
		e.Violations = nil // and the executions so far count as judged
	}
	if len(e.Violations) > 0 {
		f := s.findingOf(x, e, e.Violations[0])
		f.Method, f.Explored, f.Generated, f.Elapsed = method, t.explored, t.generated, time.Since(s.start)
		s.bounded(max(s.left(), reduceTime), func() { err = s.foundSchedule(t, f) })
	}
	if len(e.Violations) == 0 && s.diverged == diverged {
		s.report.Explored.Judged += e.Judged
	}
	if err == nil && from == 0 && s.options.Keep > 0 {
		err = s.keep(p, &Run{histories: e.histories, Recorded: e.Executions})
	}
	if e.Overlapping > 0 && expected.set.n > 1 {
		for _, sequence := range p.Sequences {
			for _, inv := range sequence {
				s.called[inv.Method] = true
			}
		}
	}
	return whole, err
}

// exploreOptions returns the options for a generated program.
func (s *searcher) exploreOptions(bound int) ExploreOptions {
	o := ExploreOptions{Preemptions: bound, Checker: s.options.Checker,
		Executions: levelExecutions[min(bound, len(levelExecutions)-1)], Time: max(s.left(), leastRun), Seed: s.options.Seed + uint64(s.report.Programs)<<8}
	switch {
	case s.options.Delays > 0:
		o.Preemptions, o.Delays = 0, bound
	case s.options.Preemptions < 0 && bound > mostPreemptions:
		o.Preemptions = -1
	}
	return o
}

// exploreProgram explores a program and counts what was run.
func (s *searcher) exploreProgram(x *explorer, o ExploreOptions) (*Exploration, error) {
	e, err := x.explore(o)
	if err != nil {
		return nil, err
	}
	r := s.report
	r.Executions += e.Executions
	r.Recorded += e.Executions
	r.Waited += e.Waited
	s.overlap += e.Overlapping
	r.Explored.Steps += e.Steps
	r.Explored.Cut += e.Cut
	r.Explored.Undecided += e.Undecided
	if e.Diverged > 0 || x.oracle != nil && x.oracle.diverged {
		s.diverges(x.program)
	}
	if e.Panic != "" && !x.panics(e) {
		s.diverges(x.program)
	} else if e.Panic != "" {
		c := Crash{Program: x.program.String(), What: "panic: " + e.Panic, Stack: "schedule " + e.PanicSchedule.String()}
		if len(s.programs) > 0 {
			c.Method = s.blamed(x.program)
		}
		s.crashed(&c)
	}
	return e, nil
}

// panics reports whether a goroutine of the object panics in each of some replays.
func (x *explorer) panics(e *Exploration) bool {
	for range elsewhere {
		if r := x.execute(schedule.NewReplay(e.PanicSchedule)); r.Diverged || r.Panic == nil || fmt.Sprint(r.Panic) != e.Panic {
			return false
		}
	}
	return true
}

// crashed reports a panic in a goroutine of an object, which would end a process
// without the scheduler. Each panic is reported once.
func (s *searcher) crashed(c *Crash) {
	if slices.ContainsFunc(s.report.Crashes, func(other Crash) bool { return other.What == c.What }) {
		return
	}
	s.report.Crashes = append(s.report.Crashes, *c)
	if s.options.Crashed != nil {
		s.options.Crashed(c)
	}
}

// diverges records that a program behaves differently when a schedule is repeated.
func (s *searcher) diverges(p *Program) {
	s.diverged++
	text := p.String()
	if e := s.report.Explored; !slices.Contains(e.Diverging, text) && len(e.Diverging) < maxDiverging {
		e.Diverging = append(e.Diverging, text)
	}
}

// maxDiverging is how many diverging programs a report names.
const maxDiverging = 100

// findingOf returns a violation as a finding.
func (s *searcher) findingOf(x *explorer, e *Exploration, v *Violation) *Finding {
	return &Finding{program: x.program, outcome: v.Outcome, expected: x.expected.Outcomes(), history: v.History, Recorded: true, RealTime: v.RealTime,
		Times: 1, Executions: e.Executions, found: v}
}

// foundSchedule reduces, replays and reports a violation.
func (s *searcher) foundSchedule(t *target, f *Finding) error {
	if !s.repeats(f) {
		return nil
	}
	s.reduce(f)
	if err := s.least(f); err != nil || !s.repeats(f) || !s.stillUnexpected(f) {
		return err
	}
	if err := s.describe(f); err != nil {
		return err
	}
	s.reported(t, f)
	return nil
}

// inProcess is how often a schedule is replayed in the process.
const inProcess = 1000

// repeats reports whether replays of a violation have the same steps and the same
// results each time, also with another clock.
func (s *searcher) repeats(f *Finding) bool {
	x := s.explorerFor(f.program)
	if x == nil || x.replay(f.found, inProcess) < inProcess || x.showsTime(f.found) {
		s.diverges(f.program)
		return false
	}
	return true
}

// explorerFor returns an explorer of a program, or nil if it cannot be run
// sequentially.
func (s *searcher) explorerFor(p *Program) *explorer {
	expected, err := s.expected(p)
	if err != nil {
		return nil
	}
	return explorerOf(s.ctx, s.class, p, s.options.Checker, expected, p.oracle)
}

// replay runs the schedule of a violation the given number of times, and returns how many
// executions had the same steps and results.
func (x *explorer) replay(v *Violation, times int) int {
	x.result = &Exploration{}
	same := 0
	for range times {
		r := x.execute(schedule.NewReplay(v.Schedule))
		rec := x.record(r)
		if rec != nil && r.Fingerprint == v.trace && rec.outcome.equal(v.Outcome) && slices.Equal(rec.events, v.events) {
			same++
		}
	}
	return same
}

// anotherTick is Limits.Tick of a clock with other readings than the usual one.
const anotherTick = 1003

// showsTime reports whether a violation has other results when the clock advances
// faster. An invocation then returns a time, or what depends on one. The sequential
// runs have other times, as they have other steps.
func (x *explorer) showsTime(v *Violation) bool {
	rec := x.record(schedule.Run(&x.run, schedule.NewReplay(v.Schedule), schedule.Limits{Tick: anotherTick}))
	return rec != nil && !rec.outcome.equal(v.Outcome)
}

// stillUnexpected runs the program sequentially once more, and reports whether the
// violation is still one. State outside of the objects may have changed since the
// first time.
func (s *searcher) stillUnexpected(f *Finding) bool {
	f.program.oracle, f.program.runs = nil, nil
	x := s.explorerFor(f.program)
	if x == nil {
		return false
	}
	x.result = &Exploration{}
	rec := &recorded{outcome: f.outcome, events: f.found.events}
	bad, err := x.judge(rec, &Violation{numbers: f.found.numbers, ticks: f.found.ticks}, max(f.found.bound, f.found.Preemptions))
	if err == nil && !bad && rec.verdict == explainable {
		s.diverges(f.program)
	}
	return err == nil && bad
}

// leastExecutions bounds the schedules among which the simplest is searched for.
const leastExecutions = 20000

// least replaces the schedule of a finding by one with as few preemptions as
// possible, and then with as few switches.
func (s *searcher) least(f *Finding) error {
	x := s.explorerFor(f.program)
	if x == nil {
		return nil
	}
	x.seeks(f)
	o := ExploreOptions{Strategy: "dfs", Checker: s.options.Checker, Executions: leastExecutions, All: true}
	most := max(f.found.bound, min(f.found.Preemptions, mostPreempted))
	byDelays := f.found.ByDelays || s.options.Delays > 0
	for b := 0; b <= most; b++ {
		if o.Preemptions = b; byDelays && b > 0 {
			o.Preemptions, o.Delays = 0, b
		}
		e, err := s.exploreProgram(x, o)
		if err != nil {
			return err
		}
		var best *Violation
		for _, v := range e.Violations {
			if v.fault != f.Fault {
				continue
			}
			if best == nil || v.Switches < best.Switches {
				best = v
			}
		}
		if best == nil {
			continue
		}
		first := f.found.Execution
		f.found, f.outcome, f.history, f.RealTime = best, best.Outcome, best.History, best.RealTime
		f.expected, f.Executions, f.Times = x.expected.Outcomes(), e.Executions, 0
		for i := range e.histories {
			if r := &e.histories[i]; r.verdict == violates {
				f.Times += r.times
			}
		}
		if x.faults != nil {
			f.Times = max(x.faults.times, 1)
		}
		best.Execution = first
		return nil
	}
	return nil
}

// describe adds the steps of the schedule, and in a deadlock what waits for what.
func (s *searcher) describe(f *Finding) error {
	x := s.explorerFor(f.program)
	if x == nil {
		return fmt.Errorf("internal error: %v no longer runs sequentially", f.program)
	}
	v := f.found
	steps, blocked := x.steps(v.Schedule, v.left)
	f.Scheduled = &Scheduled{Schedule: v.Schedule.String(), Preemptions: v.Preemptions, Delays: v.Delays, Switches: v.Switches, Execution: v.Execution, Total: s.report.Executions,
		Steps: steps, Mark: mark(v.trace, v.events), Replayed: inProcess, Spins: v.spins}
	if f.outcome.waits() || len(v.left) > 0 {
		f.Waiting = blocked
	}
	return nil
}

// lookFor explores a program that is smaller than that of a finding. It returns a
// violation, or nil.
func (s *searcher) lookFor(f *Finding, p *Program) *Finding {
	x := s.explorerFor(p)
	if x == nil {
		return nil
	}
	x.seeks(f)
	bound := max(f.found.bound, min(f.found.Preemptions, mostPreempted), 1)
	o := s.exploreOptions(bound)
	e, err := s.exploreProgram(x, o)
	if err != nil || len(e.Violations) == 0 || f.Fault == "" && s.enables(p, e.Violations[0].Outcome, e.Violations[0].RealTime, x.expected) {
		return nil
	}
	less := s.findingOf(x, e, e.Violations[0])
	less.Fault = f.Fault
	return less
}

// sequential returns the outcomes that the program has sequentially, run in the scheduler. If
// some call waits in every order, these are orders in which calls enable each other.
func (s *searcher) sequential(p *Program) (*Expected, error) {
	e, err := s.inOrder(p)
	if err == nil && !e.complete {
		e = enabled(p, e, s.inOrder)
	}
	return e, err
}

// inOrder runs the program in the scheduler, once.
func (s *searcher) inOrder(p *Program) (*Expected, error) {
	if p.oracle == nil {
		o, err := newOracle(s.class, p)
		if err != nil {
			return nil, err
		}
		p.oracle = o
	}
	return p.oracle.expected, nil
}

// enables reports whether an unexpected outcome of a program is one of calls that wait for
// one another.
func (s *searcher) enables(p *Program, o Outcome, realTime bool, e *Expected) bool {
	if !e.waited || p.together {
		return false
	}
	more := enabled(p, e, s.inOrder)
	return p.together && (realTime || more.Contains(o))
}
