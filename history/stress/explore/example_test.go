package explore_test

import (
	"context"
	"fmt"
	"os"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// The object calls the hooks of package schedule, as package instrument would have it.
// Its Inc loads a number and stores the next, as two steps.
func ExampleSchedules() {
	r, err := stress.Reflect(func() *hits { return &hits{} }, stress.ReflectOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := stress.Parse("{ Inc() } || { Inc() }", r.Class)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := explore.Schedules(context.Background(), r.Class, p, stresstest.Checker(nil), explore.Plan{Preemptions: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range e.Violations {
		fmt.Printf("outcome %v of schedule %v with %d preemption\n", v.Outcome, v.Schedule, v.Preemptions)
	}
	_ = bodies.WriteSteps(os.Stdout, []bodies.Step{
		{Thread: 0, Event: true, What: "Inc()"}, {Thread: 0, What: "read", Place: "hits.go:12", Value: "= 0"},
		{Thread: 1, Event: true, What: "Inc()"}, {Thread: 1, What: "read", Place: "hits.go:12", Value: "= 0"},
	})
	// Output:
	// outcome 1,1 of schedule 0 1^2 with 1 preemption
	//       thread 0               thread 1
	//       Inc()
	//    1    read hits.go:12 = 0
	//                              Inc()
	//    2                           read hits.go:12 = 0
}
