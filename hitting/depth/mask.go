package depth

import "math/bits"

// A mask is a set of open elements. Bit r stands for the open element of rank r. Open
// elements are ranked by their calls, from 0.
type mask interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [16]uint64
}

// MaxOpen is the largest number of elements that may be open at once.
const MaxOpen = 16 * 64

func has[M mask](m *M, r int) bool { return (*m)[r>>6]>>(r&63)&1 != 0 }

func set[M mask](m *M, r int) { (*m)[r>>6] |= 1 << (r & 63) }

func reset[M mask](m *M, r int) { (*m)[r>>6] &^= 1 << (r & 63) }

func isEmpty[M mask](m *M) bool {
	union := uint64(0)
	for w := range len(*m) {
		union |= (*m)[w]
	}
	return union == 0
}

// next returns the least rank from r on, or -1.
func next[M mask](m *M, r int) int {
	for w, low := r>>6, uint64(1)<<(r&63)-1; w < len(*m); w, low = w+1, 0 {
		if word := (*m)[w] &^ low; word != 0 {
			return 64*w + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// closeGap removes rank r, which is not in the set: greater ranks move down by one.
func closeGap[M mask](m *M, r int) {
	w := r >> 6
	low := uint64(1)<<(r&63) - 1
	(*m)[w] = (*m)[w]&low | (*m)[w]>>1&^low
	for w++; w < len(*m); w++ {
		(*m)[w-1] |= (*m)[w] << 63
		(*m)[w] >>= 1
	}
}

// setFrom adds the ranks from..to-1.
func setFrom[M mask](m *M, from, to int) {
	for r := from; r < to; r++ {
		set(m, r)
	}
}
