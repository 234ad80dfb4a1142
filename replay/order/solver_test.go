package order

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// newTestSolver returns a solver with some variables, and others that are decided before
// these and have nothing to do with them.
func newTestSolver(variables, free int) *solver {
	s := &solver{maxBytes: math.MaxInt64, meter: meter.New(nil).OrUnbounded()}
	for range variables {
		s.newVariable(false, 0)
	}
	for k := range free {
		l := s.newVariable(true, 1).literal()
		if k > 0 {
			s.add(l-2, l)
		}
	}
	return s
}

// TestSolver compares solutions of random clauses with brute force, also where hundreds
// of decisions come before those that matter.
func TestSolver(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	solved := 0
	for round := range 2000 {
		variables, free := 3+r.IntN(8), []int{0, 3 * longBackjump}[round%2]
		var clauses [][]literal
		for range variables*2 + r.IntN(2*variables) {
			clause := make([]literal, 1+r.IntN(4)*3/2)
			for i := range clause {
				clause[i] = literal(r.IntN(2 * variables))
			}
			clauses = append(clauses, clause)
		}
		holds := func(isTrue func(literal) bool) bool {
			for _, clause := range clauses {
				some := false
				for _, l := range clause {
					some = some || isTrue(l)
				}
				if !some {
					return false
				}
			}
			return true
		}
		want := false
		for bits := range 1 << variables {
			want = want || holds(func(l literal) bool { return bits>>l.variable()&1 != int(l&1) })
		}
		s := newTestSolver(variables, free)
		for _, clause := range clauses {
			s.add(clause...)
		}
		got, cause := s.solve()
		switch {
		case cause != replay.NoCause || got != want:
			t.Fatalf("round %d: solve() = %v, %v, want %v of %v", round, got, cause, want, clauses)
		case got && !holds(func(l literal) bool { return s.isTrue(l) || s.value[l] == 0 && !l.isNegated() }):
			t.Fatalf("round %d: not a solution of %v", round, clauses)
		case got:
			solved++
		}
	}
	if solved < 200 || solved > 1800 {
		t.Errorf("%d of 2000 have solutions", solved)
	}
}

// TestConflictsAfterManyDecisions has a contradiction below a hundred thousand decisions
// that have nothing to do with it. They are not undone one by one.
func TestConflictsAfterManyDecisions(t *testing.T) {
	contradiction := func() *solver {
		s := newTestSolver(2, 100_000)
		for bits := range literal(4) {
			s.add(bits&1, 2+bits>>1)
		}
		return s
	}
	s := contradiction()
	if got, cause := s.solve(); got || cause != replay.NoCause {
		t.Errorf("solve() = %v, %v, want a refutation", got, cause)
	}
	if conflicts := math.Log(float64(s.step)) / -math.Log(0.95); conflicts > 2*longBackjump {
		t.Errorf("%.0f conflicts, want at most %d", conflicts, 2*longBackjump)
	}
	s = contradiction()
	s.maxBytes = 0
	if got, cause := s.solve(); got || cause != replay.Memory {
		t.Errorf("without memory: solve() = %v, %v", got, cause)
	}
}
