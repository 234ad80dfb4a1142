package monitor

import (
	"cmp"
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// An inner interval holds the slots first+1 to last, in which a value is certainly in the
// collection; see the package documentation. If the value stays, last is the end. (The two
// are never equal: one is a response, the other an invocation or the end.)
type inner struct{ first, last int32 }

// leftOut is the inner interval of a value that may never have been inserted.
var leftOut = inner{none, none}

// empty reports whether the interval has no slots.
func (in inner) empty() bool { return in.first >= in.last }

// inners returns the inner intervals of all values, or a conflict if a value is
// in disorder.
func (p *problem) inners() (inners []inner, conflict []int32) {
	inners, p.slot = make([]inner, len(p.values)), make([]int32, len(p.call))
	for i := range inners {
		v := int32(i)
		inners[v] = leftOut
		if p.isLeftOut(v) {
			continue
		}
		e := &p.values[v]
		if v < p.initials {
			if conflict := p.disorder(v); conflict != nil {
				return nil, conflict
			}
			inners[v] = inner{p.ret[e.insert], p.call[e.insert]}
		}
		for op := range p.uses(v) {
			inners[v] = inner{min(inners[v].first, p.ret[op]), max(inners[v].last, p.call[op])}
		}
		if !p.leaves(v) {
			inners[v].last = p.end
		}
	}
	return inners, nil
}

// uses returns the operations that removed or read value v, the removal first.
func (p *problem) uses(v int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if remove := p.values[v].remove; remove != none && !yield(remove) {
			return
		}
		for _, op := range p.looks.Of(v) {
			if !yield(op) {
				return
			}
		}
	}
}

// leaves reports whether value v is removed, or replaced after the last look.
func (p *problem) leaves(v int32) bool {
	return p.values[v].remove != none || p.discipline == replay.Overwritten || p.discipline == replay.OverwrittenByKey
}

// isLeftOut reports whether value v may be left out: no operation read it or
// removed it, and its insertion, if there is one, is pending and need not have
// taken effect. If onlyRemoved, values without a removal are left out, too.
func (p *problem) isLeftOut(v int32) bool {
	e := &p.values[v]
	if p.onlyRemoved && e.insert != none && e.remove == none {
		return true
	}
	return (e.insert == none || p.ret[e.insert] == history.NoReturn) && !p.isRemoved(v) && len(p.looks.Of(v)) == 0
}

// isRemoved reports whether a removal of value v returned.
func (p *problem) isRemoved(v int32) bool {
	e := &p.values[v]
	return e.remove != none && p.ret[e.remove] != history.NoReturn
}

// disorder returns operations on value v that are a conflict by themselves: v was read or
// removed, but never inserted or only later, or it was read after its removal. It returns
// nil if there are none.
func (p *problem) disorder(v int32) []int32 {
	e := &p.values[v]
	switch {
	case e.insert == none && p.isRemoved(v):
		return []int32{e.remove}
	case e.insert == none:
		return p.looks.Of(v)[:1:1]
	}
	for op := range p.uses(v) {
		if p.ret[op] < p.call[e.insert] {
			return []int32{e.insert, op}
		}
		if e.remove != none && p.ret[e.remove] < p.call[op] {
			return []int32{e.insert, e.remove, op}
		}
	}
	return nil
}

// decisive returns the operations that determine the inner interval of value v: the
// insertion, and among looks and removal the operations with the first response and the
// last invocation. If the removal is left out, the interval only gets longer. The initial
// value of a register has no insertion; it is there from the beginning.
func (p *problem) decisive(v int32) []int32 {
	insert, first, last := p.values[v].insert, int32(none), int32(none)
	for op := range p.uses(v) {
		if first == none || p.ret[op] < p.ret[first] {
			first = op
		}
		if last == none || p.call[op] > p.call[last] {
			last = op
		}
	}
	if insert == none {
		first = none
	}
	ops := make([]int32, 0, 4)
	for _, op := range [...]int32{insert, first} {
		if op != none {
			ops = append(ops, op)
		}
	}
	if last != none && last != first && p.leaves(v) {
		ops = append(ops, last)
	}
	return ops
}

// chain returns the least number of values that cover the slots lo to hi, without the
// value but. The values must be sorted by first, and together they must cover the slots
// without but.
func chain(values []int32, inners []inner, but, lo, hi int32) []int32 {
	var found []int32
	for i := 0; lo <= hi; {
		best := int32(none)
		for ; i < len(values) && inners[values[i]].first < lo; i++ {
			if v := values[i]; v != but && (best == none || inners[v].last > inners[best].last) {
				best = v
			}
		}
		if best == none || inners[best].last < lo {
			panic("monitor: slots that no value covers")
		}
		found = append(found, best)
		lo = inners[best].last + 1
	}
	return found
}

// appendCover appends to ops the operations that keep at least one of the values
// in the collection in all slots from lo to hi, which the values must cover.
func (p *problem) appendCover(ops, values []int32, inners []inner, lo, hi int32) []int32 {
	values = slices.DeleteFunc(values, func(v int32) bool { return inners[v].empty() })
	slices.SortFunc(values, func(v, w int32) int { return cmp.Compare(inners[v].first, inners[w].first) })
	for _, v := range chain(values, inners, none, lo, hi) {
		ops = append(ops, p.decisive(v)...)
	}
	return ops
}

// placeNothing gives each operation that found nothing the first of its slots that is free
// of all values. It returns a conflict if one has none.
func (p *problem) placeNothing(inners []inner) (conflict []int32) {
	if len(p.nothing) == 0 {
		return nil
	}
	free := newNumberSet(p.end+2, true)
	for _, in := range inners {
		if !in.empty() {
			free.removeRange(in.first+1, in.last)
		}
	}
	for _, op := range p.nothing {
		if p.slot[op] = free.next(p.call[op] + 1); p.slot[op] > p.ret[op] {
			return p.appendCover([]int32{op}, ops.Indices(len(p.values)), inners, p.call[op]+1, p.ret[op])
		}
	}
	return nil
}

// bySlot sorts operations by slot and keeps the order within a slot. Slots are 0 to
// p.end+1, about as many as operations. So counting is faster than comparing. It is the last
// step of a monitor, and lets the collector free the rest of the problem.
func (p *problem) bySlot(order []int32) []int32 {
	p.call, p.ret, p.roles, p.valueOf, p.key, p.values, p.looks = nil, nil, nil, nil, nil, nil, ops.Lists{}
	slot := p.slot
	lists := ops.Group(len(order), int(p.end)+2, func(i int32) int32 { return slot[order[i]] })
	sorted := lists.All()
	for k, i := range sorted {
		sorted[k] = order[i]
	}
	return sorted
}
