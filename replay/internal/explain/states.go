package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// states finds the states before the response that nothing explains. base is the
// history up to it. Of an object with parts, only the part concerned counts.
func (x *explainer) states(base *history.History) {
	if x.e.Unexplained == replay.NoOperation {
		return
	}
	ops := x.partOf(base, x.e.Unexplained)
	texts, cause := x.statesOf(before(sub(base, ops)), x.share(50))
	if cause == tooMany && len(x.e.Core) > 0 && len(x.e.Core) < len(base.Ops) {
		x.e.StatesOfCore = true
		texts, cause = x.statesOf(before(sub(base, x.e.Core)), x.share(50))
	}
	if cause != "" {
		x.e.StatesOfCore = false
		x.missFor("states", cause)
		return
	}
	if len(texts) > replay.MaxStates {
		texts, x.e.MoreStates = texts[:replay.MaxStates], true
	}
	x.e.States = texts
}

const tooMany = "too many orders of the operations before it"

// partOf returns the operations of the part that op concerns: all of them if it
// concerns several, or if another operation does that is not read-only.
func (x *explainer) partOf(h *history.History, op int32) []int32 {
	all := make([]int32, 0, len(h.Ops))
	key, hasPart := x.part(&x.History.Ops[op])
	for i := range h.Ops {
		if hasPart {
			switch other, ok := x.part(&h.Ops[i]); {
			case ok && other != key:
				continue
			case !ok && replay.FactsOf(x.Spec, &h.Ops[i]).ReadOnly:
				continue
			}
		}
		all = append(all, int32(i))
	}
	return all
}

// part returns the key of the part that op concerns.
func (x *explainer) part(op *history.Operation) (string, bool) {
	if !replay.TraitsOf(x.Spec).Partitioned {
		return "", false
	}
	part, ok := replay.FactsOf(x.Spec, op).PartOf(op)
	if !ok {
		return "", false
	}
	return string(part.AppendKey(nil)), true
}

// before returns h without its last response.
func before(h *history.History) *history.History {
	last := int32(0)
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() {
			last = max(last, op.Return)
		}
	}
	return h.UpTo(last - 1)
}

// statesOf returns the texts of the states after h in their order, or why there
// are none.
func (x *explainer) statesOf(h *history.History, m *meter.Meter) (texts []string, cause string) {
	w := newWalk(h, x.Spec, x.Bytes, m)
	if w == nil {
		return nil, "the objects of the specification cannot be copied"
	}
	defer w.machine.Release()
	finished := w.run(func(int) {})
	var states []int32
	if finished && !w.lost {
		states = w.states()
	}
	switch {
	case w.machine.GaveUp() == replay.Memory:
		return nil, tooMany
	case w.lost:
		return nil, tooMany
	case !finished, w.stop():
		return nil, x.causeOf(replay.Time)
	}
	for _, s := range states {
		for _, o := range w.machine.Objects(s) {
			text := replay.StateText(o)
			if text == "" {
				return nil, "the specification does not describe its states"
			}
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts), ""
}
