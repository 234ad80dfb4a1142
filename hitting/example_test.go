package hitting_test

import (
	"fmt"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/poset"
)

func Example() {
	p := poset.Interval([]int32{0, 1, 3, 5}, []int32{2, 4, 7, 6})
	family := hitting.NewFamily(p, []int32{0, 1, 0, 1}, hitting.Options{})
	for !family.Done() {
		for index, schedule := range family.Grow() {
			fmt.Println(index.Depth(), index, schedule)
		}
	}
	fmt.Println(hitting.Hits(p, []int32{0, 2, 1, 3}, []int32{1}))
	// Output:
	// 1 <0, ()> [1 0 3 2]
	// 1 <1, ()> [0 2 1 3]
	// 2 <0, (3)> [1 0 2 3]
	// 2 <1, (2)> [0 1 3 2]
	// 3 <1, (2, 3)> [0 1 2 3]
	// true
}
