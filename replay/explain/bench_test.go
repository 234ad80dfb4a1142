package explain_test

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/replay/simulate"
)

// BenchmarkExplain measures checks with explanations.
func BenchmarkExplain(b *testing.B) {
	for _, model := range []string{"queue", "stack", "set", "kv", "queue:4", "cas-register"} {
		for _, values := range []int{0, 8} {
			for _, n := range []int{20, 100, 1000, 10000} {
				w := simulate.Workload{Model: model, Ops: n, Values: values, Seed: 1, Faults: []simulate.Fault{{Kind: simulate.Wrong, Percent: 50}}}
				h, err := w.History()
				if err != nil {
					b.Fatal(err)
				}
				s, err := w.Spec()
				if err != nil {
					b.Fatal(err)
				}
				b.Run(fmt.Sprintf("spec=%s/values=%d/n=%d", model, values, n), func(b *testing.B) {
					for b.Loop() {
						explained(b, h, s)
					}
				})
			}
		}
	}
}
