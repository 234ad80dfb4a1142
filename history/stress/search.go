package stress

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
)

// A searcher searches one class.
type searcher struct {
	ctx      context.Context
	class    *Class
	options  Options
	programs []*Program // of the options
	targets  []*target
	report   *Report
	start    time.Time
	end      time.Time  // of what the search does now
	guilty   [][]string // the methods of each violation and crash: no later program calls all of them
	overlap  int64
	// called are the methods called by sequences of a program whose results show the
	// order of its invocations, and whose invocations overlapped.
	called  map[*Method]bool
	skipped int             // programs that were not run
	why     error           // of the last of them
	waits   bool            // with schedules, an invocation waited in a sequential run
	waiting map[string]bool // on threads, methods with calls that may wait for ever
	memory  int64           // how many bytes the process may have
	batch   int             // see batchFor
	// diverged is how often a program was found to diverge.
	diverged int
	shares   map[*Method]share
	faults   map[string]bool // those found, by kind and method
	alone    map[string]bool // the calls that were tried alone
	spent    time.Duration   // by all methods
}

// Search looks for violations in a class. It runs generated programs, one for
// each target method in turn, until the effort's time is over or each method
// has been found not to be atomic. However short the time, it runs one program,
// unless ctx is done. It is an error if none of the first 64 can be run.
// The checker confirms every violation.
func Search(ctx context.Context, c *Class, o Options) (*Report, error) {
	o.Effort = cmp.Or(o.Effort, DefaultEffort)
	s := &searcher{ctx: ctx, class: c, options: o, report: &Report{Subject: c.Name, MethodPrograms: map[string]int{}}, start: time.Now(),
		called: map[*Method]bool{}, waiting: map[string]bool{}, shares: map[*Method]share{}, faults: map[string]bool{}, alone: map[string]bool{},
		guilty: o.known, memory: memoryUsed() + maxMemory}
	s.end = s.start.Add(o.Effort.Time)
	if len(o.Programs) > 0 { // they have the time that they need
		s.end = s.start.Add(math.MaxInt64)
	}
	targets, err := s.prepare()
	if err != nil {
		return nil, err
	}
	s.targets = targets
	if !o.Schedules && c.leaves() {
		s.report.OnlySchedules = leaving
		s.complete()
		return s.report, nil
	}
	defer func() {
		for _, t := range targets {
			for _, stop := range t.stop {
				stop()
			}
		}
	}()
	if o.Schedules {
		if err := s.exploreAll(); err != nil {
			return nil, err
		}
	}
	for round := 0; !o.Schedules && s.goesOn(targets); round++ {
		t := s.turn(round)
		p, ok := s.draw(t)
		if !ok {
			t.done = true
			continue
		}
		if err := s.try(t, p); err != nil {
			return nil, err
		}
	}
	if s.skipped > 0 && s.skipped == s.report.Programs && (!s.report.Worn || len(s.programs) > 0) && ctx.Err() == nil {
		return nil, fmt.Errorf("no program within the bounds could be run, of %d that were tried: %w", s.skipped, s.why)
	}
	s.complete()
	return s.report, nil
}

// prepare checks the options and returns the targets.
func (s *searcher) prepare() ([]*target, error) {
	o := &s.options
	if o.Checker == nil {
		return nil, errors.New("no checker is given")
	}
	for _, name := range o.Methods {
		if name != "" && s.class.Method(name) == nil {
			return nil, fmt.Errorf("%s has no method %s", s.class.Name, name)
		}
	}
	for _, text := range o.Programs {
		p, err := Parse(text, s.class)
		if err != nil {
			return nil, err
		}
		s.programs = append(s.programs, p)
	}
	if len(s.programs) > 0 {
		return []*target{newTarget("", slices.Values(s.programs))}, nil
	}
	return s.generated()
}

func (s *searcher) goesOn(targets []*target) bool {
	if s.report.Worn || s.report.OnlySchedules != "" {
		return false
	}
	return s.hasTime() && slices.ContainsFunc(targets, func(t *target) bool { return !t.done })
}

// leastTried is how many programs a search tries, however short its time, before it
// reports that none can be run.
const leastTried = 64

