package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLearnt: each learnt clause follows from the clauses, and all but its first literal
// are false after the backjump.
func TestLearnt(t *testing.T) {
	const variables = 10
	r := rand.New(rand.NewPCG(1, 8))
	learnt := 0
	for range 300 {
		s := newTestSolver(variables, 0)
		var clauses [][]literal
		for range 40 {
			clause := []literal{literal(r.IntN(2 * variables)), literal(r.IntN(2 * variables)), literal(r.IntN(2 * variables))}
			clauses = append(clauses, clause)
			s.add(clause...)
		}
		solveSteps(s, func(clause []literal) {
			learnt++
			for i, l := range clause {
				if i == 0 && !s.isTrue(l) || i > 0 && !s.isFalse(l) {
					t.Fatalf("literal %d of %v after learning", i, clause)
				}
			}
			if !follows(clauses, clause, variables) {
				t.Fatalf("%v does not follow from %v", clause, clauses)
			}
		})
	}
	if learnt < 300 {
		t.Errorf("%d clauses learnt", learnt)
	}
}

// solveSteps is solve without restarts. It calls f after each backjump with the learnt
// clause.
func solveSteps(s *solver, f func(clause []literal)) bool {
	s.begin()
	for !s.unsatisfiable {
		if s.propagate() {
			l, ok := s.next()
			if !ok {
				return true
			}
			s.decide(l)
			continue
		}
		if s.currentLevel() == 0 {
			return false
		}
		s.learn()
		f(slices.Clone(s.clause))
	}
	return false
}

// follows reports whether each assignment that satisfies the clauses satisfies one more.
func follows(clauses [][]literal, one []literal, variables int) bool {
	for bits := range 1 << variables {
		holds := func(clause []literal) bool {
			return slices.ContainsFunc(clause, func(l literal) bool { return bits>>l.variable()&1 != int(l&1) })
		}
		if !holds(one) && !slices.ContainsFunc(clauses, func(c []literal) bool { return !holds(c) }) {
			return false
		}
	}
	return true
}
