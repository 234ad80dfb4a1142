package stress

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// HuntOptions say what Hunt looks for, and how hard. The zero value is the
// default effort, Violat's bounds and all methods.
type HuntOptions struct {
	Effort Effort
	Bounds Bounds
	// Seed fixes the programs, not what the threads make of them.
	Seed uint64
	// Methods are the names of those to be blamed; nil: all that are neither
	// core nor weak, and the core methods together.
	Methods []string
	// Programs are run instead of generated ones.
	Programs []*Program
	// BySpec takes the outcomes to expect from the class's specification (see
	// NewExpectedOf) instead of the object itself.
	BySpec bool
	// Exhaustive hunts enumerate the programs within the bounds by rising
	// rank (see Enumerate) instead of drawing them.
	Exhaustive bool
	// Reduce makes found programs smaller.
	Reduce bool
	// Keep is how many recorded executions of each program, in which
	// invocations overlapped, History is told of, with how often each was seen.
	Keep    int
	History func(p *Program, h *history.History, times int64)
	// Hunting is told of the methods that are hunted, "" for the core methods
	// or for all together; Starting of each program before it is run; Found of
	// each violation.
	Hunting  func(methods []string)
	Starting func(method string, p *Program)
	Found    func(*Finding)
}

// A Finding is a program that did what no order of its invocations explains.
type Finding struct {
	// Method is to blame, since all others are core; "" if none is alone.
	Method   string
	Program  *Program
	Outcome  Outcome
	Expected []Count
	// Times in so many Executions of the program had unexpected outcomes.
	Times, Executions int64
	// Explored is how many programs with the method were run until then, out
	// of Generated ones; that is 0 if they are drawn, without end.
	Explored, Generated int
	Elapsed             time.Duration // since the hunt began
	// History is an execution with the outcome, as recorded, or, where no
	// recorded one had it, one of which only the order within sequences is
	// known. The checker has found it not linearizable.
	History  *history.History
	Recorded bool
	// RealTime violations have an outcome that some order explains, but not
	// one that respects which invocation ended before which began.
	RealTime bool
}

// A Report is what Hunt found out about a class.
type Report struct {
	Class     string
	Core      []string
	Atomic    []string // seemingly: no violation was seen
	NonAtomic []string
	Weak      []string   // documented not to be atomic, and left out
	Findings  []*Finding `json:"-"` // Serve has told them
	LeftOut   []LeftOut  // exported methods that the class does not have
	// Unsteady programs answer differently from one sequential run to the
	// next; Crashes ended the process, or never ended.
	Unsteady   []string
	Crashes    []Crash
	Programs   int
	Executions int64
	Recorded   int64
	Overlap    float64 // share of recorded executions that overlapped
	Elapsed    time.Duration
}

// A Crash is a program that ended the process of its runner, or hung it; see
// Supervise.
type Crash struct {
	Method  string
	Program string
	What    string // the first line of the runtime's message, or "hangs"
}

// A hunter hunts in one class.
type hunter struct {
	ctx     context.Context
	class   *Class
	options HuntOptions
	report  *Report
	start   time.Time
	overlap int64
}

// A quarry is a method to be blamed, with the programs that call it.
type quarry struct {
	method    string
	next      func() *Program // nil when there are no more
	stop      func()          // of next
	explored  int
	generated int
	caught    bool
}

// Hunt looks for violations in a class: it runs generated programs, those of
// one method after those of another, until the effort's time is over or each
// method has been found not to be atomic. Every violation was confirmed by
// the checker.
func Hunt(ctx context.Context, c *Class, o HuntOptions) (*Report, error) {
	if o.Effort == (Effort{}) {
		o.Effort, _ = EffortCalled("default")
	}
	h := &hunter{ctx: ctx, class: c, options: o, report: &Report{Class: c.Name}, start: time.Now()}
	if o.BySpec && c.Spec == nil {
		return nil, fmt.Errorf("%s has no specification", c.Name)
	}
	quarries, err := h.quarries()
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, q := range quarries {
			q.stop()
		}
	}()
	for round := 0; h.goesOn(quarries); round++ {
		q := quarries[round%len(quarries)]
		if q.caught {
			continue
		}
		p := q.next()
		if p == nil {
			q.caught = true // nothing left to run
			continue
		}
		if err := h.try(q, p); err != nil {
			return nil, err
		}
	}
	h.complete(quarries)
	return h.report, nil
}

func (h *hunter) goesOn(quarries []*quarry) bool {
	return h.ctx.Err() == nil && (len(h.options.Programs) > 0 || time.Since(h.start) < h.options.Effort.Time) &&
		slices.ContainsFunc(quarries, func(q *quarry) bool { return !q.caught })
}

