package order_test

import (
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	workload "github.com/leadline/leadline/replay/simulate"
)

// BenchmarkRun decides histories that are left to constraints, some of them hard. It reports
// the work, and how many are decided within 2^24 units of it, so that the constants of this
// package can be compared on a busy machine.
func BenchmarkRun(b *testing.B) {
	swap := []workload.Fault{{Kind: workload.Swap, Percent: 70}}
	for _, w := range []workload.Workload{
		{Model: "deque", Ops: 300, Threads: 16, Values: 4}, {Model: "deque", Ops: 300, Threads: 16, Values: 4, Lost: 20},
		{Model: "deque", Ops: 3000, Threads: 4, Values: 4}, {Model: "deque", Ops: 3000, Threads: 4, Values: 4, Faults: swap},
		{Model: "deque", Ops: 3000, Threads: 16, Values: 4}, {Model: "deque", Ops: 3000, Threads: 16, Lost: 20},
		{Model: "priority-queue", Ops: 3000, Threads: 16, Values: 4}, {Model: "priority-queue", Ops: 3000, Threads: 16, Values: 4, Faults: swap},
		{Model: "queue:5", Ops: 3000, Threads: 16}, {Model: "queue:5", Ops: 3000, Threads: 4, Lost: 20},
		{Model: "queue:5", Ops: 3000, Threads: 16, Values: 4, Faults: swap}, {Model: "stack", Ops: 3000, Threads: 16, Values: 200},
		{Model: "register", Ops: 3000, Threads: 16, Values: 8}, {Model: "cas-register", Ops: 3000, Threads: 16, Lost: 20},
		{Model: "cas-register", Ops: 3000, Threads: 16, Values: 4}, {Model: "kv", Ops: 3000, Threads: 16, Values: 5, Lost: 20},
	} {
		w.Seed = 1
		b.Run(w.String(), func(b *testing.B) {
			h, err := w.History()
			if err != nil {
				b.Fatal(err)
			}
			s, err := w.Spec()
			if err != nil {
				b.Fatal(err)
			}
			decided, work := 0, int64(0)
			for b.Loop() {
				m := meter.New(nil).Share(1 << 24)
				if f := order.Run(ops.New(h, s, 1<<30), m); f.Answer != replay.Undecided {
					decided++
				}
				work += m.Spent()
			}
			b.ReportMetric(float64(decided)/float64(b.N), "decided")
			b.ReportMetric(float64(work)/float64(b.N), "units")
		})
	}
}
