package ops

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/poset"
)

// Split returns the operations of each part of a partitioned object, with parts
// in the order of their first invocations, and the operations that concern
// several parts. It returns no parts if the specification has none or there is
// only one.
func (p *Problem) Split() (parts [][]int32, across []int32) {
	if !p.traits.Partitioned {
		return nil, nil
	}
	c := p.Columns(nil)
	number := make([]int32, c.Parts) // part -> index in parts, + 1
	for i, part := range c.Part {
		switch {
		case part == None:
			across = append(across, int32(i))
			continue
		case number[part] == 0:
			parts = append(parts, nil)
			number[part] = int32(len(parts))
		}
		k := number[part] - 1
		parts[k] = append(parts[k], int32(i))
	}
	if len(parts) < 2 {
		return nil, across
	}
	return parts, across
}

// Restrict returns the history of some operations, which keep their positions.
func Restrict(h *history.History, ops []int32) *history.History {
	part := &history.History{Header: h.Header, Processes: h.Processes, Ops: make([]history.Operation, len(ops))}
	for k, i := range ops {
		part.Ops[k] = h.Ops[i]
	}
	return part
}

// Merge combines witnesses of the parts into a witness of the whole history. It
// visits the responses in order. At each, it places the witness of the
// operation's part up to that operation. Suppose two operations are in
// real-time order. The first is placed at its response at the latest, and the
// second was not invoked before that, so it cannot be placed earlier.
func Merge(h *history.History, parts [][]int32, witnesses [][]int32) []int32 {
	part := make([]int32, len(h.Ops)) // operation -> part
	place := make([]int, len(h.Ops))  // operation -> place in the witness of its part, from 1 on
	for k, w := range witnesses {
		for at, i := range w {
			part[parts[k][i]], place[parts[k][i]] = int32(k), at+1
		}
	}
	merged := make([]int32, 0, len(h.Ops))
	done := make([]int, len(parts))
	upTo := func(k int32, end int) {
		for ; done[k] < end; done[k]++ {
			merged = append(merged, parts[k][witnesses[k][done[k]]])
		}
	}
	for _, op := range byReturn(h) {
		upTo(part[op], place[op])
	}
	for k := range parts {
		upTo(int32(k), len(witnesses[k]))
	}
	return merged
}

// byReturn returns the completed operations in the order of their responses,
// followed by the pending operations that happened.
func byReturn(h *history.History) []int32 {
	order := Responses(h)
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Pending() && op.Happened {
			order = append(order, int32(i))
		}
	}
	return order
}

// Responses returns the completed operations in the order of their responses,
// which need not be distinct. O(n) for n positions.
func Responses(h *history.History) []int32 {
	last := int32(0)
	for i := range h.Ops {
		if !h.Ops[i].Pending() {
			last = max(last, h.Ops[i].Return)
		}
	}
	lists := Group(len(h.Ops), int(last)+1, func(i int32) int32 {
		if h.Ops[i].Pending() {
			return None
		}
		return h.Ops[i].Return
	})
	return lists.All()
}

// Successors returns, for each operation and ghost, the ends of its edges.
func Successors(h *history.History) [][]int32 {
	out := make([][]int32, len(h.Ops)+len(h.Ghosts))
	for _, e := range h.Edges {
		out[e.From] = append(out[e.From], e.To)
	}
	return out
}

// AlongEdges returns operations and ghosts in an order that the edges allow.
// O(n) for n operations, ghosts and edges.
func AlongEdges(h *history.History) []int32 { return poset.Topological(Successors(h)) }

// Complete appends to an order the operations, of n, that it lacks. In a witness, they
// never take effect.
func Complete(order []int32, n int) []int32 {
	if len(order) == n {
		return order
	}
	placed := make([]bool, n)
	for _, i := range order {
		placed[i] = true
	}
	order = slices.Grow(order, n-len(order))
	for i := range placed {
		if !placed[i] {
			order = append(order, int32(i))
		}
	}
	return order
}
