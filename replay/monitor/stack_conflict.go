package monitor

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/leadline/leadline/replay"
)

// findConflict returns operations in conflict, by value, on the blocks first to end-1. They
// are a part that covers the slots begin+1 to last, and no block fits under it.
//
// A chain of blocks that covers these slots is enough, as long as none of its
// blocks fits under the others. So if only a look keeps a block from fitting, a chain of
// others that covers the slots of the look is added, and so on.
func (w *stackMonitor) findConflict(first, end, begin, last int32) (involved [][]int32) {
	var values, chosen []int32
	number, isChosen := map[int32]int32{}, map[int32]bool{} // number: value -> block
	for i := first; i < end; i = w.left.next(i + 1) {
		values = append(values, w.blocks[i].value)
		number[w.blocks[i].value] = i
	}
	choose := func(values []int32) {
		w.meter.MustStop(len(values))
		for _, v := range values {
			if !isChosen[v] {
				isChosen[v] = true
				chosen = append(chosen, v)
			}
		}
	}
	choose(chain(values, w.inners, none, begin+1, last))
	const enough = 64 // most chains of this kind; each takes linear time
	for chains := 0; len(involved) < len(chosen) && !w.meter.MustStop(1); {
		v := chosen[len(involved)]
		e, in, ops := &w.values[v], w.inners[v], []int32{w.values[v].insert}
		for op := range w.uses(v) {
			if op == e.remove || w.ret[op] == in.first || w.call[op] == in.last {
				ops = append(ops, op)
			}
		}
		if w.call[e.insert] < begin && (e.remove == none || w.ret[e.remove] > last) {
			look := w.hinders(number[v])
			ops = append(ops, look)
			switch chains++; {
			case chains <= enough:
				w.meter.MustStop(len(values))
				choose(chain(values, w.inners, v, w.call[look]+1, w.ret[look]))
			case chains == enough+1:
				choose(values) // all of them, so that later looks need no chain
			}
		}
		slices.Sort(ops)
		involved = append(involved, slices.Compact(ops))
	}
	pushed := func(ops []int32) int32 { return w.ret[w.values[w.valueOf[ops[0]]].insert] }
	slices.SortFunc(involved, func(a, b []int32) int { return cmp.Compare(pushed(a), pushed(b)) })
	return involved
}

// hinders returns a read of a block whose condition is not met.
func (w *stackMonitor) hinders(i int32) int32 {
	lo, looks := w.opsAt[i]+1, w.looks.Of(w.blocks[i].value)
	return looks[w.calls.below(lo, lo+int32(len(looks)), math.MaxInt32)-lo]
}

// shrink leaves out values as long as the operations on the others are in conflict. The
// values are in the order of their pushes. It leaves out as many as possible at the end,
// then at the beginning, and then, if few remain, one by one. It returns the operations on
// the rest.
func (p *problem) shrink(involved [][]int32) (ops []int32) {
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
	return slices.Concat(involved...)
}

// fewest returns the least number up to most for which yes returns true; yes must
// be monotone, and true for most. It tries no number more than twice as large, and
// returns most if the number would be too large.
func fewest(most int, yes func(int) bool) int {
	const many = 1 << 15
	lo, hi := 1, 1 // yes is false below lo
	for hi < most && !yes(hi) {
		if lo, hi = hi+1, 2*hi; hi > many {
			return most
		}
	}
	return lo + sort.Search(min(hi, most)-lo, func(k int) bool { return yes(lo + k) })
}

// refutes reports whether the operations are in conflict.
func (p *problem) refutes(involved [][]int32) bool {
	if p.meter.MustStop(len(involved)) {
		return false
	}
	q := p.only(involved)
	inners, _ := q.inners()
	return q.newStackMonitor(inners).decompose() != nil
}

// only returns the problem with just these operations. It renumbers operations, values and
// events.
func (p *problem) only(involved [][]int32) *problem {
	q := &problem{discipline: p.discipline, meter: p.meter, initials: int32(len(involved))}
	var positions []int32
	for v, ops := range involved {
		for _, op := range ops {
			q.roles, q.valueOf = append(q.roles, p.roles[op]), append(q.valueOf, int32(v))
			q.call, q.ret = append(q.call, p.call[op]), append(q.ret, p.ret[op])
			positions = append(positions, p.call[op], min(p.ret[op], p.end))
		}
	}
	slices.Sort(positions)
	positions = slices.Compact(positions)
	for op := range q.call {
		at, _ := slices.BinarySearch(positions, q.call[op])
		q.call[op] = int32(at)
		if q.ret[op] < p.end {
			at, _ = slices.BinarySearch(positions, q.ret[op])
			q.ret[op] = int32(at)
		}
	}
	q.end = int32(len(positions))
	q.enter(len(involved))
	q.looks = q.byValue(replay.Look)
	return q
}
