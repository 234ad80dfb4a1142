package hitting

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/poset"
)

// dense is the order of a recorded history of 14 operations of 7 processes
// with 59 concurrent pairs (ArrayBlockingQueue/h0070 of the labelled corpus).
func dense() (*poset.Poset, []int32) {
	return poset.Interval(
			[]int32{0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 19, 22},
			[]int32{9, 7, 11, 13, 16, 21, 18, 24, 23, 25, 15, 27, 20, 26}),
		denseChains([]int32{2, 4, 1, 5, 3, 0, 6, 4, 2, 1, 5, 3, 6, 0})
}

// BenchmarkCount counts families of a short dense order, of 18 operations, as in the paper,
// and of longer interval orders of width 4.
func BenchmarkCount(b *testing.B) {
	count := func(p *poset.Poset, chains []int32, d int) {
		b.Run(fmt.Sprintf("n=%d/d=%d", p.Len(), d), func(b *testing.B) {
			for b.Loop() {
				f := NewFamily(p, chains, Options{})
				for range d {
					f.Count()
				}
				b.ReportMetric(float64(f.Size()), "schedules")
			}
		})
	}
	p, chains := dense()
	for _, d := range []int{3, 5, 7} {
		count(p, chains, d)
	}
	for _, n := range []int32{18, 24, 64, 200} {
		var call, ret, chains []int32
		for i := range n { // of a round robin of four processes
			call, ret, chains = append(call, 2*i), append(ret, 2*i+7), append(chains, i%4)
		}
		count(poset.Interval(call, ret), chains, 3)
	}
}
