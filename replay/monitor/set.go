package monitor

import "github.com/leadline/leadline/replay"

// set decides histories of a set or multiset; see the package documentation, also for the
// order within a slot. It lists the operations in this order.
func (p *problem) set(inners []inner) (order, conflict []int32) {
	order = make([]int32, 0, len(p.call))
	absents := p.byValue(replay.Absent)
	var absent []int32
	for i, in := range inners {
		v := int32(i)
		for _, op := range absents.Of(v) {
			switch {
			case p.call[op] < in.first || in == leftOut:
				p.slot[op] = p.call[op] + 1
			case p.ret[op] < in.last:
				return nil, append(p.decisive(v), op)
			default:
				p.slot[op] = max(p.call[op], in.last) + 1
			}
			absent = append(absent, op)
		}
		if in == leftOut {
			continue
		}
		for _, op := range p.looks.Of(v) {
			if p.slot[op] = max(in.first, p.call[op]+1); p.slot[op] > in.first {
				order = append(order, op)
			}
		}
		if op := p.values[v].remove; op != none {
			if p.slot[op] = max(in.first, in.last+1); p.slot[op] > in.first {
				order = append(order, op)
			}
		}
	}
	order = append(append(order, absent...), p.nothing...)
	for v, in := range inners {
		if in == leftOut {
			continue
		}
		e := &p.values[v]
		p.slot[e.insert] = in.first
		order = append(order, e.insert)
		for _, op := range p.looks.Of(int32(v)) {
			if p.slot[op] == in.first {
				order = append(order, op)
			}
		}
		if e.remove != none && p.slot[e.remove] == in.first {
			order = append(order, e.remove)
		}
	}
	return p.bySlot(order), nil
}
