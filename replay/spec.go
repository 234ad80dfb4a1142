package replay

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// An Invocation is a method call without its result.
type Invocation struct {
	Method string
	Args   []history.Value
}

// String returns the invocation as in "put(1, 2)".
func (inv Invocation) String() string {
	op := history.Operation{Method: inv.Method, Args: inv.Args, Return: 1}
	return op.String()
}

// A Spec is a sequential specification: it says what an object returns if its
// operations run one after another. It must be safe for concurrent use; the
// objects that it makes need not be.
type Spec interface {
	// Name is the name of the specification in a history's header and for
	// --model.
	Name() string
	// Check returns an error for an unknown method, a wrong number or type of
	// arguments, or a result of a kind that the method does not return. An example is a
	// number in place of true or false. Unknown results and exceptions always pass, and
	// so does null unless the method returns nothing: a broken object can give them. The
	// message need not name a line.
	Check(op *history.Operation) error
	// New returns a fresh object in its initial state. If it is a State, its
	// states are interned and transitions computed once; otherwise each
	// schedule runs on a fresh object.
	New() Object
}

// An Object is one instance, run sequentially.
type Object interface {
	// Apply performs the invocation, changes the object and returns the result.
	// Where the object has no transition, it returns false and changes nothing. For
	// example, a held lock cannot be locked, however long the caller waits. inv has
	// passed Spec.Check; its arguments must not be modified.
	Apply(inv Invocation) (result history.Value, ok bool)
}

// An Unmodelled says which behaviour a specification does not describe. Where the
// result depends on it, Apply panics with an Unmodelled, and a check returns an error
// in place of a verdict.
type Unmodelled string

// A State is an object whose state is a value: it can be copied and compared.
type State interface {
	Object
	// Clone returns an independent copy.
	Clone() State
	// AppendKey appends the canonical key of the state to dst. Two states have
	// the same key exactly if no sequence of invocations distinguishes them. A
	// key that separates more states is correct but slow.
	AppendKey(dst []byte) []byte
}

// A Nondeterministic state may have several transitions for one invocation.
// Outcomes is then called instead of Apply, which may panic.
type Nondeterministic interface {
	State
	// Outcomes returns every possible result with the resulting state, in a
	// fixed order, and does not change the receiver. No outcome means no
	// transition.
	Outcomes(inv Invocation) []Outcome
}

// A Judge is a Nondeterministic state that accepts or rejects results rather
// than predicting them. An example is a state whose transitions are a relation
// between states, inputs and outputs. Listing all its outcomes may take long.
type Judge interface {
	Nondeterministic
	// Judge returns the outcomes of the invocation that have the given result,
	// as Outcomes does, and does not change the receiver.
	Judge(inv Invocation, result history.Value) []Outcome
}

// An Outcome is one transition of a nondeterministic state.
type Outcome struct {
	Result history.Value
	Next   State
}

// Accepts reports whether a recorded result is consistent with a predicted
// one: they are equal, or one of them is unknown. So if any result is possible, a
// specification returns history.UnknownValue.
func Accepts(recorded, predicted history.Value) bool {
	return recorded.Kind() == history.Unknown || predicted.Kind() == history.Unknown || recorded.Equal(predicted)
}

// Transitions returns the outcomes of an invocation: at most one for an
// ordinary state, any number for a nondeterministic one.
func Transitions(s State, inv Invocation) []Outcome {
	if n, ok := s.(Nondeterministic); ok {
		return n.Outcomes(inv)
	}
	next := s.Clone()
	result, ok := next.Apply(inv)
	if !ok {
		return nil
	}
	return []Outcome{{result, next}}
}

// OutcomesOf returns the outcomes of a recorded operation: its Transitions, or for
// a Judge only those that have the recorded result, if that is known. An operation that was open at a
// crash may also leave the state as it is.
func OutcomesOf(s State, op *history.Operation) []Outcome {
	inv := Invocation{op.Method, op.Args}
	if op.MayNotHappen() {
		return append(slices.Clip(Transitions(s, inv)), Outcome{history.UnknownValue, s})
	}
	if j, ok := s.(Judge); ok && !op.Pending() && op.Result.Kind() != history.Unknown {
		return j.Judge(inv, op.Result)
	}
	return Transitions(s, inv)
}

// A Trusted specification has tests of its own. A check tries any other one first, with a few
// programs of the invocations of the history, for faults that lead to wrong verdicts; see
// package spectest. The bundled specifications are Trusted.
type Trusted interface{ Trusted() }

// Calls returns the meter for calls of the objects of a specification: m, because such
// calls may take long, or nil if the specification is trusted. See meter.Meter.Call.
func Calls(s Spec, m *meter.Meter) *meter.Meter {
	if _, trusted := s.(Trusted); trusted {
		return nil
	}
	return m
}

// Validate returns an error if a specification is nil, or a Model without one of
// the functions that it needs.
func Validate(s Spec) error {
	if s == nil {
		return errors.New("the specification is nil")
	}
	if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("the specification is a nil %T", s)
	}
	if m, ok := s.(interface{ validate() error }); ok {
		return m.validate()
	}
	return nil
}
