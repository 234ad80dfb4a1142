package monitor

import (
	"cmp"
	"math"
	"slices"
)

// A clue has operations on one value: its push, its pop (or none) and some of the
// reads it.
type clue struct {
	push, pop int32
	looks     []int32
}

// stuck returns clues in conflict on the blocks from first to before end, a part
// that covers the slots begin+1 to last and under which no block fits.
//
// A chain of blocks that covers these slots is enough, as long as none of its
// blocks fits under the others. So for a block that would fit but for a look, a
// chain of others that covers the slots of the look is added, and so on.
func (w *tower) stuck(first, end, begin, last int32) []clue {
	s := &stuckTower{tower: w, number: map[int32]int32{}, chosen: map[int32]bool{}}
	for i := first; i < end; i = w.left.next(i + 1) {
		s.values = append(s.values, w.blocks[i].value)
		s.number[w.blocks[i].value] = i
	}
	s.choose(chain(s.values, w.inners, none, begin+1, last))
	const enough = 64 // chains of this kind; each takes linear time
	var clues []clue
	for chains := 0; len(clues) < len(s.list) && !w.meter.MustStop(1); {
		v := s.list[len(clues)]
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
		clues = append(clues, c)
	}
	slices.SortFunc(clues, func(a, b clue) int { return cmp.Compare(w.ret[a.push], w.ret[b.push]) })
	return clues
}

// A stuckTower chooses the values of a conflict.
type stuckTower struct {
	*tower
	values []int32         // by first
	number map[int32]int32 // value -> block
	list   []int32         // the chosen values
	chosen map[int32]bool
}

func (s *stuckTower) choose(values []int32) {
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
func (s *stuckTower) bounding(v int32) clue {
	c := clue{push: s.tower.problem.values[v].insert, pop: s.tower.problem.values[v].remove}
	for _, op := range s.looksOf(v) {
		if s.ret[op] == s.inners[v].first || s.call[op] == s.inners[v].last {
			c.looks = append(c.looks, op)
		}
	}
	return c
}

// failing returns a read of a value whose condition is not met.
func (s *stuckTower) failing(v int32) int32 {
	lo, hi := s.looksAt[s.number[v]], s.looksAt[s.number[v]+1]
	return s.looksOf(v)[s.lookCalls.below(lo, hi, math.MaxInt32)-lo]
}

// shrink leaves out clues, which are in the order of their pushes, for as long as
// the others are in conflict: as many as possible at the end, then at the
// beginning, and then, if few remain, one by one. It returns the operations of the
// rest.
func (p *problem) shrink(clues []clue) (ops []int32) {
	n := fewest(len(clues), func(n int) bool { return p.refutes(clues[:n]) })
	clues = clues[:n]
	n = fewest(len(clues), func(n int) bool { return p.refutes(clues[len(clues)-n:]) })
	clues = clues[len(clues)-n:]
	const few = 32
	for i := len(clues) - 2; i > 0 && len(clues) <= few; i-- {
		if less := slices.Delete(slices.Clone(clues), i, i+1); p.refutes(less) {
			clues = less
		}
	}
	for _, c := range clues {
		ops = append(append(ops, c.push), c.looks...)
		if c.pop != none {
			ops = append(ops, c.pop)
		}
	}
	return ops
}

// fewest returns the least number up to most for which yes returns true; yes must
// be monotone and true of most. It tries no number more than twice as large, and
// returns most if that would be too many.
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

// refutes reports whether the operations of the clues are in conflict.
func (p *problem) refutes(clues []clue) bool {
	if p.meter.MustStop(len(clues)) {
		return false
	}
	q := p.only(clues)
	inners, _ := q.inners()
	w := q.newTower(inners)
	open, at, _ := w.openGaps()
	return w.takeAllApart(open, at) != nil
}

// only returns the problem with just the operations of the clues. It renumbers
// operations and events.
func (p *problem) only(clues []clue) *problem {
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
	for _, c := range clues {
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
