package shim_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// Two threads take two locks in different order: one schedule of at most one
// preemption is a deadlock.
func Example() {
	var a, b sync.Mutex
	lock := func(first, second *sync.Mutex) func() {
		return func() {
			first.Lock()
			defer first.Unlock()
			second.Lock()
			defer second.Unlock()
		}
	}
	p := &schedule.Program{Threads: []func(){lock(&a, &b), lock(&b, &a)}}
	s := schedule.NewDFS(schedule.DFSOptions{Bound: 1})
	for {
		r := schedule.Run(p, s, schedule.Limits{})
		if r.Deadlock {
			for _, b := range r.Blocked {
				fmt.Println("thread", b.Thread, "waits in", b.What, "for thread", b.Holder)
			}
			return
		}
		if !s.Next(r) {
			fmt.Println("no deadlock")
			return
		}
	}
	// Output:
	// thread 0 waits in sync.Mutex.Lock for thread 1
	// thread 1 waits in sync.Mutex.Lock for thread 0
}
