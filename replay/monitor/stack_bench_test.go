package monitor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// A workload is what the processes of a large history do to a stack or a
// priority queue.
type workload struct {
	name    string
	prefill int // insertions at the beginning
	looks   int // in a hundred operations
	inserts int // in a hundred of the others
}

var workloads = []workload{
	{"even", 0, 0, 50},
	{"looks", 0, 12, 53},
	{"shallow", 0, 12, 35},
	{"deep", 100000, 0, 50},
	{"deeplooks", 100000, 10, 50},
}

// history draws a history of a correct object.
func (w workload) history(t testing.TB, c replay.Described, n, processes int) *history.History {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	return fromIntervals(t, w.operations(r, c, n, processes), false)
}

// operations draws the operations of a correct object. Times are numbers of
// steps: to invoke, to take effect, to return.
func (w workload) operations(r *rand.Rand, c replay.Described, n, processes int) []loose {
	insert, remove := "push", "pop"
	if c.Traits().Discipline != replay.LastIn {
		insert, remove = "insert", "poll"
	}
	object := c.New()
	values, next := r.Perm(n), 0
	ops := make([]loose, 0, n)
	open := make([]int, processes) // operation + 1 of a process
	taken := make([]bool, processes)
	for step, busy := 0, 0; len(ops) < n || busy > 0; step++ {
		k := r.IntN(processes)
		switch i := open[k] - 1; {
		case i < 0 && len(ops) < n:
			o := loose{method: remove, from: float64(step)}
			switch {
			case len(ops) >= w.prefill && r.IntN(100) < w.looks:
				o.method = "peek"
			case len(ops) < w.prefill || r.IntN(100) < w.inserts:
				o.method, o.arg = insert, history.IntValue(int64(values[next]))
				next++
			}
			ops = append(ops, o)
			open[k], taken[k] = len(ops), false
			busy++
		case i < 0:
		case !taken[k]:
			inv := replay.Invocation{Method: ops[i].method}
			if ops[i].arg.Kind() != history.None {
				inv.Args = []history.Value{ops[i].arg}
			}
			ops[i].result, _ = object.Apply(inv)
			taken[k] = true
		default:
			ops[i].to = float64(step)
			open[k] = 0
			busy--
		}
	}
	return ops
}

// BenchmarkContainer measures what stacks and priority queues take after the
// history has been read.
func BenchmarkContainer(b *testing.B) {
	for _, name := range []string{"stack", "priority-queue"} {
		c := collection(b, name)
		for _, w := range workloads {
			for _, n := range benchmarkSizes() {
				for _, T := range []int{4, 16, 64} {
					if w.prefill > n/2 || w.prefill > 0 && T != 16 {
						continue
					}
					b.Run(fmt.Sprintf("type=%s/%s/n=%d/T=%d", name, w.name, n, T), func(b *testing.B) {
						h := w.history(b, c, n, T)
						p, declined := monitor.Read(ops.New(h, c, 0))
						if declined != "" {
							b.Fatal(declined)
						}
						b.ReportAllocs()
						for b.Loop() {
							if p.Decide() {
								b.Fatal("refuted")
							}
						}
					})
				}
			}
		}
	}
}
