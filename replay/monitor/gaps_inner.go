package monitor

import (
	"cmp"
	"slices"
)

// An inner interval says when a value is certainly in the collection: in the
// slots first+1 to last, where first is the earliest response to an operation
// on it and last the latest invocation of one; the end if it is never removed.
// The value comes at slot first or before, and goes at slot last+1 or after.
// Where first is more than last, the interval is empty, and all operations
// can take effect in one slot, any from last+1 to first. (They are never
// equal: one is a response, the other an invocation or the end.)
type inner struct{ first, last int32 }

// leftOut is what a value has that nobody need have inserted.
var leftOut = inner{none, none}

// empty reports whether there are no slots in which the value is certainly in.
func (in inner) empty() bool { return in.first >= in.last }

// inners returns the inner intervals of all values, or operations in conflict
// if those on one value have no order.
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

// sortByFirst sorts values by where their inner intervals begin.
func sortByFirst(values []int32, inners []inner) {
	slices.SortFunc(values, func(v, w int32) int { return cmp.Compare(inners[v].first, inners[w].first) })
}

// chain returns as few of the values as cover the slots lo to hi. They must
// be sorted by first, and all but the given one must cover the slots.
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
			panic("monitor: slots that are not covered")
		}
		found = append(found, best)
		lo = inners[best].last + 1
	}
	return found
}

// appendCover appends to ops operations that keep some of the values in the
// collection in the slots from lo to hi, which the values must cover.
func (p *problem) appendCover(ops, values []int32, inners []inner, lo, hi int32) []int32 {
	values = slices.DeleteFunc(values, func(v int32) bool { return inners[v].empty() })
	sortByFirst(values, inners)
	for _, v := range chain(values, inners, none, lo, hi) {
		ops = append(ops, p.decisive(v)...)
	}
	return ops
}

// neverEmpty is the conflict of an operation that found the collection empty
// with values that kept it from being so.
func (p *problem) neverEmpty(op int32, inners []inner) []int32 {
	values := make([]int32, p.count())
	for v := range values {
		values[v] = int32(v)
	}
	return p.appendCover([]int32{op}, values, inners, p.call[op]+1, p.ret[op])
}
