package poset

import (
	"fmt"
	"math/bits"
)

// CheckChains reports an error unless of, which gives each element the number
// of its chain, is a chain partition (Definition 4.5): elements of a chain are
// comparable, and the chains are numbered 0..m-1, all in use. It returns m.
// O(n).
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
// (Dilworth: as many as the width), as the number of each element's chain.
// Chains are numbered by their smallest elements.
//
// On an interval order each element goes to the lowest-numbered chain whose
// last element precedes it: O(n log n). On other posets it is a maximum
// bipartite matching between elements and their successors, each element in
// turn taking the smallest successor it can: O(n^3 / 64).
func (p *Poset) MinimumChains() []int32 {
	if p.IsInterval() {
		return p.greedyChains()
	}
	return p.matchedChains()
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

// matchedChains matches elements to successors: element i followed by
// successor[i] in its chain.
func (p *Poset) matchedChains() []int32 {
	successor := make([]int32, p.n)
	predecessor := make([]int32, p.n)
	for i := range p.n {
		successor[i], predecessor[i] = -1, -1
	}
	for i := range p.n {
		p.augment(int32(i), successor, predecessor)
	}
	of := make([]int32, p.n)
	chains := int32(0)
	for i := range p.n {
		of[i] = -1
	}
	for i := range p.n {
		if of[i] >= 0 {
			continue
		}
		// i is the smallest element of a chain not yet numbered, though not
		// always the chain's bottom.
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

// augment looks, breadth first, for an augmenting path from element i and
// flips it. Each possible successor is visited once, found by bit operations.
func (p *Poset) augment(i int32, successor, predecessor []int32) {
	unseen := make([]uint64, p.words)
	for w := range unseen {
		unseen[w] = ^uint64(0)
	}
	from := make([]int32, p.n) // the element that reached a successor
	queue := []int32{i}
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		row := p.above[int(e)*p.words : (int(e)+1)*p.words]
		for w := range row {
			for word := row[w] & unseen[w]; word != 0; word &= word - 1 {
				s := int32(64*w + bits.TrailingZeros64(word))
				unseen[w] &^= 1 << (s & 63)
				from[s] = e
				if predecessor[s] < 0 {
					flip(s, from, successor, predecessor)
					return
				}
				queue = append(queue, predecessor[s])
			}
		}
	}
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
