package context_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/context"
	"github.com/leadline/leadline/history/explore/shim/time"
)

// An hour passes at once if no thread has anything to do.
func ExampleWithTimeout() {
	p := &schedule.Program{Threads: []func(){func() {
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		schedule.Recv(ctx.Done())
		fmt.Println(ctx.Err(), "after", time.Since(start).Round(time.Second))
	}}}
	schedule.Run(p, schedule.NewDFS(schedule.DFSOptions{}), schedule.Limits{})
	// Output:
	// context deadline exceeded after 1h0m0s
}
