package history

import (
	"cmp"
	"slices"
)

// A response waits for its invocation, which under StampOrder may come later
// in the file.
type response struct {
	op, process, result Value
	at                  int64
	place, line         int32
	typ                 EventType
}

// timed is an event on its way to a position.
type timed struct {
	at     int64
	second bool // of two events with equal stamps, the kind that comes second
	place  int32
	op     int32
	ret    bool
}

// arrange pairs and sorts the events of a history ordered by stamps: by
// stamp, then invocations first under Closed and responses first under
// HalfOpen, then by place in the file. O(n log n).
func (b *Builder) arrange() {
	ends := b.pair()
	if len(b.errs.List) == 0 { // else there would be overlaps that are none
		b.checkProcesses(ends)
	}
	if len(b.errs.List) > 0 {
		return
	}
	events := make([]timed, 0, 2*len(b.ops))
	for i := range b.ops {
		events = append(events, timed{b.stamps[i], b.h.Tie == HalfOpen, b.ops[i].Call, int32(i), false})
		if r := ends[i]; r != nil && r.typ != Info {
			events = append(events, timed{r.at, b.h.Tie == Closed, r.place, int32(i), true})
		}
	}
	slices.SortFunc(events, func(x, y timed) int {
		return cmp.Or(cmp.Compare(x.at, y.at), compareBool(x.second, y.second), cmp.Compare(x.place, y.place))
	})
	sorted := make([]Operation, 0, len(b.ops))
	moved := make([]int32, len(b.ops))
	for position, e := range events {
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
	for i := range b.sameProcess {
		e := &b.sameProcess[i]
		e.From, e.To = moved[e.From], moved[e.To]
	}
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// pair finds the response of each operation, by identifier.
func (b *Builder) pair() []*response {
	ends := make([]*response, len(b.ops))
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
		if ends[o] != nil {
			b.Errorf(int(r.line), "duplicate response of operation %v (first at line %d)", r.op, ends[o].line)
			continue
		}
		if r.at < b.stamps[o] || r.at == b.stamps[o] && b.h.Tie == HalfOpen && r.typ != Info {
			b.Errorf(int(r.line), "response of operation %v at %d, not after its invocation at %d (line %d)",
				r.op, r.at, b.stamps[o], op.Line)
			continue
		}
		ends[o], op.ended = r, r.typ
		if r.typ == OK {
			op.Result = r.result
		}
		op.dropped = r.typ == Fail
	}
	return ends
}

// checkProcesses refuses overlapping operations of one process. Where one
// ends at the very stamp at which the next begins, the closed rule alone
// would make them concurrent; but a process is sequential, so an edge keeps
// their order.
func (b *Builder) checkProcesses(ends []*response) {
	order := make([]int32, len(b.ops))
	for i := range order {
		order[i] = int32(i)
	}
	endAt := func(i int32) int64 {
		if ends[i] == nil || ends[i].typ == Info {
			return 1<<63 - 1
		}
		return ends[i].at
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.ops[x].Process, b.ops[y].Process), cmp.Compare(b.stamps[x], b.stamps[y]),
			cmp.Compare(endAt(x), endAt(y)), cmp.Compare(b.ops[x].Call, b.ops[y].Call))
	})
	for k := 1; k < len(order); k++ {
		prev, next := order[k-1], order[k]
		if b.ops[prev].Process != b.ops[next].Process {
			continue
		}
		switch end := endAt(prev); {
		case end > b.stamps[next]:
			op := &b.ops[next]
			b.overlap(int(op.Line), b.processes.names[op.Process], op.ID(), &b.ops[prev])
		case end == b.stamps[next] && b.h.Tie == Closed:
			b.sameProcess = append(b.sameProcess, Edge{prev, next})
		}
	}
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
