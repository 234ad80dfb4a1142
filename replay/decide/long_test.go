package decide_test

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// longHistory returns n increments of a counter by the given number of
// processes, and a last get with the given result. With one process it is
// sequential; with more, each operation overlaps those before and after it,
// as many as there are processes.
func longHistory(t testing.TB, n, processes int, last int64) *history.History {
	b := history.NewBuilder(history.Header{ID: "long"})
	add := func(e history.Event) {
		e.Line = b.Events() + 1
		b.Add(&e)
	}
	for i := range n {
		p := history.IntValue(int64(i % processes))
		if i >= processes {
			add(history.Event{Type: history.OK, Process: p})
		}
		add(history.Event{Type: history.Invoke, Process: p, Op: history.IntValue(int64(i)), Method: "increment"})
	}
	for i := n; i < n+processes; i++ {
		add(history.Event{Type: history.OK, Process: history.IntValue(int64(i % processes))})
	}
	p := history.IntValue(0)
	add(history.Event{Type: history.Invoke, Process: p, Op: history.IntValue(int64(n)), Method: "get"})
	add(history.Event{Type: history.OK, Process: p, Result: history.IntValue(last)})
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLongHistories: what the benchmark measures is right.
func TestLongHistories(t *testing.T) {
	counter := model(t, "counter")
	for _, n := range []int{1023, 1024, 1025, 5000} {
		for _, processes := range []int{1, 8} {
			right := longHistory(t, n, processes, int64(n))
			if v := check(t, right, counter, replay.Options{}); v.Answer != replay.Linearizable || v.Depth != 1 {
				t.Errorf("n = %d, %d processes: %v at depth %d", n, processes, v.Answer, v.Depth)
			}
			if v := check(t, longHistory(t, n, processes, -1), counter, replay.Options{}); v.Answer != replay.NotLinearizable {
				t.Errorf("n = %d, %d processes, a wrong get: %v", n, processes, v.Answer)
			}
			wrong := longHistory(t, n, processes, int64(n)-1)
			v := check(t, wrong, objectOnly{counter}, replay.Options{MaxDepth: 2, Budget: replay.Budget{Schedules: 20}})
			if processes == 1 && v.Answer != replay.NotLinearizable {
				t.Errorf("n = %d, sequential: %v", n, v.Answer)
			}
			if processes == 8 && (v.Cause != replay.Schedules || fmt.Sprint(v.Replayed) != "[8 12]") {
				t.Errorf("n = %d: %v (%v), replayed %v", n, v.Answer, v.Cause, v.Replayed)
			}
		}
	}
}

// BenchmarkLong replays all schedules of d = 1 of a history without a witness
// and the first hundred of d = 2; the objects are not States, so that no
// search follows. ops/s counts operations replayed.
func BenchmarkLong(b *testing.B) {
	for _, processes := range []int{1, 8} {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			if n > 10_000 && testing.Short() {
				continue
			}
			b.Run(fmt.Sprintf("spec=counter/n=%d/T=%d", n, processes), func(b *testing.B) {
				h := longHistory(b, n, processes, 0)
				counter := objectOnly{model(b, "counter")}
				replayed := int64(0)
				for b.Loop() {
					o := replay.Options{MaxDepth: 2, Budget: replay.Budget{Schedules: int64(processes) + 100}}
					v := check(b, h, counter, o)
					for _, r := range v.Replayed {
						replayed += r
					}
				}
				b.ReportMetric(float64(replayed)*float64(n)/b.Elapsed().Seconds(), "ops/s")
				b.ReportMetric(float64(replayed)/float64(b.N), "schedules")
			})
		}
	}
}
