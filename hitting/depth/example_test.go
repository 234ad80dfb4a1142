package depth_test

import (
	"fmt"

	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/poset"
)

// picky is a machine that rejects 0 before 1, and 3 before 2. A state is the set of
// elements played.
type picky struct{}

func (picky) Start() int32 { return 0 }

func (picky) Step(state, e int32) int32 {
	if e == 0 && state&(1<<1) == 0 || e == 3 && state&(1<<2) == 0 {
		return -1
	}
	return state | 1<<e
}

// The example of the package comment.
func Example() {
	p, chains := poset.Interval([]int32{0, 1, 3, 5}, []int32{2, 4, 6, 7}), []int32{0, 1, 0, 1}
	s := depth.New(p, chains, picky{}, depth.Options{})
	for d := 1; ; d++ {
		if index, found := s.Try(d); found {
			fmt.Println(index, depth.Schedule(p, chains, index))
			return
		}
		fmt.Println("none of depth", d)
	}
	// Output:
	// none of depth 1
	// <0, (3)> [1 0 2 3]
}
