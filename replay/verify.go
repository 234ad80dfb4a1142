package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// Verify checks a witness independently of how it was found:
//   - it has every operation of h exactly once,
//   - its order respects real time and the history's edges,
//   - a fresh object gives the recorded results.
//
// It uses no memoised transition and no poset. It returns ErrStopped if m
// stops. A unit of work is an operation or an outcome.
//
// It takes O(n) for n operations, plus the edges and the transitions of the object. If some
// operations did not happen, it takes O(n log n), once for each of them in the longest path
// of edges against the order of invocations.
func Verify(h *history.History, spec Spec, witness []int32, m *meter.Meter) error {
	if h == nil || Validate(spec) != nil {
		return errNil
	}
	if err := checkOrder(h, witness, m); err != nil {
		return err
	}
	w := NewWalk(spec)
	w.most, w.meter, w.calls = math.MaxInt, m, Calls(spec, m)
	for _, i := range witness {
		if m.MustStop(1) {
			return ErrStopped
		}
		op := &h.Ops[i]
		var ok bool
		if w.object != nil {
			_, _, ok = w.apply(op)
		} else {
			_, ok = w.Step(op)
		}
		if !ok && m.Stopped() {
			return ErrStopped
		} else if !ok {
			return fmt.Errorf("operation %v, %v, cannot follow", op.ID(), op)
		}
	}
	return nil
}

// errNil is the error of a nil history or specification.
var errNil = errors.New("replay: the history or the specification is nil")

// checkOrder checks that the witness is an order of all operations that
// respects real time, the edges, and what follows from both. Order through
// operations needs no closure: if each operation is after its direct
// predecessors, it is also after the predecessors of these. Only ghosts, the
// operations that did not happen, have no place in the witness.
func checkOrder(h *history.History, witness []int32, m *meter.Meter) error {
	if len(witness) != len(h.Ops) {
		return fmt.Errorf("%d operations instead of %d", len(witness), len(h.Ops))
	}
	if m.MustStop(len(witness)) {
		return ErrStopped
	}
	n := int32(len(h.Ops))
	place := make([]int32, len(h.Ops)+len(h.Ghosts)) // from 1
	latest := int32(-1)
	for k, i := range witness {
		if i < 0 || i >= n || place[i] != 0 {
			return fmt.Errorf("place %d repeats an operation or has none", k)
		}
		place[i] = int32(k + 1)
		op := &h.Ops[i]
		if op.Return < latest {
			return fmt.Errorf("operation %v follows one that was invoked after its response", op.ID())
		}
		latest = max(latest, op.Call)
	}
	for _, e := range h.Edges {
		if e.From < n && e.To < n && place[e.From] > place[e.To] {
			return errors.New("an edge of the history is not respected")
		}
	}
	if len(h.Ghosts) == 0 {
		return nil
	}
	return checkGhosts(h, place, m)
}

// An instant is the invocation or the response of an operation or a ghost.
type instant struct {
	position int32
	op       int32 // ghosts follow the operations
	ret      bool
}

// checkGhosts checks the order through ghosts. The place of a ghost is the latest place of
// an operation before it; whatever follows the ghost has a later place. It goes through the
// history until no place changes any more.
func checkGhosts(h *history.History, place []int32, m *meter.Meter) error {
	n, all := int32(len(h.Ops)), instants(h)
	for changed := true; changed; {
		changed = false
		// follow puts op after the place before, or reports that it is too early.
		follow := func(op, before int32) bool {
			if op >= n && place[op] < before {
				place[op], changed = before, true
			}
			return op >= n || place[op] > before
		}
		returned := int32(0) // latest place of what returned
		for _, at := range all {
			if m.MustStop(1) {
				return ErrStopped
			}
			if at.ret {
				returned = max(returned, place[at.op])
			} else if !follow(at.op, returned) {
				return errThroughGhost
			}
		}
		for _, e := range h.Edges {
			if !follow(e.To, place[e.From]) {
				return errThroughGhost
			}
		}
	}
	return nil
}

var errThroughGhost = errors.New("order through an operation that did not happen is not respected")

// instants returns the events of operations and ghosts by position.
func instants(h *history.History) []instant {
	all := make([]instant, 0, 2*(len(h.Ops)+len(h.Ghosts)))
	add := func(number int, op *history.Operation) {
		all = append(all, instant{op.Call, int32(number), false})
		if op.Return != history.NoReturn {
			all = append(all, instant{op.Return, int32(number), true})
		}
	}
	for i := range h.Ops {
		add(i, &h.Ops[i])
	}
	for g := range h.Ghosts {
		add(len(h.Ops)+g, &h.Ghosts[g])
	}
	slices.SortFunc(all, func(x, y instant) int { return cmp.Compare(x.position, y.position) })
	return all
}

// accepted reports whether a recorded operation is consistent with the replay;
// ok reports whether there was a transition.
func accepted(op *history.Operation, result history.Value, ok bool) bool {
	if !ok {
		return op.Pending() && !op.Happened
	}
	return Accepts(op.Result, result)
}
