package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/ops"
)

// A draft makes problems that differ from one in few operations. They share one copy of
// the operations: each is valid until the next is made.
type draft struct {
	*ops.Problem
	ops     []history.Operation // nil until it is needed
	changed []int32             // operations that differ from those of the problem
}

// fresh returns the operations as they are in the problem.
func (d *draft) fresh() []history.Operation {
	if d.ops == nil {
		d.ops = make([]history.Operation, 0, len(d.H.Ops))
		for piece := range slices.Chunk(d.H.Ops, 1<<12) { // the collector waits for each copy to end
			d.ops = append(d.ops, piece...)
		}
	}
	for _, i := range d.changed {
		d.ops[i] = d.H.Ops[i]
	}
	d.changed = d.changed[:0]
	return d.ops
}

// upTo returns the problem as it was right after the event at a position; see history.UpTo.
func (d *draft) upTo(position int32) *ops.Problem {
	h := &history.History{Header: d.H.Header, Processes: d.H.Processes, Ops: d.fresh()}
	d.changed = h.Truncate(position)
	return d.With(h, nil)
}

// withResults returns the problem with other results of the operations.
func (d *draft) withResults(chosen []int32, results []history.Value) *ops.Problem {
	h := *d.H
	h.Ops = d.fresh()
	for k, i := range chosen {
		h.Ops[i].Result = results[k]
	}
	d.changed = append(d.changed, chosen...)
	return d.With(&h, nil)
}

// freed is withResults with unknown results.
func (d *draft) freed(chosen []int32) *ops.Problem {
	return d.withResults(chosen, unknown(len(chosen)))
}
