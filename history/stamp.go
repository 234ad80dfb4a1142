package history

import (
	"cmp"
	"slices"
)

// A response is kept until Build under StampOrder, since its invocation may
// come later in the file.
type response struct {
	op, process, result Value
	at                  int64
	place, line         int32
	typ                 EventType
}

// A timing has what Builder.arrange needs of a history ordered by stamps.
type timing struct {
	ends  []*response // per operation: its response, nil if it is pending
	order []int32     // operations by process, in the process's own order
}

// compareEnds compares the stamps of two responses; nil, of a pending
// operation, is later than any.
func compareEnds(x, y *response) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return cmp.Compare(x.at, y.at)
}

// pair finds the response of each operation, by identifier, and refuses
// overlapping operations of one process.
func (b *Builder) pair() timing {
	t := timing{ends: make([]*response, len(b.ops))}
	for i := range b.responses {
		r := &b.responses[i]
		o, ok := b.index.get(r.op)
		if !ok {
			b.Errorf(int(r.line), "response of operation %v, which is never invoked", r.op)
			continue
		}
		op := &b.ops[o]
		if r.process.Kind() != None && !r.process.Equal(b.processes.names[op.Process]) {
			b.Errorf(int(r.line), "response of process %v to operation %v, which process %v invoked (line %d)",
				r.process, r.op, b.processes.names[op.Process], op.Line)
			continue
		}
		if t.ends[o] != nil {
			b.Errorf(int(r.line), "duplicate response of operation %v (first at line %d)", r.op, t.ends[o].line)
			continue
		}
		if r.at < b.stamps[o] || r.at == b.stamps[o] && b.h.Tie == HalfOpen && r.typ != Info {
			b.Errorf(int(r.line), "response of operation %v at %d, not after its invocation at %d (line %d)",
				r.op, r.at, b.stamps[o], op.Line)
			continue
		}
		t.ends[o], op.ended = r, r.typ
		if r.typ == OK {
			op.Result = r.result
		}
		op.dropped = r.typ == Fail
	}
	for o, r := range t.ends {
		if r != nil && r.typ == Info {
			t.ends[o] = nil
		}
	}
	if len(b.errs.List) == 0 { // else operations would seem to overlap that do not
		b.orderProcesses(&t)
	}
	return t
}

// orderProcesses fills t.order: the operations of each process by invocation,
// those invoked at one stamp by response, then by place in the file.
func (b *Builder) orderProcesses(t *timing) {
	t.order = make([]int32, len(b.ops))
	for i := range t.order {
		t.order[i] = int32(i)
	}
	slices.SortFunc(t.order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.ops[x].Process, b.ops[y].Process), cmp.Compare(b.stamps[x], b.stamps[y]),
			compareEnds(t.ends[x], t.ends[y]), cmp.Compare(b.ops[x].Call, b.ops[y].Call))
	})
	for k := 1; k < len(t.order); k++ {
		prev, next := t.order[k-1], t.order[k]
		op, end := &b.ops[next], t.ends[prev]
		if op.Process == b.ops[prev].Process && (end == nil || end.at > b.stamps[next]) {
			b.overlap(int(op.Line), b.processes.names[op.Process], op.ID(), &b.ops[prev])
		}
	}
}

// timed is an event on its way to a position. Events are sorted by at, phase and
// place.
type timed struct {
	at    int64
	place int64
	op    int32
	phase uint8 // of events with equal stamps
	ret   bool
}

// arrange gives the events of a history ordered by stamps their positions. It
// returns the given edges, and those that positions cannot express, in the new
// numbers of the operations. O(n log n).
//
// Under HalfOpen, responses come before invocations at each stamp. Under
// Closed, invocations come first, so that operations that share a stamp are
// concurrent. A process is sequential even so: its operations that share a
// stamp s touch there and are ordered. At each s, the events of one process
// with touching operations are placed between the invocations and the
// responses of all others, in the process's own order:
//
//	others invoke | x1 returns, x2 is invoked, x2 returns, x3 ... | others return
//
// The order of operations is the same poset as by the definition:
//   - Operations x and y of two processes that share s are concurrent. At most
//     one of them has events in the middle of s. The other, say y, is invoked
//     with the first events of s or earlier, and returns with the last ones or
//     later. x is invoked before the last events of s, and returns after the
//     first ones. So each is invoked before the other returns.
//   - Stamps alone order operations that share no stamp.
//   - Positions within the middle follow the process's own order.
//
// Let two processes touch at s, x1 before x2 and y1 before y2. With nothing else
// ordered among the four, this is a 2+2, which no interval order contains
// (Fishburn 1970). Then one process takes the middle, and the others get edges
// from each operation to the next. An edge from x1 to x2 orders no other pair,
// since the invocations of a process at one stamp follow its own order, and so
// do its responses. What returns before x1 is invoked does so before x2 is; what
// is invoked after x2 returns is invoked after x1 does.
func (b *Builder) arrange(t timing, edges []Edge) []Edge {
	b.straighten(t)
	inMiddle, apart := b.chooseMiddles(t, b.touching(t, edges))
	rank := make([]int64, len(b.ops))
	for k, op := range t.order {
		rank[op] = int64(k)
	}
	first, last := uint8(0), uint8(2)
	if b.h.Tie == HalfOpen {
		first, last = last, first
	}
	events := make([]timed, 0, 2*len(b.ops))
	for i := range int32(len(b.ops)) {
		call := timed{at: b.stamps[i], phase: first, place: int64(b.ops[i].Call), op: i}
		if inMiddle[i]&middleCall != 0 {
			call.phase, call.place = 1, 2*rank[i]
		}
		events = append(events, call)
		if end := t.ends[i]; end != nil {
			ret := timed{at: end.at, phase: last, place: int64(end.place), op: i, ret: true}
			if inMiddle[i]&middleReturn != 0 {
				ret.phase, ret.place = 1, 2*rank[i]+1
			}
			events = append(events, ret)
		}
	}
	slices.SortFunc(events, func(x, y timed) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.phase, y.phase), cmp.Compare(x.place, y.place))
	})
	moved := b.place(events)
	edges = append(edges, apart...)
	for i := range edges {
		edges[i] = Edge{moved[edges[i].From], moved[edges[i].To]}
	}
	return edges
}

