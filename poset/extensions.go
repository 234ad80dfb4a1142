package poset

import "math/bits"

// LinearExtensions returns the number of linear extensions of p. It returns false
// if the number exceeds 64 bits, or if a block of p (see Blocks) has more than
// maxDownsets downsets or more than 64 elements.
//
// For a block, it is the number of paths through the lattice of its downsets, and the
// numbers of the blocks multiply. O(downsets * block length).
func (p *Poset) LinearExtensions(maxDownsets int) (uint64, bool) {
	return p.AcceptedExtensions(0, func(state, _ int32) int32 { return state }, maxDownsets)
}

// AcceptedExtensions returns the number of linear extensions that an automaton accepts. It
// begins in the state start, and step returns the state after an element, which is negative
// if the automaton rejects the element there. AcceptedExtensions returns false as
// LinearExtensions does, where each pair of a downset and a state counts as a downset.
func (p *Poset) AcceptedExtensions(start int32, step func(state, element int32) int32, maxDownsets int) (uint64, bool) {
	ways := map[int32]uint64{start: 1}
	order := p.Order()
	blocks := p.Blocks()
	for b := 0; b+1 < len(blocks); b++ {
		var ok bool
		if ways, ok = p.extendBlock(order[blocks[b]:blocks[b+1]], ways, step, maxDownsets); !ok {
			return 0, false
		}
	}
	return sum(ways)
}

// A point of the search is a downset of a block, and the state after its elements.
type point struct {
	set   uint64
	state int32
}

// extendBlock returns in how many ways each state is reached after a block, given
// those before it.
func (p *Poset) extendBlock(block []int32, ways map[int32]uint64, step func(state, element int32) int32, maxDownsets int) (map[int32]uint64, bool) {
	if len(block) > 64 {
		return nil, false
	}
	below := make([]uint64, len(block))
	for k, e := range block {
		for l, f := range block[:k] {
			if p.Less(f, e) {
				below[k] |= 1 << l
			}
		}
	}
	layer, next := make(map[point]uint64, len(ways)), map[point]uint64{}
	for state, n := range ways {
		layer[point{0, state}] = n
	}
	downsets := len(layer)
	for range block {
		clear(next)
		for at, n := range layer {
			for k, e := range block {
				if at.set>>k&1 != 0 || below[k]&^at.set != 0 {
					continue
				}
				state := step(at.state, e)
				if state < 0 {
					continue
				}
				bigger := point{at.set | 1<<k, state}
				total, carry := bits.Add64(next[bigger], n, 0)
				if carry != 0 {
					return nil, false
				}
				next[bigger] = total
			}
			if downsets+len(next) > maxDownsets && len(block) > 1 {
				return nil, false
			}
		}
		downsets += len(next)
		layer, next = next, layer
	}
	after := make(map[int32]uint64, len(layer))
	for at, n := range layer {
		after[at.state] = n
	}
	return after, true
}

func sum(ways map[int32]uint64) (uint64, bool) {
	total, carry := uint64(0), uint64(0)
	for _, n := range ways {
		if total, carry = bits.Add64(total, n, carry); carry != 0 {
			return 0, false
		}
	}
	return total, true
}
