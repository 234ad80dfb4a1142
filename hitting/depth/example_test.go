package depth_test

import (
	"fmt"

	"github.com/leadline/leadline/hitting/depth"
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
	elements := []depth.Element{
		{Call: 0, Return: 2, Chain: 0},
		{Call: 1, Return: 4, Chain: 1},
		{Call: 3, Return: 6, Chain: 0},
		{Call: 5, Return: 7, Chain: 1},
	}
	next := func() (e depth.Element, ok bool) {
		if len(elements) > 0 {
			e, elements, ok = elements[0], elements[1:], true
		}
		return e, ok
	}
	s := depth.New(next, picky{}, depth.Options{})
	for d := 1; ; d++ {
		if index, found := s.Try(d); found {
			fmt.Println(index, depth.Schedule(s.Elements(), index))
			return
		}
		fmt.Println("none of depth", d)
	}
	// Output:
	// none of depth 1
	// <0, (3)> [1 0 2 3]
}
