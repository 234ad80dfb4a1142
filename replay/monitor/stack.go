package monitor

import (
	"math"
	"slices"
	"sort"
)

// A stackMonitor removes the blocks of a stack's history one by one. Where they leave no
// open gap, one of them lies under all others, and the monitor removes that one.
type stackMonitor struct {
	*problem
	inners []inner
	blocks []block // sorted by first
	gaps   []gap
	counts []int32 // gap -> number of blocks that cover it
	sums   []int32 // gap -> exclusive or of the numbers of these blocks

	// Blocks that have not been removed, and the remaining blocks that fit under their
	// part.
	left, ready *numberSet
	// The operations on the blocks, by block: its push, its looks and its pop. A push has
	// to be invoked before the part of the block, a pop has to return after it, and for a
	// look one of the two is enough. calls and rets have the positions of the conditions
	// that are not met yet. Responses are negative, so the latest one is the least.
	calls, rets *leastTree
	opsAt       []int32 // block -> its push
	owner       []int32 // operation in these lists -> its block
	cover       *coverTree
	soleAfter   []int32 // gap -> another gap with the same sole cover, or none

	todo  []task // a stack: the next task is last
	order []int32
	under []int32 // gaps that no block but the one removed last covered
}

// A task is to place operation ^a in slot b or, if a is not negative, to remove all blocks
// between gaps a and b.
type task struct{ a, b int32 }

// A part has the remaining blocks from first to end-1. They cover the slots begin+1 to last.
type part struct{ first, end, begin, last int32 }

// A gap is a group of neighbouring slots between which no block begins or ends.
type gap struct {
	begin  int32 // its first slot
	firsts int32 // the number of blocks that begin before it
}

// A block is a value with an inner interval that is not empty.
type block struct {
	value    int32
	from, to int32 // the gaps that it covers
	open     int32 // number of conditions that are not met yet
	sole     int32 // the gap found last that no other block covers, or none
}

// stack decides histories of stacks; see the package's documentation.
// O(n log n).
func (p *problem) stack(inners []inner) (order, conflict []int32) {
	w := p.newStackMonitor(inners)
	if stuck := w.decompose(); stuck != nil {
		return nil, p.shrink(w.findConflict(stuck))
	}
	return p.bySlot(w.order), nil
}

func (p *problem) newStackMonitor(inners []inner) *stackMonitor {
	w := &stackMonitor{problem: p, inners: inners, order: make([]int32, 0, len(p.call))}
	w.scan(w.marks())
	n := len(w.blocks)
	w.left, w.ready = newNumberSet(int32(n), true), newNumberSet(int32(n), false)
	w.listConditions()
	w.cover = newCoverTree(w.counts, w.sums)
	w.soleAfter = make([]int32, len(w.gaps))
	for g, count := range w.counts {
		if count == 1 {
			w.solelyCovered(soleCover{int32(g), w.sums[g]})
		}
	}
	return w
}

// marks returns for each position v+1 if the block of value v begins there, or -1-v if it
// ends there. It places the operations on the other values, each at one moment.
func (w *stackMonitor) marks() []int32 {
	marks, blocks := make([]int32, w.end), 0
	for i, in := range w.inners {
		v := int32(i)
		switch {
		case in == leftOut:
			continue
		case in.empty():
			w.emitAlone(v, in.last+1, in.last+1)
			continue
		}
		blocks++
		marks[in.first] = v + 1
		if in.last < w.end {
			marks[in.last] = -1 - v
		}
	}
	w.blocks, w.gaps = make([]block, 0, blocks), make([]gap, 0, 2*blocks+2)
	w.counts, w.sums = make([]int32, 0, 2*blocks+2), make([]int32, 0, 2*blocks+2)
	return marks
}

// scan lists blocks and gaps by position. Blocks that stay end together, before the last gap.
func (w *stackMonitor) scan(marks []int32) {
	number := make([]int32, len(w.inners)) // value -> block
	count, sum := int32(0), int32(0)
	addGap := func(position int) {
		w.gaps = append(w.gaps, gap{int32(position) + 1, int32(len(w.blocks))})
		w.counts, w.sums = append(w.counts, count), append(w.sums, sum)
	}
	end := func(i int32) {
		w.blocks[i].to = int32(len(w.gaps)) - 1
		count, sum = count-1, sum^i
	}
	addGap(-1)
	for position, mark := range marks {
		switch {
		case mark > 0:
			v, i := mark-1, int32(len(w.blocks))
			number[v] = i
			w.blocks = append(w.blocks, block{value: v, from: int32(len(w.gaps)), sole: none})
			count, sum = count+1, sum^i
			addGap(position)
		case mark < 0:
			end(number[-1-mark])
			addGap(position)
		}
	}
	for i := range w.blocks {
		if w.inners[w.blocks[i].value].last == w.end {
			end(int32(i))
		}
	}
	addGap(int(w.end))
}

func (w *stackMonitor) listConditions() {
	w.opsAt = make([]int32, len(w.blocks)+1)
	most := 2*len(w.blocks) + len(w.looks.All())
	calls, rets := make([]int32, 0, most), make([]int32, 0, most)
	w.owner = make([]int32, 0, most)
	for i := range w.blocks {
		b := &w.blocks[i]
		e := &w.values[b.value]
		calls, rets = append(calls, w.call[e.insert]), append(rets, math.MaxInt32)
		for _, op := range w.looks.Of(b.value) {
			calls, rets = append(calls, w.call[op]), append(rets, -w.ret[op])
		}
		if e.remove != none {
			calls, rets = append(calls, math.MaxInt32), append(rets, -w.ret[e.remove])
		}
		for len(w.owner) < len(calls) {
			w.owner = append(w.owner, int32(i))
		}
		w.opsAt[i+1] = int32(len(calls))
		b.open = w.opsAt[i+1] - w.opsAt[i]
	}
	w.calls, w.rets = newLeastTree(calls), newLeastTree(rets)
}

