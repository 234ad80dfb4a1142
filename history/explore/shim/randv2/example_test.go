package rand_test

import (
	"fmt"

	"github.com/leadline/leadline/history/explore/schedule"
	rand "github.com/leadline/leadline/history/explore/shim/randv2"
)

// The first random numbers of an execution are choices, which are explored.
func ExampleIntN() {
	p := &schedule.Program{Threads: []func(){func() { fmt.Println(rand.IntN(2), rand.IntN(2)) }}}
	search := schedule.NewDFS(schedule.DFSOptions{})
	for search.Next(schedule.Run(p, search, schedule.Limits{})) {
	}
	// Unordered output:
	// 1 1
	// 1 0
	// 0 1
	// 0 0
}
