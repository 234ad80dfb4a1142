package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A pqMonitor finds slots for the operations of a priority queue, value by value in
// the order of service: a later value does not matter to earlier ones.
type pqMonitor struct {
	*problem
	inners []inner
	served []int32 // values that are not left out, in the order of service
	// free are the slots outside the inner intervals of the values served so far. Slot
	// 0, before all events, and the last slot, after all events, are always free.
	free *numberSet
}

// priorityQueue decides histories of priority queues; see the package's
// documentation. O(n log n), in linear time but for sorting.
func (p *problem) priorityQueue(inners []inner) (order, conflict []int32) {
	s := &pqMonitor{p, inners, p.byService(inners), newNumberSet(p.end+2, true)}
	for i, v := range s.served {
		if p.meter.MustStop(1) {
			return nil, nil
		}
		if op := s.serve(v); op != none {
			return nil, s.neverFirst(i, op)
		}
	}
	return s.order(), nil
}

// byService returns the values that are not left out, in the order of service.
func (p *problem) byService(inners []inner) []int32 {
	type ranked struct {
		history.Value
		v int32
	}
	list := make([]ranked, 0, len(inners))
	for v, in := range inners {
		if in != leftOut {
			list = append(list, ranked{p.in.ValueOf(p.values[v].insert), int32(v)})
		}
	}
	if len(list) == 0 {
		return nil
	}
	compare := func(a, b ranked) int { return a.Compare(b.Value) }
	least, most := slices.MinFunc(list, compare), slices.MaxFunc(list, compare)
	order := ops.Indices(len(list))
	areInts := least.Kind() == history.Int && most.Kind() == history.Int
	if areInts && uint64(most.Int()-least.Int()) < 4*uint64(len(list)) { // counting is faster than comparing
		places := ops.Group(len(list), int(most.Int()-least.Int())+1, func(i int32) int32 { return int32(list[i].Int() - least.Int()) })
		order = places.All()
	} else {
		slices.SortFunc(order, func(i, j int32) int { return compare(list[i], list[j]) })
	}
	for k, i := range order {
		order[k] = list[i].v
	}
	if p.discipline == replay.Largest {
		slices.Reverse(order)
	}
	return order
}

// serve finds slots for the operations on a value: free slots for looks and
// removal. It returns an operation without a free slot, or none.
//
// After it, no slot strictly between insertion and removal is free. Later values
// rely on that.
func (s *pqMonitor) serve(v int32) int32 {
	e, in := &s.values[v], s.inners[v]
	before, after := s.free.prev(in.first), s.free.next(in.last+1)
	if before >= after { // there is a free slot for all of them
		s.slot[e.insert] = after
		for op := range s.uses(v) {
			s.slot[op] = after
		}
		return none
	}
	// As no free slot lies between before and first, nor between last+1 and
	// after, each look goes to one of these two or between first and last+1.
	from, until := max(before, s.call[e.insert]+1), int32(history.NoReturn)
	if e.remove != none {
		until = s.ret[e.remove]
	}
	earliest, latest := s.ret[e.insert], from
	for _, op := range s.looks.Of(v) {
		x := s.free.next(max(from, s.call[op]+1))
		if x > min(s.ret[op], until) {
			return op
		}
		s.slot[op] = x
		earliest, latest = min(earliest, x), max(latest, x)
	}
	if e.remove != none {
		x := s.free.next(max(latest, s.call[e.remove]+1))
		if x > until {
			return e.remove
		}
		s.slot[e.remove], earliest = x, min(earliest, x)
	}
	s.slot[e.insert] = earliest
	if !in.empty() {
		s.free.removeRange(in.first+1, in.last)
	}
	return none
}

// neverFirst returns the conflict between op, which reads or removes the i-th value, and
// the values that are served before it and were in the queue.
func (s *pqMonitor) neverFirst(i int, op int32) []int32 {
	v := s.served[i]
	e := &s.values[v]
	ops, until := []int32{e.insert, op}, s.ret[op]
	if e.remove != none && s.ret[e.remove] < until {
		ops, until = append(ops, e.remove), s.ret[e.remove]
	}
	return s.appendCover(ops, slices.Clone(s.served[:i]), s.inners, max(s.call[op], s.call[e.insert])+1, until)
}

// order sorts the operations by slot, and within a slot as the package documentation says:
// values that leave, what happens while none leaves or arrives, and values that arrive.
func (s *pqMonitor) order() []int32 {
	var stay []int32
	leave, arrive := make([]int32, 0, len(s.call)), make([]int32, 0, len(s.served)) // arrive is in the opposite order
	for _, v := range s.served {
		e := &s.values[v]
		in, out := s.slot[e.insert], int32(none)
		if e.remove != none {
			out = s.slot[e.remove]
		}
		if in == out {
			leave = append(leave, e.insert)
		}
		for _, op := range s.looks.Of(v) {
			switch s.slot[op] {
			case out:
				leave = append(leave, op)
			case in:
				arrive = append(arrive, op)
			default:
				stay = append(stay, op)
			}
		}
		if e.remove != none {
			leave = append(leave, e.remove)
		}
		if in != out {
			arrive = append(arrive, e.insert)
		}
	}
	slices.Reverse(arrive)
	return s.bySlot(append(append(append(leave, stay...), s.nothing...), arrive...))
}
