package peers

import (
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A keyed state is a state of the porcupine model: a state with its canonical
// key. It is immutable.
type keyed struct {
	state replay.State
	key   string
}

func newKeyed(s replay.State) *keyed { return &keyed{s, string(s.AppendKey(nil))} }

var hashSeed = maphash.MakeSeed()

// Model returns a porcupine.Model that behaves like the specification. Its
// inputs are *history.Operation. Its outputs are nil, because the operation
// includes the recorded result. If the specification's objects are not
// replay.States, Model returns an error, since porcupine has to compare them.
func Model(spec replay.Spec) (porcupine.Model, error) {
	equal := func(a, b any) bool { return a.(*keyed).key == b.(*keyed).key }
	hash := func(s any) uint64 { return maphash.String(hashSeed, s.(*keyed).key) }
	partition := partitioner(spec)
	switch spec.New().(type) {
	case replay.Nondeterministic:
		model := porcupine.NondeterministicModel{
			Partition: partition,
			Init:      func() []any { return []any{newKeyed(spec.New().(replay.State))} },
			Step:      outcomes,
			Equal:     equal,
			Hash:      hash,
		}
		return model.ToModel(), nil
	case replay.State:
		return porcupine.Model{
			Partition: partition,
			Init:      func() any { return newKeyed(spec.New().(replay.State)) },
			Step:      step,
			Equal:     equal,
			Hash:      hash,
		}, nil
	}
	return porcupine.Model{}, fmt.Errorf("objects of %s are not comparable states", spec.Name())
}

func step(state, input, _ any) (bool, any) {
	op := input.(*history.Operation)
	next := state.(*keyed).state.Clone()
	result, ok := next.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
	if !ok || !replay.Accepts(op.Result, result) {
		return false, nil
	}
	return true, newKeyed(next)
}

func outcomes(state, input, _ any) []any {
	op := input.(*history.Operation)
	var next []any
	for _, o := range replay.OutcomesOf(state.(*keyed).state, op) {
		if replay.Accepts(op.Result, o.Result) {
			next = append(next, newKeyed(o.Next))
		}
	}
	return next
}

// partitioner returns a function that divides a history by the parts of a
// partitioned object, or nil for other objects. A history with an operation
// that concerns several parts is not divided.
func partitioner(spec replay.Spec) func([]porcupine.Operation) [][]porcupine.Operation {
	if !replay.TraitsOf(spec).Partitioned {
		return nil
	}
	return func(ops []porcupine.Operation) [][]porcupine.Operation {
		for _, op := range ops {
			if replay.FactsOf(spec, op.Input.(*history.Operation)).Part == 0 {
				return [][]porcupine.Operation{ops}
			}
		}
		return partsBy(ops, func(op *porcupine.Operation) string {
			recorded := op.Input.(*history.Operation)
			part, _ := replay.FactsOf(spec, recorded).PartOf(recorded)
			return string(part.AppendKey(nil))
		})
	}
}

// partsBy returns the operations of each key, with keys in the order of their
// first operations.
func partsBy[K comparable](ops []porcupine.Operation, key func(op *porcupine.Operation) K) [][]porcupine.Operation {
	number := map[K]int{}
	var parts [][]porcupine.Operation
	for i := range ops {
		k, ok := number[key(&ops[i])]
		if !ok {
			k = len(parts)
			number[key(&ops[i])] = k
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], ops[i])
	}
	return parts
}

// Operations returns the operations of h in porcupine's form, with positions of
// events as time stamps. A pending operation takes effect if took returns true
// for it; otherwise it is left out.
func Operations(h *history.History, took func(op int) bool) []porcupine.Operation {
	ops := make([]porcupine.Operation, 0, len(h.Ops))
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Pending() && !took(i) {
			continue
		}
		ops = append(ops, porcupine.Operation{ClientId: int(op.Process), Input: op, Call: int64(op.Call), Return: int64(op.Return)})
	}
	return ops
}

// MaxPending is the largest number of pending operations that Check accepts.
const MaxPending = 12

// ErrNotComparable reports that porcupine cannot check a history.
var ErrNotComparable = errors.New("porcupine cannot check this history")

// Check runs porcupine on h, once for each subset of the pending operations
// that may have taken effect. Each run stops after timeout; 0 means no limit. h
// must have passed replay.Check.
func Check(h *history.History, model porcupine.Model, timeout time.Duration) (porcupine.CheckResult, error) {
	if h.HasEdges() {
		return porcupine.Unknown, fmt.Errorf("%w: it has an order beyond real time", ErrNotComparable)
	}
	var pending []int // pending operations not marked as happened
	bit := map[int]int{}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Pending() && !op.Happened {
			bit[i] = len(pending)
			pending = append(pending, i)
		}
	}
	if len(pending) > MaxPending {
		return porcupine.Unknown, fmt.Errorf("%w: %d pending operations", ErrNotComparable, len(pending))
	}
	result := porcupine.Illegal
	for subset := range uint(1) << len(pending) {
		ops := Operations(h, func(i int) bool { return h.Ops[i].Happened || subset>>bit[i]&1 == 1 })
		switch porcupine.CheckOperationsTimeout(model, ops, timeout) {
		case porcupine.Ok:
			return porcupine.Ok, nil
		case porcupine.Unknown:
			result = porcupine.Unknown
		}
	}
	return result, nil
}
