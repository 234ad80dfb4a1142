package depth

import (
	"slices"

	"github.com/leadline/leadline/hitting"
)

// Schedule returns the schedule of an index, which hitting.Schedule builds by
// Algorithm 1. The tuple must be feasible. O(n (c + log n)) for c elements open
// at once.
func Schedule(elements []Element, index hitting.Index) []int32 {
	n := len(elements)
	delayed := make([]bool, n)
	for _, x := range index.Tuple {
		delayed[x] = true
	}
	schedule := make([]int32, 0, n)
	var tail []int32 // of the segment
	left := index.Tuple
	next := 0 // element to be called
	for next < n || len(left) > 0 {
		// The cut of the segment is the first return of those that are left.
		record := -1
		for i, x := range left {
			if record < 0 || elements[x].Return <= elements[left[record]].Return {
				record = i
			}
		}
		at := int32(Never)
		if record >= 0 {
			at = elements[left[record]].Return
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
		if record >= 0 {
			schedule = append(schedule, left[:record]...)
			tail = append(tail, left[record])
			left = left[record+1:]
		}
	}
	return append(schedule, tail...)
}
