package order

import (
	"math/rand/v2"
	"testing"
)

// TestDecisions compares the heap with a search for the greatest activity.
func TestDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 200 {
		d := decisions{step: 1}
		n := 1 + r.IntN(40)
		for range n {
			d.addVariable(r.IntN(2) == 0, float32(r.IntN(5)))
			d.insert(variable(len(d.place) - 1))
		}
		inHeap := make([]bool, n)
		for v := range inHeap {
			inHeap[v] = true
		}
		for range 300 {
			switch v := variable(r.IntN(n)); r.IntN(4) {
			case 0:
				l := v.literal() ^ literal(r.IntN(2))
				d.release(l)
				if inHeap[v] = true; d.phase[v] == l.isNegated() {
					t.Fatalf("the phase of %d is %v after %d was true", v, d.phase[v], l)
				}
			case 1:
				d.bump(v)
			case 2:
				d.step *= 1e3 // so that activities are rescaled
				d.decay()
			default:
				best := variable(-1)
				for w := range variable(n) {
					if inHeap[w] && (best < 0 || d.activity[w] > d.activity[best]) {
						best = w
					}
				}
				got := d.pop()
				if (got < 0) != (best < 0) || got >= 0 && (!inHeap[got] || d.activity[got] != d.activity[best]) {
					t.Fatalf("pop() = %d, want %d of %v", got, best, d.activity)
				}
				if got >= 0 {
					inHeap[got] = false
				}
			}
		}
	}
}