// place numbers the operations by invocation and gives them the positions of
// their events. It returns the new number of each.
func (b *Builder) place(events []timed) []int32 {
	sorted := make([]Operation, 0, len(b.ops))
	moved := make([]int32, len(b.ops))
	b.stamps = make([]int64, len(events)) // now by position
	for position, e := range events {
		b.stamps[position] = e.at
		if e.ret {
			sorted[moved[e.op]].Return = int32(position)
			continue
		}
		moved[e.op] = int32(len(sorted))
		op := b.ops[e.op]
		op.Call = int32(position)
		sorted = append(sorted, op)
	}
	b.ops = sorted
	b.index.renumber(moved)
	return moved
}

// straighten exchanges places among the invocations of one process at one
// stamp, so that they follow the process's own order, and among its responses
// at one stamp likewise: a file may have them in any order.
func (b *Builder) straighten(t timing) {
	var calls, returns []*int32
	for k, op := range t.order {
		if k > 0 {
			prev := t.order[k-1]
			if b.ops[prev].Process != b.ops[op].Process || b.stamps[prev] != b.stamps[op] {
				calls = sortPlaces(calls)
			}
			if b.ops[prev].Process != b.ops[op].Process || compareEnds(t.ends[prev], t.ends[op]) != 0 {
				returns = sortPlaces(returns)
			}
		}
		calls = append(calls, &b.ops[op].Call)
		if end := t.ends[op]; end != nil {
			returns = append(returns, &end.place)
		}
	}
	sortPlaces(calls)
	sortPlaces(returns)
}

// sortPlaces puts the places in ascending order and returns the empty slice.
func sortPlaces(places []*int32) []*int32 {
	if len(places) > 1 {
		values := make([]int32, len(places))
		for k, p := range places {
			values[k] = *p
		}
		slices.Sort(values)
		for k, p := range places {
			*p = values[k]
		}
	}
	return places[:0]
}

// A touch is a pair of consecutive operations of a process of which the second
// is invoked at the stamp at which the first returns.
type touch struct {
	at       int64
	from, to int32
}

// touching lists the touches under Closed, by process, in the process's own
// order. An operation that did not happen and has no edges is skipped, since
// no order depends on it.
func (b *Builder) touching(t timing, edges []Edge) []touch {
	if b.h.Tie != Closed {
		return nil
	}
	onEdge := make([]bool, len(b.ops))
	for _, e := range edges {
		onEdge[e.From], onEdge[e.To] = true, true
	}
	var touches []touch
	prev := int32(-1)
	for _, next := range t.order {
		if b.ops[next].dropped && !onEdge[next] {
			continue
		}
		if prev >= 0 && b.ops[prev].Process == b.ops[next].Process && t.ends[prev].at == b.stamps[next] {
			touches = append(touches, touch{b.stamps[next], prev, next})
		}
		prev = next
	}
	return touches
}

// Events of an operation that are in the middle of those of their stamp.
const (
	middleCall = 1 << iota
	middleReturn
)

// chooseMiddles chooses, at each stamp, the process that takes the middle: the
// one with most touches there, of several the one whose first response there
// is first in the file. It returns the events in the middle, per operation,
// and edges for the touches of the other processes.
func (b *Builder) chooseMiddles(t timing, touches []touch) (inMiddle []uint8, apart []Edge) {
	inMiddle = make([]uint8, len(b.ops))
	slices.SortStableFunc(touches, func(x, y touch) int { return cmp.Compare(x.at, y.at) })
	for low, high := 0, 0; low < len(touches); low = high {
		var best []touch // those of one process
		for high < len(touches) && touches[high].at == touches[low].at {
			begin, process := high, b.ops[touches[high].from].Process
			for high < len(touches) && touches[high].at == touches[low].at && b.ops[touches[high].from].Process == process {
				high++
			}
			one := touches[begin:high]
			if len(one) > len(best) || len(one) == len(best) && t.ends[one[0].from].place < t.ends[best[0].from].place {
				best = one
			}
		}
		for _, x := range best {
			inMiddle[x.from] |= middleReturn
			inMiddle[x.to] |= middleCall
		}
		for _, x := range touches[low:high] {
			if inMiddle[x.from]&middleReturn == 0 {
				apart = append(apart, Edge{x.from, x.to})
			}
		}
	}
	return inMiddle, apart
}

// renumber follows the operations to their new numbers.
func (x *idIndex) renumber(moved []int32) {
	for i, o := range x.dense {
		if o != 0 {
			x.dense[i] = moved[o-1] + 1
		}
	}
	for id, o := range x.ints {
		x.ints[id] = moved[o]
	}
	for id, o := range x.texts {
		x.texts[id] = moved[o]
	}
}
