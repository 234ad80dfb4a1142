package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/ops"
)

// concurrency returns the level of concurrency c, the largest number of
// mutually concurrent operations, and the number cp of unordered pairs of
// concurrent operations. Both are defined as in Table 1 of the paper.
//
// If there are operations, c = 0 means unknown: the edges of a long history add more to
// real time than the order of each process.
func (t *task) concurrency() (c int, cp int64) {
	switch {
	case !t.H.HasEdges():
		return overlaps(t.Problem, len(t.H.Ops), func(i int32) int32 { return i })
	case edgesWithinProcesses(t.H):
		return overlaps(t.Problem, len(t.H.Processes), func(i int32) int32 { return t.H.Ops[i].Process })
	case len(t.H.Ops) > long || t.clock.over:
		return 0, 0
	}
	in, err := t.poset()
	if err != nil {
		return 0, 0
	}
	return in.Poset.Concurrency()
}

// overlaps counts operations of different processes that overlap; operations of one of n
// processes are ordered. Intervals that overlap pairwise all overlap at one moment
// (Helly). So c is the largest number of processes with an open operation. It needs no
// poset, which would take O(n^3) time. O(n).
func overlaps(p *ops.Problem, n int, processOf func(i int32) int32) (c int, cp int64) {
	list, returns := p.H.Ops, p.Responses()
	open := make([]int, n) // process -> its open operations
	all, processes := 0, 0 // open operations, and processes that have one
	for i := range int32(len(list)) {
		for ; len(returns) > 0 && list[returns[0]].Return < list[i].Call; returns = returns[1:] {
			all--
			process := processOf(returns[0])
			if open[process]--; open[process] == 0 {
				processes--
			}
		}
		process := processOf(i)
		cp += int64(all - open[process])
		all++
		if open[process]++; open[process] == 1 {
			processes++
		}
		c = max(c, processes)
	}
	return c, cp
}

// edgesWithinProcesses reports whether the order of h consists of the intervals
// and the order of each process, and nothing more.
//
// Suppose an edge goes from x to y of one process, and y is both invoked and
// returns after x. Such an edge orders no other pair: what returned before x
// was invoked also returned before y was invoked, and what is invoked after y
// returned is also invoked after x returned.
func edgesWithinProcesses(h *history.History) bool {
	for _, e := range h.Edges {
		if max(int(e.From), int(e.To)) >= len(h.Ops) {
			return false
		}
		x, y := &h.Ops[e.From], &h.Ops[e.To]
		shifted := x.Process == y.Process && x.Call < y.Call && x.Return < y.Return
		if !shifted && x.Return > y.Call {
			return false
		}
	}
	last := make([]int32, len(h.Processes)) // process -> its last operation so far, + 1
	for i := range h.Ops {
		p := h.Ops[i].Process
		if before := last[p] - 1; before >= 0 && h.Ops[before].Return > h.Ops[i].Call {
			if _, ok := slices.BinarySearchFunc(h.Edges, history.Edge{From: before, To: int32(i)}, history.CompareEdges); !ok {
				return false
			}
		}
		last[p] = int32(i) + 1
	}
	return true
}
