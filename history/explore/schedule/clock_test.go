package schedule_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// TestTick: a tick may come before each step of a thread, up to Limits.Ticks times, and
// sleepers wake in their order.
func TestTick(t *testing.T) {
	var c *cell
	var saw string
	p := &schedule.Program{Before: func() {
		c, saw = new(cell), ""
		for i := range 3 {
			schedule.Go(func() {
				schedule.Sleep(int64(3-i)*1e9, "sleep")
				schedule.Step(schedule.Write, unsafe.Pointer(c))
				c.v = c.v<<4 | i + 1
			})
		}
	}, Threads: []func(){func() { saw = fmt.Sprintf("%x %x", c.load(), c.load()) }}}
	for ticks, want := range map[int]int{-1: 1, 1: 3, 2: 11, 3: 49, 0: 11} {
		for _, s := range []schedule.Strategy{schedule.NewDPOR(), schedule.NewDFS(schedule.DFSOptions{Bound: -1}),
			schedule.NewDFS(schedule.DFSOptions{Bound: -1, Filter: true})} {
			seen := map[string]bool{}
			for more := true; more; {
				r := schedule.Run(p, s, schedule.Limits{Ticks: ticks})
				if r.Deadlock || r.Cut || r.Diverged || r.Ticks > max(ticks, 0) && ticks != 0 {
					t.Fatalf("%d ticks: %+v", ticks, r)
				}
				if !r.Pruned {
					seen[saw] = true
				}
				more = s.Next(r)
			}
			if len(seen) != want {
				t.Errorf("%T, %d ticks: %d outcomes, want %d: %v", s, ticks, len(seen), want, seen)
			}
		}
	}
}

// TestVain: a goroutine that ticks for ever keeps neither a deadlock from being found nor a
// later sleeper from waking.
func TestVain(t *testing.T) {
	tick := func() {
		schedule.Go(func() {
			for {
				schedule.Sleep(1e3, "tick")
			}
		})
	}
	r := once(&schedule.Program{Before: tick, Threads: []func(){func() { schedule.Block() }}})
	if !r.Deadlock || r.Cut || r.Spins || r.Ticks > 0 {
		t.Errorf("%+v", r)
	}
	slept := false
	r = once(&schedule.Program{Before: tick, Threads: []func(){func() {
		done := make(chan int)
		schedule.Go(func() { schedule.Sleep(3600e9, "hour"); schedule.Close(done) })
		schedule.Recv(done)
		slept = true
	}}})
	if !slept || r.Deadlock || r.Ticks == 0 {
		t.Errorf("slept %v, %+v", slept, r)
	}
}
