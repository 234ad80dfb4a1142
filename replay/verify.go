package replay

import (
	"errors"
	"fmt"

	"github.com/leadline/leadline/history"
)

// Verify checks a witness anew, with nothing that helped to find it: that it
// has every operation of h once, in an order that respects real time and the
// history's edges, and that fresh objects answer as recorded. No memoised
// transition, no poset. O(n * states).
func Verify(h *history.History, spec Spec, witness []int32) error {
	if err := verifyOrder(h, witness); err != nil {
		return err
	}
	object := spec.New()
	if start, ok := object.(Nondeterministic); ok {
		return verifyStates(h, start, witness)
	}
	for _, i := range witness {
		op := &h.Ops[i]
		result, ok := object.Apply(Invocation{op.Method, op.Args})
		if !accepted(op, result, ok) {
			return fmt.Errorf("operation %v, %v, cannot follow", op.ID(), op)
		}
	}
	return nil
}

func verifyOrder(h *history.History, witness []int32) error {
	if len(witness) != len(h.Ops) {
		return fmt.Errorf("%d operations instead of %d", len(witness), len(h.Ops))
	}
	place := make([]int32, len(h.Ops))
	latest := int32(-1)
	for k, i := range witness {
		if i < 0 || int(i) >= len(h.Ops) || place[i] != 0 {
			return fmt.Errorf("place %d repeats an operation or has none", k)
		}
		place[i] = int32(k + 1)
		op := &h.Ops[i]
		if op.Return < latest {
			return fmt.Errorf("operation %v stands behind one that was invoked after its response", op.ID())
		}
		latest = max(latest, op.Call)
	}
	for _, e := range h.Edges {
		if int(e.From) >= len(h.Ops) {
			continue
		}
		for _, to := range throughGhosts(h, e.To) {
			if place[e.From] > place[to] {
				return errors.New("an edge of the history is not respected")
			}
		}
	}
	for g := range h.Ghosts {
		reached := throughGhosts(h, int32(len(h.Ops)+g))
		for i := range h.Ops {
			for _, to := range reached {
				if h.Ops[i].Return < h.Ghosts[g].Call && place[i] > place[to] {
					return errors.New("order through an operation that did not happen is not respected")
				}
			}
		}
	}
	return nil
}

// throughGhosts returns what comes right after an edge to the given
// operation: the operation itself, or, where it did not happen, everything it
// passes the order on to.
func throughGhosts(h *history.History, to int32) []int32 {
	var reached []int32
	seen := map[int32]bool{}
	for queue := []int32{to}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		if int(at) < len(h.Ops) {
			reached = append(reached, at)
			continue
		}
		for _, e := range h.Edges {
			if e.From == at {
				queue = append(queue, e.To)
			}
		}
		ghost := &h.Ghosts[int(at)-len(h.Ops)]
		for i := range h.Ops {
			if ghost.Return < h.Ops[i].Call {
				reached = append(reached, int32(i))
			}
		}
		for g := range h.Ghosts {
			if ghost.Return < h.Ghosts[g].Call {
				queue = append(queue, int32(len(h.Ops)+g))
			}
		}
	}
	return reached
}

// verifyStates carries along every state in which a nondeterministic object
// may be.
func verifyStates(h *history.History, start State, witness []int32) error {
	states := map[string]State{"": start}
	for _, i := range witness {
		op := &h.Ops[i]
		after := map[string]State{}
		for _, s := range states {
			outcomes := Transitions(s, Invocation{op.Method, op.Args})
			for _, o := range outcomes {
				if accepted(op, o.Result, true) {
					after[string(o.Next.AppendKey(nil))] = o.Next
				}
			}
			if len(outcomes) == 0 && accepted(op, history.NoValue, false) {
				after[string(s.AppendKey(nil))] = s
			}
		}
		if len(after) == 0 {
			return fmt.Errorf("operation %v, %v, cannot follow", op.ID(), op)
		}
		states = after
	}
	return nil
}
