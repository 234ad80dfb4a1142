package stress

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
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
	executor Executor
	programs []*Program // of the options
	targets  []*target
	report   *Report
	start    time.Time
	end      time.Time       // of what the search does now
	last     time.Time       // of all that it does
	given    int             // how many programs of the options are left
	guilty   [][]string      // the methods of each violation and crash: no later program calls all of them
	skipped  int             // programs that were not run
	why      error           // of the last of them
	waits    bool            // an invocation waited in a sequential run
	waiting  map[string]bool // methods with calls that may wait for ever
	shares   map[*Method]share
	spent    time.Duration   // by all methods
	drawn    map[uint64]bool // hashes of the programs
	hash     maphash.Seed

	newExecutor NewExecutor
}

// Search looks for violations in a class. It runs generated programs, one for
// each target method in turn, until a bound of the effort is reached or each method
// has been found not to be atomic. However small the effort, it runs one program,
// unless ctx is done. It is an error if none of the first 64 can be run.
// The checker confirms every violation.
func Search(ctx context.Context, c *Class, o Options) (*Report, error) {
	o.Effort = o.Effort.Or(DefaultEffort)
	if o.Failures {
		c = c.Failing()
	}
	s := &searcher{ctx: ctx, class: c, options: o, report: &Report{Subject: c.Name}, start: time.Now(),
		waiting: map[string]bool{}, shares: map[*Method]share{}, guilty: o.known, drawn: map[uint64]bool{}, hash: maphash.MakeSeed()}
	s.end = s.start.Add(cmp.Or(o.Effort.Time, math.MaxInt64))
	s.last = s.end.Add(o.Effort.Time/10 + late)
	if o.parallel == nil {
		s.options.parallel = func() {}
	}
	targets, err := s.prepare()
	if err != nil {
		return nil, err
	}
	s.targets = targets
	defer func() {
		for _, t := range targets {
			for _, from := range t.sources {
				from.stop()
			}
		}
	}()
	if s.newExecutor = o.Executor; s.newExecutor == nil {
		s.newExecutor = NewThreads
	}
	s.executor = s.newExecutor(c, &s.options, s.report)
	if err := s.search(); err != nil {
		return nil, err
	}
	if s.class.failing {
		s.report.Programs -= s.skipped
	} else if len(s.programs) == 0 && s.skipped > 0 && s.skipped == s.report.Programs && !s.report.Worn && ctx.Err() == nil {
		return nil, fmt.Errorf("no program within the bounds could be run, of %d that were tried: %w", s.skipped, s.why)
	}
	s.complete()
	return s.report, nil
}

// prepare checks the options and returns the targets.
func (s *searcher) prepare() ([]*target, error) {
	o := &s.options
	if o.Checker == nil && !o.Failures {
		return nil, errors.New("no checker is given")
	}
	for _, name := range o.Methods {
		if name != "" && s.class.Method(name) == nil {
			return nil, fmt.Errorf("%s has no method %s", s.class.Name, name)
		}
	}
	for _, m := range s.class.Methods {
		s.report.Account.Method(m.Name)
		if m.Weak && len(o.Programs) == 0 {
			s.report.Account.Omit(Omission{What: m.Name, Why: "weak", Remedy: "a level tests it, as in " + m.Name + "=monotonic"})
		}
	}
	for _, text := range o.Programs {
		p, err := Parse(text, s.class)
		if err != nil {
			return nil, err
		}
		s.programs = append(s.programs, p)
		for _, name := range p.Parallel() {
			s.report.Account.Method(name).Named = true
		}
	}
	if o.Outcomes && len(s.programs) == 0 {
		return nil, errors.New("outcomes are those of given programs")
	}
	if len(s.programs) > 0 {
		return []*target{newTarget("", slices.Values(s.programs))}, nil
	}
	return s.generated()
}

// goesOn reports whether the search may try another program.
func (s *searcher) goesOn() bool {
	return !s.report.Worn && s.report.OnlySchedules == "" && s.hasTime()
}

// leastTried is how many programs a search tries, however short its time, before it
// reports that none can be run.
const leastTried = 64

// hasTime reports whether the effort allows another program.
func (s *searcher) hasTime() bool {
	none := s.report.Programs == s.skipped // could be run
	return s.ctx.Err() == nil && (s.over() == "" || none && s.skipped < leastTried)
}

// used returns what the search has used.
func (s *searcher) used() Effort { return s.report.used(time.Since(s.start)) }

