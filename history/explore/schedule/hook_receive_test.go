package schedule_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
)

// TestReceive: what other threads send and close is received under every schedule, in the
// order in which they do, from channels with and without a buffer.
func TestReceive(t *testing.T) {
	for size := range 3 {
		var got string
		var c chan int
		p := &schedule.Program{
			Before: func() { got, c = "", make(chan int, size) },
			Threads: []func(){
				func() {
					for n := range 3 {
						schedule.To((chan<- int)(c)).Send(n)
					}
					schedule.Close((chan<- int)(c))
				},
				func() {
					for {
						v, ok := schedule.Receive(reflect.ValueOf((<-chan int)(c)))
						if got += fmt.Sprint(v, ok, " "); !ok {
							return
						}
					}
				},
			},
		}
		search := schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true})
		for n := 1; ; n++ {
			r := schedule.Run(p, search, schedule.Limits{})
			if got != "0 true 1 true 2 true 0 false " {
				t.Fatalf("room for %d, schedule %v: %s", size, r.Schedule, got)
			}
			if !search.Next(r) {
				t.Logf("room for %d: %d schedules", size, n)
				break
			}
		}
	}
	done := make(chan int)
	p := &schedule.Program{
		Before: func() { done = make(chan int) },
		Threads: []func(){
			func() { schedule.Step(schedule.Write, nil); close(done) }, // code that is not instrumented
			func() { schedule.Receive(reflect.ValueOf(done)) },
		},
	}
	search := schedule.NewDFS(schedule.DFSOptions{Bound: 2})
	for more := true; more; {
		r := schedule.Run(p, search, schedule.Limits{})
		if r.Deadlock {
			t.Fatalf("schedule %v: a deadlock", r.Schedule)
		}
		more = search.Next(r)
	}
	ready := make(chan int, 1) // outside of an execution
	ready <- 7
	if v, ok := schedule.Receive(reflect.ValueOf(ready)); v.Int() != 7 || !ok {
		t.Errorf("received %v, %v", v, ok)
	}
}
