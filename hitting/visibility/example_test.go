package visibility_test

import (
	"fmt"

	"github.com/leadline/leadline/hitting/visibility"
)

// Key 0 is set, and then key 1; a read overlaps both and finds the second alone. That is a bundle of
// reads: the one of key 0 comes first.
func Example() {
	h := hist{{method: "add", key: 0, result: 1, call: 0, ret: 2}, {method: "read", result: 4, call: 1, ret: 4}, {method: "add", key: 1, result: 1, call: 3, ret: 5}}
	for _, level := range []visibility.Level{visibility.Complete, visibility.Bundle} {
		h[1].level = level
		x, err := h.operations().Search(h, visibility.Bounds{})
		if x == nil {
			fmt.Println(level, "no", err)
			continue
		}
		fmt.Println(level, x.Order, "the read misses", x.Unseen[1])
	}
	// Output:
	// complete no <nil>
	// bundle [0 2 1] the read misses [0]
}
