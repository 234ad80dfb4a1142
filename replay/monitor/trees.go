package monitor

import (
	"math"
	"math/bits"
)

// A numberSet is a set of numbers from 0 to size-1, as bits, 64 in a word. A second level
// has a bit for each word that is not zero, and so on. A step up or down the levels takes
// constant time. For a million numbers, all levels but the first fit into 2 kB.
type numberSet struct {
	levels [][]uint64
	size   int32
}

// newNumberSet returns the empty set or the set of all numbers below size.
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

// next returns the smallest member that is not less than x, or size if there is
// none.
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

// prev returns the largest member that is not more than x, or -1 if there is none.
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

// removeRange removes the numbers from lo to hi. All words that it visits but two
// become zero and are never visited again. So all calls together take linear time.
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

// A leastTree finds the numbers of a list that are below a limit. The next level is the
// list of the least numbers of each block of 16, and so on.
type leastTree struct{ levels [][]int32 }

// newLeastTree returns the tree of a list, which it keeps.
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

// least returns the least number of the i-th block of 16.
func least(list []int32, i int) int32 {
	m := int32(math.MaxInt32)
	for _, x := range list[i*16 : min(i*16+16, len(list))] {
		m = min(m, x)
	}
	return m
}

// below returns the first place from lo on and before hi whose number is less than
// limit, or hi if there is none.
func (t *leastTree) below(lo, hi, limit int32) int32 {
	i := int(lo)
	for level, list := range t.levels {
		for end := min(i|15+1, len(list)); i < end; i++ {
			if list[i] >= limit {
				continue
			}
			for level--; level >= 0; level-- { // one of the block below is less
				for i <<= 4; t.levels[level][i] >= limit; i++ {
				}
			}
			return min(hi, int32(i))
		}
		if i >= len(list) || i<<(4*level) >= int(hi) {
			break
		}
		i >>= 4
	}
	return hi
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

// A coverTree counts the values that cover each gap. As soon as only one value is left
// for a gap, it reports the value, and drops the gap.
//
// It is a segment tree. A number that is added to all gaps below a node stays at the
// node. With each count, the tree keeps the exclusive or of the values.
type coverTree struct {
	base  int32 // node base+g is gap g; node 1 is the root
	nodes []coverNode
	sole  []soleCover // the sole covers that the last removal found

	from, to, value int32 // of the current removal
}

type coverNode struct {
	low   int32 // the least count below the node, without the counts added above it
	count int32 // added to all gaps below
	value int32 // added to all gaps below
}

// A soleCover says that a gap is covered by one value alone.
type soleCover struct{ gap, value int32 }

// gone is the count of dropped gaps.
const gone = math.MaxInt32 / 2

// newCoverTree returns the tree of gaps with the given counts and sums of values.
// Gaps that fewer than two values cover are dropped at once.
func newCoverTree(count, value []int32) *coverTree {
	base := int32(1)
	for int(base) < len(count) {
		base *= 2
	}
	t := &coverTree{base: base, nodes: make([]coverNode, 2*base)}
	for g := range base {
		leaf := &t.nodes[base+g]
		if leaf.low = gone; int(g) < len(count) && count[g] > 1 {
			*leaf = coverNode{low: count[g], value: value[g]}
		}
	}
	for i := base - 1; i > 0; i-- {
		t.nodes[i].low = min(t.nodes[2*i].low, t.nodes[2*i+1].low)
	}
	return t
}

// remove removes value from the cover of the gaps from to to, and lists in sole
// the gaps that now have a sole cover.
func (t *coverTree) remove(value, from, to int32) {
	t.sole = t.sole[:0]
	if from <= to {
		t.from, t.to, t.value = from, to, value
		t.take(1, 0, t.base-1, 0, 0)
	}
}

// take is remove at node i, below which are the gaps lo to hi. count and value are the
// sums of the numbers added above node i.
func (t *coverTree) take(i, lo, hi, count, value int32) {
	node := &t.nodes[i]
	if t.from <= lo && hi <= t.to {
		node.low--
		node.count--
		node.value ^= t.value
		if node.low+count == 1 {
			t.report(i, count, value)
		}
		return
	}
	count, value = count+node.count, value^node.value
	mid := (lo + hi) / 2
	if t.from <= mid {
		t.take(2*i, lo, mid, count, value)
	}
	if t.to > mid {
		t.take(2*i+1, mid+1, hi, count, value)
	}
	node.low = node.count + min(t.nodes[2*i].low, t.nodes[2*i+1].low)
}

// report lists the gaps below node i whose count is one; there is at least one.
func (t *coverTree) report(i, count, value int32) {
	node := &t.nodes[i]
	if i >= t.base {
		t.sole = append(t.sole, soleCover{i - t.base, value ^ node.value})
		node.low = gone
		return
	}
	count, value = count+node.count, value^node.value
	for child := 2 * i; child <= 2*i+1; child++ {
		if t.nodes[child].low+count == 1 {
			t.report(child, count, value)
		}
	}
	node.low = node.count + min(t.nodes[2*i].low, t.nodes[2*i+1].low)
}
