package schedule_test

import (
	"fmt"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// A Counter is wrong: Add loads and stores.
type Counter struct{ n int }

func (c *Counter) Add() {
	schedule.Step(schedule.Read, unsafe.Pointer(c))
	n := c.n
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	c.n = n + 1
}

func Example() {
	var c *Counter
	thread := func(i int) func() {
		return func() {
			schedule.Invocation(i, 0)
			c.Add()
			schedule.Returned()
		}
	}
	p := &schedule.Program{
		Before:  func() { c = new(Counter) },
		Threads: []func(){thread(0), thread(1)},
	}
	search := schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true})
	for {
		r := schedule.Run(p, search, schedule.Limits{})
		fmt.Printf("%d: %v, %d preemptions\n", c.n, r.Schedule, r.Preemptions)
		if c.n != 2 || !search.Next(r) {
			break
		}
	}
	// Output:
	// 2: 0^2, 0 preemptions
	// 2: 1^2, 0 preemptions
	// 2: 0^2, 0 preemptions
	// 1: 0 1^2, 1 preemptions
}
