package sync_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// A reader that locks twice waits for a writer that waits for the reader.
func ExampleRWMutex() {
	var rw sync.RWMutex
	p := &schedule.Program{Threads: []func(){
		func() {
			rw.RLock()
			defer rw.RUnlock()
			rw.RLock()
			defer rw.RUnlock()
		},
		func() {
			rw.Lock()
			defer rw.Unlock()
		},
	}}
	search := schedule.NewDFS(schedule.DFSOptions{Bound: 1})
	for {
		r := schedule.Run(p, search, schedule.Limits{})
		for _, b := range r.Blocked {
			fmt.Println("thread", b.Thread, "waits in", b.What)
		}
		if r.Deadlock || !search.Next(r) {
			return
		}
	}
	// Output:
	// thread 0 waits in sync.RWMutex.RLock
	// thread 1 waits in sync.RWMutex.Lock
}
