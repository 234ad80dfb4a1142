package order

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/replay"
)

// TestCounts compares the clauses of counts with counting, for each assignment of the terms.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for n := range 9 {
		for bits := range 1 << n {
			bound, kind := r.IntN(n+2), r.IntN(3)
			o := ordering{solver: *newTestSolver(n+1, 0), ops: []operation{{}}}
			var terms []literal
			count := 0
			for v := range n {
				l := variable(v).literal() ^ literal(r.IntN(2))
				terms = append(terms, l)
				if bits>>v&1 != 0 {
					o.add(l)
					count++
				} else {
					o.add(l.not())
				}
			}
			unless := variable(n).literal()
			isFree := r.IntN(2) == 0
			if !isFree {
				o.add(unless.not())
			}
			want := isFree
			switch kind {
			case 0:
				o.atLeast(terms, bound, unless)
				want = want || count >= bound
			case 1:
				o.atMost(terms, bound, unless)
				want = want || count <= bound
			case 2:
				want = count <= 1
				o.atMostOne(terms)
			}
			if got, cause := o.solve(); cause != replay.NoCause || got != want {
				t.Fatalf("kind %d, bound %d of %v, %d are true, free %v: %v", kind, bound, terms, count, isFree, got)
			}
		}
	}
}
