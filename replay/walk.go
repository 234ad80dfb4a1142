package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// walkStates is how many states of a nondeterministic object a Walk follows.
const walkStates = 64

// A Walk performs operations on an object, one after another, to show its states. It
// follows all states that a nondeterministic object may be in. It is over when no state
// is left, or more than 64 are.
type Walk struct {
	object Object  // a deterministic object
	states []State // the distinct states of a nondeterministic object
}

// NewWalk returns a Walk from the initial state. If spec is nil, the walk is over.
func NewWalk(spec Spec) *Walk {
	if spec == nil {
		return &Walk{}
	}
	object := spec.New()
	if s, ok := object.(Nondeterministic); ok {
		return &Walk{states: []State{s}}
	}
	return &Walk{object: object}
}

// Step performs an operation. It returns the distinct results that the object can give
// and that the recorded result allows. There are none if a pending operation does not
// take effect. Step reports false if the walk is over: the object does not allow the
// recorded result.
func (w *Walk) Step(op *history.Operation) (results []history.Value, ok bool) {
	switch {
	case w.object != nil:
		result, moved := w.object.Apply(Invocation{op.Method, op.Args})
		if !accepted(op, result, moved) {
			w.object = nil
			return nil, false
		}
		if moved {
			results = []history.Value{result}
		}
		return results, true
	case w.states == nil:
		return nil, false
	}
	type keyed struct {
		key  string
		next State
	}
	var after []keyed
	add := func(s State) { after = append(after, keyed{string(s.AppendKey(nil)), s}) }
	for _, s := range w.states {
		outcomes := OutcomesOf(s, op)
		for _, o := range outcomes {
			if accepted(op, o.Result, true) {
				add(o.Next)
				results = append(results, o.Result)
			}
		}
		if len(outcomes) == 0 && accepted(op, history.NoValue, false) {
			add(s)
		}
	}
	slices.SortFunc(results, history.Value.Compare)
	results = slices.CompactFunc(results, history.Value.Equal)
	slices.SortFunc(after, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	after = slices.CompactFunc(after, func(a, b keyed) bool { return a.key == b.key })
	w.states = nil
	if len(after) > walkStates {
		return nil, false
	}
	for _, k := range after {
		w.states = append(w.states, k.next)
	}
	return results, len(after) > 0
}

// State returns the text of the state, as StateText gives it, or "a or b" if the
// object may be in several. It is "" if the object does not describe its state, or
// if the walk is over.
func (w *Walk) State() string {
	if w.object != nil {
		return StateText(w.object)
	}
	var texts []string
	for _, s := range w.states {
		texts = append(texts, StateText(s))
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " or ")
}
