package monitor

import (
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
)

// A tower takes a stack apart: wherever blocks leave no gap, one of them lies
// under all others, and it takes this one away.
type tower struct {
	*problem
	*terrain
	inners []inner

	// Blocks that have not been taken away, by first and by last; and those
	// of them that could lie under all others next to them.
	left, leftByLast, ready *numberSet
	// Conditions of blocks that are not yet met, by block: invocations of
	// pushes and responses of pops, and where the looks at it begin and end.
	// Responses are negative, so that late ones come first.
	calls, rets         *leastTree
	lookCalls, lookRets *leastTree
	looksAt             []int32 // block -> its first look, by block
	lookOwner           []int32
	cover               *coverTree
	soleAfter           []int32 // gap -> another with the same sole cover, or none

	todo  []task // what comes next in the order is last
	order []int32
	under []int32 // gaps that the block that was taken away covered alone
}

// A task is to append operation ^a in slot b to the order or, if a is not
// negative, to take apart what lies between gaps a and b.
type task struct{ a, b int32 }

// stack decides histories of stacks; see the package's documentation.
// O(n log n).
func (p *problem) stack() finding {
	inners, conflict := p.inners()
	if conflict != nil {
		return finding{conflict: conflict}
	}
	w := p.newTower(inners)
	open, at, failed := w.openGaps()
	if failed != none {
		return finding{conflict: p.neverEmpty(failed, inners)}
	}
	if stuck := w.takeAllApart(open, at); stuck != nil {
		return finding{conflict: p.shrink(stuck)}
	}
	return finding{order: w.order}
}

// takeAllApart takes apart what lies between any two open gaps, and appends
// all operations to the order, those that found nothing in the gaps given by
// at. Where it cannot go on, it returns what is in the way.
func (w *tower) takeAllApart(open, at []int32) (stuck []clue) {
	next := 0
	for k, g := range open {
		for ; next < len(at) && at[next] == g; next++ {
			w.emit(w.nothing[next], w.slotIn(g, w.nothing[next]))
		}
		if k+1 < len(open) {
			if stuck := w.takeApart(g, open[k+1]); stuck != nil {
				return stuck
			}
		}
	}
	w.emitMoments(history.NoReturn)
	return nil
}

func (p *problem) newTower(inners []inner) *tower {
	w := &tower{problem: p, inners: inners, terrain: p.newTerrain(inners)}
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

// listLooks lists the looks by block.
func (w *tower) listLooks() {
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

// openGaps returns the gaps that no block covers, and for each operation that
// found nothing one of them; or an operation that has none.
func (w *tower) openGaps() (open, at []int32, failed int32) {
	for g, count := range w.counts {
		if count == 0 {
			open = append(open, int32(g))
		}
	}
	at = make([]int32, len(w.nothing))
	k := 0
	for i, op := range w.nothing {
		for k+1 < len(open) && w.blocks[w.gaps[open[k]].firsts].first <= w.call[op] {
			k++ // the next block comes before the operation
		}
		if w.gaps[open[k]].begin > w.ret[op] {
			return nil, nil, op
		}
		at[i] = open[k]
	}
	return open, at, none
}

// slotIn is the first slot of the gap in which op can take effect.
func (w *tower) slotIn(g, op int32) int32 { return max(w.gaps[g].begin, w.call[op]+1) }

// takeApart takes everything apart that lies between two gaps, and appends
// the operations on it to the order. No recursion: towers can be high.
func (w *tower) takeApart(from, to int32) (stuck []clue) {
	w.todo = append(w.todo, task{from, to})
	for len(w.todo) > 0 && !w.mustStop(1) {
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
			return w.stuck(first, end, begin, last)
		}
		w.takeAway(i)
		w.emitAround(&w.blocks[i], t, begin, last)
	}
	return nil
}

// meet finds what conditions of the blocks from first to before end are met
// because they cover all slots from after begin to last: pushes that can take
// effect before, pops that can after, looks that can before or after.
func (w *tower) meet(first, end, begin, last int32) {
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

func (w *tower) met(i int32) {
	if w.blocks[i].open--; w.blocks[i].open == 0 {
		w.ready.add(i)
	}
}

func (w *tower) metLook(k int32) {
	w.lookCalls.remove(k)
	w.lookRets.remove(k)
	w.met(w.lookOwner[k])
}

// takeAway takes a block away.
func (w *tower) takeAway(i int32) {
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

// solelyCovered notes that all looks at the block can take effect in a gap
// that no other block covers, if they can in it at all.
func (w *tower) solelyCovered(s soleCover) {
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
