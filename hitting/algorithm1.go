package hitting

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/poset"
)

// Schedule builds the schedule of one index by Algorithm 1, line by line. It
// is the reference for the generator, which does not use it. O(n^2 * d).
//
// The tuple must be feasible, chains must have a chain for each element, and the index
// must have one of these chains; Schedule panics otherwise. Unlike the paper, which leaves
// these choices open, it inserts elements in the order p.Order(), and line 25 inserts at
// the front if the schedule has no smaller element.
func Schedule(p *poset.Poset, chains []int32, index Index) []int32 {
	checkChains(p, chains)
	if checkElements(p, index.Tuple); !Feasible(p, index.Tuple) {
		panic(fmt.Sprintf("hitting: the tuple of %v is not feasible", index))
	}
	if len(chains) > 0 && !slices.Contains(chains, index.Chain) {
		panic(fmt.Sprintf("hitting: no element is in the chain of %v", index))
	}
	return schedule(p, chains, index)
}

// schedule is Schedule for any tuple of distinct elements, also infeasible ones.
func schedule(p *poset.Poset, chains []int32, index Index) []int32 {
	var schedule, inserted []int32 // inserted: op_{i_1}..op_{i_l}, in tuple order
	rank := func(e int32) int { return slices.Index(index.Tuple, e) }
	for _, op := range p.Order() {
		l := len(inserted)
		i := rank(op)
		switch {
		case i >= 0: // lines 11-17
			if l == 0 || i > rank(inserted[l-1]) || p.Less(inserted[l-1], op) {
				schedule = append(schedule, op)
			} else {
				before := insertionPoint(p, op, inserted, func(x int32) bool { return i < rank(x) })
				schedule = insertBefore(schedule, op, before)
			}
			at, _ := slices.BinarySearchFunc(inserted, i, func(x int32, i int) int { return rank(x) - i })
			inserted = slices.Insert(inserted, at, op)
		case chains[op] == index.Chain: // lines 18-23
			if l == 0 || p.Less(inserted[l-1], op) {
				schedule = append(schedule, op)
			} else {
				before := insertionPoint(p, op, inserted, func(int32) bool { return true })
				schedule = insertBefore(schedule, op, before)
			}
		default: // lines 24-26
			at := len(schedule)
			for at > 0 && !p.Less(schedule[at-1], op) {
				at--
			}
			schedule = slices.Insert(schedule, at, op)
		}
	}
	return schedule
}

// insertionPoint returns op_{i_j} for the least j such that all of op_{i_j}..op_{i_l}
// are eligible and concurrent with op (lines 16 and 22).
func insertionPoint(p *poset.Poset, op int32, inserted []int32, eligible func(x int32) bool) int32 {
	j := len(inserted)
	for j > 0 && eligible(inserted[j-1]) && p.Concurrent(op, inserted[j-1]) {
		j--
	}
	return inserted[j]
}

func insertBefore(schedule []int32, op, before int32) []int32 {
	return slices.Insert(schedule, slices.Index(schedule, before), op)
}
