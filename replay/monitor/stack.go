package monitor

import (
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
)

// A stackMonitor removes the blocks of a stack's history one by one. Where they leave no
// open gap, one of them lies under all others, and the monitor removes that one.
type stackMonitor struct {
	*problem
	*blockTable
	inners []inner

	// Blocks that have not been removed, by first and by last, and the remaining blocks
	// that fit under their part.
	left, leftByLast, ready *numberSet
	// The conditions that are not met yet, by block: invocations of pushes and
	// responses of pops, and invocations and responses of looks. Responses are
	// negative, so the latest one is the least.
	calls, rets         *leastTree
	lookCalls, lookRets *leastTree
	looksAt             []int32 // block -> its first look in the lists of looks by block
	lookOwner           []int32 // look in these lists -> its block
	cover               *coverTree
	soleAfter           []int32 // gap -> another gap with the same sole cover, or none

	todo  []task // a stack: the next task is last
	order []int32
	under []int32 // gaps that no block but the one removed last covered
}

// A task is to append operation ^a in slot b to the order or, if a is not
// negative, to remove all blocks between gaps a and b.
type task struct{ a, b int32 }

// stack decides histories of stacks; see the package's documentation.
// O(n log n).
func (p *problem) stack() finding {
	inners, conflict := p.inners()
	if conflict != nil {
		return finding{conflict: conflict}
	}
	w := p.newStackMonitor(inners)
	open, at, failed := w.openGaps()
	if failed != none {
		return finding{conflict: p.neverEmpty(failed, inners)}
	}
	if involved := w.decomposeAll(open, at); involved != nil {
		return finding{conflict: p.shrink(involved)}
	}
	return finding{order: w.order}
}

// decomposeAll removes all blocks and appends all operations to the order. The
// operations that found nothing take effect in the gaps given by at. If no block
// fits under a part, it returns operations that are in conflict.
func (w *stackMonitor) decomposeAll(open, at []int32) (involved []valueOps) {
	next := 0
	for k, g := range open {
		for ; next < len(at) && at[next] == g; next++ {
			w.emit(w.nothing[next], w.slotIn(g, w.nothing[next]))
		}
		if k+1 < len(open) {
			if involved := w.decompose(g, open[k+1]); involved != nil {
				return involved
			}
		}
	}
	w.emitMoments(history.NoReturn)
	return nil
}

func (p *problem) newStackMonitor(inners []inner) *stackMonitor {
	w := &stackMonitor{problem: p, inners: inners, blockTable: p.newBlockTable(inners)}
	n := len(w.blocks)
	w.left, w.leftByLast = newNumberSet(int32(n), true), newNumberSet(int32(n), true)
	w.ready = newNumberSet(int32(n), false)
	calls, rets := make([]int32, n), make([]int32, n)
	for i := range w.blocks {
		b := &w.blocks[i]
		e := &p.values[b.value]
		b.open = 2 + int32(len(p.looksOf(b.value)))
		calls[i], rets[i] = p.call[e.insert], -history.NoReturn
		if e.remove != none {
			rets[i] = -p.ret[e.remove]
		}
	}
	w.calls, w.rets = newLeastTree(calls), newLeastTree(rets)
	w.listLooks()
	w.cover = newCoverTree(w.counts, w.sums)
	w.soleAfter = make([]int32, len(w.gaps))
	for g, count := range w.counts {
		if count == 1 {
			w.solelyCovered(soleCover{int32(g), w.sums[g]})
		}
	}
	w.order = make([]int32, 0, len(p.call))
	return w
}

// listLooks fills in the lists of looks by block.
func (w *stackMonitor) listLooks() {
	w.looksAt = make([]int32, len(w.blocks)+1)
	var calls, rets []int32
	for i := range w.blocks {
		for _, op := range w.looksOf(w.blocks[i].value) {
			calls, rets = append(calls, w.call[op]), append(rets, -w.ret[op])
			w.lookOwner = append(w.lookOwner, int32(i))
		}
		w.looksAt[i+1] = int32(len(calls))
	}
	w.lookCalls, w.lookRets = newLeastTree(calls), newLeastTree(rets)
}

// openGaps returns the gaps that no block covers, and at, which has one of these gaps
// for each operation that found nothing. failed is an operation without such a gap, or
// none.
func (w *stackMonitor) openGaps() (open, at []int32, failed int32) {
	for g, count := range w.counts {
		if count == 0 {
			open = append(open, int32(g))
		}
	}
	at = make([]int32, len(w.nothing))
	k := 0
	for i, op := range w.nothing {
		for k+1 < len(open) && w.blocks[w.gaps[open[k]].firsts].first <= w.call[op] {
			k++ // the next block begins before the operation
		}
		if w.gaps[open[k]].begin > w.ret[op] {
			return nil, nil, op
		}
		at[i] = open[k]
	}
	return open, at, none
}