// hasTime reports whether the search may try another program.
func (s *searcher) hasTime() bool {
	none := s.report.Programs == s.skipped // could be run
	return s.ctx.Err() == nil && (s.left() > 0 || none && s.skipped < leastTried)
}

// left returns how much time is left.
func (s *searcher) left() time.Duration { return time.Until(s.end) }

// A run takes at least leastRun, even if that goes beyond the end.
const leastRun = 50 * time.Millisecond

// bounded calls f with the end of the time set to d from now.
func (s *searcher) bounded(d time.Duration, f func()) {
	end := s.end
	s.end = time.Now().Add(d)
	f()
	s.end = end
}

// A target is a method to blame, with the programs that call it.
type target struct {
	method    string
	next      []func() (*Program, bool) // the first is for methods that do not wait
	stop      []func()                  // of next
	explored  int
	generated int // 0: without end
	done      bool
	ended     bool // all programs were explored
}

func newTarget(method string, programs ...iter.Seq[*Program]) *target {
	t := &target{method: method}
	for _, p := range programs {
		next, stop := iter.Pull(p)
		t.next, t.stop = append(t.next, next), append(t.stop, stop)
	}
	return t
}

// waitingSequences are the numbers of sequences of random programs once methods
// have been seen to wait. With two sequences, at most one can wait if the other is
// to wake it.
var waitingSequences = []int{2, 3, 4}

// mostDrawn bounds the draws for a random program that does not call all methods of a
// violation.
const mostDrawn = 1 << 16

// draw returns the next program of a target.
func (s *searcher) draw(t *target) (*Program, bool) {
	next := t.next[0]
	if s.waits {
		next = t.next[t.explored%len(t.next)]
	}
	slow := mostSlow
	if s.options.Exhaustive || s.hadShare(s.class.Method(t.method)) {
		slow = 0
	}
	for drawn := 0; s.options.Exhaustive || drawn < mostDrawn; drawn++ {
		p, ok := next()
		switch {
		case !ok || len(s.programs) > 0:
			return p, ok
		case s.isGuilty(p), s.mayWait(p):
		case drawn < slow && s.hadShare(s.slowest(p)):
		default:
			return p, true
		}
	}
	return nil, false
}

// maxGenerated bounds how many enumerated programs are counted.
const maxGenerated = 1 << 22

// generated returns the targets with generated programs.
func (s *searcher) generated() ([]*target, error) {
	o := &s.options
	names := s.targetNames()
	var list []*target
	for i, name := range names {
		g := GeneratorOptions{Bounds: o.Bounds, Target: s.class.Method(name),
			CoreOnly: s.class.hasCore() && name == "", Exhaustive: o.Exhaustive, Seed: o.Seed + uint64(i)<<32}
		programs, err := Generate(s.class, g)
		if err != nil && name == "" && len(names) > 1 {
			continue // core methods that are all read-only cannot be wrong
		}
		if err != nil {
			return nil, err
		}
		all := []iter.Seq[*Program]{programs}
		for _, n := range waitingSequences[1:] {
			g.Bounds.Sequences = n
			if more, err := Generate(s.class, g); err == nil && o.Bounds.Sequences == 0 && !o.Exhaustive {
				all = append(all, more)
			}
		}
		t := newTarget(name, all...)
		if o.Exhaustive {
			for range programs {
				if t.generated++; t.generated == maxGenerated {
					break
				}
			}
		}
		list = append(list, t)
	}
	if o.targets != nil {
		o.targets(names)
	}
	return list, nil
}

// targetNames returns the names of the methods to be blamed, "" for the core
// methods among themselves, or for all together if none is core.
func (s *searcher) targetNames() []string {
	if len(s.options.Methods) > 0 {
		return s.options.Methods
	}
	var names []string
	if s.class.hasCore() {
		for _, m := range s.class.Methods {
			if !m.Core && !m.Weak {
				names = append(names, m.Name)
			}
		}
	}
	return append(names, "")
}

// blamed returns the only method of a given program that is neither core nor
// weak, or "" if there is none, or several, or no method is core.
func (s *searcher) blamed(p *Program) string {
	name := ""
	for _, inv := range p.All() {
		switch m := inv.Method; {
		case m.Core || m.Weak || m.Name == name:
		case name == "" && s.class.hasCore():
			name = m.Name
		default:
			return ""
		}
	}
	return name
}

