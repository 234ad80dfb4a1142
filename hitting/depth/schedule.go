package depth

import (
	"slices"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/poset"
)

// Schedule returns the schedule of an index, which hitting.Schedule builds by
// Algorithm 1. The tuple must be feasible. O(n c) for c elements open at once.
func Schedule(p *poset.Poset, chains []int32, index hitting.Index) []int32 {
	n, tuple := p.Len(), index.Tuple
	call, ret := p.Intervals()
	delayed := make([]bool, n)
	for _, x := range tuple {
		delayed[x] = true
	}
	records := recordsOf(ret, tuple)
	schedule := make([]int32, 0, n)
	var tail []int32 // the segment so far
	placed := 0      // elements of the tuple that are placed
	next := 0        // element to be called
	for next < n || placed < len(tuple) {
		at := int32(Never)
		if placed < len(tuple) {
			at = ret[tuple[records[placed]]]
		}
		for ; next < n && call[next] <= at; next++ {
			if delayed[next] {
				continue
			}
			place := len(tail)
			if chains[next] != index.Chain {
				for place > 0 && ret[tail[place-1]] >= call[next] {
					place--
				}
			}
			tail = slices.Insert(tail, place, int32(next))
		}
		schedule = append(schedule, tail...)
		tail = tail[:0]
		if placed < len(tuple) {
			record := int(records[placed])
			schedule = append(schedule, tuple[placed:record]...)
			tail = append(tail, tuple[record])
			placed = record + 1
		}
	}
	return append(schedule, tail...)
}

// recordsOf returns, for each place in the tuple, the place of the first record from there
// on: the element with the least return among the rest, and the last of several.
func recordsOf(ret, tuple []int32) []int32 {
	records := make([]int32, len(tuple))
	for i := len(tuple) - 1; i >= 0; i-- {
		records[i] = int32(i)
		if i+1 < len(tuple) && ret[tuple[i]] >= ret[tuple[records[i+1]]] {
			records[i] = records[i+1]
		}
	}
	return records
}
