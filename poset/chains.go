package poset

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// CheckChains returns an error unless the map of from elements to chains is a
// chain partition (Definition 4.5): elements of a chain are comparable, and the
// chains are numbered 0..m-1, all in use. It returns m. O(n).
func (p *Poset) CheckChains(of []int32) (int, error) {
	if len(of) != p.n {
		return 0, fmt.Errorf("poset: %d elements, but chains for %d", p.n, len(of))
	}
	last := map[int32]int32{}
	m := int32(0)
	for _, i := range p.Order() {
		chain := of[i]
		if chain < 0 || int(chain) >= p.n {
			return 0, fmt.Errorf("poset: element %d has chain %d", i, chain)
		}
		if before, ok := last[chain]; ok && !p.Less(before, i) {
			return 0, fmt.Errorf("poset: elements %d and %d of chain %d are concurrent", before, i, chain)
		}
		last[chain] = i
		m = max(m, chain+1)
	}
	if int(m) != len(last) {
		return 0, fmt.Errorf("poset: chains are numbered up to %d, but only %d are in use", m-1, len(last))
	}
	return int(m), nil
}

// MinimumChains returns a chain partition with as few chains as possible
// (Dilworth: as many as the width), as a map from elements to chains. Chains are
// numbered by their smallest elements.
//
// On an interval order each element goes to the lowest-numbered chain whose
// last element precedes it: O(n log n). On other posets the partition comes from a
// maximum bipartite matching between elements and their successors, in which each
// element in turn takes the smallest possible successor: O(n^3 / 64). The result is nil
// if the matching was stopped; see Extend.
func (p *Poset) MinimumChains() []int32 {
	if p.IsInterval() {
		return p.greedyChains()
	}
	p.matching.Do(func() { p.matched = p.matchedChains() })
	return slices.Clone(p.matched)
}

func (p *Poset) greedyChains() []int32 {
	of := make([]int32, p.n)
	var free intHeap
	chains := int32(0)
	returns := p.byReturn()
	next := 0
	for i := range p.n {
		for next < p.n && p.ret[returns[next]] < p.call[i] {
			free.push(of[returns[next]])
			next++
		}
		if len(free) > 0 {
			of[i] = free.pop()
		} else {
			of[i] = chains
			chains++
		}
	}
	return of
}

// matchedChains matches elements to successors: successor[i] follows element i in
// its chain.
func (p *Poset) matchedChains() []int32 {
	successor := slices.Repeat([]int32{-1}, p.n)
	predecessor := slices.Clone(successor)
	for i := range p.n {
		if !p.augment(int32(i), successor, predecessor) {
			return nil
		}
	}
	of := slices.Repeat([]int32{-1}, p.n)
	chains := int32(0)
	for i := range p.n {
		if of[i] >= 0 {
			continue
		}
		// i is the smallest element of a chain without a number, though not
		// always the bottom of the chain.
		bottom := int32(i)
		for predecessor[bottom] >= 0 {
			bottom = predecessor[bottom]
		}
		for e := bottom; e >= 0; e = successor[e] {
			of[e] = chains
		}
		chains++
	}
	return of
}

// augment searches breadth first for an augmenting path from element i and flips
// it. It finds each possible successor by bit operations and visits it once. It
// reports false if it was stopped.
func (p *Poset) augment(i int32, successor, predecessor []int32) bool {
	unseen := make([]uint64, p.words)
	for w := range unseen {
		unseen[w] = ^uint64(0)
	}
	from := make([]int32, p.n) // the element that reached a successor
	queue := []int32{i}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		if p.isStopped(p.words) {
			return false
		}
		row := p.above[int(e)*p.words : (int(e)+1)*p.words]
		for w := range row {
			for word := row[w] & unseen[w]; word != 0; word &= word - 1 {
				s := int32(64*w + bits.TrailingZeros64(word))
				unseen[w] &^= 1 << (s & 63)
				from[s] = e
				if predecessor[s] < 0 {
					flip(s, from, successor, predecessor)
					return true
				}
				queue = append(queue, predecessor[s])
			}
		}
	}
	return true
}

// flip gives each element on the path that ends in s its new successor.
func flip(s int32, from, successor, predecessor []int32) {
	for s >= 0 {
		e := from[s]
		old := successor[e]
		successor[e], predecessor[s] = s, e
		s = old
	}
}

