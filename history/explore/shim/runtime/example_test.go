package runtime_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/runtime"
)

// An object that has a part for each processor has as many on any machine.
func ExampleGOMAXPROCS() {
	p := &schedule.Program{Threads: []func(){func() { fmt.Println(runtime.GOMAXPROCS(0)) }}}
	schedule.Run(p, schedule.NewDFS(schedule.DFSOptions{}), schedule.Limits{})
	// Output: 4
}
