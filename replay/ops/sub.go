package ops

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
)

// Sub returns the history of some operations of h, in their order. It keeps order along
// edges through the other operations.
func Sub(h *history.History, chosen []int32) *history.History {
	switch {
	case h.HasEdges():
		return subAlongEdges(h, chosen)
	case len(chosen) > len(h.Ops)/4:
		return Restrict(h, chosen)
	}
	// Engines take time and memory in proportion to the positions.
	part := Restrict(h, chosen)
	positions := make([]int32, 0, 2*len(chosen))
	for i := range part.Ops {
		op := &part.Ops[i]
		positions = append(positions, op.Call)
		if !op.Pending() {
			positions = append(positions, op.Return)
		}
	}
	slices.Sort(positions)
	for i := range part.Ops {
		op := &part.Ops[i]
		call, _ := slices.BinarySearch(positions, op.Call)
		op.Call = int32(call)
		if !op.Pending() {
			ret, _ := slices.BinarySearch(positions, op.Return)
			op.Return = int32(ret)
		}
	}
	return part
}

// subAlongEdges keeps the other operations that have edges as ghosts.
func subAlongEdges(h *history.History, chosen []int32) *history.History {
	part := *h
	part.Ops, part.Ghosts, part.Edges = Restrict(h, chosen).Ops, nil, nil
	number := slices.Repeat([]int32{None}, len(h.Ops)+len(h.Ghosts))
	for k, i := range chosen {
		number[i] = int32(k)
	}
	var ghosts []int32
	for _, e := range h.Edges {
		for _, i := range []int32{e.From, e.To} {
			if number[i] == None {
				number[i] = 0
				ghosts = append(ghosts, i)
			}
		}
	}
	slices.SortFunc(ghosts, func(i, j int32) int { return cmp.Compare(h.Operation(i).Call, h.Operation(j).Call) })
	for k, i := range ghosts {
		number[i] = int32(len(chosen) + k)
		part.Ghosts = append(part.Ghosts, *h.Operation(i))
	}
	for _, e := range h.Edges {
		part.Edges = append(part.Edges, history.Edge{From: number[e.From], To: number[e.To]})
	}
	slices.SortFunc(part.Edges, history.CompareEdges)
	return &part
}
