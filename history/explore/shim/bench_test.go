package shim_test

import (
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// benchmark runs a program of two threads with two invocations each, all
// schedules of at most two preemptions again and again.
func benchmark(b *testing.B, before, invocation func()) {
	thread := func(id int) func() {
		return func() {
			for i := range 2 {
				schedule.Invocation(id, i)
				invocation()
				schedule.Returned()
			}
		}
	}
	p := &schedule.Program{Before: before, Threads: []func(){thread(0), thread(1)}}
	steps := 0
	b.ReportAllocs()
	for n := 0; n < b.N; {
		s := schedule.NewDFS(schedule.DFSOptions{Bound: 2})
		for n < b.N {
			r := schedule.Run(p, s, schedule.Limits{})
			n++
			steps += r.Steps
			if !s.Next(r) {
				break
			}
		}
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
}

func BenchmarkMutexMap(b *testing.B) {
	type object struct {
		mu sync.Mutex
		m  map[int]int
	}
	var o *object
	benchmark(b, func() { o = &object{m: map[int]int{}} }, func() {
		o.mu.Lock()
		o.m[1]++
		o.mu.Unlock()
	})
}

func BenchmarkAtomic(b *testing.B) {
	var x *atomic.Int64
	benchmark(b, func() { x = new(atomic.Int64) }, func() {
		for v := x.Load(); !x.CompareAndSwap(v, v+1); v = x.Load() {
		}
	})
}

func BenchmarkChannel(b *testing.B) {
	var c chan int
	benchmark(b, func() { c = make(chan int, 1); c <- 0 }, func() {
		schedule.To(c).Send(schedule.Recv(c) + 1)
	})
}
