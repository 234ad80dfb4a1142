package stress

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// Expected is what a program can do if its invocations take effect one after another:
// its outcomes, and whether invocations wait. An Executor finds it.
type Expected struct {
	Class   *Class
	Program *Program
	// Complete says that in some order all invocations return, and Waited that in some
	// order an invocation waits for one of another sequence.
	Complete, Waited bool
	// Together says that calls that wait for one another take effect together.
	Together bool
	// Runs has the sequential runs.
	Runs SequentialRuns

	set     tally
	all     []Invocation // of the program
	visible *visible
	// initial and final count the invocations of these parts that return in all orders
	// before one waits.
	initial, final int
	tree           history.Value // of the runs, for headers of histories; see header
	unsteady       bool          // see threads.Prove
	whole          bool          // see runAll
}

// A SequentialRun is an order of the invocations of a program, as numbers of Program.All, with
// its outcome. The last of them, counted by Waiting, wait forever.
type SequentialRun struct {
	Order   []int
	Outcome Outcome
	Waiting int
}

// SequentialRuns are the runs of a program one invocation after another.
type SequentialRuns interface {
	// All returns the runs in a fixed order. Those that were made are returned with an error
	// if some could not be made.
	All() ([]SequentialRun, error)
	// After calls invocations, which are numbers of Program.All, one after another on a new
	// object. It returns the results that the last one can have: none if one of them waits. It
	// is an error if some may be missing.
	After(invocations []int) ([]history.Value, error)
}

// ExpectedOf returns what is expected of a program that has the given runs. Add adds their
// outcomes.
func ExpectedOf(c *Class, p *Program, runs SequentialRuns) *Expected {
	return &Expected{Class: c, Program: p, Runs: runs, initial: len(p.Initial), final: len(p.Final), all: p.All(), visible: newVisible(p, "", 0)}
}

// NewExpected finds the outcomes of a program as Violat does ("Generating Tests of
// Observational Refinement for Concurrent Objects", section 4): it runs each shuffle of the
// sequences that respects their order on a fresh object of the class, one invocation after
// another. For k sequences of m invocations that takes (km)!/(m!)^k runs; more than 131072
// are an error, and so are more than 1000 invocations, or 8388608 of all runs together.
// Weak mutators may also fail in any run. It is a *WaitsError if an invocation does not
// return: whether it waits for others or for ever, only schedules can tell.
//
// Methods with a level below complete may miss others, as package visibility defines. What
// happened before is what the program puts in order. The object itself returns what such a
// method can return: it is called on a new object after the calls that it sees. More than 8192 different
// lists of such calls are an error, and so are more than 1048576 sets of them, in all orders.
//
// Unlike linearizability, it does not know which invocation of one sequence ended before
// which of another began, and so allows more outcomes.
func NewExpected(c *Class, p *Program) (*Expected, error) {
	e := ExpectedOf(c, p, threadRuns{c, p})
	e.Complete = true
	if !e.IsRelaxed() {
		if err := sequentially(c, p, func(_ []int, o Outcome) bool { e.set.add(o, 1); return true }); err != nil {
			return nil, err
		}
		return e, nil
	}
	runs, err := e.Runs.All()
	for i := range runs {
		e.Add(&runs[i])
	}
	if err = cmp.Or(err, e.Failure()); err != nil {
		return nil, err
	}
	return e, nil
}

// Contains reports whether the program can have the outcome.
func (e *Expected) Contains(o Outcome) bool {
	return e.set.has(o) || e.Class.failing && e.failsLike(o)
}

// Outcomes returns them in a fixed order, with the number of shuffles that lead to each.
func (e *Expected) Outcomes() []Count { return e.set.counts() }

// Add adds a run.
func (e *Expected) Add(r *SequentialRun) {
	e.set.add(r.Outcome, 1)
	e.tree = history.Value{}
	if e.IsRelaxed() {
		e.addRelaxed(r)
	}
	returned := len(r.Order) - r.Waiting
	switch final := e.Program.Len() - len(e.Program.Final); {
	case r.Waiting == 0:
		e.Complete = true
	case returned < len(e.Program.Initial):
		e.initial = min(e.initial, returned)
	case returned >= final:
		e.final = min(e.final, returned-final)
	}
}

