package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// hasOwnEdges reports whether the history has edges that are not program order.
func hasOwnEdges(h *history.History) bool {
	return slices.ContainsFunc(h.Edges, func(e history.Edge) bool { return !h.IsProgramEdge(e) })
}

// coreOrderMax bounds the operations of a core for which coreOrder is computed.
const coreOrderMax = 256

// coreOrder sets the marks and edges that the core needs besides the intervals of its
// operations, or the order within their processes. base is the history that was reduced
// to the core.
func (x *explainer) coreOrder(base *history.History) {
	for _, i := range x.e.Core {
		if base.Ops[i].Happened {
			x.e.CoreMarks = append(x.e.CoreMarks, i)
		}
	}
	if len(x.e.Core) == 0 || !hasOwnEdges(base) {
		return
	}
	cause := ""
	if len(x.e.Core) > coreOrderMax {
		cause = "the sub-history found has many operations, and orders between them"
	} else if x.e.CoreEdges = x.orderThrough(base, x.e.Core); x.meter.Stopped() {
		cause = x.causeOf(replay.Time)
	}
	if cause != "" {
		x.e.Core, x.e.CoreMarks, x.e.CoreEdges = nil, nil, nil
		x.e.Missing = slices.DeleteFunc(x.e.Missing, func(m replay.MissingPart) bool { return m.Part == "core" })
		x.missFor("core", cause)
	}
}

// orderThrough returns the fewest edges between ops that, together with their intervals
// or the order within processes, give the same order as in h. So they also replace edges
// through other operations. O(k (n + k²)) for k operations, and n operations, ghosts and
// edges of h.
func (x *explainer) orderThrough(h *history.History, ops []int32) (edges []history.Edge) {
	reached := newReached(h)
	comes := make([][]bool, len(ops)) // ops[a] comes before ops[b]
	for a, from := range ops {
		if x.meter.Spend(len(reached.at)); x.meter.Stopped() {
			return nil
		}
		reached.from(from)
		comes[a] = make([]bool, len(ops))
		for b, to := range ops {
			comes[a][b] = a != b && reached.at[to] == reached.round
		}
	}
	for a, from := range ops {
	next:
		for b, to := range ops {
			f, t := &h.Ops[from], &h.Ops[to]
			if !comes[a][b] || f.Return < t.Call || h.IsRelaxed() && f.Process == t.Process {
				continue
			}
			for c := range ops {
				if comes[a][c] && comes[c][b] {
					continue next
				}
			}
			edges = append(edges, history.Edge{From: from, To: to})
		}
	}
	return edges
}

// reached finds the operations and ghosts that come after a given one.
type reached struct {
	h     *history.History
	out   [][]int32
	at    []int32 // operation or ghost -> last round in which it was reached
	round int32
	stack []int32
}

func newReached(h *history.History) *reached {
	out := ops.Successors(h)
	return &reached{h: h, out: out, at: make([]int32, len(out))}
}

// from begins a round, and finds what comes after first.
func (r *reached) from(first int32) {
	r.round++
	n := len(r.h.Ops)
	// Operations that are invoked after the earliest response so far are reached, too.
	earliest, op, ghost := int32(history.NoReturn), n, len(r.h.Ghosts)
	r.stack = append(r.stack[:0], first)
	for len(r.stack) > 0 {
		i := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		for _, j := range r.out[i] {
			r.visit(j)
		}
		earliest = min(earliest, r.h.Operation(i).Return)
		for ; op > 0 && r.h.Ops[op-1].Call > earliest; op-- {
			r.visit(int32(op - 1))
		}
		for ; ghost > 0 && r.h.Ghosts[ghost-1].Call > earliest; ghost-- {
			r.visit(int32(n + ghost - 1))
		}
	}
}

func (r *reached) visit(i int32) {
	if r.at[i] != r.round {
		r.at[i] = r.round
		r.stack = append(r.stack, i)
	}
}
