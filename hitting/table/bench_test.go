package table

import (
	"fmt"
	"testing"
)

type pair struct{ a, b uint64 }

func (p pair) hash() uint32 { return Fold(Mix(Mix(Seed, p.a), p.b)) }

// BenchmarkTable compares a table of keys of two words with a Go map: n keys are added,
// each is found once, and the table is cleared.
func BenchmarkTable(b *testing.B) {
	for _, n := range []uint64{8, 100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("kind=table/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			var x Table[pair]
			number := func(k pair) int32 {
				hash := k.hash()
				if i := x.Find(hash, func(o *pair) bool { return *o == k }); i >= 0 {
					return i
				}
				return x.Add(hash, k)
			}
			for b.Loop() {
				for i := range 2 * n {
					number(pair{i % n, i % n << 32})
				}
				if x.Len() != int(n) {
					b.Fatal(x.Len())
				}
				x.Clear()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/key")
		})
		b.Run(fmt.Sprintf("kind=map/n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			x := map[pair]int32{}
			for b.Loop() {
				for i := range 2 * n {
					if k := (pair{i % n, i % n << 32}); x[k] == 0 {
						x[k] = int32(len(x) + 1)
					}
				}
				if len(x) != int(n) {
					b.Fatal(len(x))
				}
				clear(x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/key")
		})
	}
}
