package monitor_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/simulate"
)

// BenchmarkSimulated measures Run on simulated histories of correct objects,
// as large as people have them: all, and reading alone.
func BenchmarkSimulated(b *testing.B) {
	for _, w := range []simulate.Workload{
		{Model: "stack"}, {Model: "queue"}, {Model: "priority-queue"}, {Model: "set"},
		{Model: "kv", Keys: 10}, {Model: "kv", Keys: 100_000}, {Model: "register"}, {Model: "set", Values: 1000},
	} {
		w.Ops, w.Threads, w.Seed = slices.Max(benchmarkSizes()), 16, 1
		at := fmt.Sprintf("type=%s/values=%d/keys=%d/n=%d/T=%d", w.Model, w.Values, w.Keys, w.Ops, w.Threads)
		b.Run(at, func(b *testing.B) {
			h, err := w.History()
			if err != nil {
				b.Fatal(err)
			}
			model, err := w.Spec()
			if err != nil {
				b.Fatal(err)
			}
			b.Run("part=all", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var v replay.Verdict
					if v.Finding = monitor.Run(ops.New(h, model, 0), nil); v.Reason != "" || v.Answer != replay.Linearizable {
						b.Fatal(v.Reason, v.Answer)
					}
				}
			})
			b.Run("part=read", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					monitor.Read(ops.New(h, model.(replay.Described), 0))
				}
			})
		})
	}
}
