package stress

import (
	"fmt"

	"github.com/leadline/leadline/history"
)

// Expected are the outcomes that a program can have if its invocations take
// effect one after another.
type Expected struct {
	set tally
}

// maxShuffles bounds the orders of a program's invocations.
const maxShuffles = 1 << 17

// NewExpected finds the outcomes of a program as Violat does ("Generating
// Tests of Observational Refinement for Concurrent Objects", section 4): it
// runs each shuffle of the sequences that respects their order on a fresh
// object of the class, one invocation after another. For k sequences of m
// invocations that takes (km)!/(m!)^k runs; more than 131072 are an error. Of
// a program with weak mutators each may besides fail in any run.
//
// Unlike linearizability it does not know which invocation of one sequence
// ended before which of another began, so that it forgives more.
func NewExpected(c *Class, p *Program) (*Expected, error) {
	e := &Expected{}
	s := newShuffler(c, p, &e.set)
	if err := s.count(); err != nil {
		return nil, err
	}
	s.next()
	return e, nil
}

// Contains reports whether the program can have the outcome.
func (e *Expected) Contains(o Outcome) bool { return e.set.has(o) }

// Outcomes returns them in a fixed order, with the number of shuffles that
// lead to each.
func (e *Expected) Outcomes() []Count { return e.set.counts() }

// A shuffler runs the shuffles of a program.
type shuffler struct {
	class   *Class
	program *Program
	calls   []step
	begin   []int // sequence -> its first invocation among calls
	at      []int // sequence -> how many invocations of it are in order
	before  [][]int
	order   []int // invocations so far, in order
	failed  []bool
	seen    *tally
	runs    int
	limit   int
	ran     func(order []int, outcome Outcome) // told of each run, if it is there
}

// A step is an invocation made ready to be run.
type step struct {
	call   Call
	method *Method
}

func newShuffler(c *Class, p *Program, seen *tally) *shuffler {
	s := &shuffler{class: c, program: p, calls: steps(p), before: make([][]int, len(p.Sequences)), at: make([]int, len(p.Sequences)), seen: seen}
	from := len(p.Initial)
	for i := range p.Initial {
		s.order = append(s.order, i)
	}
	for _, sequence := range p.Sequences {
		s.begin = append(s.begin, from)
		from += len(sequence)
	}
	for _, o := range p.Order {
		s.before[o[1]] = append(s.before[o[1]], o[0])
	}
	s.failed = make([]bool, len(s.calls))
	return s
}

func steps(p *Program) []step {
	all := p.All()
	list := make([]step, len(all))
	for i, inv := range all {
		list[i] = step{inv.Method.Prepare(inv.Args), inv.Method}
	}
	return list
}

// count reports an error if there are too many shuffles.
func (s *shuffler) count() error {
	s.limit = maxShuffles
	if s.tooMany(1) {
		return fmt.Errorf("the program has more than %d shuffles", maxShuffles)
	}
	s.runs, s.limit = 0, 0
	return nil
}

// tooMany counts shuffles without running them, 2^w times for w weak mutators.
func (s *shuffler) tooMany(times int) bool {
	open := false
	for i, sequence := range s.program.Sequences {
		if s.at[i] == len(sequence) || !s.ready(i) {
			continue
		}
		open = true
		more := times
		if m := sequence[s.at[i]].Method; m.Weak && !m.ReadOnly {
			more *= 2
		}
		s.at[i]++
		over := s.tooMany(more)
		s.at[i]--
		if over {
			return true
		}
	}
	if !open {
		s.runs += times
	}
	return s.runs > s.limit
}

// ready reports whether the sequences before sequence i have ended.
func (s *shuffler) ready(i int) bool {
	for _, b := range s.before[i] {
		if s.at[b] < len(s.program.Sequences[b]) {
			return false
		}
	}
	return true
}

// next goes through all ways to continue the order.
func (s *shuffler) next() {
	open := false
	for i, sequence := range s.program.Sequences {
		if s.at[i] == len(sequence) || !s.ready(i) {
			continue
		}
		open = true
		s.order = append(s.order, s.begin[i]+s.at[i])
		s.at[i]++
		s.next()
		s.at[i]--
		s.order = s.order[:len(s.order)-1]
	}
	if open {
		return
	}
	n := len(s.order)
	for i := len(s.calls) - len(s.program.Final); i < len(s.calls); i++ {
		s.order = append(s.order, i)
	}
	s.fail(0)
	s.order = s.order[:n]
}

// fail runs the order with each choice of weak mutators that fail.
func (s *shuffler) fail(from int) {
	for i := from; i < len(s.order); i++ {
		if m := s.calls[s.order[i]].method; m.Weak && !m.ReadOnly {
			s.failed[s.order[i]] = true
			s.fail(i + 1)
			s.failed[s.order[i]] = false
		}
	}
	s.run()
}

func (s *shuffler) run() {
	object := s.class.New()
	defer s.class.close(object)
	outcome := make(Outcome, len(s.calls))
	for _, i := range s.order {
		if s.failed[i] {
			outcome[i] = s.calls[i].method.Failure
			continue
		}
		outcome[i] = s.calls[i].run(object)
	}
	s.seen.add(outcome, 1)
	if s.ran != nil {
		s.ran(s.order, outcome)
	}
}

// run calls the method. A panic is an answer, too; a weak observation is none.
func (s *step) run(object any) (v history.Value) {
	defer func() {
		if p := recover(); p != nil {
			v = history.ExceptionValue(fmt.Sprintf("panic: %v", p))
		}
	}()
	v = s.call(object)
	if s.method.Weak && s.method.ReadOnly {
		v = history.UnknownValue
	}
	return v
}
