package monitor

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
)

// An inner interval holds the slots in which a value is certainly in the collection:
// first+1 to last. Here first is the earliest response of an operation on the value. last
// is the latest invocation, or the end if the value is never removed.
//
// The value is inserted in slot first or before, and removed in slot last+1 or after. If first is more than last, the interval is empty, and all
// operations can take effect in any one slot from last+1 to first. (They are
// never equal: one is a response, the other an invocation or the end.)
type inner struct{ first, last int32 }

// leftOut is the inner interval of a value that may never have been inserted.
var leftOut = inner{none, none}

// empty reports whether the interval has no slots.
func (in inner) empty() bool { return in.first >= in.last }

// inners returns the inner intervals of all values, or a conflict if a value is
// in disorder.
func (p *problem) inners() (inners []inner, conflict []int32) {
	inners = make([]inner, p.count())
	for i := range inners {
		v := int32(i)
		if conflict := p.disorder(v); conflict != nil {
			return nil, conflict
		}
		if p.unseen(v) {
			inners[i] = leftOut
			continue
		}
		e := &p.values[v]
		in := inner{p.ret[e.insert], p.call[e.insert]}
		for _, op := range p.looksOf(v) {
			in = inner{min(in.first, p.ret[op]), max(in.last, p.call[op])}
		}
		if e.remove != none {
			in = inner{min(in.first, p.ret[e.remove]), max(in.last, p.call[e.remove])}
		} else {
			in.last = p.end
		}
		inners[i] = in
	}
	return inners, nil
}

// sortByFirst sorts values by the beginnings of their inner intervals.
func sortByFirst(values []int32, inners []inner) {
	slices.SortFunc(values, func(v, w int32) int { return cmp.Compare(inners[v].first, inners[w].first) })
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
	sortByFirst(values, inners)
	for _, v := range chain(values, inners, none, lo, hi) {
		ops = append(ops, p.decisive(v)...)
	}
	return ops
}

// neverEmpty returns the conflict between an operation that found the collection
// empty and the values in it at that time.
func (p *problem) neverEmpty(op int32, inners []inner) []int32 {
	values := make([]int32, p.count())
	for v := range values {
		values[v] = int32(v)
	}
	return p.appendCover([]int32{op}, values, inners, p.call[op]+1, p.ret[op])
}

// unseen reports whether value v may be left out: no operation read it or
// removed it, and its insertion, if there is one, is pending and need not have
// taken effect.
func (p *problem) unseen(v int32) bool {
	e := &p.values[v]
	return (e.insert == none || p.ret[e.insert] == history.NoReturn) && !p.removed(v) && len(p.looksOf(v)) == 0
}

// removed reports whether a removal of value v returned.
func (p *problem) removed(v int32) bool {
	e := &p.values[v]
	return e.remove != none && p.ret[e.remove] != history.NoReturn
}

// disorder returns operations on value v that are a conflict by themselves: v was read or
// removed, but never inserted or only later, or it was read after its removal. It returns
// nil if there are none.
func (p *problem) disorder(v int32) []int32 {
	e := &p.values[v]
	looks := p.looksOf(v)
	switch {
	case e.insert == none && p.removed(v):
		return []int32{e.remove}
	case e.insert == none && len(looks) > 0:
		return looks[:1]
	case e.insert == none:
		return nil
	}
	if e.remove != none && p.ret[e.remove] < p.call[e.insert] {
		return []int32{e.insert, e.remove}
	}
	for _, op := range looks {
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
// last invocation. If the removal is left out, the interval only gets longer.
func (p *problem) decisive(v int32) []int32 {
	e := &p.values[v]
	ops := make([]int32, 0, 4)
	if e.insert != none {
		ops = append(ops, e.insert)
	}
	first, last := e.remove, e.remove
	for _, op := range p.looksOf(v) {
		if first == none || p.ret[op] < p.ret[first] {
			first = op
		}
		if last == none || e.remove != none && p.call[op] > p.call[last] {
			last = op
		}
	}
	if first != none {
		ops = append(ops, first)
	}
	if last != none && last != first {
		ops = append(ops, last)
	}
	return ops
}

// bySlot sorts items stably by slot; slot[i] is the slot of items[i]. Slots are 0 to
// p.end, about as many as operations. So counting is faster than comparing.
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

// ints returns n zeros. It reuses memory that was given back: the lists of a long
// history take megabytes each.
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

// giveBack lets ints reuse the memory of lists that are no longer needed.
func (p *problem) giveBack(lists ...[]int32) { p.spare = append(p.spare, lists...) }

// indices returns 0, 1, ..., n-1.
func indices(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// emptySlots returns, for each operation that found nothing, a slot outside all
// inner intervals, or a conflict if one has none.
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

// freeSlots returns, for each slot, the first slot from it on that is outside all
// inner intervals; the number of slots if there is none.
func (p *problem) freeSlots(inners []inner) []int32 {
	free := p.ints(int(p.end) + 1) // at first: position -> end of the inner interval that begins there
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
	for slot := p.end; slot >= 0; slot-- { // the slot after a taken one may be taken, too
		if next := free[slot]; next <= p.end {
			free[slot] = free[next]
		}
	}
	return free
}
