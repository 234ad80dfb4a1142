package search

import (
	"slices"

	"github.com/leadline/leadline/replay"
)

// witness returns all operations in order.
func (p *pushdown) witness() []int32 {
	var order []int32
	placed := make([]bool, len(p.ops))
	enter := func(o int32) {
		order = append(order, p.ops[o].op)
		placed[o] = true
	}
	at := pushdownItem{lock: atStart}
	place := func(o int32) {
		enter(o)
		at.mask |= 1 << p.slot[o]
	}
	for _, i := range p.path() {
		it := &p.items[i]
		o := it.op
		if o <= both {
			o = both - o
			value := p.ops[o].value
			place(p.first(at.due, at.mask, replay.Insert, value))
			for l := p.first(at.due, at.mask, replay.Look, value); l >= 0; l = p.first(at.due, at.mask, replay.Look, value) {
				place(l)
			}
		}
		if o >= 0 {
			place(o)
		}
		at.cell = it.cell
		p.settle(&at, enter)
	}
	for _, role := range [...]replay.Role{replay.Insert, replay.Remove} {
		for o := range p.ops { // the pending ones
			if !placed[o] && p.ops[o].role == role {
				enter(int32(o))
			}
		}
	}
	return append(order, p.idle...)
}

// path returns the items that lead to the goal. Backwards, where a cell was
// removed it is known what lay below: that is where its push must go on.
func (p *pushdown) path() []int32 {
	var path, links []int32
	for i := p.goal; i >= 0; {
		path = append(path, i)
		it := &p.items[i]
		i = it.prev
		switch n := len(links) - 1; {
		case it.link >= 0:
			links = append(links, it.link)
		case it.op >= 0 && n >= 0: // a push
			i = p.links[links[n]].source
			links = links[:n]
		}
	}
	slices.Reverse(path)
	return path
}
