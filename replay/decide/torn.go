package decide

import (
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// refutedWhateverWasCut reports whether a history whose file may have been cut off is
// not linearizable whatever is missing. It proves one of these:
//
//   - Lines are events in order, and the history before the last event has no
//     witness. Missing events come later.
//   - The format is the native one, all lines that were read are whole, and the history
//     has no witness without its edges. An edge out of a pending operation says that it
//     happened, but a "fail" or a mark that it did not may be missing.
//   - The history has no witness even if the result of the last event is free.
//   - The history has no witness with any longer value that begins like the recorded
//     one, and the method can only return values that occur in the history or that
//     the object held at first.
//   - Lines are operations (PolyLin), and the history up to its last invocation has
//     no witness. The last line must be readable, and at least sortedLines lines must
//     be in the order of their invocations, so that missing operations were invoked
//     later. The format does not promise that order, but at most one in 24 files in
//     random order begins so. PolyLin's own files are sorted and have no newline at
//     the end.
//
// None of them uses edges, so none uses that a pending operation happened. In tables and
// logfmt, only the first counts, because the missing text may be a field other than the
// result.
func (t *task) refutedWhateverWasCut() bool {
	h := t.h
	if t.clock.expired() {
		return false
	}
	anyField := h.Format == "csv" || h.Format == "logfmt"
	if h.IsRelaxed() || len(h.Ops) == 0 || anyField && h.Dropped > 0 { // the last record may be of an operation that did not happen
		return false
	}
	if h.Order == history.StampOrder {
		last := &h.Ops[len(h.Ops)-1]
		return h.Format == "polylin" && int(last.Line) == h.Torn && len(h.Ops) >= sortedLines &&
			inOrderOfLines(h) && t.isRefuted(h.UpTo(last.Call))
	}
	if h.Format == "native" && h.Torn > h.Line { // not by a key of the header
		return t.isRefuted(h.UpTo(history.NoReturn - 1))
	}
	last := lastReturn(h)
	if last < 0 || h.Ops[last].Return < h.Ops[len(h.Ops)-1].Call { // an invocation is the last event
		return t.isRefuted(h.UpTo(h.Ops[len(h.Ops)-1].Call - 1))
	}
	if t.isRefuted(h.UpTo(h.Ops[last].Return - 1)) {
		return true
	}
	if anyField {
		return false
	}
	h = h.UpTo(h.Ops[last].Return)
	if t.isRefuted(returning(h, last, history.UnknownValue)) {
		return true
	}
	first, ok := initially(t.spec, &h.Ops[last])
	if !ok || !returnsWhatWentIn(t.spec, h, last) {
		return false
	}
	for _, v := range longer(h, h.Ops[last].Result, first) {
		if !t.isRefuted(returning(h, last, v)) {
			return false
		}
	}
	return true
}

const sortedLines = 4

// isRefuted reports whether the history is proved to have no witness.
func (t *task) isRefuted(h *history.History) bool {
	f := t.decidePart(h, t.meter)
	return f.Answer == replay.NotLinearizable
}

// decidePart decides another history of the same operations, or some of them,
// without depths.
func (t *task) decidePart(h *history.History, m *meter.Meter) replay.Finding {
	part := &task{h: h, spec: t.spec, o: t.o, engines: t.engines, clock: t.clock, meter: m, checked: true, shallow: true}
	defer part.release()
	f, err := part.decide()
	if err != nil {
		return replay.Finding{}
	}
	return f
}

// inOrderOfLines reports whether the lines come in the order of the
// invocations.
func inOrderOfLines(h *history.History) bool {
	for i := 1; i < len(h.Ops); i++ {
		if h.Ops[i].Line < h.Ops[i-1].Line {
			return false
		}
	}
	return true
}

// lastReturn returns the operation with the latest response, or NoOperation.
func lastReturn(h *history.History) int32 {
	last := int32(replay.NoOperation)
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() && (last < 0 || op.Return > h.Ops[last].Return) {
			last = int32(i)
		}
	}
	return last
}

// returning returns the history with another result of one operation.
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

// returnsWhatWentIn reports whether an operation can only return a value that was an
// argument of another one, or null, or its result on a new object. An append, for
// example, makes a value that was neither.
func returnsWhatWentIn(spec replay.Spec, h *history.History, op int32) bool {
	switch replay.TraitsOf(spec).Discipline {
	case replay.NoDiscipline, replay.Named, replay.Counted:
		return false
	}
	for i := range h.Ops {
		if f := replay.FactsOf(spec, &h.Ops[i]); f.Role == replay.Other && !f.ReadOnly && int32(i) != op {
			return false
		}
	}
	switch replay.FactsOf(spec, &h.Ops[op]).Role {
	case replay.Remove, replay.Look, replay.RemoveFront, replay.LookFront:
		return true
	}
	return false
}

// longer returns null, first and the values of the history, as far as they may have
// been cut to beginning.
func longer(h *history.History, beginning, first history.Value) []history.Value {
	var values []history.Value
	add := func(v history.Value) {
		if mayBeCutTo(v, beginning) {
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

// mayBeCutTo reports whether beginning may be the rest of v in a file that was cut. A
// number can be written in several ways, so any number may have been cut to any other,
// or to a string such as "-". The same holds for lists and maps.
func mayBeCutTo(v, beginning history.Value) bool {
	text := plainText(beginning)
	switch v.Kind() {
	case history.Int, history.Float:
		return isNumber(beginning) || strings.Trim(text, "-+.0123456789eEna") == ""
	case history.List, history.Map:
		return text == "" || strings.ContainsRune("[{(#", rune(text[0])) || isNumber(beginning)
	case history.String:
		return strings.HasPrefix(v.Text(), text) || isNumber(beginning) && v.Text() != "" && strings.ContainsRune("-+.0123456789", rune(v.Text()[0]))
	}
	return strings.HasPrefix(v.String(), text)
}

// plainText returns a string without quotes, and any other value as it is written.
func plainText(v history.Value) string {
	if v.Kind() == history.String {
		return strings.Trim(v.Text(), `"`)
	}
	return v.String()
}

func isNumber(v history.Value) bool { return v.Kind() == history.Int || v.Kind() == history.Float }
