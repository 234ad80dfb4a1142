package monitor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// BenchmarkMonitor measures Run, and its two parts, on histories of correct
// objects: reading what the operations do to which values, and deciding.
func BenchmarkMonitor(b *testing.B) {
	for _, name := range []string{"queue", "register", "kv", "set"} {
		for _, n := range benchmarkSizes() {
			for _, T := range []int{4, 16} {
				h, c := benchmarkHistory(b, name, n, T)
				at := fmt.Sprintf("type=%s/n=%d/T=%d", name, n, T)
				b.Run("part=all/"+at, func(b *testing.B) {
					for b.Loop() {
						var v replay.Verdict
						if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" || v.Answer != replay.Linearizable {
							b.Fatal(v.Reason, v.Answer)
						}
					}
				})
				b.Run("part=read/"+at, func(b *testing.B) {
					for b.Loop() {
						monitor.Read(ops.New(h, c, 0))
					}
				})
				p, _ := monitor.Read(ops.New(h, c, 0))
				b.Run("part=decide/"+at, func(b *testing.B) {
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

// benchmarkSizes returns the numbers of operations to measure. A million takes
// minutes in all.
func benchmarkSizes() []int {
	if testing.Short() {
		return []int{1e5}
	}
	return []int{1e5, 1e6}
}

func benchmarkHistory(b *testing.B, name string, n, processes int) (*history.History, replay.Described) {
	s := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })].correct()
	model := collection(b, s.model)
	g := generator{Rand: rand.New(rand.NewPCG(1, 0)), s: s, m: mix{n: n, processes: processes, values: smallInt}}
	return g.history(b), model
}
