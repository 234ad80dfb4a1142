//go:build unix

package porcupine_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	leadline "github.com/leadline/leadline/replay/porcupine"
)

// BenchmarkStore checks histories like those of etcd's robustness tests with both tools.
// cpu-ms/op includes the collector. For memory, run one of them in a process:
//
//	go test -run '^$' -bench 'Store/model=possible/T=8/n=1000/stale=true/engine=leadline' -benchtime 1x
func BenchmarkStore(b *testing.B) {
	for _, m := range storeModels {
		for _, clients := range []int{8, 12, 20, 30, 50} {
			for _, n := range []int{1000, 2000, 5000} {
				for _, stale := range []bool{false, true} {
					if testing.Short() && (clients > 8 || n > 1000 || stale) {
						continue
					}
					w := workload{clients: clients, n: n, timeouts: 0.02, stale: stale, keys: 10, pause: int64(100 * clients)}
					ops := w.draw(1)
					name := fmt.Sprintf("model=%s/T=%d/n=%d/stale=%t/engine=", m.name, clients, n, stale)
					b.Run(name+"porcupine", func(b *testing.B) { benchmarkStore(b, porcupine.CheckOperationsTimeout, m.model, ops) })
					b.Run(name+"leadline", func(b *testing.B) { benchmarkStore(b, leadline.CheckOperationsTimeout, m.model, ops) })
				}
			}
		}
	}
}

func benchmarkStore(b *testing.B, check func(porcupine.Model, []porcupine.Operation, time.Duration) porcupine.CheckResult, m porcupine.Model, ops []porcupine.Operation) {
	before := cpuTime()
	for b.Loop() {
		if check(m, ops, 2*time.Minute) == porcupine.Unknown {
			b.Skip("not decided in two minutes")
		}
	}
	b.ReportMetric(float64((cpuTime()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
}

// cpuTime is the processor time of the process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