// over returns the bound that the search has reached, or "".
func (s *searcher) over() string { return s.options.Effort.Over(s.used()) }

// left returns how much time is left.
func (s *searcher) left() time.Duration { return time.Until(s.end) }

// bounded calls f with the end of the time set to d from now, or to the last.
func (s *searcher) bounded(d time.Duration, f func()) {
	end := s.end
	if s.end = time.Now().Add(d); s.end.After(s.last) {
		s.end = s.last
	}
	f()
	s.end = end
}

// A target is a method to blame, with the programs that call it.
type target struct {
	method    string
	sources   []*source // the first draws programs within the bounds, the others within wider ones
	sequences int       // how many of the sources, from the first on, differ by their sequences
	widens    bool      // wider bounds have their share
	tried     int
	generated int // 0: without end
	done      bool
	ended     bool // all programs were run
}

func newTarget(method string, programs iter.Seq[*Program]) *target {
	return &target{method: method, sources: []*source{newSource(programs)}, sequences: 1}
}

// mostDrawn bounds the draws for a random program that does not call all methods of a
// violation.
const mostDrawn = 1 << 16

// draw returns the next program of a target, and where it comes from.
func (s *searcher) draw(t *target) (*Program, *source) {
	from, repeated := s.from(t), 0
	slow := mostSlow
	if s.options.Exhaustive || s.hadShare(s.class.Method(t.method)) {
		slow = 0
	}
	for drawn := 0; s.options.Exhaustive || drawn < mostDrawn; drawn++ {
		p, ok := from.next()
		switch {
		case !ok:
			return nil, nil
		case s.isGuilty(p), s.mayWait(p), slices.Contains(s.options.misuses, p.String()):
		case s.class.unlocks(p):
			s.report.Account.omit(p.String(), false, "calls one after another unlock what is not locked")
		case drawn < slow && s.hadShare(s.slowest(p)):
		case !s.options.Exhaustive && drawn < mostSlow && s.avoids(t, p):
		case !s.options.Exhaustive && repeated < mostRepeats && s.repeats(t, p):
			repeated++
			from = t.sources[repeated%len(t.sources)]
		default:
			return p, from
		}
	}
	return nil, nil
}

// maxGenerated bounds how many enumerated programs are counted.
const maxGenerated = 1 << 22

