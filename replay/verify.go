package replay

import (
	"cmp"
	"errors"
	"fmt"
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
// It takes O(n) for n operations, and O(n log n) if some did not happen, plus
// the edges and the transitions of the object.
func Verify(h *history.History, spec Spec, witness []int32, m *meter.Meter) error {
	if h == nil || spec == nil {
		return errNil
	}
	v := verifier{h: h, meter: m, calls: Calls(spec, m)}
	if err := v.checkOrder(witness); err != nil {
		return err
	}
	object := spec.New()
	if start, ok := object.(Nondeterministic); ok {
		return v.replayStates(start, witness)
	}
	for _, i := range witness {
		if v.meter.MustStop(1) {
			return ErrStopped
		}
		op := &h.Ops[i]
		result, ok := object.Apply(Invocation{op.Method, op.Args})
		v.calls.Call()
		if !accepted(op, result, ok) {
			return fmt.Errorf("operation %v, %v, cannot follow", op.ID(), op)
		}
	}
	return nil
}

// errNil is the error of a nil history or specification.
var errNil = errors.New("replay: the history or the specification is nil")

type verifier struct {
	h     *history.History
	meter *meter.Meter
	calls *meter.Meter // of the object
	place []int32      // of each operation in the witness, from 1
}

// checkOrder checks that the witness is an order of all operations that
// respects real time, the edges, and what follows from both. Order through
// operations needs no closure: if each operation is after its direct
// predecessors, it is also after the predecessors of these. Only ghosts, the
// operations that did not happen, have no place in the witness.
func (v *verifier) checkOrder(witness []int32) error {
	h := v.h
	if len(witness) != len(h.Ops) {
		return fmt.Errorf("%d operations instead of %d", len(witness), len(h.Ops))
	}
	if v.meter.MustStop(len(witness)) {
		return ErrStopped
	}
	place := make([]int32, len(h.Ops))
	v.place = place
	latest := int32(-1)
	for k, i := range witness {
		if i < 0 || int(i) >= len(place) || place[i] != 0 {
			return fmt.Errorf("place %d repeats an operation or has none", k)
		}
		place[i] = int32(k + 1)
		op := &h.Ops[i]
		if op.Return < latest {
			return fmt.Errorf("operation %v follows one that was invoked after its response", op.ID())
		}
		latest = max(latest, op.Call)
	}
	n := int32(len(h.Ops))
	for _, e := range h.Edges {
		if e.From < n && e.To < n && v.place[e.From] > v.place[e.To] {
			return errors.New("an edge of the history is not respected")
		}
	}
	if len(h.Ghosts) == 0 {
		return nil
	}
	return v.checkGhosts()
}

// A ghostSweep visits the events of a history by position. For each ghost, it finds the
// latest place of an operation before it. All operations that follow the ghost must have a
// later place.
//
// A ghost is settled once it has been invoked and all ghosts with edges to it are settled.
// It then follows everything that returned before its invocation, and everything before
// those ghosts.
type ghostSweep struct {
	*verifier
	latest  []int32   // ghost -> latest place before it, so far
	waits   []int32   // ghost -> ghosts with edges to it that are not settled, +1 until it is invoked
	out     [][]int32 // ghost -> targets of its edges
	settled int
}

// An instant is the invocation or the response of an operation or a ghost.
type instant struct {
	position int32
	op       int32 // ghosts follow the operations
	ret      bool
}

func (v *verifier) checkGhosts() error {
	n, ghosts := int32(len(v.h.Ops)), len(v.h.Ghosts)
	s := ghostSweep{verifier: v, latest: make([]int32, ghosts), waits: make([]int32, ghosts), out: make([][]int32, ghosts)}
	for g := range s.waits {
		s.waits[g] = 1
	}
	for _, e := range v.h.Edges {
		if e.From >= n {
			s.out[e.From-n] = append(s.out[e.From-n], e.To)
		}
		switch {
		case e.To < n:
		case e.From < n:
			s.latest[e.To-n] = max(s.latest[e.To-n], v.place[e.From])
		default:
			s.waits[e.To-n]++
		}
	}
	returned := int32(0) // latest place of an operation that returned, or before a ghost that did
	for _, at := range v.instants() {
		if v.meter.MustStop(1) {
			return ErrStopped
		}
		switch g := at.op - n; {
		case g < 0 && at.ret:
			returned = max(returned, v.place[at.op])
		case at.ret:
			if s.waits[g] > 0 {
				return errors.New("edges and real time close a cycle")
			}
			returned = max(returned, s.latest[g])
		case g < 0:
			if v.place[at.op] <= returned {
				return errThroughGhost
			}
		default:
			s.latest[g] = max(s.latest[g], returned)
			if !s.settle(g) {
				return errThroughGhost
			}
		}
	}
	if s.settled < ghosts {
		return errors.New("edges close a cycle")
	}
	return nil
}

var errThroughGhost = errors.New("order through an operation that did not happen is not respected")

// settle counts down the events that ghost g waits for. After the last one, it propagates
// the order through g. It reports false if an operation comes too early.
func (s *ghostSweep) settle(g int32) bool {
	n := int32(len(s.h.Ops))
	for left := []int32{g}; len(left) > 0; {
		g := left[len(left)-1]
		left = left[:len(left)-1]
		if s.waits[g]--; s.waits[g] > 0 {
			continue
		}
		s.settled++
		for _, to := range s.out[g] {
			if to < n {
				if s.place[to] <= s.latest[g] {
					return false
				}
				continue
			}
			s.latest[to-n] = max(s.latest[to-n], s.latest[g])
			left = append(left, to-n)
		}
	}
	return true
}

// instants returns the events of operations and ghosts by position.
func (v *verifier) instants() []instant {
	n := int32(len(v.h.Ops))
	all := make([]instant, 0, 2*(len(v.h.Ops)+len(v.h.Ghosts)))
	add := func(number int32, op *history.Operation) {
		all = append(all, instant{op.Call, number, false})
		if op.Return != history.NoReturn {
			all = append(all, instant{op.Return, number, true})
		}
	}
	for i := range v.h.Ops {
		add(int32(i), &v.h.Ops[i])
	}
	for g := range v.h.Ghosts {
		add(n+int32(g), &v.h.Ghosts[g])
	}
	slices.SortFunc(all, func(x, y instant) int { return cmp.Compare(x.position, y.position) })
	return all
}

// replayStates tracks every state that a nondeterministic object may be in.
func (v *verifier) replayStates(start State, witness []int32) error {
	states := map[string]State{"": start}
	for _, i := range witness {
		op := &v.h.Ops[i]
		after := map[string]State{}
		for _, s := range states {
			if v.meter.MustStop(1) {
				return ErrStopped
			}
			outcomes := OutcomesOf(s, op)
			v.calls.Call()
			for _, o := range outcomes {
				if v.meter.MustStop(1) {
					return ErrStopped
				}
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

// accepted reports whether a recorded operation is consistent with the replay;
// ok reports whether there was a transition.
func accepted(op *history.Operation, result history.Value, ok bool) bool {
	if !ok {
		return op.Pending() && !op.Happened
	}
	return Accepts(op.Result, result)
}
