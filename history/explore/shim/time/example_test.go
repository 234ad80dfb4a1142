package time_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/time"
)

// An hour passes at once if no thread has anything to do.
func ExampleAfterFunc() {
	p := &schedule.Program{Threads: []func(){func() {
		start := time.Now()
		time.AfterFunc(time.Hour, func() { fmt.Println("called after", time.Since(start).Round(time.Second)) })
		time.Sleep(2 * time.Hour)
		fmt.Println("slept until", time.Now().UTC().Format(time.DateTime))
	}}}
	schedule.Run(p, schedule.NewDFS(schedule.DFSOptions{}), schedule.Limits{})
	// Output:
	// called after 1h0m0s
	// slept until 2009-11-11 01:00:00
}
