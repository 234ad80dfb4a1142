package hitting

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/poset"
)

// BenchmarkExactDepth computes the exact depth of registers, on a long interval order and on
// general orders.
func BenchmarkExactDepth(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	run := func(name string, p *poset.Poset) {
		m := newRegisterMachine(r, p, 0.5)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := ExactDepth(p, m, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	long, _ := randomInterval(r, 2000, 6)
	run("intervals", long)
	for _, general := range []int{12, 20, 28} {
		p, _ := randomGeneral(b, r, general)
		run(fmt.Sprintf("general/n=%d", general), p)
	}
}
