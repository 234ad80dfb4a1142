package stress

import (
	"context"
	"fmt"
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
	Atomic    []string // seemingly: they were called, and no violation was seen
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
	called  map[*Method]bool // by some program that answers steadily
}

// Hunt looks for violations in a class: it runs generated programs, those of
// one method after those of another, until the effort's time is over or each
// method has been found not to be atomic. Every violation was confirmed by
// the checker.
func Hunt(ctx context.Context, c *Class, o HuntOptions) (*Report, error) {
	if o.Effort == (Effort{}) {
		o.Effort, _ = EffortCalled("default")
	}
	h := &hunter{ctx: ctx, class: c, options: o, report: &Report{Class: c.Name}, start: time.Now(), called: map[*Method]bool{}}
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
	h.complete()
	return h.report, nil
}

func (h *hunter) goesOn(quarries []*quarry) bool {
	return h.ctx.Err() == nil && (len(h.options.Programs) > 0 || time.Since(h.start) < h.options.Effort.Time) &&
		slices.ContainsFunc(quarries, func(q *quarry) bool { return !q.caught })
}

// try runs a program once.
func (h *hunter) try(q *quarry, p *Program) error {
	method := q.method
	if len(h.options.Programs) > 0 {
		method = h.suspect(p)
	}
	h.starting(method, p)
	q.explored++
	h.report.Programs++
	expected, err := h.expected(p)
	if err != nil {
		return nil // too many shuffles; the next program may have fewer
	}
	run := h.run(p, RunOptions{Time: h.options.Effort.Program, Seed: h.options.Seed + uint64(h.report.Programs), Stop: expected})
	f := h.judge(p, run, expected)
	if err := h.keep(p, run); err != nil {
		return err
	}
	for _, inv := range p.All() {
		h.called[inv.Method] = h.called[inv.Method] || !p.unsteady
	}
	if f == nil {
		return nil
	}
	f.Method, f.Explored, f.Generated, f.Elapsed = method, q.explored, q.generated, time.Since(h.start)
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

// run runs a program and counts its executions.
func (h *hunter) run(p *Program, o RunOptions) *Run {
	run := RunProgram(h.ctx, h.class, p, o)
	h.report.Executions += run.Executions
	h.report.Recorded += run.Recorded
	h.overlap += run.Overlapping
	return run
}

func (h *hunter) starting(method string, p *Program) {
	if h.options.Starting != nil {
		h.options.Starting(method, p)
	}
}

// keep tells of recorded executions, unless the sequential runs that come with
// them are not all there are.
func (h *hunter) keep(p *Program, run *Run) error {
	kept := 0
	for i := range run.Histories {
		r := &run.Histories[i]
		if kept == h.options.Keep || p.unsteady {
			return nil
		}
		if !r.overlaps() {
			continue
		}
		recorded, v, err := r.check(h.ctx, h.class, p)
		if err != nil {
			return err
		}
		if v.Answer == replay.NotLinearizable && !h.believes(p, run.Recorded/r.Times) {
			return nil
		}
		recorded.ID = fmt.Sprintf("%s/%d-%d", h.class.Name, h.report.Programs, i)
		h.options.History(p, recorded, r.Times)
		kept++
	}
	return nil
}

// complete fills in what is known of each method that was called.
func (h *hunter) complete() {
	r := h.report
	together := !h.hasCore() && slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Method == "" })
	for _, m := range h.class.Methods {
		switch guilty := slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Method == m.Name }); {
		case guilty:
			r.NonAtomic = append(r.NonAtomic, m.Name)
		case m.Core:
			r.Core = append(r.Core, m.Name)
		case m.Weak:
			r.Weak = append(r.Weak, m.Name)
		case h.called[m] && !together: // else it may have been any of them
			r.Atomic = append(r.Atomic, m.Name)
		}
	}
	if r.Recorded > 0 {
		r.Overlap = float64(h.overlap) / float64(r.Recorded)
	}
	r.Elapsed = time.Since(h.start)
}
