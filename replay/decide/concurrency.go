package decide

import (
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
)

// Concurrency returns the level of concurrency c, the largest number of
// mutually concurrent operations, and the number cp of unordered pairs of
// concurrent operations. Both are defined as in Table 1 of the paper. It needs
// no poset. It takes O(n) for n events, O(n log n) with edges.
//
// If h has operations, c = 0 means unknown: its edges add more to real time
// than the order of each process.
func Concurrency(h *history.History) (c int, cp int64) {
	switch {
	case !h.HasEdges():
		return concurrencyOfIntervals(h)
	case edgesWithinProcesses(h):
		return concurrencyOfProcesses(h)
	}
	return 0, 0
}

// concurrencyOfIntervals is Concurrency for a history without edges. It visits each
// operation once. Operations are sorted by invocation, so the number of responses before an
// invocation is the number of operations that precede it.
func concurrencyOfIntervals(h *history.History) (c int, cp int64) {
	returns := make([]uint64, len(h.Ops)/32+1) // position -> is a response; there may be more
	returned, word := 0, 0                     // responses in returns[:word]
	for i := range h.Ops {
		op := &h.Ops[i]
		call := int(op.Call)
		for ; word < call/64; word++ {
			if word < len(returns) {
				returned += bits.OnesCount64(returns[word])
			}
		}
		open := i - returned
		if word < len(returns) {
			open -= bits.OnesCount64(returns[word] & (1<<(call%64) - 1))
		}
		cp += int64(open)
		c = max(c, open+1)
		if r := int(op.Return); !op.Pending() {
			for r/64 >= len(returns) {
				returns = append(returns, make([]uint64, len(returns))...)
			}
			returns[r/64] |= 1 << (r % 64)
		}
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

// lastPosition returns the position of the last event of an operation.
func lastPosition(h *history.History) int32 {
	last := int32(0)
	for i := range h.Ops {
		op := &h.Ops[i]
		last = max(last, op.Call)
		if !op.Pending() {
			last = max(last, op.Return)
		}
	}
	return last
}

// concurrencyOfProcesses counts operations of different processes that overlap;
// operations of one process are ordered. Intervals that overlap pairwise all
// overlap at one moment (Helly). So c is the largest number of processes with
// an open operation.
func concurrencyOfProcesses(h *history.History) (c int, cp int64) {
	events := make([]int32, lastPosition(h)+1) // position -> operation+1 invoked, -operation-1 returned there
	for i := range h.Ops {
		op := &h.Ops[i]
		events[op.Call] = int32(i) + 1
		if !op.Pending() {
			events[op.Return] = -int32(i) - 1
		}
	}
	open := make([]int, len(h.Processes)) // process -> its open operations
	all, processes := 0, 0                // open operations, and processes that have one
	for _, e := range events {
		switch {
		case e > 0:
			p := h.Ops[e-1].Process
			cp += int64(all - open[p])
			all++
			if open[p]++; open[p] == 1 {
				processes++
			}
			c = max(c, processes)
		case e < 0:
			p := h.Ops[-e-1].Process
			all--
			if open[p]--; open[p] == 0 {
				processes--
			}
		}
	}
	return c, cp
}
