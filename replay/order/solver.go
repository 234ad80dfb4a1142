package order

import (
	"math"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A solver searches for values of variables that satisfy clauses. A clause is a disjunction
// of literals. The solver decides values, propagates what follows, and learns a clause from
// each conflict; it restarts from time to time. It always finds an answer unless its meter
// or maxBytes stop it.
type solver struct {
	trail
	clauses
	decisions
	analysis
	// theory, if set, is called for each literal that becomes true. It calls imply for
	// the literals that follow, and returns false after a conflict.
	theory func(l literal) bool

	unsatisfiable bool         // the clauses have no solution
	cause         replay.Cause // why it gave up
	maxBytes      int64
	meter         *meter.Meter
}

// restartAfter is the unit of the number of conflicts between restarts. With a quarter, one
// deque of BenchmarkRun takes 1.6 of the work. Four times change nothing in BenchmarkPrices.
const restartAfter = 64

// newVariable returns a variable. Variables that have been in no conflict are decided in
// the order of decreasing weight. The decision first tries the value phase.
func (s *solver) newVariable(phase bool, weight float32) variable {
	v := variable(len(s.level))
	s.watches = append(s.watches, nil, nil)
	s.value = append(s.value, 0, 0)
	s.level = append(s.level, 0)
	s.why = append(s.why, reason{clause: decided})
	s.seen = append(s.seen, false)
	s.addVariable(phase, weight)
	return v
}

// reserve makes room for n more variables, so that lists need not grow.
func (s *solver) reserve(n int) {
	s.watches = slices.Grow(s.watches, 2*n)
	s.value = slices.Grow(s.value, 2*n)
	s.level = slices.Grow(s.level, n)
	s.why = slices.Grow(s.why, n)
	s.seen = slices.Grow(s.seen, n)
	s.assigned = slices.Grow(s.assigned, n)
	s.activity = slices.Grow(s.activity, n)
	s.place = slices.Grow(s.place, n)
	s.phase = slices.Grow(s.phase, n)
	s.heap = slices.Grow(s.heap, n)
}

// solve reports whether it found a solution, which is in s.value. If not, the cause says
// why it gave up, or is NoCause if the clauses have no solution. A solution has no values of
// some variables that the clauses do not need. Any values are possible that the theory allows.
func (s *solver) solve() (bool, replay.Cause) {
	s.begin()
	limit := firstReduction
	for round := 1; ; round++ {
		if found, done := s.search((restartAfter + len(s.level)/1024) * luby(round)); done {
			return found, s.cause
		}
		s.backjump(0)
		if len(s.learnt) > limit {
			s.reduceLearnt()
			limit += limit / 8
		}
	}
}

// begin makes the variables important that are in a clause which is not yet true.
func (s *solver) begin() {
	s.step = 1
	for c := int32(0); int(c) < len(s.arena); c += headWords + s.arena[c] {
		list := s.literals(c)
		if slices.ContainsFunc(list, func(o int32) bool { return s.value[o] > 0 }) {
			continue
		}
		for _, o := range list {
			if v := literal(o).variable(); s.value[o] == 0 && s.place[v] == unimportant {
				s.insert(v)
			}
		}
	}
	s.meter.MustStop(len(s.arena) / 16)
}

// search is not done after a number of conflicts.
func (s *solver) search(conflicts int) (found, done bool) {
	for !s.unsatisfiable {
		consistent := s.propagate()
		switch {
		case !consistent && s.currentLevel() == 0:
			return false, true
		case s.gaveUp():
			return false, true
		case !consistent:
			s.learn()
			conflicts--
			continue
		}
		s.streak = 0
		if conflicts <= 0 {
			return false, false
		}
		l, ok := s.next()
		if !ok {
			return true, true
		}
		s.decide(l)
	}
	return false, true
}

// next returns the literal to decide, or false if all variables that matter have values.
func (s *solver) next() (literal, bool) {
	for {
		v := s.pop()
		switch {
		case v < 0:
			return 0, false
		case s.value[v.literal()] != 0:
		case s.phase[v]:
			return v.literal(), true
		default:
			return v.literal().not(), true
		}
	}
}

// gaveUp counts one unit of work, and reports whether the solver gave up; s.cause says why.
func (s *solver) gaveUp() bool {
	switch {
	case s.cause != replay.NoCause:
	case s.meter.MustStop(1):
		s.cause = replay.Time
	case s.bytes() > s.maxBytes || len(s.arena) > math.MaxInt32/2:
		s.cause = replay.Memory
	}
	return s.cause != replay.NoCause
}

// bytes estimates the memory of the solver.
func (s *solver) bytes() int64 {
	return int64(cap(s.arena))*4 + int64(len(s.arena))*4 + int64(len(s.level))*80
}
