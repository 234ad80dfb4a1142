package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// deque decides a deque that is used as a stack, at one end only, or as a queue,
// filled at one end and emptied and read at the other.
func (p *problem) deque() finding {
	var inserted, taken [2]bool // at the back, at the front
	end := func(op int32) int {
		if p.front[op] {
			return 1
		}
		return 0
	}
	for i := range p.count() {
		v := int32(i)
		e := &p.values[v]
		if e.insert != none {
			inserted[end(e.insert)] = true
		}
		if e.remove != none {
			taken[end(e.remove)] = true
		}
		for _, op := range p.looksOf(v) {
			taken[end(op)] = true
		}
	}
	one := [2]bool{true, false}
	other := [2]bool{false, true}
	idle := [2]bool{}
	switch {
	case len(p.pendingRemovals) > 0: // of either end
		return finding{declined: "pending removals"}
	case (inserted == one || inserted == idle) && (taken == one || taken == idle),
		(inserted == other || inserted == idle) && (taken == other || taken == idle):
		return p.stack()
	case inserted == one && taken == other, inserted == other && taken == one:
		return p.queue()
	}
	return finding{declined: "a deque used at both ends"}
}

// A Piece is a part in time of a history of a collection, between two moments at
// which the collection can be empty.
type Piece struct {
	Ops []int32 // ascending, or in the order of a witness
	// Decided means that the operations in their order have their recorded
	// results, and begin and end with the empty collection.
	Decided bool
}

// Pieces cuts a history of a deque of distinct values wherever no value is
// certainly in the collection. The history is linearizable exactly if every piece
// is, as a history that begins with the empty collection. Then witnesses of the
// pieces, one after the other, are a witness of the whole (see "Empty moments" in
// the package documentation). Operations that need not happen are in no piece. If
// Pieces finds a conflict, it returns that instead; if it declines, it returns why.
//
// We know no polynomial monitor of deques; the pieces are left to the search.
// O(n log n).
func Pieces(h *history.History, spec replay.Spec, m *meter.Meter) (pieces []Piece, conflict []int32, declined string) {
	p, declined := problemOf(h, spec, m)
	switch {
	case declined != "":
		return nil, nil, declined
	case len(p.impossible) > 0 && p.discipline == replay.BothEnds:
		return nil, p.impossible, ""
	case len(p.pendingRemovals) > 0:
		return nil, nil, "pending removals"
	case p.discipline != replay.BothEnds:
		return nil, nil, "no deque"
	}
	inners, conflict := p.inners()
	if conflict != nil {
		return nil, conflict, ""
	}
	empty, conflict := p.emptySlots(inners)
	if conflict != nil {
		return nil, conflict, ""
	}
	return p.pieces(inners, empty), nil, ""
}

// pieces makes one piece of each run of taken slots, and one of each operation
// that found nothing and each value whose operations share a free slot.
func (p *problem) pieces(inners []inner, empty []int32) []Piece {
	free := p.freeSlots(inners)
	var list []Piece
	var at []int32              // piece -> 2*s for a run before the free slot s, 2*s+1 for a piece in it
	number := map[int32]int32{} // free slot -> piece of the run before it
	for v, in := range inners {
		switch {
		case in == leftOut:
		case in.empty() && free[in.last+1] <= in.first:
			list = append(list, Piece{p.opsOf(int32(v)), true})
			at = append(at, 2*free[in.last+1]+1)
		default:
			slot := free[min(in.first, in.last)+1]
			k, ok := number[slot]
			if !ok {
				k = int32(len(list))
				number[slot] = k
				list, at = append(list, Piece{}), append(at, 2*slot)
			}
			list[k].Ops = append(list[k].Ops, p.opsOf(int32(v))...)
		}
	}
	for i, op := range p.nothing {
		list, at = append(list, Piece{[]int32{op}, true}), append(at, 2*empty[i]+1)
	}
	order := indices(len(list))
	slices.SortStableFunc(order, func(a, b int32) int { return int(at[a] - at[b]) })
	sorted := make([]Piece, len(list))
	for i, k := range order {
		if sorted[i] = list[k]; !list[k].Decided {
			slices.Sort(sorted[i].Ops)
		}
	}
	return sorted
}

// opsOf returns the operations on value v: insertion, looks and removal.
func (p *problem) opsOf(v int32) []int32 {
	e := &p.values[v]
	ops := append([]int32{e.insert}, p.looksOf(v)...)
	if e.remove != none {
		ops = append(ops, e.remove)
	}
	return ops
}