// quarries returns what is to be hunted.
func (h *hunter) quarries() ([]*quarry, error) {
	if programs := h.options.Programs; len(programs) > 0 {
		return []*quarry{{stop: func() {}, next: func() *Program {
			if len(programs) == 0 {
				return nil
			}
			p := programs[0]
			programs = programs[1:]
			return p
		}}}, nil
	}
	var names []string
	core := false
	for _, m := range h.class.Methods {
		core = core || m.Core
		if !m.Core && !m.Weak {
			names = append(names, m.Name)
		}
	}
	if core || len(names) == 0 {
		names = append(names, "") // the core methods among themselves
	} else {
		names = []string{""}
	}
	if h.options.Methods != nil {
		names = h.options.Methods
	}
	for _, name := range names {
		if name != "" && h.class.Method(name) == nil {
			return nil, fmt.Errorf("%s has no method %s", h.class.Name, name)
		}
	}
	var list []*quarry
	if h.options.Exhaustive {
		return h.enumerations(names)
	}
	for i, name := range names {
		g, err := NewGenerator(h.class, GeneratorOptions{Bounds: h.options.Bounds, Target: h.class.Method(name), CoreOnly: core && name == "", Seed: h.options.Seed + uint64(i)<<32})
		if err != nil {
			if name == "" && len(names) > 1 {
				continue // core methods that only look cannot be wrong
			}
			return nil, err
		}
		list = append(list, &quarry{method: name, next: g.Next, stop: func() {}})
	}
	if h.options.Hunting != nil {
		h.options.Hunting(names)
	}
	if len(list) == 0 {
		return nil, errors.New("no programs can be generated for " + h.class.Name)
	}
	return list, nil
}

func (h *hunter) expected(p *Program) (*Expected, error) {
	if h.options.BySpec {
		return NewExpectedOf(h.class.Spec, h.class, p)
	}
	return NewExpected(h.class, p)
}

// maxGenerated is up to how many enumerated programs are counted.
const maxGenerated = 1 << 22

// enumerations returns quarries of which all programs are run.
func (h *hunter) enumerations(names []string) ([]*quarry, error) {
	if err := h.options.Bounds.Validate(); err != nil {
		return nil, err
	}
	var list []*quarry
	for _, name := range names {
		all := Enumerate(h.class, h.class.Method(name), h.options.Bounds)
		q := &quarry{method: name}
		for range all {
			if q.generated++; q.generated == maxGenerated {
				break
			}
		}
		next, stop := iter.Pull(all)
		q.next, q.stop = func() *Program { p, _ := next(); return p }, stop
		list = append(list, q)
	}
	if h.options.Hunting != nil {
		h.options.Hunting(names)
	}
	return list, nil
}

// try runs a program once.
func (h *hunter) try(q *quarry, p *Program) error {
	h.starting(q.method, p)
	q.explored++
	h.report.Programs++
	expected, err := h.expected(p)
	if err != nil {
		return nil // too many shuffles; the next program may have fewer
	}
	run := RunProgram(h.ctx, h.class, p, RunOptions{Time: h.options.Effort.Program, Seed: h.options.Seed + uint64(h.report.Programs), Stop: expected})
	h.report.Executions += run.Executions
	h.report.Recorded += run.Recorded
	h.overlap += run.Overlapping
	if err := h.keep(p, run); err != nil {
		return err
	}
	f := h.judge(p, run, expected)
	if f == nil {
		return nil
	}
	f.Method, f.Explored, f.Generated, f.Elapsed = q.method, q.explored, q.generated, time.Since(h.start)
	if err := h.confirm(f); err != nil {
		return err
	}
	if h.options.Reduce {
		h.reduce(f)
	}
	f.History.ID = h.class.Name
	if f.Method != "" {
		f.History.ID += "." + f.Method
	}
	q.caught = len(h.options.Programs) == 0
	h.report.Findings = append(h.report.Findings, f)
	if h.options.Found != nil {
		h.options.Found(f)
	}
	return nil
}

func (h *hunter) starting(method string, p *Program) {
	if h.options.Starting != nil {
		h.options.Starting(method, p)
	}
}

// keep tells of recorded executions.
func (h *hunter) keep(p *Program, run *Run) error {
	kept := 0
	for i := range run.Histories {
		r := &run.Histories[i]
		if kept == h.options.Keep || !r.overlaps() {
			continue
		}
		recorded, err := r.History(h.class, p)
		if err != nil {
			return fmt.Errorf("recorded execution of %v: %w", p, err)
		}
		recorded.ID = fmt.Sprintf("%s/%d-%d", h.class.Name, h.report.Programs, i)
		h.options.History(p, recorded, r.Times)
		kept++
	}
	return nil
}

// sampled is how many recorded executions of a run the checker is asked
// about.
const sampled = 24

