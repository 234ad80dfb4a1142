package monitor

import (
	"cmp"
	"math"
	"slices"
)

// A valueOps has operations on one value: its push, its pop (or none) and some of its
// reads.
type valueOps struct {
	push, pop int32
	looks     []int32
}

// findConflict returns operations in conflict on the blocks first to end-1. They are a
// part that covers the slots begin+1 to last, and no block fits under it.
//
// A chain of blocks that covers these slots is enough, as long as none of its
// blocks fits under the others. So if only a look keeps a block from fitting, a chain of
// others that covers the slots of the look is added, and so on.
func (w *stackMonitor) findConflict(first, end, begin, last int32) []valueOps {
	s := &conflictFinder{stackMonitor: w, number: map[int32]int32{}, chosen: map[int32]bool{}}
	for i := first; i < end; i = w.left.next(i + 1) {
		s.values = append(s.values, w.blocks[i].value)
		s.number[w.blocks[i].value] = i
	}
	s.choose(chain(s.values, w.inners, none, begin+1, last))
	const enough = 64 // most chains of this kind; each takes linear time
	var involved []valueOps
	for chains := 0; len(involved) < len(s.list) && !w.meter.MustStop(1); {
		v := s.list[len(involved)]
		c := s.bounding(v)
		if w.call[c.push] < begin && (c.pop == none || w.ret[c.pop] > last) {
			look := s.failing(v)
			if !slices.Contains(c.looks, look) {
				c.looks = append(c.looks, look)
			}
			switch chains++; {
			case chains <= enough:
				w.meter.MustStop(len(s.values))
				s.choose(chain(s.values, w.inners, v, w.call[look]+1, w.ret[look]))
			case chains == enough+1:
				s.choose(s.values) // all of them, so that later looks need no chain
			}
		}
		involved = append(involved, c)
	}
	slices.SortFunc(involved, func(a, b valueOps) int { return cmp.Compare(w.ret[a.push], w.ret[b.push]) })
	return involved
}

// A conflictFinder chooses the values of a conflict.
type conflictFinder struct {
	*stackMonitor
	values []int32         // sorted by first
	number map[int32]int32 // value -> block
	list   []int32         // the chosen values
	chosen map[int32]bool
}

func (s *conflictFinder) choose(values []int32) {
	s.meter.MustStop(len(values))
	for _, v := range values {
		if !s.chosen[v] {
			s.chosen[v] = true
			s.list = append(s.list, v)
		}
	}
}

// bounding returns the operations that determine the inner interval of a value,
// with its push and pop.
func (s *conflictFinder) bounding(v int32) valueOps {
	c := valueOps{push: s.stackMonitor.problem.values[v].insert, pop: s.stackMonitor.problem.values[v].remove}
	for _, op := range s.looksOf(v) {
		if s.ret[op] == s.inners[v].first || s.call[op] == s.inners[v].last {
			c.looks = append(c.looks, op)
		}
	}
	return c
}

// failing returns a read of a value whose condition is not met.
func (s *conflictFinder) failing(v int32) int32 {
	lo, hi := s.looksAt[s.number[v]], s.looksAt[s.number[v]+1]
	return s.looksOf(v)[s.lookCalls.below(lo, hi, math.MaxInt32)-lo]
}

// shrink leaves out values as long as the operations on the others are in conflict. The
// values are in the order of their pushes. It leaves out as many as possible at the end,
// then at the beginning, and then, if few remain, one by one. It returns the operations on
// the rest.
func (p *problem) shrink(involved []valueOps) (ops []int32) {
	n := fewest(len(involved), func(n int) bool { return p.refutes(involved[:n]) })
	involved = involved[:n]
	n = fewest(len(involved), func(n int) bool { return p.refutes(involved[len(involved)-n:]) })
	involved = involved[len(involved)-n:]
	const few = 32
	for i := len(involved) - 2; i > 0 && len(involved) <= few; i-- {
		if less := slices.Delete(slices.Clone(involved), i, i+1); p.refutes(less) {
			involved = less
		}
	}
	for _, c := range involved {
		ops = append(append(ops, c.push), c.looks...)
		if c.pop != none {
			ops = append(ops, c.pop)
		}
	}
	return ops
}

// fewest returns the least number up to most for which yes returns true; yes must
// be monotone, and true for most. It tries no number more than twice as large, and
// returns most if the number would be too large.
func fewest(most int, yes func(int) bool) int {
	const many = 1 << 15
	lo, hi := 0, 1 // yes(lo) is false
	for hi < most && !yes(hi) {
		if lo, hi = hi, 2*hi; hi > many {
			return most
		}
	}
	for hi = min(hi, most); lo+1 < hi; {
		if mid := (lo + hi) / 2; yes(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// refutes reports whether the operations are in conflict.
func (p *problem) refutes(involved []valueOps) bool {
	if p.meter.MustStop(len(involved)) {
		return false
	}
	q := p.only(involved)
	inners, _ := q.inners()
	w := q.newStackMonitor(inners)
	open, at, _ := w.openGaps()
	return w.decomposeAll(open, at) != nil
}

// only returns the problem with just these operations. It renumbers operations and events.
func (p *problem) only(involved []valueOps) *problem {
	q := &problem{discipline: p.discipline, meter: p.meter}
	var positions []int32
	add := func(op int32) int32 {
		if op == none {
			return none
		}
		positions = append(positions, p.call[op])
		if p.ret[op] < p.end {
			positions = append(positions, p.ret[op])
		}
		q.call, q.ret = append(q.call, p.call[op]), append(q.ret, p.ret[op])
		return int32(len(q.call) - 1)
	}
	for _, c := range involved {
		q.values = append(q.values, element{insert: add(c.push), remove: add(c.pop), looks: int32(len(q.looks))})
		for _, op := range slices.Sorted(slices.Values(c.looks)) {
			q.looks = append(q.looks, add(op))
		}
	}
	q.values = append(q.values, element{insert: none, remove: none, looks: int32(len(q.looks))})
	slices.Sort(positions)
	q.end = int32(len(positions))
	for op := range q.call {
		at, _ := slices.BinarySearch(positions, q.call[op])
		q.call[op] = int32(at)
		if q.ret[op] < p.end {
			at, _ = slices.BinarySearch(positions, q.ret[op])
			q.ret[op] = int32(at)
		}
	}
	return q
}
