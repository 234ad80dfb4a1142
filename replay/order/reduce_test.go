package order

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/replay"
)

// TestReduce reduces the learnt clauses at each restart. The answers stay the same, and so do
// the clauses that were not learnt, unless they are true.
func TestReduce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	answers, dropped := map[bool]int{}, 0
	for range 40 {
		const variables = 60
		s, plain := newTestSolver(variables, 0), newTestSolver(variables, 0)
		for range 4*variables + r.IntN(30) { // about as many have solutions as have none
			var clause []literal
			for range 3 {
				clause = append(clause, literal(r.IntN(2*variables)))
			}
			s.add(clause...)
			plain.add(clause...)
		}
		want, _ := plain.solve()
		s.begin()
		found, done := s.search(20)
		for !done {
			s.backjump(0)
			if s.propagate() {
				before, learnt := clausesOf(s, false), len(s.learnt)
				s.reduceLearnt()
				dropped += learnt - len(s.learnt)
				if n := len(clausesOf(s, true)); n != len(s.learnt) {
					t.Fatalf("%d learnt clauses are left, want %d", n, len(s.learnt))
				}
				for _, c := range clausesOf(s, false) {
					i := slices.IndexFunc(before, func(b []literal) bool { return slices.Equal(b, c) })
					if i < 0 {
						t.Fatalf("%v is new", c)
					}
					before = slices.Delete(before, i, i+1)
				}
				for _, c := range before {
					if !slices.ContainsFunc(c, s.isTrue) {
						t.Fatalf("%v is gone", c)
					}
				}
			}
			found, done = s.search(20)
		}
		if answers[found]++; found != want || s.cause != replay.NoCause {
			t.Fatalf("found %v (%v), want %v", found, s.cause, want)
		}
	}
	if answers[true] < 5 || answers[false] < 5 || dropped < 100 {
		t.Errorf("answers %v, %d clauses dropped", answers, dropped)
	}
}

// clausesOf returns the clauses that were learnt or not, each sorted.
func clausesOf(s *solver, learnt bool) [][]literal {
	var list [][]literal
	for c := int32(0); int(c) < len(s.arena); c += headWords + s.arena[c] {
		if (s.levels(c) != 0) == learnt {
			var clause []literal
			for _, l := range s.literals(c) {
				clause = append(clause, literal(l))
			}
			slices.Sort(clause)
			list = append(list, clause)
		}
	}
	return list
}

// BenchmarkPigeons refutes that 9 pigeons have a hole of 8 each to themselves. It reports the
// work and the largest arena.
func BenchmarkPigeons(b *testing.B) {
	const holes = 8
	in := func(pigeon, hole int) literal { return variable(pigeon*holes + hole).literal() }
	for b.Loop() {
		s := newTestSolver((holes+1)*holes, 0)
		for p := range holes + 1 {
			var some []literal
			for h := range holes {
				some = append(some, in(p, h))
				for q := range p {
					s.add(in(p, h).not(), in(q, h).not())
				}
			}
			s.add(some...)
		}
		if found, cause := s.solve(); found || cause != replay.NoCause {
			b.Fatal(found, cause)
		}
		b.ReportMetric(float64(s.meter.Spent()), "units")
		b.ReportMetric(float64(cap(s.arena)), "words")
	}
}
