package depth

import (
	"slices"

	"github.com/leadline/leadline/hitting"
)

// Schedule returns the schedule of an index, which hitting.Schedule builds by
// Algorithm 1. The tuple must be feasible. O(n c) for c elements open at once.
func Schedule(elements []Element, index hitting.Index) []int32 {
	n, tuple := len(elements), index.Tuple
	delayed := make([]bool, n)
	for _, x := range tuple {
		delayed[x] = true
	}
	records := recordsOf(elements, tuple)
	schedule := make([]int32, 0, n)
	var tail []int32 // the segment so far
	placed := 0      // elements of the tuple that are placed
	next := 0        // element to be called
	for next < n || placed < len(tuple) {
		at := int32(Never)
		if placed < len(tuple) {
			at = elements[tuple[records[placed]]].Return
		}
		for ; next < n && elements[next].Call <= at; next++ {
			if delayed[next] {
				continue
			}
			place := len(tail)
			if elements[next].Chain != index.Chain {
				for place > 0 && elements[tail[place-1]].Return >= elements[next].Call {
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
func recordsOf(elements []Element, tuple []int32) []int32 {
	records := make([]int32, len(tuple))
	for i := len(tuple) - 1; i >= 0; i-- {
		records[i] = int32(i)
		if i+1 < len(tuple) && elements[tuple[i]].Return >= elements[tuple[records[i+1]]].Return {
			records[i] = records[i+1]
		}
	}
	return records
}
