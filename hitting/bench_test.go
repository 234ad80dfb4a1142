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

func BenchmarkCount(b *testing.B) {
	p, chains := dense()
	for _, d := range []int{3, 5, 7} {
		for _, kind := range []string{"packed", "wide"} {
			b.Run(fmt.Sprintf("n=14/d=%d/generator=%s", d, kind), func(b *testing.B) {
				for b.Loop() {
					f := NewFamily(p, chains, Options{})
					if kind == "wide" {
						forceWide(f)
					}
					for range d {
						f.Count()
					}
					b.ReportMetric(float64(f.Size()), "schedules")
				}
			})
		}
	}
}
