package decide

import (
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// refutedWhateverWasCut reports whether a history that is not linearizable, and
// whose file may have been cut, has no witness whatever the whole file was. It
// proves one of these:
//
//   - Lines are events in their order, and the history before the last event has
//     no witness: what is missing comes later.
//   - The history has no witness even if the result of the last event is free.
//   - It has none with any longer value that begins like the recorded one, and the
//     method can only return values that occur in the history or were there at first.
//
// Where events have stamps, what is missing may belong anywhere, so nothing is proved.
func (t *task) refutedWhateverWasCut() bool {
	h := t.h
	if t.clock.expired() {
		return false
	}
	if h.IsRelaxed() || h.Order == history.StampOrder || len(h.Ops) == 0 {
		return false
	}
	last := lastReturn(h)
	if last < 0 || h.Ops[last].Return < h.Ops[len(h.Ops)-1].Call { // an invocation is the last event
		return t.isRefuted(h.UpTo(h.Ops[len(h.Ops)-1].Call - 1))
	}
	if t.isRefuted(h.UpTo(h.Ops[last].Return-1)) || t.isRefuted(returning(h, last, history.UnknownValue)) {
		return true
	}
	first, ok := initially(t.spec, &h.Ops[last])
	if !ok || !returnsWhatWentIn(t.spec, &h.Ops[last]) {
		return false
	}
	for _, v := range longer(h, h.Ops[last].Result, first) {
		if !t.isRefuted(returning(h, last, v)) {
			return false
		}
	}
	return true
}

// isRefuted reports whether the history is proved to have no witness.
func (t *task) isRefuted(h *history.History) bool {
	f := t.decidePart(h, t.meter)
	return f.Answer == replay.NotLinearizable
}

// decidePart decides another history of the same operations, or some of them,
// without depths.
func (t *task) decidePart(h *history.History, m *meter.Meter) replay.Finding {
	part := &task{h: h, spec: t.spec, o: t.o, clock: t.clock, meter: m, checked: true, shallow: true}
	defer part.release()
	f, err := part.decide()
	if err != nil {
		return replay.Finding{}
	}
	return f
}

// lastReturn is the operation with the latest response; NoOperation if there
// is none.
func lastReturn(h *history.History) int32 {
	last := int32(replay.NoOperation)
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() && (last < 0 || op.Return > h.Ops[last].Return) {
			last = int32(i)
		}
	}
	return last
}

// returning is the history with another result of one operation.
func returning(h *history.History, op int32, result history.Value) *history.History {
	changed := *h
	changed.Ops = append([]history.Operation(nil), h.Ops...)
	changed.Ops[op].Result = result
	return &changed
}

// initially returns the result that the operation would have on a new object, and
// whether that is a single one.
func initially(spec replay.Spec, op *history.Operation) (history.Value, bool) {
	object := spec.New()
	if _, ok := object.(replay.Nondeterministic); ok {
		return history.Value{}, false
	}
	return object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
}

// returnsWhatWentIn reports whether the operation can only return a value that
// was an argument of another one, or null, or its result on a new object.
func returnsWhatWentIn(spec replay.Spec, op *history.Operation) bool {
	switch replay.TraitsOf(spec).Discipline {
	case replay.NoDiscipline, replay.Named, replay.Counted:
		return false
	}
	switch replay.FactsOf(spec, op).Role {
	case replay.Remove, replay.Look, replay.RemoveFront, replay.LookFront:
		return true
	}
	return false
}

// longer returns null, and which of first and the values of the history may have been
// cut to beginning: those that begin with it, as strings, and are longer. A number can
// be written in several ways, so any may have been cut to another one.
func longer(h *history.History, beginning, first history.Value) []history.Value {
	text := beginning.String()
	var values []history.Value
	add := func(v history.Value) {
		if s := v.String(); isNumber(v) && isNumber(beginning) || len(s) > len(text) && strings.HasPrefix(strings.Trim(s, `"`), strings.Trim(text, `"`)) {
			values = append(values, v)
		}
	}
	add(first)
	for i := range h.Ops {
		add(h.Ops[i].Result)
		for _, a := range h.Ops[i].Args {
			add(a)
		}
	}
	return append(values, history.NullValue)
}

func isNumber(v history.Value) bool { return v.Kind() == history.Int || v.Kind() == history.Float }