// slotIn returns the first slot of the gap in which op can take effect.
func (w *stackMonitor) slotIn(g, op int32) int32 { return max(w.gaps[g].begin, w.call[op]+1) }

// decompose removes all blocks between two gaps, and appends their operations to
// the order. It does not recurse, because stacks can be high.
func (w *stackMonitor) decompose(from, to int32) (involved []valueOps) {
	w.todo = append(w.todo, task{from, to})
	for len(w.todo) > 0 && !w.meter.MustStop(1) {
		t := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if t.a < 0 {
			w.emit(^t.a, t.b)
			continue
		}
		first, end := w.left.next(w.gaps[t.a].firsts), w.gaps[t.b].firsts
		if first >= end {
			continue
		}
		begin, last := w.blocks[first].first, w.blocks[w.ranking[w.leftByLast.prev(w.gaps[t.b].lasts-1)]].last
		if w.left.next(first+1) >= end {
			w.emitAlone(&w.blocks[first])
			continue
		}
		w.meet(first, end, begin, last)
		i := w.ready.next(first)
		if i >= end {
			return w.findConflict(first, end, begin, last)
		}
		w.removeBlock(i)
		w.emitAround(&w.blocks[i], t, begin, last)
	}
	return nil
}

// meet finds the conditions of the blocks first to end-1 that are met. These blocks are
// a part that covers the slots begin+1 to last. The conditions are pushes that can take
// effect before the part, pops that can take effect after it, and looks that can take
// effect before or after it.
func (w *stackMonitor) meet(first, end, begin, last int32) {
	for i := w.calls.below(first, end, begin); i < end; i = w.calls.below(i+1, end, begin) {
		w.calls.remove(i)
		w.met(i)
	}
	for i := w.rets.below(first, end, -last); i < end; i = w.rets.below(i+1, end, -last) {
		w.rets.remove(i)
		w.met(i)
	}
	lo, hi := w.looksAt[first], w.looksAt[end]
	for k := w.lookCalls.below(lo, hi, begin); k < hi; k = w.lookCalls.below(k+1, hi, begin) {
		w.metLook(k)
	}
	for k := w.lookRets.below(lo, hi, -last); k < hi; k = w.lookRets.below(k+1, hi, -last) {
		w.metLook(k)
	}
}

func (w *stackMonitor) met(i int32) {
	if w.blocks[i].open--; w.blocks[i].open == 0 {
		w.ready.add(i)
	}
}

func (w *stackMonitor) metLook(k int32) {
	w.lookCalls.remove(k)
	w.lookRets.remove(k)
	w.met(w.lookOwner[k])
}

// removeBlock removes a block.
func (w *stackMonitor) removeBlock(i int32) {
	b := &w.blocks[i]
	w.left.remove(i)
	w.leftByLast.remove(b.byLast)
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
	looks := w.looksOf(b.value) // in the order of invocations
	before := sort.Search(len(looks), func(k int) bool { return w.lookGap[w.call[looks[k]]] > s.gap })
	lo := w.looksAt[s.value]
	hi, limit := lo+int32(before), 1-w.gaps[s.gap].begin
	for k := w.lookRets.below(lo, hi, limit); k < hi; k = w.lookRets.below(k+1, hi, limit) {
		w.metLook(k)
	}
}

// emit appends an operation to the order. Slots never decrease from call to call.
func (w *stackMonitor) emit(op, slot int32) {
	if len(w.moments) > 0 {
		w.emitMoments(slot)
	}
	w.order = append(w.order, op)
}

// emitMoments appends all operations on each value whose operations share a slot
// that is not after the given one.
func (w *stackMonitor) emitMoments(slot int32) {
	for len(w.moments) > 0 && w.inners[w.moments[0]].last < slot {
		e := &w.values[w.moments[0]]
		w.order = append(w.order, e.insert)
		w.order = append(w.order, w.looksOf(w.moments[0])...)
		w.order = append(w.order, e.remove)
		w.moments = w.moments[1:]
	}
}

// emitAlone appends the operations on a block that is alone in its part. Its looks
// are in the order of invocations, and so are their slots.
func (w *stackMonitor) emitAlone(b *block) {
	e := &w.values[b.value]
	w.emit(e.insert, b.first)
	for _, op := range w.looksOf(b.value) {
		w.emit(op, max(b.first, w.call[op]+1))
	}
	if e.remove != none {
		w.emit(e.remove, b.last+1)
	}
}

