package schedule_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
)

// The rewriter turns
//
//	go func() { c <- 1 }()
//	go func() { d <- 2 }()
//	select {
//	case v := <-c: ...
//	case v := <-d: ...
//	}
//
// into calls of hooks, so that both outcomes are explored.
func ExampleSelect() {
	got := map[int]bool{}
	p := &schedule.Program{Threads: []func(){func() {
		c, d := make(chan int), make(chan int)
		schedule.Go(func() { schedule.To(c).Send(1) })
		schedule.Go(func() { schedule.To(d).Send(2) })
		switch c0, c1 := schedule.RecvCase(c), schedule.RecvCase(d); schedule.Select(false, c0, c1) {
		case 0:
			got[c0.Value()] = true
		case 1:
			got[c1.Value()] = true
		}
	}}}
	search := schedule.NewDPOR()
	for search.Next(schedule.Run(p, search, schedule.Limits{})) {
	}
	fmt.Println(got)
	// Output: map[1:true 2:true]
}