// isUpTo reports whether a slot is in gap g or before it.
func (w *stackMonitor) isUpTo(g, slot int32) bool {
	return int(g)+1 == len(w.gaps) || slot < w.gaps[g+1].begin
}

// plan adds tasks for the parts that are between gaps that no block covers, and for the
// operations that found nothing there.
func (w *stackMonitor) plan() {
	nothing, from := w.nothing, int32(0)
	for i, count := range w.counts {
		if count > 0 {
			continue
		}
		g := int32(i)
		w.todo = append(w.todo, task{from, g})
		from = g
		for ; len(nothing) > 0 && w.isUpTo(g, w.slot[nothing[0]]); nothing = nothing[1:] {
			w.todo = append(w.todo, task{^nothing[0], w.slot[nothing[0]]})
		}
	}
	slices.Reverse(w.todo)
}

// decompose removes all blocks and places all operations. If no block fits under a part, it
// returns that part. It does not recurse, because stacks can be high.
func (w *stackMonitor) decompose() (stuck *part) {
	w.plan()
	for len(w.todo) > 0 && !w.meter.MustStop(1) {
		t := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		switch {
		case t.a < 0:
			w.emit(^t.a, t.b)
			continue
		case t.a+1 >= t.b:
			continue
		}
		// All gaps between the two are covered. So the next block begins right after
		// the first gap, and the last one to end does so right before the second.
		first, end := w.gaps[t.a].firsts, w.gaps[t.b].firsts
		begin, last := w.gaps[t.a+1].begin-1, w.gaps[t.b].begin-1
		if w.left.next(first+1) >= end {
			w.emitAlone(w.blocks[first].value, begin, last+1)
			continue
		}
		w.meet(w.calls, w.opsAt[first], w.opsAt[end], begin)
		w.meet(w.rets, w.opsAt[first], w.opsAt[end], -last)
		i := w.ready.next(first)
		if i >= end {
			return &part{first, end, begin, last}
		}
		w.removeBlock(i)
		w.emitAround(&w.blocks[i], t, begin, last)
	}
	return nil
}

// meet removes the conditions of the operations from lo to hi-1 whose position in the tree is
// less than a limit, since they are met.
func (w *stackMonitor) meet(t *leastTree, lo, hi, limit int32) {
	for k := t.below(lo, hi, limit); k < hi; k = t.below(k+1, hi, limit) {
		w.calls.remove(k)
		w.rets.remove(k)
		if b := &w.blocks[w.owner[k]]; b.open > 1 {
			b.open--
		} else {
			w.ready.add(w.owner[k])
		}
	}
}

// removeBlock removes a block.
func (w *stackMonitor) removeBlock(i int32) {
	b := &w.blocks[i]
	w.left.remove(i)
	w.ready.remove(i)
	w.cover.remove(i, b.from, b.to)
	for _, s := range w.cover.sole {
		w.solelyCovered(s)
	}
	w.under = w.under[:0]
	for g := b.sole; g != none; g = w.soleAfter[g] {
		w.under = append(w.under, g)
	}
	slices.Sort(w.under)
}

// solelyCovered meets the conditions of the reads of a block that have a slot in a
// gap that no other block covers.
func (w *stackMonitor) solelyCovered(s soleCover) {
	b := &w.blocks[s.value]
	w.soleAfter[s.gap], b.sole = b.sole, s.gap
	looks := w.looks.Of(b.value) // in the order of invocations
	invoked := sort.Search(len(looks), func(k int) bool { return !w.isUpTo(s.gap, w.call[looks[k]]+1) })
	lo := w.opsAt[s.value] + 1
	w.meet(w.rets, lo, lo+int32(invoked), 1-w.gaps[s.gap].begin)
}

// emit places an operation. Slots never decrease from call to call, except that operations
// that take effect at one moment come first.
func (w *stackMonitor) emit(op, slot int32) {
	w.slot[op] = slot
	w.order = append(w.order, op)
}

// emitAlone places the operations on a value that is pushed in slot first and popped in slot
// last, while no other is there. Its looks are in the order of invocations, and so are their
// slots.
func (w *stackMonitor) emitAlone(v, first, last int32) {
	e := &w.values[v]
	w.emit(e.insert, first)
	for _, op := range w.looks.Of(v) {
		w.emit(op, max(first, w.call[op]+1))
	}
	if e.remove != none {
		w.emit(e.remove, last)
	}
}

// emitAround places the push of a block that fits under its part. The part lies between
// the gaps of t and covers the slots begin+1 to last. emitAround adds tasks for the rest:
// the smaller parts, the reads of the block between them, and its pop.
func (w *stackMonitor) emitAround(b *block, t task, begin, last int32) {
	e := &w.values[b.value]
	w.emit(e.insert, begin)
	looks := w.looks.Of(b.value)
	for ; len(looks) > 0 && w.call[looks[0]] < begin; looks = looks[1:] {
		w.emit(looks[0], begin)
	}
	planned := len(w.todo)
	at := t.a
	for _, g := range w.under {
		w.todo = append(w.todo, task{at, g})
		at = g
		for ; len(looks) > 0 && w.isUpTo(g, w.call[looks[0]]+1) && w.gaps[g].begin <= w.ret[looks[0]]; looks = looks[1:] {
			w.todo = append(w.todo, task{^looks[0], max(w.gaps[g].begin, w.call[looks[0]]+1)})
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