// byReturn returns the elements of an interval order by ascending return.
func (p *Poset) byReturn() []int32 {
	order := p.Order()
	if !slices.IsSortedFunc(order, func(i, j int32) int { return cmp.Compare(p.ret[i], p.ret[j]) }) {
		slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(p.ret[i], p.ret[j]) })
	}
	return order
}

// Concurrency returns the two numbers of Table 1 of the paper. The level of concurrency c
// is the largest number of mutually concurrent elements. cp is the number of unordered
// pairs of concurrent elements. The first call takes O(n log n) on interval orders,
// O(n^3 / 64) otherwise. Both are 0 if the work was stopped; see Extend.
func (p *Poset) Concurrency() (c int, cp int64) {
	if !p.IsInterval() {
		chains := p.MinimumChains()
		if len(chains) == 0 {
			return 0, 0
		}
		return int(slices.Max(chains)) + 1, p.apart
	}
	p.counting.Do(p.count)
	return p.level, p.apart
}

// count counts what is concurrent in an interval order.
func (p *Poset) count() {
	var open intHeap // returns
	for i, call := range p.call {
		for len(open) > 0 && open[0] < call {
			open.pop()
		}
		p.apart += int64(len(open))
		open.push(p.ret[i])
		p.level = max(p.level, len(open))
	}
}

// LongestChain returns the size of a largest chain. O(n) on interval orders,
// otherwise linear in the number of comparable pairs. It may return less if the work was
// stopped; see Extend.
func (p *Poset) LongestChain() int {
	if p.n == 0 {
		return 0
	}
	if !p.IsInterval() {
		return p.longestPath()
	}
	// The element that returns first leaves the most room for the rest of the chain.
	size, earliest := 0, int32(0)
	for i, call := range p.call {
		if i == 0 || earliest < call {
			size, earliest = size+1, p.ret[i]
		}
		earliest = min(earliest, p.ret[i])
	}
	return size
}

// longestPath returns LongestChain of a general poset.
func (p *Poset) longestPath() int {
	below := make([]int32, p.n) // the size of a largest chain below each element
	longest := int32(0)
	for _, e := range p.Order() {
		next := below[e] + 1
		longest = max(longest, next)
		if p.isStopped(p.words + p.eachAbove(int(e), func(j int) { below[j] = max(below[j], next) })) {
			break
		}
	}
	return int(longest)
}

// Blocks cuts the poset wherever everything before the cut is smaller than
// everything after it. It returns the places in Order() where blocks begin, in
// order, and n at the end. The element of a block of one is concurrent with no
// other. O(n).
func (p *Poset) Blocks() []int {
	if p.n == 0 {
		return []int{0}
	}
	if !p.IsInterval() {
		return slices.Clone(p.starts)
	}
	starts := []int{0}
	latest := p.ret[0]
	for i := 1; i < p.n; i++ {
		if latest < p.call[i] {
			starts = append(starts, i)
		}
		latest = max(latest, p.ret[i])
	}
	return append(starts, p.n)
}

// setBlocks sets p.starts. The surplus of an element is the number of elements above it
// minus the number below it. The sum of the surpluses of the elements before a place is
// the number of pairs of an element before the place and a larger one from there on: pairs
// before the place cancel out, and no element from there on is below one before. The place
// is a cut if these are all pairs across it.
func (p *Poset) setBlocks(surplus []int32) {
	p.starts = []int{0}
	pairs := int64(0)
	for k, e := range p.Order() {
		if k > 0 && pairs == int64(k)*int64(p.n-k) {
			p.starts = append(p.starts, k)
		}
		pairs += int64(surplus[e])
	}
	p.starts = append(p.starts, p.n)
}

// An intHeap is a heap with its smallest number on top.
type intHeap []int32

func (h *intHeap) push(x int32) {
	s := append(*h, x)
	for i := len(s) - 1; i > 0 && s[(i-1)/2] > s[i]; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
	*h = s
}

func (h *intHeap) pop() int32 {
	s := *h
	top, last := s[0], len(s)-1
	s[0] = s[last]
	s = s[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && s[child+1] < s[child] {
			child++
		}
		if s[i] <= s[child] {
			break
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
	*h = s
	return top
}
