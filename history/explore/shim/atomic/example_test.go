package atomic_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
)

// A trace has the value of each operation.
func ExampleInt64() {
	var x *atomic.Int64
	add := func() {
		if v := x.Load(); !x.CompareAndSwap(v, v+1) {
			x.Add(1)
		}
	}
	p := &schedule.Program{Before: func() { x = new(atomic.Int64) }, Threads: []func(){add, add}}
	r := schedule.Trace(p, schedule.Schedule{0, 1, 1}, schedule.Limits{})
	for i, d := range r.Details {
		fmt.Println("thread", r.Trace[i].Thread, r.Trace[i].Kind, d.Note)
	}
	// Output:
	// thread 0 read = 0
	// thread 1 read = 0
	// thread 1 write swapped to 1
	// thread 0 read not swapped to 1
	// thread 0 write <- 2
}
