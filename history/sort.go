package history

import "math/bits"

// maxDigit is the width of the widest digit by which SortByStamp sorts, in bits.
const maxDigit = 11

// SortByStamp sorts list, stably, by the stamps at[list[i]]. It returns the
// sorted list, in the memory of list or of spare, and the other of the two. spare
// must be at least as long as list. It is a radix sort, lowest digit first: O(n) for
// stamps of a given range, and one pass if list is sorted already.
func SortByStamp(list, spare []int32, at []int64) (sorted, free []int32) {
	if len(list) == 0 {
		return list, spare
	}
	low, high, inOrder := at[list[0]], at[list[0]], true
	last := low
	for _, o := range list {
		s := at[o]
		low, high = min(low, s), max(high, s)
		inOrder = inOrder && last <= s
		last = s
	}
	if inOrder {
		return list, spare
	}
	width := min(maxDigit, max(4, bits.Len(uint(len(list)))))
	mask := uint64(1)<<width - 1
	key := func(o int32) uint64 { return uint64(at[o]) - uint64(low) } // correct even if the difference overflows int64
	var begins [1 << maxDigit]int32
	for shift := 0; shift < bits.Len64(uint64(high)-uint64(low)); shift += width {
		clear(begins[:mask+1])
		for _, o := range list {
			begins[key(o)>>shift&mask]++
		}
		sum := int32(0)
		for d := range begins[:mask+1] {
			begins[d], sum = sum, sum+begins[d]
		}
		out := spare[:len(list)]
		for _, o := range list {
			d := key(o) >> shift & mask
			out[begins[d]] = o
			begins[d]++
		}
		list, spare = out, list[:cap(list)]
	}
	return list, spare
}
