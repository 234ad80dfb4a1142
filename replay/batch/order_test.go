package batch

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestInOrder: results come in the order of the items, for any number of workers. Few items
// are drawn ahead, and fewer if they are large. No more are drawn when emit returns false.
func TestInOrder(t *testing.T) {
	const all = 1000
	for _, c := range []struct{ jobs, ops, ahead, stop int }{
		{1, 1, 64, all}, {3, 1, 64, all}, {100, 1, 101, all}, {1, 63, 64, all}, {1, 1000, 4, all},
		{1, 1 << 20, 2, all}, {3, 1 << 20, 4, all}, {100, 1 << 20, 101, all}, {3, 1, 64, 10}, {3, 1 << 20, 4, 10},
	} {
		var drawn, emitted, most atomic.Int64
		items := func(yield func(int) bool) {
			for i := range all {
				if most.Store(max(most.Load(), drawn.Add(1)-emitted.Load())); !yield(i) {
					return
				}
			}
		}
		var got []int
		double := func(i int) int {
			for n := 0; i == 0 && n < 1<<14; n++ { // so that others are drawn meanwhile
				runtime.Gosched()
			}
			return 2 * i
		}
		InOrder(items, c.jobs, func(int) int { return c.ops }, double, func(r int, _ bool) bool {
			got = append(got, r)
			return emitted.Add(1) < int64(c.stop)
		})
		if !slices.IsSorted(got) || len(got) != c.stop || got[c.stop-1] != 2*(c.stop-1) {
			t.Errorf("%+v: %d results: %v", c, len(got), got)
		}
		// One more is drawn before it waits, and one result is being emitted.
		if most.Load() > int64(c.ahead+2) {
			t.Errorf("%+v: %d items are drawn ahead", c, most.Load())
		}
	}
}

// BenchmarkInOrder measures the time for 1,000 items of which every 50th takes 20 times as
// long as the others. They sleep, so that the time depends on the items drawn ahead alone.
func BenchmarkInOrder(b *testing.B) {
	items := func(yield func(int) bool) {
		for i := 0; i < 1000 && yield(i); i++ {
		}
	}
	sleep := func(i int) int {
		if i%50 == 0 {
			time.Sleep(20 * time.Millisecond)
		} else {
			time.Sleep(time.Millisecond)
		}
		return i
	}
	for _, jobs := range []int{2, 8} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			for b.Loop() {
				InOrder(items, jobs, func(int) int { return 1 }, sleep, func(int, bool) bool { return true })
			}
		})
	}
}