// try runs a program of a target.
func (s *searcher) try(t *target, p *Program) error {
	method := t.method
	if len(s.programs) > 0 {
		method = s.blamed(p)
	}
	s.starting(method, p)
	t.explored++
	s.report.Programs++
	begin := time.Now()
	expected, err := s.expected(p)
	if err != nil {
		s.charge(p, time.Since(begin))
	}
	var waits *WaitsError
	switch {
	case errors.As(err, &waits):
		s.leave(p, waits.Method)
		return nil
	case err != nil && len(s.programs) > 0:
		return fmt.Errorf("running %v: %w", p, err)
	case err != nil: // too many shuffles, say; the next program may have fewer
		s.skipped, s.why = s.skipped+1, err
		return nil
	}
	if s.options.parallel != nil {
		s.options.parallel()
	}
	run := s.run(p, RunOptions{Time: s.options.Effort.Program, Seed: s.options.Seed + uint64(s.report.Programs), Stop: expected})
	s.ran(p, time.Since(begin))
	if run.Waits != nil {
		s.leave(p, run.Waits...)
		return nil
	}
	if run.Leaves {
		s.report.OnlySchedules = leaving
		s.leave(p)
		return nil
	}
	if f := s.seen(p, run, expected); f != nil {
		f.Method, f.Explored, f.Generated, f.Elapsed = method, t.explored, t.generated, time.Since(s.start)
		s.bounded(max(s.left(), reduceTime), func() { err = s.found(t, f) })
	}
	if err == nil {
		err = s.keep(p, run)
	}
	if !p.unsteady && run.Overlapping > 0 && expected.set.n > 1 {
		for _, sequence := range p.Sequences {
			for _, inv := range sequence {
				s.called[inv.Method] = true
			}
		}
	}
	return err
}

// found proves, reduces and reports a violation that was seen.
func (s *searcher) found(t *target, f *Finding) error {
	if !s.proves(f) {
		return nil
	}
	if err := s.confirm(f); err != nil {
		if s.ctx.Err() != nil {
			return nil // nothing is known for certain
		}
		return err
	}
	s.report.Findings = append(s.report.Findings, f)
	if s.options.unreduced != nil {
		whole := *f
		whole.write(s.class)
		s.options.unreduced(&whole)
	}
	s.reduce(f)
	s.reported(t, f)
	return nil
}

// reported reports a violation. Its target ends if the method is to blame, or if one
// violation is enough.
func (s *searcher) reported(t *target, f *Finding) {
	if s.options.Schedules {
		s.report.Findings = append(s.report.Findings, f)
	}
	f.write(s.class)
	if s.options.Found != nil {
		s.options.Found(f)
	}
	if f.Fault != "" { // the methods may be atomic
		return
	}
	s.guilty = append(s.guilty, f.Methods)
	t.done = len(s.programs) == 0 && (!s.options.GoOn || f.Method != "" && f.Method == t.method)
}

// fit returns a program with what is expected of it. A generated one loses the
// end of its initial or final part if that waits, and is an error if it always
// waits.
func (s *searcher) fit(p *Program) (*Program, *Expected, error) {
	for {
		e, err := s.expected(p)
		if err != nil {
			return p, nil, err
		}
		s.waits = s.waits || e.waited
		switch {
		case len(s.programs) > 0:
			if !e.complete {
				s.report.Hopeless++
			}
			return p, e, nil
		case e.initial < len(p.Initial) || e.final < len(p.Final):
			p = p.clone()
			p.Initial, p.Final = p.Initial[:e.initial], p.Final[:e.final]
		case !e.complete:
			s.report.Hopeless++
			return p, nil, errors.New("it waits for ever in every order of its invocations")
		default:
			return p, e, nil
		}
	}
}