// generated returns the targets with generated programs.
func (s *searcher) generated() ([]*target, error) {
	o := &s.options
	if o.Failures {
		if o.targets != nil {
			o.targets([]string{""})
		}
		return []*target{newTarget("", failingPrograms(s.class, o.Seed))}, nil
	}
	names := s.targetNames()
	uncounted := false
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
		t := newTarget(name, programs)
		for _, wider := range s.wider(g) {
			if more, err := Generate(s.class, wider); err == nil {
				if t.sources = append(t.sources, newSource(more)); wider.Bounds.Sequences != g.Bounds.Sequences {
					t.sequences++
				}
			}
		}
		if o.Exhaustive {
			for p := range programs {
				s.report.Account.Size(p).Of++
				if t.generated++; t.generated == maxGenerated {
					uncounted = true
					break
				}
			}
		}
		list = append(list, t)
	}
	if uncounted {
		for _, size := range s.report.Account.Sizes {
			size.Of = 0
		}
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

// try runs a program of a target at the levels after from up to level. It reports whether no
// higher level can show more.
func (s *searcher) try(t *target, p *Program, from, level int) (whole bool, err error) {
	method := t.method
	if len(s.programs) > 0 {
		method = s.blamed(p)
	}
	s.starting(method, p)
	if from == 0 {
		t.tried++
		s.report.Programs++
	}
	begin := time.Now()
	e, err := s.fit(p)
	if err != nil {
		return s.refused(p, err, time.Since(begin))
	}
	s.options.parallel()
	p = e.Program
	took := time.Since(begin)
	var trial *Trial
	for again := true; again; { // a program with a fault may have other violations
		begin = time.Now()
		try := s.attempt(from, level)
		try.Method, try.Slow = method, from == 0 || s.isSlow(s.slowest(p))
		crashes := len(s.report.Crashes)
		if trial, err = s.executor.Run(s.ctx, e, try); errors.As(err, new(*FatalError)) { // in an order that was tried late
			return s.refused(p, err, took+time.Since(begin))
		} else if err != nil {
			return false, err
		}
		took += time.Since(begin)
		f := trial.Finding
		if s.class.failing && (f != nil || len(s.report.Crashes) > crashes) { // another process confirms it, and may go on
			t.done, s.report.Worn = true, true
		}
		again = f != nil && f.Fault != "" && s.ctx.Err() == nil
		if f != nil {
			if f.Fault == "" {
				f.Method = method
			}
			f.Explored, f.Generated, f.Elapsed = t.tried, t.generated, time.Since(s.start)
			s.bounded(max(s.left(), reduceTime), func() { err = s.found(t, f) })
		}
		if err != nil {
			return false, err
		}
	}
	s.learn(e, trial, from == 0)
	s.charge(p, took)
	return trial.Whole, nil
}

// attempt returns how a program may run at the levels after from up to level. Given programs share
// what is left.
func (s *searcher) attempt(from, level int) *Try {
	n := max(s.given, 1)
	left := s.options.Effort.left(s.used(), n)
	left.Time = max(s.left()/time.Duration(n), leastRun)
	return &Try{From: from, Level: level, Left: left, Share: s.limit()}
}

// learn notes what a trial shows about the methods of its program; first says that it is the first
// one of the program.
func (s *searcher) learn(e *Expected, trial *Trial, first bool) {
	if first {
		s.report.Account.called(e)
	}
	if trial.Left {
		s.leave(trial.Waits...)
		return
	}
	if first {
		s.report.Account.ran(e.Program)
	}
	if !e.unsteady {
		s.report.Account.exercised(e, trial.Exercised, first)
	}
}

// fit returns what is expected of a program. A generated one loses the end of its initial or
// final part if that waits, and is an error if it always waits.
func (s *searcher) fit(p *Program) (*Expected, error) {
	for {
		e, err := s.executor.Expected(p)
		if err != nil {
			return nil, err
		}
		if at := e.failsAlone(); s.class.failing && at >= 0 && len(s.programs) == 0 {
			if p = p.without(at); len(p.Sequences) < 2 {
				return nil, errors.New("some calls of it fail sequentially, and without them nothing runs in parallel")
			}
			continue
		}
		s.waits = s.waits || e.Waited
		fitting := e.fitting()
		switch {
		case len(s.programs) > 0:
			if !e.Complete {
				s.report.Hopeless++
			}
			return e, nil
		case fitting != p:
			p = fitting
		case !e.Complete:
			s.report.Hopeless++
			s.report.Account.called(e)
			return nil, errors.New("no order in which every call returns; such programs are run only if they are given")
		default:
			return e, nil
		}
	}
}

// leave leaves a program to schedules, and so later ones that call a method which may wait for
// ever.
func (s *searcher) leave(methods ...string) {
	s.report.Left++
	for _, m := range methods {
		if !s.waiting[m] {
			s.waiting[m] = true
			s.report.MayWait = append(s.report.MayWait, m)
		}
	}
}

// mayWait reports whether the executor cannot run a program, as a method that it calls may wait
// for ever.
func (s *searcher) mayWait(p *Program) bool {
	return len(s.waiting) > 0 && slices.ContainsFunc(p.All(), func(inv Invocation) bool { return s.waiting[inv.Method.Name] })
}

func (s *searcher) starting(method string, p *Program) {
	if s.options.Starting != nil {
		s.options.Starting(method, p.String())
	}
	if s.options.started != nil {
		m := startingMessage{Method: method, Program: p.String(), Calls: p.Parallel(), Given: 1 + slices.Index(s.programs, p)}
		if m.Used = s.used(); s.report.Explored != nil {
			m.Judged = s.report.Explored.Judged
		}
		if n := s.report.Programs; n <= 64 || n%64 == 0 { // the process may end without a report
			m.Account = &s.report.Account
		}
		s.options.started(m)
	}
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
		case r.Account.Method(m.Name).note() == "":
			r.Atomic = append(r.Atomic, m.Name)
		}
	}
	if len(s.programs) == 0 && s.ctx.Err() == nil && slices.ContainsFunc(s.targets, func(t *target) bool { return !t.done && !t.ended }) {
		r.Ended = s.over()
	}
	if r.Recorded > 0 {
		r.Overlap = float64(r.overlapping) / float64(r.Recorded)
	}
	r.Elapsed = time.Since(s.start)
}

// encode returns the history in leadline's format.
func encode(h *history.History) string {
	var b bytes.Buffer
	if err := codec.Encode(&b, h); err != nil {
		return "# " + err.Error() + "\n"
	}
	return b.String()
}
