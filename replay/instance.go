package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// An Instance is the poset of some operations of a history, with its chains.
// Families are generated from it.
type Instance struct {
	History *history.History
	Ops     []int32 // element -> operation
	Poset   *poset.Poset
	Chains  []int32 // element -> chain
}

// ErrStopped reports that Verify or NewInstance was stopped before it finished.
var ErrStopped = poset.ErrStopped

// NewInstance returns the poset of h's operations under the executed-before
// relation (Definition 3.4) and the history's edges. If pending is false,
// pending operations are left out, except those marked as happened.
//
// The errors are poset.ErrTooLarge, for long histories with edges; ErrStopped, if
// m stops; and another error for a nil history.
func NewInstance(h *history.History, pending bool, mode ChainMode, m *meter.Meter) (*Instance, error) {
	if h == nil {
		return nil, errNil
	}
	n := len(h.Ops)
	in := &Instance{History: h, Ops: make([]int32, 0, n), Chains: make([]int32, 0, n)}
	call, ret := make([]int32, 0, n), make([]int32, 0, n)
	chain, chains := make([]int32, len(h.Processes)), int32(0) // process -> its chain, + 1
	end, overlap := make([]int32, len(h.Processes)), false     // process -> its last response
	for i := range h.Ops {
		op := &h.Ops[i]
		if !pending && op.Pending() && !op.Happened {
			continue
		}
		if chain[op.Process] == 0 {
			chains++
			chain[op.Process] = chains
		}
		overlap = overlap || op.Call < end[op.Process]
		end[op.Process] = op.Return
		in.Ops, in.Chains = append(in.Ops, int32(i)), append(in.Chains, chain[op.Process]-1)
		call, ret = append(call, op.Call), append(ret, op.Return)
	}
	if !h.HasEdges() {
		in.Poset = poset.Interval(call, ret)
	} else if err := in.extend(call, ret, m); err != nil {
		return nil, fmt.Errorf("ordering the operations: %w", err)
	}
	// With stamps, operations of a process may overlap, and only edges give them an order.
	overlap = overlap && !h.HasEdges()
	if mode == MinimumChains || overlap || mode == AutoChains && int(chains) == len(in.Ops) {
		in.Chains = in.Poset.MinimumChains()
	}
	if in.Chains == nil {
		return nil, ErrStopped
	}
	return in, nil
}

// extend sets the poset of a history with edges, of which ghosts may pass on order.
func (in *Instance) extend(call, ret []int32, m *meter.Meter) (err error) {
	h := in.History
	element := slices.Repeat([]int32{-1}, len(h.Ops)+len(h.Ghosts))
	for e, i := range in.Ops {
		element[i] = int32(e)
	}
	for g := range h.Ghosts {
		element[len(h.Ops)+g] = int32(len(call))
		call, ret = append(call, h.Ghosts[g].Call), append(ret, h.Ghosts[g].Return)
	}
	var edges []poset.Edge
	for _, e := range h.Edges {
		// No operation follows a pending one that may not have happened.
		if from, to := element[e.From], element[e.To]; from >= 0 && to >= 0 {
			edges = append(edges, poset.Edge{From: from, To: to})
		}
	}
	in.Poset, err = poset.Extend(call, ret, edges, len(in.Ops), m.MustStop)
	return err
}

// TooLarge reports whether err is the error of a poset that has edges and too
// many elements.
func TooLarge(err error) bool { return errors.Is(err, poset.ErrTooLarge) }

// Check checks every operation of h against the specification. It returns an
// *history.Errors with the lines of the operations that the specification
// rejects.
func Check(h *history.History, spec Spec) error {
	if h == nil || Validate(spec) != nil {
		return errNil
	}
	errs := history.Errors{ID: h.ID}
	for i := range h.Ops {
		if err := spec.Check(&h.Ops[i]); err != nil {
			if errs.Full() {
				errs.More = true
				break
			}
			errs.Add(h.Errorf(&h.Ops[i], "%v", err))
		}
	}
	if len(errs.List) > 0 {
		return &errs
	}
	return nil
}
