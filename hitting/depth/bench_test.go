package depth_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/hitting/depth"
)

// A ring is a machine of a number of states that rejects one element.
type ring struct{ states, rejected int32 }

func (ring) Start() int32 { return 0 }

func (m ring) Step(state, e int32) int32 {
	if e == m.rejected {
		return -1
	}
	return (31*state + e) % m.states
}

// BenchmarkFirst finds a schedule of depth 1.
func BenchmarkFirst(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			o := wide(rand.New(rand.NewPCG(1, 2)), n, 6)
			for b.Loop() {
				s := o.search(ring{100, -1}, depth.Options{})
				if _, found := s.Try(1); !found {
					b.Fatal("no schedule")
				}
			}
		})
	}
}

// BenchmarkSearch refutes the first depths of orders whose last element is rejected. The
// more states the machine has, the more nodes are in a layer.
func BenchmarkSearch(b *testing.B) {
	for _, c := range []struct{ open, depth int }{{6, 4}, {70, 2}, {200, 2}} { // masks of one, two and four words
		for _, states := range []int32{1, 100, 10_000} {
			b.Run(fmt.Sprintf("open=%d/d=%d/states=%d", c.open, c.depth, states), func(b *testing.B) {
				o := wide(rand.New(rand.NewPCG(1, 2)), 200, c.open)
				for b.Loop() {
					s := o.search(ring{states, int32(len(o) - 1)}, depth.Options{})
					if _, found := try(s, c.depth); found {
						b.Fatal("a schedule with the rejected element")
					}
				}
			})
		}
	}
}
