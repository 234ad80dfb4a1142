package monitor

import "github.com/leadline/leadline/history"

// unseen reports whether value v may be left out: nothing found or removed it,
// and its insertion, if there is one, is pending, so that it may be one that
// never took effect.
func (p *problem) unseen(v int32) bool {
	e := &p.values[v]
	return (e.insert == none || p.ret[e.insert] == history.NoReturn) && !p.removed(v) && len(p.looksOf(v)) == 0
}

// removed reports whether a removal of value v returned.
func (p *problem) removed(v int32) bool {
	e := &p.values[v]
	return e.remove != none && p.ret[e.remove] != history.NoReturn
}

// disorder returns operations on value v that are in conflict by themselves:
// it was found or removed but not inserted, or before it was inserted, or was
// found after it was removed. nil if there are none.
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

// decisive returns the operations on value v that say when it was inserted
// and removed at the latest and at the earliest: the insertion, and of looks
// and removal the first response and the last invocation. Without the
// removal, the value only seems to stay for longer.
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
