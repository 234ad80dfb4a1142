package stress

import (
	"errors"
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// Expected are the outcomes that a program can have if its invocations take effect one
// after another.
type Expected struct {
	set     tally
	class   *Class // whose objects were run
	program *Program
	// initial and final count the invocations of these parts that return in all orders
	// before one waits.
	initial, final int
	complete       bool // in some order all invocations return
	waits          bool // in some order an invocation waits forever
	waited         bool // in some order an invocation waits, but not forever
}

// NewExpected finds the outcomes of a program as Violat does ("Generating Tests of
// Observational Refinement for Concurrent Objects", section 4): it runs each shuffle of the
// sequences that respects their order on a fresh object of the class, one invocation after
// another. For k sequences of m invocations that takes (km)!/(m!)^k runs; more than 131072
// are an error, and so are more than 1000 invocations, or 8388608 of all runs together.
// Weak mutators may also fail in any run. It is a *WaitsError if an invocation does not
// return: whether it waits for others or for ever, only schedules can tell.
//
// Unlike linearizability, it does not know which invocation of one sequence ended before
// which of another began, and so allows more outcomes.
func NewExpected(c *Class, p *Program) (*Expected, error) {
	e := &Expected{class: c, program: p, initial: len(p.Initial), final: len(p.Final), complete: true}
	err := sequentially(c, p, func(_ []int, o Outcome) bool { e.set.add(o, 1); return true })
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Contains reports whether the program can have the outcome.
func (e *Expected) Contains(o Outcome) bool { return e.set.has(o) }

// Outcomes returns them in a fixed order, with the number of shuffles that lead to each.
func (e *Expected) Outcomes() []Count { return e.set.counts() }

// note records a run by its numbers of invocations that return and that then wait forever.
func (e *Expected) note(returned, waiting int) {
	e.waits = e.waits || waiting > 0
	switch final := e.program.Len() - len(e.program.Final); {
	case waiting == 0:
		e.complete = true
	case returned < len(e.program.Initial):
		e.initial = min(e.initial, returned)
	case returned >= final:
		e.final = min(e.final, returned-final)
	}
}

// errSpins is the error for a program with a sequential run that does not end.
var errSpins = errors.New("an invocation of a sequential run neither returns nor waits")

// sequentially runs the program in each order on a fresh object, until yield returns false.
// The slices belong to sequentially.
func sequentially(c *Class, p *Program, yield func(order []int, o Outcome) bool) error {
	s := newSequencer(p)
	if err := s.tooLarge(); err != nil {
		return err
	}
	var choices choices
	outcome := make(Outcome, len(s.calls))
	return c.inTurn(waitLimit, func(t *turn) {
		for more := true; more; {
			object := t.object(c)
			s.restart()
			for list := s.candidates(); len(list) > 0; list = s.candidates() {
				i := list[choices.next(len(list))]
				s.take(i)
				if m := s.calls[i].method; m.isFailing() && choices.next(2) == 1 {
					outcome[i] = m.Failure
				} else {
					outcome[i] = t.call(&s.calls[i], object)
				}
			}
			c.close(object)
			more = yield(s.order, outcome) && choices.again()
		}
	})
}

// isFailing reports whether a call of the method may fail spuriously.
func (m *Method) isFailing() bool { return m.Weak && !m.ReadOnly }

// choices are those of one run after another: each sequence of choices comes once, in
// lexicographic order.
type choices struct {
	picks, limits []int
	at            int
}

// next returns a choice from 0 to n-1. With the same choices before it, n has to be the same.
func (c *choices) next(n int) int {
	if c.at == len(c.picks) {
		c.picks, c.limits = append(c.picks, 0), append(c.limits, n)
	}
	c.at++
	return c.picks[c.at-1]
}

// again begins the next run. It returns false if there is none.
func (c *choices) again() bool {
	c.at = 0
	n := len(c.picks)
	for n > 0 && c.picks[n-1]+1 == c.limits[n-1] {
		n--
	}
	if c.picks, c.limits = c.picks[:n], c.limits[:n]; n == 0 {
		return false
	}
	c.picks[n-1]++
	return true
}

// Prepare returns a call of the invocation. A panic is an exception, and the
// result of a weak read-only method is unknown.
func (inv Invocation) Prepare() Call {
	s := inv.prepare()
	return s.run
}

// run calls the method; see Invocation.Prepare.
func (s *step) run(object any) (v history.Value) {
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
