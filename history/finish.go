package history

import (
	"cmp"
	"slices"
)

// Build returns the history of what was added, or an *Errors. It can be called
// once; adding events afterwards is an error too.
func (b *Builder) Build() (*History, error) {
	if b.built {
		return nil, &Errors{ID: b.h.ID, List: []*Error{{File: b.h.File, Line: b.h.Line, Msg: "Build was called twice"}}}
	}
	b.built = true
	if b.h.Order > StampOrder {
		b.Errorf(b.h.Line, "order of events %d is unknown", b.h.Order)
	}
	if b.h.Tie > HalfOpen {
		b.Errorf(b.h.Line, "tie rule %d is unknown", b.h.Tie)
	}
	if b.h.Order == StampOrder && b.cut > 0 {
		b.Errorf(b.cut, "the file is cut here, and lines ordered by stamps may come in any order, so that any event may be missing; "+
			"if they are in the order of their stamps, as a recorder writes them, remove what is after the last whole line")
		return nil, &b.errs
	}
	if b.h.Order == StampOrder {
		b.pairLate()
		if len(b.errs.List) == 0 { // with unpaired responses, operations would seem to overlap
			b.stopAtCrashes()
			b.orderProcesses()
			b.endAtCrashes()
		}
	}
	b.checkCrashes()
	if b.h.Order == FileOrder && len(b.crashes) > 0 {
		b.closeGaps()
	}
	b.resolveMarks()
	edges := b.resolveEdges()
	for i := range b.ops {
		if op := &b.ops[i]; b.cut > 0 && op.Happened {
			b.Errorf(b.cut, "the file is cut here, and may lack what happened after operation %v%s, which is pending and happened by a mark or an edge",
				op.ID(), atLine("", op.Line))
		}
	}
	if b.h.Order == StampOrder && len(b.errs.List) == 0 {
		edges = b.arrange(edges)
	}
	if len(b.errs.List) == 0 && len(edges) > 0 {
		b.findCycle(edges)
	}
	if len(b.errs.List) == 0 && b.waiting {
		b.checkWaits()
	}
	if len(b.errs.List) > 0 {
		slices.SortStableFunc(b.errs.List, func(x, y *Error) int { return x.Line - y.Line })
		return nil, &b.errs
	}
	return b.finish(edges), nil
}

// finish leaves out what did not happen and numbers the rest by invocation.
func (b *Builder) finish(edges []Edge) *History {
	h := &History{Header: b.h}
	if b.h.Order == StampOrder {
		h.Stamps = b.timing.calls
	}
	if len(edges) > 0 || b.anyDropped() {
		b.leaveOut(h, edges)
	}
	if cap(b.ops) > 2*len(b.ops)+16 { // more operations were expected
		b.ops = slices.Clone(b.ops)
	}
	h.Ops = b.ops
	if !b.withIDs {
		for i := range h.Ops {
			h.Ops[i].SetID(IntValue(int64(i)))
		}
	}
	if b.waiting {
		h.collectWaits()
	}
	b.processes.nameHeirs()
	h.Processes = b.processes.renumber(h.Ops, h.Ghosts)
	return h
}

func (b *Builder) anyDropped() bool {
	for i := range b.ops {
		if b.ops[i].dropped {
			return true
		}
	}
	return false
}

// leaveOut drops the operations that did not happen, keeps those with edges as
// ghosts, and gives edges their final numbers.
func (b *Builder) leaveOut(h *History, edges []Edge) {
	number := make([]int32, len(b.ops)) // ghosts: -1, -2, ...
	onEdge := make([]bool, len(b.ops))
	for _, e := range edges {
		onEdge[e.From], onEdge[e.To] = true, true
	}
	kept := b.ops[:0]
	for i, op := range b.ops {
		if !op.dropped {
			number[i] = int32(len(kept))
			kept = append(kept, op)
			continue
		}
		h.Dropped++
		if onEdge[i] {
			number[i] = int32(-1 - len(h.Ghosts))
			h.Ghosts = append(h.Ghosts, op)
		}
	}
	clear(b.ops[len(kept):]) // dropped operations must not keep their values alive
	b.ops = kept
	final := func(o int32) int32 {
		if number[o] < 0 {
			return int32(len(kept)) - 1 - number[o]
		}
		return number[o]
	}
	for _, e := range edges {
		h.Edges = append(h.Edges, Edge{final(e.From), final(e.To)})
	}
	h.Edges = sortEdges(h.Edges)
}

// sortEdges sorts the edges and removes duplicates.
func sortEdges(edges []Edge) []Edge {
	slices.SortFunc(edges, CompareEdges)
	return slices.Compact(edges)
}

// CompareEdges compares edges by From, then by To, as History.Edges is sorted.
func CompareEdges(x, y Edge) int {
	return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To))
}
