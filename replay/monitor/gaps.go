package monitor

import "math/bits"

// A numberSet is a set of numbers from 0 to size-1, as bits: 64 to a word, a
// bit of a second level for each word that is not zero, and so on. A step up
// or down the levels takes constant time, and of a million numbers all levels
// but the first fit into 2 kB.
type numberSet struct {
	levels [][]uint64
	size   int32
}

// newNumberSet returns the empty set, or that of all numbers below size.
func newNumberSet(size int32, full bool) *numberSet {
	set := &numberSet{size: size}
	for n := int(size); ; {
		words := make([]uint64, (n+63)/64)
		if full {
			for i := range words {
				words[i] = ^uint64(0)
			}
			if n%64 != 0 {
				words[len(words)-1] = 1<<(n%64) - 1
			}
		}
		set.levels = append(set.levels, words)
		if n = len(words); n <= 1 {
			return set
		}
	}
}

// next returns the smallest member that is not less than x, or else size.
func (set *numberSet) next(x int32) int32 {
	i := int(x)
	for level, words := range set.levels {
		w := i >> 6
		if w >= len(words) {
			break
		}
		if rest := words[w] >> (i & 63); rest != 0 {
			i += bits.TrailingZeros64(rest)
			for level--; level >= 0; level-- {
				i = i<<6 | bits.TrailingZeros64(set.levels[level][i])
			}
			return int32(i)
		}
		i = w + 1
	}
	return set.size
}

// prev returns the largest member that is not more than x, or else -1.
func (set *numberSet) prev(x int32) int32 {
	i := int(x)
	for level, words := range set.levels {
		if i < 0 {
			break
		}
		if rest := words[i>>6] << (63 - i&63); rest != 0 {
			i -= bits.LeadingZeros64(rest)
			for level--; level >= 0; level-- {
				i = i<<6 | (63 - bits.LeadingZeros64(set.levels[level][i]))
			}
			return int32(i)
		}
		i = i>>6 - 1
	}
	return -1
}

func (set *numberSet) add(x int32) {
	i := int(x)
	for _, words := range set.levels {
		words[i>>6] |= 1 << (i & 63)
		i >>= 6
	}
}

func (set *numberSet) remove(x int32) { set.clear(int(x)>>6, 1<<(x&63)) }

// removeRange removes the numbers from lo to hi. Each word it comes by but
// two becomes zero and is never come by again, so that all calls together
// take linear time.
func (set *numberSet) removeRange(lo, hi int32) {
	for x := set.next(lo); x <= hi; x = set.next(x) {
		mask := ^uint64(0) << (x & 63)
		if x>>6 == hi>>6 {
			mask &= ^uint64(0) >> (63 - hi&63)
		}
		set.clear(int(x)>>6, mask)
		if x = x | 63; x >= hi {
			return
		}
	}
}

// clear clears bits of word w.
func (set *numberSet) clear(w int, mask uint64) {
	for _, words := range set.levels {
		words[w] &^= mask
		if words[w] != 0 {
			return
		}
		w, mask = w>>6, 1<<(w&63)
	}
}
