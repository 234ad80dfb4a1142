package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A Piece is a part in time of a history of a collection: between two moments
// at which the collection can be empty.
type Piece struct {
	Ops []int32 // ascending, or in the order of a witness
	// Decided says that the operations, in their order, begin and end with
	// the empty collection and have their recorded results.
	Decided bool
}

// Pieces cuts a history of a deque of distinct values wherever no value is certainly in
// the collection. It is linearizable exactly if every piece is, as a history
// that begins with the empty collection; then witnesses of the pieces, one
// after the other, are one of the whole (see "Empty moments" in the package
// documentation). Operations that need not happen are in no piece. Where it
// finds operations in conflict on the way, it returns those.
//
// No polynomial monitor of deques is known to us; the pieces are left to the
// search. O(n log n).
func Pieces(h *history.History, spec replay.Spec, m *meter.Meter) (pieces []Piece, conflict []int32, declined string) {
	p, declined := problemOf(h, spec, history.NoReturn, m)
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
// or value that can do all at once in a slot that is free.
func (p *problem) pieces(inners []inner, empty []int32) []Piece {
	free := p.freeSlots(inners)
	var list []Piece
	var at []int32              // piece -> the free slot in which it is, or behind it
	number := map[int32]int32{} // free slot -> the piece of the run before it
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
