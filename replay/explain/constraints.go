package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Constraints are what a history requires besides real time, or besides the order within
// processes: edges, and marks of pending operations that happened.

func isOwnEdge(h *history.History) func(history.Edge) bool {
	return func(e history.Edge) bool { return !h.IsProgramEdge(e) }
}

// isConstrained reports whether the history has constraints.
func isConstrained(h *history.History) bool {
	return slices.ContainsFunc(h.Edges, isOwnEdge(h)) || slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Happened })
}

// under returns the problem with only the given constraints. An edge out of a
// pending operation means that the operation happened.
func under(p *ops.Problem, marks []int32, edges []history.Edge) *ops.Problem {
	h, u := p.H, *p.H
	u.Edges = slices.Concat(slices.DeleteFunc(slices.Clone(h.Edges), isOwnEdge(h)), edges)
	slices.SortFunc(u.Edges, history.CompareEdges)
	if len(u.Edges) == 0 {
		u.Edges, u.Ghosts = nil, nil
	}
	u.Ops = slices.Clone(h.Ops)
	for i := range u.Ops {
		u.Ops[i].Happened = false
	}
	for _, i := range marks {
		u.Ops[i].Happened = true
	}
	for _, e := range edges {
		if int(e.From) < len(u.Ops) && u.Ops[e.From].Pending() {
			u.Ops[e.From].Happened = true
		}
	}
	return p.With(&u, nil)
}

// reasons finds a minimal set of constraints that leaves no order, and returns the
// problem under them.
func (x *explainer) reasons() *ops.Problem {
	h := x.H
	var marks []int32
	for i := range h.Ops {
		if h.Ops[i].Happened {
			marks = append(marks, int32(i))
		}
	}
	edges := slices.DeleteFunc(slices.Clone(h.Edges), h.IsProgramEdge)
	pick := func(kept []int32) (someMarks []int32, someEdges []history.Edge) {
		for _, k := range kept {
			if int(k) < len(marks) {
				someMarks = append(someMarks, marks[k])
			} else {
				someEdges = append(someEdges, edges[int(k)-len(marks)])
			}
		}
		return someMarks, someEdges
	}
	kept, isMinimal := minimize(len(marks)+len(edges), x.meter.Stopped, func(kept []int32) replay.Answer {
		someMarks, someEdges := pick(kept)
		return x.check(under(x.Problem, someMarks, someEdges), x.meter).Answer
	})
	if !isMinimal || len(kept) > limits.reasons {
		if isMinimal {
			x.cause = "marks and edges leave no order only if there are many"
		}
		if !h.IsRelaxed() {
			x.miss("prefix")
		}
		return x.Problem
	}
	marks, edges = pick(kept)
	slices.Sort(marks)
	slices.SortFunc(edges, history.CompareEdges)
	x.e.Marks, x.e.Edges = marks, edges
	return under(x.Problem, marks, edges)
}

// setCore sets the core of base, with the marks and edges that it needs besides the intervals
// of its operations, or the order within their processes. It returns why it does not.
func (x *explainer) setCore(base *history.History, core []int32) (cause string) {
	e := x.e
	if len(core) > 0 && slices.ContainsFunc(base.Edges, isOwnEdge(base)) {
		const many = "the sub-history found has many operations, and orders between them"
		if len(core) > limits.coreEdges {
			return many
		}
		in, err := replay.NewInstance(ops.Sub(base, core), true, replay.ProcessChains, x.meter)
		switch {
		case replay.TooLarge(err):
			return many
		case err != nil:
			return x.causeOf(replay.Time)
		}
		e.CoreEdges = neededEdges(base, core, in.Poset.Less)
	}
	for _, i := range core {
		if base.Ops[i].Happened {
			e.CoreMarks = append(e.CoreMarks, i)
		}
	}
	e.Core = core
	return ""
}

// neededEdges returns the fewest edges between operations of a core that, together with their
// intervals or the order within processes, give the order less. It is an order of indexes
// into core, which comes from intervals and edges of the whole history.
func neededEdges(h *history.History, core []int32, less func(a, b int32) bool) (edges []history.Edge) {
	n := int32(len(core))
	isCovered := func(a, b int32) bool { // another operation is between the two
		for c := range n {
			if less(a, c) && less(c, b) {
				return true
			}
		}
		return false
	}
	for a := range n {
		for b := range n {
			from, to := &h.Ops[core[a]], &h.Ops[core[b]]
			byTime := from.Return < to.Call || h.IsRelaxed() && from.Process == to.Process
			if less(a, b) && !byTime && !isCovered(a, b) {
				edges = append(edges, history.Edge{From: core[a], To: core[b]})
			}
		}
	}
	return edges
}
