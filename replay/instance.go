package replay

import (
	"errors"
	"fmt"

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
	in := &Instance{History: h}
	element := make([]int32, len(h.Ops)+len(h.Ghosts))
	for i := range h.Ops {
		if op := &h.Ops[i]; pending || !op.Pending() || op.Happened {
			element[i] = int32(len(in.Ops))
			in.Ops = append(in.Ops, int32(i))
		} else {
			element[i] = -1
		}
	}
	keep := len(in.Ops)
	call, ret := make([]int32, keep, keep+len(h.Ghosts)), make([]int32, keep, keep+len(h.Ghosts))
	for e, i := range in.Ops {
		call[e], ret[e] = h.Ops[i].Call, h.Ops[i].Return
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
	var err error
	if in.Poset, err = poset.Extend(call, ret, edges, keep, m.MustStop); err != nil {
		return nil, fmt.Errorf("ordering the operations: %w", err)
	}
	if in.setChains(mode); in.Chains == nil {
		return nil, ErrStopped
	}
	return in, nil
}

func (in *Instance) setChains(mode ChainMode) {
	process := make([]int32, len(in.Ops))
	chain := make([]int32, len(in.History.Processes)) // process -> its chain, + 1
	chains := int32(0)
	for e, i := range in.Ops {
		p := in.History.Ops[i].Process
		if chain[p] == 0 {
			chains++
			chain[p] = chains
		}
		process[e] = chain[p] - 1
	}
	single := int(chains) == len(in.Ops)
	if mode == MinimumChains || mode == AutoChains && single {
		in.Chains = in.Poset.MinimumChains()
		return
	}
	in.Chains = process
}

// TooLarge reports whether err is the error of a poset that has edges and too
// many elements.
func TooLarge(err error) bool { return errors.Is(err, poset.ErrTooLarge) }

// Check checks every operation of h against the specification. It returns an
// *history.Errors with the lines of the operations that the specification
// rejects.
func Check(h *history.History, spec Spec) error {
	if h == nil || spec == nil {
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
