package monitor

import "github.com/leadline/leadline/replay/ops"

// register decides histories of a register, or of a map as one register for
// each key; see the package documentation. It takes the values by the lesser of first and
// last. A value that has to come before one that was taken earlier is in conflict with it.
//
// The operations on one key take effect in that order, each as early as possible
// after the one before it. Their slots give one order of the operations on all
// keys.
func (p *problem) register(inners []inner) (order, conflict []int32) {
	byBegin := ops.Group(len(inners), int(p.end)+1, func(v int32) int32 {
		if inners[v] == leftOut {
			return none
		}
		return min(inners[v].first, inners[v].last) + 1
	})
	keys := int32(len(p.values)) - p.initials
	held := make([]int32, keys) // key -> the value that was taken and is held longest, + 1
	now := make([]int32, keys)  // key -> the slot of the last operation
	order = make([]int32, 0, len(p.call))
	for _, v := range byBegin.All() {
		if p.meter.MustStop(1) {
			return nil, nil
		}
		k := p.keyOf(v)
		switch last := held[k] - 1; {
		case last == none || inners[v].first >= inners[last].last && inners[v].last > inners[last].last:
			held[k] = v + 1
		case inners[v].first < inners[last].last:
			return nil, append(p.decisive(last), p.decisive(v)...)
		}
		placed := len(order)
		if write := p.values[v].insert; write != none {
			order = append(order, write)
		}
		order = append(order, p.looks.Of(v)...)
		for _, op := range order[placed:] {
			now[k] = max(now[k], p.call[op]+1)
			p.slot[op] = now[k]
		}
	}
	return p.bySlot(order), nil
}

func (p *problem) keyOf(v int32) int32 {
	if p.key == nil {
		return 0
	}
	return p.key[v]
}
