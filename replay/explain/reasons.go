package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A constraint is an edge, or the mark that a pending operation happened: the parts of a
// history besides real time, or besides the order within processes.
type constraint struct {
	happened int32 // the operation that happened; NoOperation: the constraint is edge
	edge     history.Edge
}

// isConstrained reports whether the history has constraints.
func isConstrained(h *history.History) bool {
	return hasOwnEdges(h) || slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Happened })
}

// under returns the history with only the given constraints. An edge out of a
// pending operation means that the operation happened.
func under(h *history.History, constraints []constraint) *history.History {
	u := *h
	u.Edges = slices.DeleteFunc(slices.Clone(h.Edges), func(e history.Edge) bool { return !h.IsProgramEdge(e) })
	u.Ops = slices.Clone(h.Ops)
	for i := range u.Ops {
		u.Ops[i].Happened = false
	}
	for _, c := range constraints {
		if c.happened == replay.NoOperation {
			u.Edges = append(u.Edges, c.edge)
			if from := c.edge.From; int(from) < len(u.Ops) && u.Ops[from].Pending() {
				u.Ops[from].Happened = true
			}
		} else {
			u.Ops[c.happened].Happened = true
		}
	}
	slices.SortFunc(u.Edges, history.CompareEdges)
	if len(u.Edges) == 0 {
		u.Edges, u.Ghosts = nil, nil
	}
	return &u
}

// reasonsMax bounds the number of constraints in an explanation.
const reasonsMax = 16

// reasons finds a minimal set of constraints that leaves no order, and returns the
// history under them.
func (x *explainer) reasons() *history.History {
	h := x.h
	var all []constraint
	for i := range h.Ops {
		if h.Ops[i].Happened {
			all = append(all, constraint{happened: int32(i)})
		}
	}
	for _, e := range h.Edges {
		if !h.IsProgramEdge(e) {
			all = append(all, constraint{replay.NoOperation, e})
		}
	}
	pick := func(kept []int32) []constraint {
		var some []constraint
		for _, i := range kept {
			some = append(some, all[i])
		}
		return some
	}
	kept, isMinimal := minimize(len(all), x.meter.Stopped, func(kept []int32) replay.Answer {
		return x.check(under(h, pick(kept)), x.meter).Answer
	})
	if !isMinimal || len(kept) > reasonsMax {
		if isMinimal {
			x.cause = "marks and edges leave no order only if there are many"
		}
		if !h.IsRelaxed() {
			x.miss("prefix")
		}
		return h
	}
	for _, c := range pick(kept) {
		if c.happened == replay.NoOperation {
			x.e.Edges = append(x.e.Edges, c.edge)
		} else {
			x.e.Marks = append(x.e.Marks, c.happened)
		}
	}
	slices.Sort(x.e.Marks)
	slices.SortFunc(x.e.Edges, history.CompareEdges)
	return under(h, pick(kept))
}

// minimize finds a minimal subset of n elements that fails. The whole set fails, and
// every superset of a failing set fails. Elements that are likely needed should come
// first. fails gets the elements known to be needed, and then others in order. minimize
// returns false if fails returned replay.Undecided; then a smaller set may fail as well.
// It ends early if stopped returns true.
//
// If the first k elements of a list fail and the first k-1 do not, the k-th is needed. It
// moves to the front, and the search continues until the elements in front fail by
// themselves. Each step tries few elements first, so the work depends on the number of
// needed elements and on their places in the list, and hardly on n.
func minimize(n int, stopped func() bool, fails func(kept []int32) replay.Answer) (kept []int32, isMinimal bool) {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	isMinimal = true
	for needed := 0; ; needed++ {
		low, high := needed, len(list) // list[:high] fails
		for step := 0; low < high; {
			if stopped() {
				return list[:high], false
			}
			k := min(needed+step, (low+high)/2)
			k = max(k, low)
			switch fails(list[:k]) {
			case replay.NotLinearizable:
				high = k
			case replay.Undecided:
				isMinimal = false
				fallthrough
			default:
				low = k + 1
			}
			step = 2*step + 1
		}
		if high == needed {
			return list[:needed], isMinimal
		}
		last := list[high-1]
		copy(list[needed+1:high], list[needed:high-1])
		list[needed] = last
		list = list[:high]
	}
}
