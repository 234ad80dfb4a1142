package history

import (
	"errors"
	"fmt"
)

// WellFormed returns an error for a history that is nil, or that this package would not build.
// Engines rely on the order of the operations and on their processes, and would give
// wrong verdicts; they also have tables of positions. WellFormed does not find all faults that
// New refuses: it misses two events at one position, and edges that contradict real time
// together. Nor does it refuse overlapping operations of one process: New builds them if edges
// order them, and UpTo leaves out the edges. O(n).
func (h *History) WellFormed() error {
	if h == nil {
		return errors.New("the history is nil")
	}
	end := 2 * (int64(len(h.Ops)) + int64(h.Dropped)) // no event is there or later
	last := int32(-1)                                 // the position of the last invocation
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Call <= last:
			return malformed(h, op, i, "is not invoked after the operation before it")
		case op.Return <= op.Call:
			return malformed(h, op, i, "returns before it is invoked")
		case int64(op.Call) >= end || !op.Pending() && int64(op.Return) >= end:
			return malformed(h, op, i, fmt.Sprintf("has an event beyond the %d that so many operations have", end))
		case op.Process < 0 || int(op.Process) >= len(h.Processes):
			return malformed(h, op, i, "has a process that is not in Processes")
		}
		last = op.Call
	}
	all := int32(len(h.Ops) + len(h.Ghosts))
	for _, e := range h.Edges {
		if e.From < 0 || e.From >= all || e.To < 0 || e.To >= all {
			return fmt.Errorf("history %q: edge %v is not between operations; build histories with history.New", h.ID, e)
		}
		if h.Operation(e.To).Return < h.Operation(e.From).Call {
			return fmt.Errorf("history %q: edge %v contradicts real time; build histories with history.New", h.ID, e)
		}
	}
	return nil
}

func malformed(h *History, op *Operation, i int, what string) error {
	return h.Errorf(op, "history %q: operation %d %s; build histories with history.New", h.ID, i, what)
}
