package explore_test

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// counter loses an increment if two threads read it before one of them writes.
type counter struct{ n, want int }

func (c *counter) inc() {
	schedule.Step(schedule.Read, unsafe.Pointer(c))
	n := c.n
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	c.n = n + 1
}

// Implement explore.Oracle: the counter has to count all increments.

func (c *counter) Ran(*schedule.Result) {}
func (c *counter) Moved()               {}

func (c *counter) Record(*schedule.Result) *explore.Seen { return &explore.Seen{Detail: c.n} }

func (c *counter) Describe(s *explore.Seen, f *explore.Found, _ *schedule.Result) {
	f.Detail = s.Detail
}

func (c *counter) Judge(s *explore.Seen, _ *explore.Found, _ int) (bool, error) {
	s.Verdict = explore.Explainable
	if s.Detail != c.want {
		s.Verdict = explore.Violates
	}
	return s.Verdict == explore.Violates, nil
}

func (c *counter) Postpones(*explore.Found) bool { return false }

func (c *counter) Suspect(*explore.Seen, *schedule.Result, int) *explore.Found { return nil }
func (c *counter) IsFault(*explore.Seen, *explore.Found) bool                  { return false }

func (c *counter) search() *explore.Search {
	return &explore.Search{Ctx: context.Background(), Oracle: c, Body: schedule.Program{
		Before: func() { c.n = 0 }, Threads: []func(){c.inc, c.inc}, After: func() {},
	}}
}

// The schedules without preemption lose nothing; with one, an increment is lost.
func Example() {
	for bound := range 2 {
		s := (&counter{want: 2}).search()
		if err := s.Explore(explore.Plan{Preemptions: bound}); err != nil {
			fmt.Println(err)
		}
		fmt.Println("complete to", s.Result.Complete, "preemptions:", len(s.Result.Found), "found")
		for _, f := range s.Result.Found {
			fmt.Println(f.Detail, "with", f.Preemptions, "preemption")
		}
	}
	// Output:
	// complete to 0 preemptions: 0 found
	// complete to 0 preemptions: 1 found
	// 1 with 1 preemption
}
