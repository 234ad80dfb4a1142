package window_test

import (
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/window"
)

// BenchmarkBeam decides hard histories of stacks. It reports the work, and how many are
// decided within 2^25 units of it, so that the constants of the beam can be compared on a
// busy machine.
func BenchmarkBeam(b *testing.B) {
	for _, w := range []simulate.Workload{
		{Threads: 16, Ops: 1000, Values: 8}, {Threads: 8, Ops: 10000, Values: 8}, {Threads: 16, Ops: 10000, Values: 8},
		{Threads: 16, Ops: 10000, Values: 8, Fill: 4}, {Threads: 16, Ops: 3000, Values: 4},
		{Threads: 16, Ops: 300, Values: 4, Lost: 20}, {Threads: 4, Ops: 3000, Values: 4, Lost: 20},
	} {
		w.Model, w.Seed = "stack", 1
		b.Run(w.String(), func(b *testing.B) {
			h, err := w.History()
			if err != nil {
				b.Fatal(err)
			}
			decided, work := 0, int64(0)
			for b.Loop() {
				m := meter.New(nil).Share(1 << 25)
				if f := window.Run(ops.New(h, lookup(b, "stack"), 1<<30), m); f.Answer != replay.Undecided {
					decided++
				}
				work += m.Spent()
			}
			b.ReportMetric(float64(decided)/float64(b.N), "decided")
			b.ReportMetric(float64(work)/float64(b.N), "units")
		})
	}
}
