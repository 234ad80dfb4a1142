package monitor

import (
	"slices"

	"github.com/leadline/leadline/replay"
)

// findConflict returns operations in conflict, by value: those on the blocks of a part under
// which no block fits.
//
// A chain of blocks that covers the part is enough, unless only a look keeps one of its
// blocks from fitting.
func (w *stackMonitor) findConflict(stuck *part) [][]int32 {
	var values []int32
	for i := stuck.first; i < stuck.end; i = w.left.next(i + 1) {
		values = append(values, w.blocks[i].value)
	}
	w.meter.MustStop(len(values))
	covering := chain(values, w.inners, none, stuck.begin+1, stuck.last)
	if involved := w.operations(covering, false); w.refutes(involved) {
		return involved
	}
	return w.operations(values, true)
}

// operations returns, for each of the values, its push, its pop and the operations that
// bound its inner interval, or all operations on it.
func (w *stackMonitor) operations(values []int32, all bool) [][]int32 {
	involved := make([][]int32, len(values))
	for k, v := range values {
		e, in := &w.values[v], w.inners[v]
		involved[k] = []int32{e.insert}
		for op := range w.uses(v) {
			if all || op == e.remove || w.ret[op] == in.first || w.call[op] == in.last {
				involved[k] = append(involved[k], op)
			}
		}
	}
	return involved
}

// shrink leaves out values as long as the operations on the others are in conflict. It
// leaves out halves of them, then quarters, and so on. It returns the operations on the rest.
func (p *problem) shrink(involved [][]int32) (ops []int32) {
	const most = 32 // parts that are tried; each takes linear time
	for size := len(involved) / 2; size > 0 && len(involved) <= most*size; size /= 2 {
		for i := 0; i+size <= len(involved); {
			if less := slices.Delete(slices.Clone(involved), i, i+size); p.refutes(less) {
				involved = less
			} else {
				i += size
			}
		}
	}
	return slices.Concat(involved...)
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
