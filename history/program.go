package history

// ProgramOrder returns the history with the order of each process's own
// operations, and its edges, as the only order: all operations overlap in
// real time. It is linearizable exactly if h is sequentially consistent
// (Lamport 1979). Operations keep their numbers, identifiers and lines. O(n).
func (h *History) ProgramOrder() *History {
	p := &History{Header: h.Header, Processes: h.Processes, Dropped: h.Dropped}
	all := int32(len(h.Ops) + len(h.Ghosts))
	overlap := func(ops []Operation, from int32) []Operation {
		relaxed := make([]Operation, len(ops))
		for i, op := range ops {
			op.Call = from + int32(i)
			if op.Return != NoReturn {
				op.Return = all + op.Call
			}
			relaxed[i] = op
		}
		return relaxed
	}
	p.Ops = overlap(h.Ops, 0)
	if len(h.Ghosts) > 0 {
		p.Ghosts = overlap(h.Ghosts, int32(len(h.Ops)))
	}
	last := make([]int32, len(h.Processes)) // of a process, +1
	for i := range h.Ops {
		process := h.Ops[i].Process
		if last[process] != 0 {
			p.Edges = append(p.Edges, Edge{last[process] - 1, int32(i)})
		}
		last[process] = int32(i) + 1
	}
	p.Edges = append(p.Edges, h.Edges...)
	return p
}
