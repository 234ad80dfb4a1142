package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// walkStates is how many states of a nondeterministic object a Walk follows. It protects the
// memory for states that nobody reads, and is not tuned.
const walkStates = 64

// A Walk performs operations on an object, one after another. It follows all states that a
// nondeterministic object may be in. It is over when no state is left, or more than 64 are.
type Walk struct {
	object Object  // a deterministic object
	states []State // the distinct states of a nondeterministic object
	most   int     // states
	// results of the last step
	results []history.Value
	// meter ends the walk when it stops, and calls counts calls of the object. Both are nil
	// without bounds.
	meter, calls *meter.Meter
}

// NewWalk returns a Walk from the initial state. If spec is not valid, the walk is over.
func NewWalk(spec Spec) *Walk {
	if Validate(spec) != nil {
		return &Walk{}
	}
	object := spec.New()
	if s, ok := object.(Nondeterministic); ok {
		return &Walk{states: []State{s}, most: walkStates}
	}
	return &Walk{object: object}
}

// Step performs an operation. It returns the distinct results that the object can give
// and that the recorded result allows, until the next step. There are none if a pending
// operation does not take effect. Step reports false if the walk is over: the object does
// not allow the recorded result.
func (w *Walk) Step(op *history.Operation) (results []history.Value, ok bool) {
	w.results = w.results[:0]
	switch {
	case w.object != nil:
		result, moved, ok := w.apply(op)
		if !ok {
			w.object = nil
			return nil, false
		}
		if moved {
			w.results = append(w.results, result)
		}
		return w.results, true
	case w.states == nil:
		return nil, false
	}
	after := w.after(op)
	w.states = nil
	if len(after) == 0 || len(after) > w.most {
		return nil, false
	}
	for _, k := range after {
		w.states = append(w.states, k.state)
	}
	slices.SortFunc(w.results, history.Value.Compare)
	w.results = slices.CompactFunc(w.results, history.Value.Equal)
	return w.results, true
}

// apply is Step for a deterministic object, without lists; moved reports whether there was a
// transition.
func (w *Walk) apply(op *history.Operation) (result history.Value, moved, ok bool) {
	result, moved = w.object.Apply(Invocation{op.Method, op.Args})
	w.calls.Call()
	return result, moved, accepted(op, result, moved)
}

type keyed struct {
	key   string
	state State
}

// after returns the states after an operation, sorted by their keys, and collects the
// results. There are none if the meter stops.
func (w *Walk) after(op *history.Operation) []keyed {
	var after []keyed
	add := func(s State) { after = append(after, keyed{string(s.AppendKey(nil)), s}) }
	for _, s := range w.states {
		outcomes := OutcomesOf(s, op)
		w.calls.Call()
		if w.meter.MustStop(1 + len(outcomes)) {
			return nil
		}
		for _, o := range outcomes {
			if accepted(op, o.Result, true) {
				add(o.Next)
				w.results = append(w.results, o.Result)
			}
		}
		if len(outcomes) == 0 && accepted(op, history.NoValue, false) {
			add(s)
		}
	}
	slices.SortFunc(after, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	return slices.CompactFunc(after, func(a, b keyed) bool { return a.key == b.key })
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
