package history

import "slices"

// ProgramOrder returns the history with the order of each process's own
// operations, and its edges, as the only order: all operations overlap in
// real time. It is linearizable exactly if h is sequentially consistent
// (Lamport 1979). Operations keep their numbers, identifiers and lines.
// O(n log n) for n operations and edges.
//
// A process's order passes through its operations that did not happen: they
// stand among the ghosts if they have edges, and without edges no order
// depends on them.
func (h *History) ProgramOrder() *History {
	p := &History{Header: h.Header, Processes: h.Processes, Waits: h.Waits, Dropped: h.Dropped, relaxed: true}
	n, all := int32(len(h.Ops)), int32(len(h.Ops)+len(h.Ghosts))
	p.intervals = make([]interval, 0, all)
	overlap := func(ops []Operation, from int32) []Operation {
		relaxed := slices.Clone(ops)
		for i := range relaxed {
			op := &relaxed[i]
			p.intervals = append(p.intervals, interval{op.Call, op.Return})
			op.Call = from + int32(i)
			if op.Return != NoReturn {
				op.Return = all + op.Call
			}
		}
		return relaxed
	}
	p.Ops, p.Ghosts = overlap(h.Ops, 0), overlap(h.Ghosts, n)
	last := map[int32]int32{} // of a process
	chain := func(process, op int32) {
		if before, ok := last[process]; ok {
			p.Edges = append(p.Edges, Edge{before, op})
		}
		last[process] = op
	}
	ghost := int32(0)
	for i := range n {
		for ; n+ghost < all && h.Ghosts[ghost].Call < h.Ops[i].Call; ghost++ {
			chain(h.Ghosts[ghost].Process, n+ghost)
		}
		chain(h.Ops[i].Process, i)
	}
	for ; n+ghost < all; ghost++ {
		chain(h.Ghosts[ghost].Process, n+ghost)
	}
	p.Edges = sortEdges(append(p.Edges, h.Edges...))
	return p
}

// IsProgramEdge reports whether an edge of a history made by ProgramOrder is part of the
// order within a process.
func (h *History) IsProgramEdge(e Edge) bool {
	return h.relaxed && h.Operation(e.From).Process == h.Operation(e.To).Process
}

// An interval has the positions of the events of an operation.
type interval struct{ call, end int32 }

// RealTime returns the history that ProgramOrder relaxed: the operations and edges of h, in
// the intervals that they had. Each order that h has, it has, too, so its witnesses are
// witnesses of h. Operations may have been removed from h since. RealTime returns nil if
// ProgramOrder did not make h. O(n) for n operations and edges.
func (h *History) RealTime() *History {
	if !h.relaxed {
		return nil
	}
	timed := *h
	timed.relaxed, timed.intervals = false, nil
	timed.Ops, timed.Ghosts = slices.Clone(h.Ops), slices.Clone(h.Ghosts)
	for _, ops := range [][]Operation{timed.Ops, timed.Ghosts} {
		for i := range ops {
			op := &ops[i]
			if int(op.Call) >= len(h.intervals) {
				return nil // put together by hand
			}
			was := h.intervals[op.Call] // ProgramOrder has numbered the invocations
			if op.Call = was.call; op.Return != NoReturn {
				op.Return = was.end
			}
		}
	}
	timed.Edges = slices.DeleteFunc(slices.Clone(h.Edges), func(e Edge) bool {
		return timed.Operation(e.From).Return < timed.Operation(e.To).Call
	})
	if len(timed.Edges) == 0 {
		timed.Edges, timed.Ghosts = nil, nil
	}
	return &timed
}
