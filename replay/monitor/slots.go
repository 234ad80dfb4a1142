package monitor

import "slices"

// bySlot returns items in the order of their slots, slot[i] being that of
// items[i]; those in one slot keep their order. Slots are 0 to p.end, and
// there are about as many as operations, so that counting is faster than
// comparing.
func (p *problem) bySlot(items, slot []int32) []int32 {
	if len(items) == 0 {
		return nil
	}
	start := p.ints(int(p.end) + 2)
	defer p.giveBack(start)
	for _, s := range slot {
		start[s+1]++
	}
	for s := range p.end + 1 {
		start[s+1] += start[s]
	}
	sorted := p.ints(len(items))
	for i, item := range items {
		at := &start[slot[i]]
		sorted[*at] = item
		*at++
	}
	return sorted
}

// ints returns n zeros, in memory that was given back if there is some: of a
// long history every list is megabytes.
func (p *problem) ints(n int) []int32 {
	for i, list := range p.spare {
		if cap(list) >= n {
			p.spare = slices.Delete(p.spare, i, i+1)
			list = list[:n]
			clear(list)
			return list
		}
	}
	return make([]int32, n)
}

// giveBack lets ints use the memory of lists that nobody will look at again.
func (p *problem) giveBack(lists ...[]int32) { p.spare = append(p.spare, lists...) }

// indices returns 0, 1, ..., n-1.
func indices(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// emptySlots returns a slot for each operation that found nothing, one in
// which no value is certainly in, or operations in conflict if one has none.
func (p *problem) emptySlots(inners []inner) (slots, conflict []int32) {
	if len(p.nothing) == 0 {
		return nil, nil
	}
	free := p.freeSlots(inners)
	defer p.giveBack(free)
	slots = make([]int32, len(p.nothing))
	for i, op := range p.nothing {
		if slots[i] = free[p.call[op]+1]; slots[i] > p.ret[op] {
			return nil, p.neverEmpty(op, inners)
		}
	}
	return slots, nil
}

// freeSlots returns, for each slot, the first one from it on in which no value
// is certainly in; the number of slots if there is none.
func (p *problem) freeSlots(inners []inner) []int32 {
	free := p.ints(int(p.end) + 1) // at first, position -> where the inner interval that begins there ends
	for _, in := range inners {
		if !in.empty() {
			free[in.first] = in.last
		}
	}
	taken := int32(none) // the last slot known to be taken
	for slot := range p.end + 1 {
		last := free[slot]
		free[slot] = slot
		if taken >= slot {
			free[slot] = taken + 1
		}
		taken = max(taken, last)
	}
	for slot := p.end; slot >= 0; slot-- { // what is behind a taken slot may be taken, too
		if next := free[slot]; next <= p.end {
			free[slot] = free[next]
		}
	}
	return free
}
