package monitor

import "math"

// A leastTree finds in a list of numbers those below a limit: the least of
// each 16 are a list of their own, and so on.
type leastTree struct{ levels [][]int32 }

// newLeastTree keeps the list.
func newLeastTree(list []int32) *leastTree {
	t := &leastTree{[][]int32{list}}
	for len(list) > 16 {
		above := make([]int32, (len(list)+15)/16)
		for i := range above {
			above[i] = least(list, i)
		}
		t.levels = append(t.levels, above)
		list = above
	}
	return t
}

// least is the least of the block of 16 numbers that is the i-th.
func least(list []int32, i int) int32 {
	m := int32(math.MaxInt32)
	for _, x := range list[i*16 : min(i*16+16, len(list))] {
		m = min(m, x)
	}
	return m
}

// below returns the first place from lo to before hi where the number is less
// than limit, or hi.
func (t *leastTree) below(lo, hi, limit int32) int32 {
	i := int(lo)
	for level, list := range t.levels {
		for end := min(i|15+1, len(list)); i < end; i++ {
			if list[i] < limit {
				return min(hi, t.down(level, i, limit))
			}
		}
		if i >= len(list) || i<<(4*level) >= int(hi) {
			break
		}
		i >>= 4
	}
	return hi
}

// down returns the first place below the i-th number of a level where the
// number is less than limit.
func (t *leastTree) down(level, i int, limit int32) int32 {
	for level--; level >= 0; level-- {
		i <<= 4
		for t.levels[level][i] >= limit {
			i++
		}
	}
	return int32(i)
}

// remove takes a number out of the list.
func (t *leastTree) remove(place int32) {
	i := int(place)
	t.levels[0][i] = math.MaxInt32
	for level, list := range t.levels[1:] {
		i /= 16
		m := least(t.levels[level], i)
		if list[i] == m {
			return
		}
		list[i] = m
	}
}