// judge returns a violation that was seen, if there is one. Before it
// believes one it runs the sequential program more often, as some objects
// answer differently from time to time.
func (h *hunter) judge(p *Program, run *Run, expected *Expected) *Finding {
	f := &Finding{Program: p, Executions: run.Executions}
	for pass := 0; pass < 2; pass++ {
		f.Times, f.Outcome = 0, nil
		most := int64(0)
		for _, c := range run.Outcomes {
			if expected.Contains(c.Outcome) {
				continue
			}
			f.Times += c.Times
			if c.Times > most {
				most, f.Outcome = c.Times, c.Outcome
			}
		}
		if f.Times == 0 {
			break
		}
		if pass == 0 && h.moreExpected(p, expected) {
			h.report.Unsteady = append(h.report.Unsteady, p.String())
		}
	}
	if f.Times > 0 {
		f.Expected = expected.Outcomes()
		return f
	}
	for i := range run.Histories {
		if i >= sampled {
			break
		}
		r := &run.Histories[i]
		recorded, v, err := r.check(h.ctx, h.class, p)
		if err == nil && v.Answer == replay.NotLinearizable && !h.moreExpected(p, expected) {
			f.Times, f.Outcome, f.Executions = r.Times, r.Outcome, run.Recorded
			f.History, f.Recorded, f.RealTime, f.Expected = recorded, true, true, expected.Outcomes()
			return f
		}
	}
	return nil
}

// steady is how often a program is run sequentially, each shuffle, before an
// outcome is believed to be unexpected.
const steady = 50

// moreExpected runs the sequential program again and reports whether it had
// outcomes that were not expected before.
func (h *hunter) moreExpected(p *Program, expected *Expected) bool {
	if h.options.BySpec {
		return false
	}
	before := expected.set.n
	for range steady {
		s := newShuffler(h.class, p, &expected.set)
		s.next()
	}
	return expected.set.n > before
}

// confirm asks the checker, and looks for a recorded execution with the
// outcome.
func (h *hunter) confirm(f *Finding) error {
	if f.RealTime {
		return nil // the checker has said so
	}
	loose, v, err := confirm(h.ctx, h.class, f.Program, f.Outcome)
	switch {
	case err != nil:
		return fmt.Errorf("confirming %v with outcome %v: %w", f.Program, f.Outcome, err)
	case v.Answer != replay.NotLinearizable:
		return fmt.Errorf("internal error: outcome %v of %v is not among those of its shuffles, but the checker says %v", f.Outcome, f.Program, v.Answer)
	}
	f.History = loose
	h.measure(f)
	run := RunProgram(h.ctx, h.class, f.Program, RunOptions{Time: recordFor(f), Recorded: 64, Seed: h.options.Seed + 1})
	for i := range run.Histories {
		r := &run.Histories[i]
		if !r.Outcome.equal(f.Outcome) {
			continue
		}
		if recorded, v, err := r.check(h.ctx, h.class, f.Program); err == nil && v.Answer == replay.NotLinearizable {
			f.History, f.Recorded = recorded, true
			return nil
		}
	}
	return nil
}

// measure runs the program of a finding once more, to its time's end, so that
// it is known how often it goes wrong: the run that found it has stopped at
// once.
func (h *hunter) measure(f *Finding) {
	run := RunProgram(h.ctx, h.class, f.Program, RunOptions{Time: max(h.options.Effort.Program, 100*time.Millisecond), Recorded: -1, Seed: h.options.Seed + 3})
	f.Executions += run.Executions
	for _, c := range run.Outcomes {
		if !slices.ContainsFunc(f.Expected, func(e Count) bool { return e.Outcome.equal(c.Outcome) }) {
			f.Times += c.Times
		}
	}
}

// recordFor is how long a recorded execution is looked for: several times as
// long as the outcome should take to come again, but not more than a second.
func recordFor(f *Finding) time.Duration {
	expected := time.Duration(float64(f.Executions) / float64(f.Times) * 10 * float64(time.Microsecond))
	return min(max(expected, 20*time.Millisecond), time.Second)
}

// complete fills in what is known of each method.
func (h *hunter) complete(quarries []*quarry) {
	r := h.report
	for _, m := range h.class.Methods {
		switch guilty := slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Method == m.Name }); {
		case guilty:
			r.NonAtomic = append(r.NonAtomic, m.Name)
		case m.Core:
			r.Core = append(r.Core, m.Name)
		case m.Weak:
			r.Weak = append(r.Weak, m.Name)
		case slices.ContainsFunc(quarries, func(q *quarry) bool { return q.method == m.Name || q.method == "" }):
			r.Atomic = append(r.Atomic, m.Name)
		}
	}
	if r.Recorded > 0 {
		r.Overlap = float64(h.overlap) / float64(r.Recorded)
	}
	r.Elapsed = time.Since(h.start)
}
