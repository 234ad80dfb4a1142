package poset_test

import (
	"fmt"

	"github.com/leadline/leadline/poset"
)

func Example() {
	p := poset.Interval([]int32{0, 1, 3, 5}, []int32{2, 4, 7, 6})
	c, cp := p.Concurrency()
	extensions, _ := p.LinearExtensions(1000)
	fmt.Println("0 < 2:", p.Less(0, 2), "  1 and 2 concurrent:", p.Concurrent(1, 2))
	fmt.Println("c =", c, " cp =", cp, " chains", p.MinimumChains(), " linear extensions", extensions)
	// Output:
	// 0 < 2: true   1 and 2 concurrent: true
	// c = 2  cp = 3  chains [0 1 0 1]  linear extensions 5
}
