package hitting

import "github.com/leadline/leadline/poset"

// Hits reports whether the schedule strongly hits the tuple (Definition 4.1):
// whatever stands at or after x_i in the schedule is x_j or above it in the
// poset for some j >= i. It is written from the definition alone, so that it
// can judge the generator. O(n * d^2).
func Hits(p *poset.Poset, schedule, tuple []int32) bool {
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
// larger one: no i < j with x_i > x_j in the poset.
func Feasible(p *poset.Poset, tuple []int32) bool {
	for j, y := range tuple {
		for _, x := range tuple[:j] {
			if x == y || p.Less(y, x) {
				return false
			}
		}
	}
	return true
}
