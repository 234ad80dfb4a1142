package view

import (
	"fmt"
	"io"
	"testing"

	"github.com/leadline/leadline/replay/simulate"
)

func BenchmarkWrite(b *testing.B) {
	for _, model := range []string{"kv", "queue"} {
		for _, n := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("spec=%s/n=%d", model, n), func(b *testing.B) {
				w := simulate.Workload{Model: model, Ops: n, Threads: 8}
				h, err := w.History()
				if err != nil {
					b.Fatal(err)
				}
				s, err := w.Spec()
				if err != nil {
					b.Fatal(err)
				}
				item := check(b, h, s)
				for b.Loop() {
					if err := Write(io.Discard, item); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