// fitting returns the program, or one without the end of its initial or final part if that
// waits.
func (e *Expected) fitting() *Program {
	p := e.Program
	if e.initial == len(p.Initial) && e.final == len(p.Final) {
		return p
	}
	p = p.clone()
	p.Initial, p.Final = p.Initial[:e.initial], p.Final[:e.final]
	return p
}

// threadRuns makes the runs of a program outside of the scheduler.
type threadRuns struct {
	class   *Class
	program *Program
}

// All implements SequentialRuns.
func (t threadRuns) All() ([]SequentialRun, error) {
	var all []SequentialRun
	err := sequentially(t.class, t.program, func(order []int, o Outcome) bool {
		all = append(all, SequentialRun{Order: slices.Clone(order), Outcome: slices.Clone(o)})
		return true
	})
	return all, err
}

// After implements SequentialRuns.
func (t threadRuns) After(invocations []int) ([]history.Value, error) {
	all := t.program.All()
	var list []prepared
	for _, i := range invocations {
		list = append(list, all[i].prepare())
	}
	results, err := t.class.sequential(list, waitLimit)
	if err != nil {
		return nil, err
	}
	return results[len(results)-1:], nil
}

// sequentially runs the program in each order on a fresh object, until yield returns false.
// The slices belong to sequentially.
func sequentially(c *Class, p *Program, yield func(order []int, o Outcome) bool) error {
	s := NewSequencer(p)
	if err := s.TooLarge(); err != nil {
		return err
	}
	calls := p.prepared()
	outcome := make(Outcome, len(calls))
	return c.inTurn(waitLimit, func(t *turn) {
		explore.Enumerate(func(choose func(int) int) bool {
			object := t.object(c)
			s.Restart()
			for list := s.Enabled(); len(list) > 0; list = s.Enabled() {
				i := list[choose(len(list))]
				s.Take(i)
				if m := calls[i].method; m.MayFail() && choose(2) == 1 {
					outcome[i] = m.Failure
				} else {
					outcome[i] = t.call(&calls[i], object)
				}
			}
			c.Release(object)
			return yield(s.Order, outcome)
		})
	})
}

// MayFail reports whether a call of the method may fail spuriously.
func (m *Method) MayFail() bool { return m.Weak && !m.ReadOnly }

// A prepared invocation is ready to be made on any object.
type prepared struct {
	call   Call
	method *Method
}

// prepared returns the prepared invocations of a program.
func (p *Program) prepared() []prepared {
	all := p.All()
	list, held := make([]prepared, len(all)), p.held()
	for i, inv := range all {
		list[i] = inv.prepare()
		if len(held) > 0 {
			list[i].call = inv.Method.holding(inv.Args, i, held, all)
		}
	}
	return list
}

// Calls returns the calls of the program, in the order of Program.All.
func (p *Program) Calls() []Call {
	var calls []Call
	for _, s := range p.prepared() {
		calls = append(calls, s.run)
	}
	return calls
}

func (inv Invocation) prepare() prepared { return prepared{inv.Method.Prepare(inv.Args), inv.Method} }

// Prepare returns a call of the invocation. A panic is an exception, and the
// result of a weak read-only method is unknown.
func (inv Invocation) Prepare() Call {
	s := inv.prepare()
	return s.run
}

// run calls the method; see Invocation.Prepare.
func (s *prepared) run(object any) (v history.Value) {
	defer func() {
		if p := recover(); p != nil {
			if schedule.Aborted(p) {
				panic(p)
			}
			v = history.ExceptionValue(fmt.Sprintf("panic: %v", p))
		}
	}()
	v = s.call(object)
	if s.method.Weak && s.method.ReadOnly {
		v = history.UnknownValue
	}
	return v
}
