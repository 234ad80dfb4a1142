package monitor

import (
	"slices"
)

// emit appends an operation to the order, in its slot; slots never decrease.
func (w *tower) emit(op, slot int32) {
	if len(w.moments) > 0 {
		w.emitMoments(slot)
	}
	w.order = append(w.order, op)
}

// emitMoments appends all operations on each value that can be pushed, looked
// at and popped in one slot, where that slot is not behind the given one.
func (w *tower) emitMoments(slot int32) {
	for len(w.moments) > 0 && w.inners[w.moments[0]].last < slot {
		e := &w.values[w.moments[0]]
		w.order = append(w.order, e.insert)
		w.order = append(w.order, w.looksOf(w.moments[0])...)
		w.order = append(w.order, e.remove)
		w.moments = w.moments[1:]
	}
}

// emitAlone appends the operations on a block that has no gaps in common with
// others. Its looks are in the order of invocations, and so are their slots.
func (w *tower) emitAlone(b *block) {
	e := &w.values[b.value]
	w.emit(e.insert, b.first)
	for _, op := range w.looksOf(b.value) {
		w.emit(op, max(b.first, w.call[op]+1))
	}
	if e.remove != none {
		w.emit(e.remove, b.last+1)
	}
}

// emitAround appends the push of a block that lay under all others between
// the gaps of t, which cover the slots after begin to last, and plans for
// what comes after it: what the gaps under the block separate, its looks
// between, and its pop.
func (w *tower) emitAround(b *block, t task, begin, last int32) {
	e := &w.values[b.value]
	w.emit(e.insert, begin)
	looks := w.looksOf(b.value)
	for ; len(looks) > 0 && w.call[looks[0]] < begin; looks = looks[1:] {
		w.emit(looks[0], begin)
	}
	planned := len(w.todo)
	at := t.a
	for _, g := range w.under {
		w.todo = append(w.todo, task{at, g})
		at = g
		for ; len(looks) > 0 && w.lookGap[w.call[looks[0]]] <= g && w.gaps[g].begin <= w.ret[looks[0]]; looks = looks[1:] {
			w.todo = append(w.todo, task{^looks[0], w.slotIn(g, looks[0])})
		}
	}
	w.todo = append(w.todo, task{at, t.b})
	for _, op := range looks {
		w.todo = append(w.todo, task{^op, max(last, w.call[op]) + 1})
	}
	if e.remove != none {
		w.todo = append(w.todo, task{^e.remove, last + 1})
	}
	slices.Reverse(w.todo[planned:])
}
