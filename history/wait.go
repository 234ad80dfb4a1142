package history

import "slices"

// WaitsForever is the Result of an operation that waits for ever. A specification gives it to a
// call that waits in a state, as the runs of a class do that package history/stress writes. No
// other bundled one gives it, so that a history with such an operation is not linearizable.
var WaitsForever = ExceptionValue("waits for ever")

// A Wait is an operation that waits for ever.
type Wait struct {
	Op  int32
	For string // where it waits, for what, and who holds it: "waits at map.go:7 for sync.Mutex.Lock"; may be ""
}

// WaitsFor returns what is known about the wait of operation i, or "".
func (h *History) WaitsFor(i int32) string {
	k, found := slices.BinarySearchFunc(h.Waits, i, func(w Wait, i int32) int { return int(w.Op - i) })
	if !found {
		return ""
	}
	return h.Waits[k].For
}

// wait records that op never returns. Until collectWaits, its result has what it waits for,
// because operations may still be moved.
func (b *Builder) wait(op *Operation, what string) {
	op.Waits, op.Result, b.waiting = true, StringValue(what), true
}

// checkWaits refuses events after one that says that a call waits for ever: a call to which
// something may still happen need not do so.
func (b *Builder) checkWaits() {
	end := int32(NoReturn) // the first such event
	for i := range b.ops {
		if op := &b.ops[i]; op.Waits {
			end = min(end, op.Return)
		}
	}
	for i := range b.ops {
		if op := &b.ops[i]; op.Call > end || op.Return > end && !op.Waits && !op.Pending() {
			b.Errorf(int(op.Line), "%s begins or ends after a call was found to wait for ever; such events come last", op.Method)
		}
	}
}

// collectWaits lists the operations that wait for ever.
func (h *History) collectWaits() {
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Waits {
			h.Waits = append(h.Waits, Wait{int32(i), op.Result.Text()})
			op.Result = WaitsForever
		}
	}
}
