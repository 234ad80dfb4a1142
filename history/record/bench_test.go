package record

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leadline/leadline/history"
)

// nowhere takes events and does nothing, so that the work of the processes can
// be measured alone.
type nowhere struct{}

func (nowhere) event(*history.Event) error { return nil }
func (nowhere) epoch(int64) error          { return nil }
func (nowhere) comment(string) error       { return nil }
func (nowhere) flush() error               { return nil }

var orders = map[string]Order{"stamps": Stamps, "program": ProgramOrder}

// BenchmarkPath is the cost of recording an operation, Call and Return, while
// buffers have room.
func BenchmarkPath(b *testing.B) {
	for _, name := range []string{"stamps", "program"} {
		for _, processes := range []int{1, 2} {
			b.Run(fmt.Sprintf("order=%s/processes=%d", name, processes), func(b *testing.B) {
				ps := unhurried(orders[name], processes)
				inBatches(b, ps, func(p *Process, i int) {
					p.Call("put", history.IntValue(int64(i)))
					p.Return(history.NoValue)
				})
			})
		}
	}
}

// batch is the number of operations of a process that a benchmark records
// between two runs of the writer, for which it stops the timer.
const batch = 1 << 13

// unhurried returns processes of a Recorder whose writer runs only when called.
func unhurried(order Order, n int) []*Process {
	r := newRecorder(nowhere{}, Options{Order: order, Buffer: 4 * batch})
	var ps []*Process
	for range n {
		ps = append(ps, r.Process())
	}
	return ps
}

// inBatches calls do b.N times for each of the processes.
func inBatches(b *testing.B, ps []*Process, do func(p *Process, i int)) {
	b.ResetTimer()
	for done := 0; done < b.N; done += batch {
		n := min(batch, b.N-done)
		var wg sync.WaitGroup
		var ready atomic.Int32
		for _, p := range ps {
			wg.Go(func() {
				for ready.Add(1); int(ready.Load()) < len(ps); { // start together
				}
				for i := range n {
					do(p, i)
				}
			})
		}
		wg.Wait()
		b.StopTimer()
		if p := ps[0]; p != nil {
			if err := p.r.Flush(); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
	}
}

// BenchmarkSustained is the total time per operation if processes do nothing
// but record. It includes the writer's encoding.
func BenchmarkSustained(b *testing.B) {
	for _, c := range []Compression{None, Zstd, Gzip} {
		b.Run("compress="+[...]string{"none", "zstd", "gzip"}[c], func(b *testing.B) {
			b.ReportAllocs()
			w := &counting{}
			r, err := New(w, Options{Compress: c})
			if err != nil {
				b.Fatal(err)
			}
			p := r.Process()
			for i := range b.N {
				p.CallInts("put", i&63, i)
				p.Return(history.NoValue)
			}
			if err := r.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(w.bytes)/float64(b.N), "B/written")
		})
	}
}

type counting struct{ bytes int64 }

func (w *counting) Write(p []byte) (int, error) { w.bytes += int64(len(p)); return len(p), nil }

// BenchmarkLostUpdates measures how much recording hides a bug: the share of
// lost increments of a counter that reads and then writes.
func BenchmarkLostUpdates(b *testing.B) {
	for _, name := range []string{"none", "stamps", "program"} {
		b.Run("recorder="+name, func(b *testing.B) {
			ps := make([]*Process, 2)
			if name != "none" {
				ps = unhurried(orders[name], 2)
			}
			var n atomic.Int64
			inBatches(b, ps, func(p *Process, _ int) {
				if p == nil {
					n.Store(n.Load() + 1)
					return
				}
				p.Call("increment")
				n.Store(n.Load() + 1)
				p.Return(history.NoValue)
			})
			b.ReportMetric(100*float64(2*int64(b.N)-n.Load())/float64(2*b.N), "%lost")
		})
	}
}