// emitAround appends the push of a block that fits under its part. The part lies between
// the gaps of t and covers the slots begin+1 to last. emitAround adds tasks for the rest:
// the smaller parts, the reads of the block between them, and its pop.
func (w *stackMonitor) emitAround(b *block, t task, begin, last int32) {
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

// A gap is a group of neighbouring slots between which no inner interval begins or
// ends.
type gap struct {
	begin         int32 // its first slot
	firsts, lasts int32 // the numbers of inner intervals that begin and end before it
}

// A block is a value with an inner interval that is not empty.
type block struct {
	value       int32
	first, last int32 // its inner interval
	byLast      int32 // its number by last; block numbers are by first
	from, to    int32 // the gaps that it covers; there may be none
	open        int32 // number of conditions that are not met yet
	sole        int32 // the gap found last that no other block covers, or none
}

// A blockTable has the blocks of a stack's history and the gaps between and under them.
type blockTable struct {
	blocks  []block // sorted by first
	ranking []int32 // block numbers, sorted by last
	moments []int32 // values whose inner intervals are empty, sorted by last
	gaps    []gap
	counts  []int32 // gap -> number of blocks that cover it
	sums    []int32 // gap -> exclusive or of the numbers of these blocks
	lookGap []int32 // position of an event of a look -> gap of the slot it lies in
}

// A mark describes a position. It is one number of the first group together with a value,
// and any flags of the second group.
const (
	blockBegins = 1 + iota // first of the value
	blockEnds              // last of the value
	moment                 // last of a value with an empty inner interval

	lookBegins = 1 << 2
	lookEnds   = 1 << 3
	valueShift = 4
)

// newBlockTable lists blocks and gaps by position. It keeps the gaps that fewer blocks
// cover than the slots to their left or right, and the gaps where the interval of a
// look begins or ends. If the other blocks leave any slot of that interval uncovered,
// at any time, they also leave a gap that is kept.
func (p *problem) newBlockTable(inners []inner) *blockTable {
	marks, blocks, moments := p.marks(inners)
	s := &blockScanner{inners: inners, rank: make([]int32, len(inners)), blockTable: &blockTable{
		blocks: make([]block, 0, blocks), ranking: make([]int32, 0, blocks), moments: make([]int32, 0, moments)}}
	for position, mark := range marks {
		if mark == 0 {
			continue
		}
		if mark&lookEnds != 0 {
			s.keep()
		}
		s.pass(int32(position), mark)
		if mark&lookBegins != 0 {
			s.keep()
		}
		if mark&(lookBegins|lookEnds) != 0 {
			marks[position] = int32(len(s.gaps) - 1)
		}
	}
	for i := range s.blocks {
		if s.blocks[i].last == p.end {
			s.end(int32(i))
			s.begin, s.kept = p.end+1, false
		}
	}
	s.keep()
	s.lookGap = marks
	return s.blockTable
}

// marks returns the mark of each position, and the numbers of blocks and moments.
func (p *problem) marks(inners []inner) (marks []int32, blocks, moments int) {
	marks = make([]int32, p.end)
	for i, in := range inners {
		v := int32(i)
		switch {
		case in == leftOut:
			continue
		case in.empty():
			marks[in.last] = v<<valueShift | moment
			moments++
			continue
		}
		blocks++
		marks[in.first] |= v<<valueShift | blockBegins
		if in.last < p.end {
			marks[in.last] |= v<<valueShift | blockEnds
		}
		for _, op := range p.looksOf(v) {
			marks[p.call[op]] |= lookBegins
			marks[p.ret[op]] |= lookEnds
		}
	}
	return marks, blocks, moments
}

// A blockScanner visits the positions in order to make a blockTable.
type blockScanner struct {
	*blockTable
	inners      []inner
	rank        []int32 // value -> block
	begin       int32   // where the current gap begins
	kept        bool    // whether it is among gaps
	rising      bool    // whether a block begins where it begins
	count, sums int32   // number of the blocks that cover it, and exclusive or of their numbers
}

// keep adds the current gap to those that are kept.
func (s *blockScanner) keep() {
	if !s.kept {
		s.kept = true
		s.gaps = append(s.gaps, gap{s.begin, int32(len(s.blocks)), int32(len(s.ranking))})
		s.counts, s.blockTable.sums = append(s.counts, s.count), append(s.blockTable.sums, s.sums)
	}
}

// pass handles the beginning or the end of a block, or a moment.
func (s *blockScanner) pass(position, mark int32) {
	v := mark >> valueShift
	switch mark & (1<<2 - 1) {
	case moment:
		s.moments = append(s.moments, v)
		return
	case blockBegins:
		if !s.rising {
			s.keep()
		}
		i := int32(len(s.blocks))
		in := s.inners[v]
		s.rank[v] = i
		s.blocks = append(s.blocks, block{value: v, first: in.first, last: in.last, from: int32(len(s.gaps)), sole: none})
		s.count, s.sums = s.count+1, s.sums^i
		s.rising = true
	case blockEnds:
		s.end(s.rank[v])
	default:
		return
	}
	s.begin, s.kept = position+1, false
}

// end handles the end of block i.
func (s *blockScanner) end(i int32) {
	b := &s.blocks[i]
	b.byLast, b.to = int32(len(s.ranking)), int32(len(s.gaps)-1)
	s.ranking = append(s.ranking, i)
	s.count, s.sums = s.count-1, s.sums^i
	s.rising = false
}
