package stresstest

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// TestBenchmark: a benchmark can call Test, though no worker can run it.
func TestBenchmark(t *testing.T) {
	o := Options{Programs: []string{"{ Put(0) } || { Put(0) }"}, Effort: stress.Effort{Time: time.Minute, Program: time.Millisecond}, Dir: t.TempDir()}
	r := testing.Benchmark(func(b *testing.B) {
		Test(b, newInventory, o)
	})
	if r.N == 0 {
		t.Error("the benchmark fails")
	}
}

// TestStepless: under a schedule, methods of one step each never overlap. Threads have shown
// whether they can.
func TestStepless(t *testing.T) {
	for _, overlap := range []float64{0, 1} {
		tb := &fakeTB{}
		logReports(tb, "Map", []*stress.Report{{Overlap: overlap, Recorded: 1}, {Programs: 1, Executions: 100, Recorded: 100}}, Options{}, true)
		if warned := strings.Contains(strings.Join(tb.logs, "\n"), "next to no executions overlapped"); warned != (overlap == 0) {
			t.Errorf("overlap %v: %q", overlap, tb.logs)
		}
	}
}
