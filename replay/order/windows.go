package order

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// windowOps is the number of operations of a window. With a quarter or four times as many,
// deques of 100,000 operations by 16 clients take as long or 1.2 of the time.
const windowOps = 2048

// windows decides a long history of distinct values window by window, so that the memory for
// the pairs does not grow with its length. Each window makes more of the witness final:
//
//	|-------- final --------|-------- window --------|-------- later --------|
//	 insertions of the values  all operations that      all operations on
//	 that are still held       are not final            values of the window
//
// A window decides the history of these operations:
//
//   - the insertions of the values that are still held, one after another in the order of
//     the witness. They lead to the state after the final operations.
//   - the operations up to its end that are not final;
//   - later operations on the same values. They show how these values have to be ordered.
//
// Its witness is a witness of all operations that were invoked before its end, up to the first
// later operation. A part of that becomes final, so that the next window overlaps this one.
//
// A window may have no witness because the order of the final operations is wrong. Then it
// decides whether its operations have a witness in real time. If they have none, the history
// has none: leaving out a value with all its operations changes no result of others, except
// for operations that count or find the collection full. These are left out, too. If there is a
// witness, the last final operations are taken back, twice as many each time.
type windows struct {
	problem *ops.Problem
	roles   []replay.Role
	meter   *meter.Meter
	values  []int32   // operation -> the value that it inserts, removes or sees, or None
	uses    ops.Lists // value -> its operations

	core collection          // for one window after another
	ops  []history.Operation // of a window

	order   []int32 // the final operations, in the order of the witness
	placed  []bool  // operation -> it is in order
	next    int     // all operations before it are placed
	held    []int32 // the insertions whose values are held, in the order of the witness
	removed []bool  // value -> it has been removed
	round   int32   // number of windows
	seen    []int32 // value -> the last window that has it
}

// decideInWindows decides the history of a collection in windows of some operations.
func decideInWindows(p *ops.Problem, size int, m *meter.Meter) replay.Finding {
	n := len(p.H.Ops)
	if n <= size || p.H.HasEdges() {
		return replay.Declines("")
	}
	w := &windows{problem: p, roles: p.Columns(m).Role, meter: m, placed: make([]bool, n)}
	if !w.readValues(p.Columns(m)) {
		return replay.Declines("")
	}
	for width := size; len(w.order) < n; {
		if len(w.held) > size { // all windows would have the same values
			return replay.Declines("")
		}
		end := min(n, len(w.order)+width+2*len(w.held))
		list := w.choose(end)
		switch f := w.core.decide(w.problemOf(list), m); f.Answer {
		case replay.Linearizable:
			before := len(w.order)
			w.place(f.Witness, list, end, end-size/8)
			if width = size; len(w.order) == before {
				width = 2 * (end - before)
			}
		case replay.NotLinearizable:
			if f := w.refute(list); f.Decided() || len(w.order) == 0 {
				return f
			}
			width = 2*(end-len(w.order)) + size
			w.takeBack(end - len(w.order))
		default:
			return f
		}
	}
	return replay.Found(replay.SearchEngine, w.order)
}

// readValues returns false if an operation is pending or does something else, or if a value is
// inserted twice.
func (w *windows) readValues(c *ops.Columns) bool {
	w.values, w.removed, w.seen = slices.Clone(c.Value), make([]bool, c.Values), make([]int32, c.Values)
	inserted := make([]bool, c.Values)
	for i, v := range c.Value {
		switch role := c.Role[i]; role {
		case replay.Nothing, replay.Size, replay.Full, replay.Never:
			w.values[i] = ops.None
			v = 0
		case replay.Insert, replay.InsertFront:
			if v == ops.None || inserted[v] {
				return false
			}
			inserted[v] = true
		case replay.Remove, replay.RemoveFront, replay.Look, replay.LookFront:
		default:
			return false
		}
		if v == ops.None || w.problem.H.Ops[i].Pending() {
			return false
		}
	}
	w.uses = ops.Group(len(w.values), int(c.Values), func(i int32) int32 { return w.values[i] })
	return true
}

// choose returns the operations of a window: the insertions that are held, and then others by
// invocation. Those from end on are invoked after the window.
func (w *windows) choose(end int) []int32 {
	list := slices.Clone(w.held)
	for i := w.next; i < end; i++ {
		if !w.placed[i] {
			list = append(list, int32(i))
		}
	}
	w.round++
	inside := len(list)
	for _, i := range list[:inside] {
		v := w.values[i]
		if v == ops.None || w.seen[v] == w.round {
			continue
		}
		w.seen[v] = w.round
		uses := w.uses.Of(v)
		first, _ := slices.BinarySearch(uses, int32(end))
		list = append(list, uses[first:]...)
	}
	slices.Sort(list[inside:])
	return list
}

// problemOf returns the problem of a window. The insertions that are held come first, one after
// another.
func (w *windows) problemOf(list []int32) *ops.Problem {
	h := *w.problem.H
	held := int32(len(w.held))
	shift := 2*held - h.Ops[list[held]].Call
	w.ops = w.ops[:0]
	for k, i := range list {
		op := h.Ops[i]
		if k := int32(k); k < held {
			op.Call, op.Return = 2*k, 2*k+1
		} else {
			op.Call, op.Return = op.Call+shift, op.Return+shift
		}
		w.ops = append(w.ops, op)
	}
	h.Ops = w.ops
	return w.problem.With(&h, list)
}

// place makes a prefix of a window's witness final. It stops before an operation that is
// invoked after the window, and when as many operations are final as until, unless the window
// is the last.
func (w *windows) place(witness, list []int32, end, until int) {
	first := len(w.order)
	for _, k := range witness[len(w.held):] {
		i := list[k]
		if int(i) >= end || len(w.order) >= until && end < len(w.placed) {
			break
		}
		w.order = append(w.order, i)
		w.placed[i] = true
		if w.roles[i] == replay.Remove || w.roles[i] == replay.RemoveFront {
			w.removed[w.values[i]] = true
		}
	}
	for w.next < len(w.placed) && w.placed[w.next] {
		w.next++
	}
	w.hold(first)
}

// takeBack takes the last final operations back.
func (w *windows) takeBack(count int) {
	keep := max(0, len(w.order)-count)
	for _, i := range w.order[keep:] {
		w.placed[i] = false
		w.next = min(w.next, int(i))
		if v := w.values[i]; v != ops.None {
			w.removed[v] = false
		}
	}
	w.order, w.held = w.order[:keep], w.held[:0]
	w.hold(0)
}

// hold updates held after the final operations from first on are new.
func (w *windows) hold(first int) {
	for _, i := range w.order[first:] {
		if w.roles[i] == replay.Insert || w.roles[i] == replay.InsertFront {
			w.held = append(w.held, i)
		}
	}
	w.held = slices.DeleteFunc(w.held, func(i int32) bool { return w.removed[w.values[i]] })
}

// refute refutes the history if the operations of a window have no witness in real time, and
// otherwise declines it.
func (w *windows) refute(list []int32) replay.Finding {
	list = slices.DeleteFunc(list, func(i int32) bool {
		return w.roles[i] == replay.Size || w.roles[i] == replay.Full
	})
	slices.Sort(list)
	f := w.core.decide(w.problem.Restrict(list), w.meter)
	if f.Answer != replay.NotLinearizable {
		return replay.Declines("")
	}
	if f.Reached == 0 {
		for _, i := range list {
			f.Reached = max(f.Reached, w.problem.H.Ops[i].Return)
		}
	}
	return f
}