// run runs a program and counts its executions.
func (s *searcher) run(p *Program, o RunOptions) *Run {
	if s.batch == 0 {
		s.batch = batchFor(s.class)
	}
	o.Batch, o.memory = s.batch, s.memory
	o.Time = min(o.Time, max(s.left(), leastRun))
	run := RunProgram(s.ctx, s.class, p, o)
	s.report.Executions += run.Executions
	s.report.Recorded += run.Recorded
	s.overlap += run.Overlapping
	if used, over := overMemory(s.memory); over {
		s.report.Worn, s.report.Memory = true, used
	}
	return run
}

// leaving is why threads do not judge an object.
const leaving = "objects leave goroutines, which may change them"

// leave leaves a program to schedules, and so later ones that call a method which may wait for
// ever.
func (s *searcher) leave(p *Program, methods ...string) {
	p.unsteady = true
	s.report.Left++
	for _, m := range methods {
		if !s.waiting[m] {
			s.waiting[m] = true
			s.report.MayWait = append(s.report.MayWait, m)
		}
	}
}

// mayWait reports whether threads cannot run a program, as a method that it calls may wait for
// ever.
func (s *searcher) mayWait(p *Program) bool {
	return len(s.waiting) > 0 && slices.ContainsFunc(p.All(), func(inv Invocation) bool { return s.waiting[inv.Method.Name] })
}

func (s *searcher) starting(method string, p *Program) {
	if s.options.Starting != nil {
		s.options.Starting(method, p.String())
	}
	if s.options.started != nil {
		m := startingMessage{Method: method, Program: p.String(), Calls: p.parallel()}
		if e := s.report.Explored; e != nil {
			m.Judged = e.Judged
		}
		s.options.started(m)
	}
}

// keep passes recorded executions on. It passes none of a program whose
// sequential runs in the header may not be all there are.
func (s *searcher) keep(p *Program, run *Run) error {
	kept := 0
	for i := range run.histories {
		r := &run.histories[i]
		if kept == s.options.Keep || p.unsteady {
			return nil
		}
		if !r.overlaps() || r.outcome.waits() {
			continue
		}
		h, violates, err := s.check(p, r)
		if err != nil {
			return err
		}
		if violates && (s.options.Schedules || !s.believes(p, run.Recorded/r.times)) {
			return nil
		}
		h.ID = fmt.Sprintf("%s/%d-%d", s.class.Name, s.report.Programs, i)
		s.options.History(fmt.Sprintf("# %v, seen %s\n%s", p, counted(int(r.times), "time", "times"), encode(h)))
		kept++
	}
	return nil
}

// complete fills in what is known of each method that was called.
func (s *searcher) complete() {
	r := s.report
	for _, m := range s.class.Methods {
		switch {
		case slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.isAbout(m.Name) }):
			r.NonAtomic = append(r.NonAtomic, m.Name)
		case m.Core:
			r.Core = append(r.Core, m.Name)
		case m.Weak:
			r.Weak = append(r.Weak, m.Name)
		case isIn(s.guilty, m.Name): // it may be to blame
		case s.called[m]:
			r.Atomic = append(r.Atomic, m.Name)
		default:
			r.Unexercised = append(r.Unexercised, m.Name)
		}
	}
	r.Clock = r.Clock || len(s.programs) == 0 && s.ctx.Err() == nil && s.left() <= 0 &&
		slices.ContainsFunc(s.targets, func(t *target) bool { return !t.done && !t.ended })
	if r.Recorded > 0 {
		r.Overlap = float64(s.overlap) / float64(r.Recorded)
	}
	r.Elapsed = time.Since(s.start)
}

// write sets the exported fields from the others.
func (f *Finding) write(c *Class) {
	f.Subject, f.history.ID = c.Name, c.Name
	if f.Method != "" {
		f.history.ID += "." + f.Method
	}
	f.Program, f.Methods, f.Outcome, f.Rank, f.History = f.program.String(), f.program.parallel(), f.outcome.String(), rank(f.program), encode(f.history)
	for _, e := range f.expected {
		f.Expected = append(f.Expected, ExpectedOutcome{e.Outcome.String(), e.Times})
	}
}

// encode returns the history in leadline's format.
func encode(h *history.History) string {
	var b bytes.Buffer
	if err := codec.Encode(&b, h); err != nil {
		return "# " + err.Error() + "\n"
	}
	return b.String()
}
