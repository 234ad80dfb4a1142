package poset

import "math/bits"

// LinearExtensions returns the number of linear extensions of p. It returns false
// if the number exceeds 64 bits, or if a block of p (see Blocks) has more than
// maxDownsets downsets or more than 64 elements.
//
// The number is the product over the blocks. For a block, it is the number of
// paths through the lattice of its downsets. O(downsets * block length).
func (p *Poset) LinearExtensions(maxDownsets int) (uint64, bool) {
	total := uint64(1)
	order := p.Order()
	blocks := p.Blocks()
	for b := 0; b+1 < len(blocks); b++ {
		block := order[blocks[b]:blocks[b+1]]
		if len(block) == 1 {
			continue
		}
		count, ok := p.blockExtensions(block, maxDownsets)
		if !ok {
			return 0, false
		}
		high, low := bits.Mul64(total, count)
		if high != 0 {
			return 0, false
		}
		total = low
	}
	return total, true
}

func (p *Poset) blockExtensions(block []int32, maxDownsets int) (uint64, bool) {
	if len(block) > 64 {
		return 0, false
	}
	below := make([]uint64, len(block))
	for k, e := range block {
		for l, f := range block[:k] {
			if p.Less(f, e) {
				below[k] |= 1 << l
			}
		}
	}
	layer := map[uint64]uint64{0: 1}
	downsets := 1
	for range block {
		next := make(map[uint64]uint64, len(layer))
		for set, ways := range layer {
			for k := range block {
				if set>>k&1 != 0 || below[k]&^set != 0 {
					continue
				}
				bigger := set | 1<<k
				sum, carry := bits.Add64(next[bigger], ways, 0)
				if carry != 0 {
					return 0, false
				}
				next[bigger] = sum
			}
		}
		if downsets += len(next); downsets > maxDownsets {
			return 0, false
		}
		layer = next
	}
	return layer[1<<uint(len(block)-1)<<1-1], true
}
