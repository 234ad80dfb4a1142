package decide

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// byIntervals decides a history by an engine that does not support edges. If there are
// edges, it runs the engine on two other histories of the same operations:
//
//   - One has less order: the edges are left out. If it has no witness, the history
//     has none. A witness of it may happen to respect the edges.
//   - The other has more order: see tighten. A witness of it is a witness of h.
//
// Together they decide most histories whose edges hardly matter, such as edges
// between operations of one process that share a time stamp. If neither does,
// byIntervals declines.
func (t *task) byIntervals(m *meter.Meter, run func(*ops.Problem, *meter.Meter) replay.Finding) replay.Finding {
	if !t.H.HasEdges() {
		return run(t.Problem, m)
	}
	loose := *t.H
	loose.Edges, loose.Ghosts = nil, nil
	f := run(t.With(&loose, nil), m)
	switch f.Answer {
	case replay.Undecided:
		return f // the engine would decline the other one, too
	case replay.NotLinearizable:
		return f
	}
	if replay.Verify(t.H, t.Spec, f.Witness, m) == nil {
		return f
	}
	tight, number := tighten(t.H)
	if f = run(t.With(tight, number), m); f.Answer != replay.Linearizable {
		return replay.Declines(replay.BeyondRealTime)
	}
	for k, i := range f.Witness {
		f.Witness[k] = number[i]
	}
	return f
}

// inRealTime decides a history that is relaxed to program order by the real time of its
// operations: a linearizable history is sequentially consistent. It declines the history
// if it finds no witness in real time.
func (t *task) inRealTime() replay.Finding {
	n := len(t.H.Ops)
	if n > long && !t.clock.hasRoom(int64(n)*int64(unsafe.Sizeof(history.Operation{}))) {
		return replay.Declines("")
	}
	m := t.meter.Share(limits.realTime.of(n))
	if h := t.H.RealTime(); h != nil { // nil: some operations are left out
		f := t.Decide(t.With(h, nil), m)
		if f.Answer == replay.Linearizable && replay.Verify(t.H, t.Spec, f.Witness, m) == nil {
			return replay.Found(f.Engine, f.Witness)
		}
	}
	return replay.Declines("")
}

// A moment orders the events of a tightened history: by position, then by the
// rank of the operation that is invoked there. An operation that has to end before
// that invocation ends at the same rank, right before it.
type moment struct {
	position int32
	rank     int32 // rank along the edges; a response that no edge moves has the last rank
	call     bool
}

func (a moment) compare(b moment) int {
	return cmp.Or(cmp.Compare(a.position, b.position), cmp.Compare(a.rank, b.rank), compareBool(a.call, b.call))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// tighten returns a history of the same operations, without edges. Its intervals order all
// operations that the intervals and edges of h order, and maybe more. tighten also returns
// the number in h of each operation.
//
// Along the edges, each invocation is moved to the latest invocation of a predecessor, if
// that is later. Then each operation with edges to others ends right before the first
// invocation that the edges lead to. The invocation of an operation stays before its
// response: invocations only grow along the edges, and of two at one position the first
// along the edges comes first. Operations that did not happen are moved as well, and left
// out at the end. By then, the intervals have the order that passes through them.
func tighten(h *history.History) (tight *history.History, number []int32) {
	sorted := ops.AlongEdges(h)
	call, ret := make([]moment, len(sorted)), make([]moment, len(sorted))
	for rank, i := range sorted {
		op := h.Operation(i)
		call[i] = moment{op.Call, int32(rank), true}
		ret[i] = moment{op.Return, int32(len(sorted)), false}
	}
	out := ops.Successors(h)
	for _, u := range sorted {
		for _, v := range out[u] {
			call[v].position = max(call[v].position, call[u].position)
		}
	}
	for u := range out {
		for _, v := range out[u] {
			if end := (moment{call[v].position, call[v].rank, false}); end.compare(ret[u]) < 0 {
				ret[u] = end
			}
		}
	}
	return fromMoments(h, call, ret)
}

// fromMoments returns the history whose operations have the given invocations
// and responses, numbered by invocation.
func fromMoments(h *history.History, call, ret []moment) (*history.History, []int32) {
	type event struct {
		moment
		op int32
	}
	var events []event
	for i := range h.Ops {
		events = append(events, event{call[i], int32(i)})
		if ret[i].position != history.NoReturn {
			events = append(events, event{ret[i], int32(i)})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(a.compare(b.moment), cmp.Compare(a.op, b.op)) })
	tight := &history.History{Header: h.Header, Processes: h.Processes, Ops: make([]history.Operation, 0, len(h.Ops))}
	number := make([]int32, 0, len(h.Ops))
	place := make([]int32, len(h.Ops))
	for position, e := range events {
		if e.call {
			op := h.Ops[e.op]
			op.Call, op.Return = int32(position), history.NoReturn
			place[e.op] = int32(len(tight.Ops))
			tight.Ops, number = append(tight.Ops, op), append(number, e.op)
			continue
		}
		tight.Ops[place[e.op]].Return = int32(position)
	}
	return tight, number
}
