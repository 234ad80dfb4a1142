package decide

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// runSerial decides a history in which no two operations overlap: real time leaves one
// order, so replaying it decides. That needs one state at a time, while a search keeps all.
//
// That order is the only schedule of every family, so the depth of a witness is 1.
//
// runSerial declines histories with pending operations (these may have no effect), with
// edges or ghosts, or of nondeterministic objects.
func runSerial(t *task, m *meter.Meter) (replay.Finding, error) {
	if !isSerial(t.H) {
		return replay.Declines(""), nil
	}
	object := t.Spec.New()
	if _, set := object.(replay.Nondeterministic); set {
		return replay.Declines(""), nil
	}
	order, calls := make([]int32, len(t.H.Ops)), replay.Calls(t.Spec, m)
	for i := range t.H.Ops {
		if m.MustStop(1) {
			return replay.GaveUp(replay.Time), nil
		}
		op := &t.H.Ops[i]
		result, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		calls.Call()
		if !ok || !replay.Accepts(op.Result, result) {
			f := replay.Refuted(replay.FamiliesEngine)
			f.Reached = op.Return
			return f, nil
		}
		order[i] = int32(i)
	}
	f := replay.Found(replay.FamiliesEngine, order)
	f.Depth, f.Index = 1, hitting.Index{Tuple: []int32{}}
	return f, nil
}

// isSerial reports whether h has only one order: all operations returned, each before the
// next was invoked.
func isSerial(h *history.History) bool {
	if h.HasEdges() || len(h.Ghosts) > 0 {
		return false
	}
	for i := range h.Ops {
		if h.Ops[i].Pending() || i > 0 && h.Ops[i-1].Return >= h.Ops[i].Call {
			return false
		}
	}
	return true
}
