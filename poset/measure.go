package poset

import (
	"cmp"
	"math/bits"
	"slices"
)

// byReturn returns the elements of an interval order by ascending return.
func (p *Poset) byReturn() []int32 {
	order := p.Order()
	if !slices.IsSortedFunc(order, func(i, j int32) int { return cmp.Compare(p.ret[i], p.ret[j]) }) {
		slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(p.ret[i], p.ret[j]) })
	}
	return order
}

// Concurrency returns the level of concurrency c, the largest number of
// mutually concurrent elements, and the number cp of unordered pairs of
// concurrent elements (both as in Table 1 of the paper). O(n log n) on
// interval orders, O(n^3 / 64) otherwise.
func (p *Poset) Concurrency() (c int, cp int64) {
	if !p.IsInterval() {
		return p.width(), p.incomparable()
	}
	returns := p.byReturn()
	closed := 0
	for i := range p.n {
		for closed < p.n && p.ret[returns[closed]] < p.call[i] {
			closed++
		}
		open := i - closed
		cp += int64(open)
		c = max(c, open+1)
	}
	return c, cp
}

func (p *Poset) width() int {
	m := int32(0)
	for _, chain := range p.matchedChains() {
		m = max(m, chain+1)
	}
	return int(m)
}

func (p *Poset) incomparable() int64 {
	pairs := int64(p.n) * int64(p.n-1) / 2
	for _, word := range p.above {
		pairs -= int64(bits.OnesCount64(word))
	}
	return pairs
}

// Blocks cuts the poset wherever everything before the cut is smaller than
// everything after it, and returns, in order, where the blocks begin in
// Order(), and n at the end. A block of one element is concurrent with
// nothing. O(n) on interval orders, O(n^2 / 64) otherwise.
func (p *Poset) Blocks() []int {
	if p.n == 0 {
		return []int{0}
	}
	starts := []int{0}
	if p.IsInterval() {
		latest := p.ret[0]
		for i := 1; i < p.n; i++ {
			if latest < p.call[i] {
				starts = append(starts, i)
			}
			latest = max(latest, p.ret[i])
		}
		return append(starts, p.n)
	}
	order := p.Order()
	place := make([]int, p.n)
	for k, e := range order {
		place[e] = k
	}
	free := 0 // everything at or after it is above all elements so far
	for k, e := range order {
		if k > 0 && free <= k {
			starts = append(starts, k)
		}
		free = max(free, p.lastNotAbove(int(e), place)+1)
	}
	return append(starts, p.n)
}

// lastNotAbove returns the last place of an element that is not above i.
func (p *Poset) lastNotAbove(i int, place []int) int {
	last := place[i]
	for w, word := range p.above[i*p.words : (i+1)*p.words] {
		for rest := ^word; rest != 0; rest &= rest - 1 {
			if j := 64*w + bits.TrailingZeros64(rest); j < p.n {
				last = max(last, place[j])
			}
		}
	}
	return last
}
