package hitting

import (
	"fmt"

	"github.com/leadline/leadline/poset"
)

// Hits reports whether the schedule strongly hits the tuple (Definition 4.1):
// whatever stands at or after x_i in the schedule is x_j or above it in the
// poset for some j >= i. It is written from the definition alone, so that it
// can judge the generator. It panics if one of them names what is not an element.
// O(n * d^2).
func Hits(p *poset.Poset, schedule, tuple []int32) bool {
	checkElements(p, schedule)
	checkElements(p, tuple)
	seen := make([]bool, len(tuple))
	for _, y := range schedule {
		for i, x := range tuple {
			seen[i] = seen[i] || y == x
		}
		for i := range tuple {
			if seen[i] && !aboveSome(p, y, tuple[i:]) {
				return false
			}
		}
	}
	return true
}

// aboveSome reports whether y >= x for some x in xs.
func aboveSome(p *poset.Poset, y int32, xs []int32) bool {
	for _, x := range xs {
		if y == x || p.Less(x, y) {
			return true
		}
	}
	return false
}

// Feasible reports whether the tuple has distinct elements and none after a
// larger one: no i < j with x_i > x_j in the poset. It panics if the tuple names
// what is not an element.
func Feasible(p *poset.Poset, tuple []int32) bool {
	checkElements(p, tuple)
	for j, y := range tuple {
		for _, x := range tuple[:j] {
			if x == y || p.Less(y, x) {
				return false
			}
		}
	}
	return true
}

// checkElements panics unless all of list are elements of p.
func checkElements(p *poset.Poset, list []int32) {
	n := p.Len()
	for _, e := range list {
		if e < 0 || int(e) >= n {
			panic(fmt.Sprintf("hitting: element %d of a poset of %d", e, n))
		}
	}
}

// checkChains panics unless chains gives each element of p the number of a
// chain. It does not check that elements of one chain are comparable.
func checkChains(p *poset.Poset, chains []int32) {
	n := p.Len()
	if len(chains) != n {
		panic(fmt.Sprintf("hitting: chains of %d elements, but the poset has %d", len(chains), n))
	}
	for e, chain := range chains {
		if chain < 0 || int(chain) >= n {
			panic(fmt.Sprintf("hitting: element %d of %d has chain %d", e, n, chain))
		}
	}
}
