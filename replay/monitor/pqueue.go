package monitor

import (
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A servedValue has all data of a value of a priority queue in one place, because in the
// order of service the values are scattered over memory.
type servedValue struct {
	value                  int32
	inner                  inner
	insert, remove         int32 // operations; remove may be none
	insertCall, insertRet  int32
	removeCall, removeRet  int32 // history.NoReturn if it is never removed
	looks, looksEnd        int32 // its looks are problem.looks[looks:looksEnd]
	insertSlot, removeSlot int32 // the slots of insert and remove
}

// A pqMonitor finds slots for the operations of a priority queue, value by value in
// the order of service: a later value does not matter to earlier ones.
type pqMonitor struct {
	*problem
	served []servedValue
	// free are the slots outside the inner intervals of the values served so far. Slot
	// 0, before all events, and the last slot, after all events, are always free.
	free        *numberSet
	lookSlot    []int32 // index in problem.looks -> slot
	nothingSlot []int32
}

// priorityQueue decides histories of priority queues; see the package's
// documentation. O(n) after sorting.
func (p *problem) priorityQueue() finding {
	inners, conflict := p.inners()
	if conflict != nil {
		return finding{conflict: conflict}
	}
	values := p.byService(inners)
	s := &pqMonitor{p, values, newNumberSet(p.end+2, true), p.ints(len(p.looks)), p.ints(len(p.nothing))}
	for i := range values {
		if p.meter.MustStop(1) {
			return finding{}
		}
		if op := s.serve(&values[i]); op != none {
			return finding{conflict: s.neverFirst(i, op)}
		}
	}
	for i, op := range p.nothing {
		if s.nothingSlot[i] = s.free.next(p.call[op] + 1); s.nothingSlot[i] > p.ret[op] {
			return finding{conflict: p.neverEmpty(op, inners)}
		}
	}
	return finding{order: s.order()}
}

// byService returns the values in the order of service.
func (p *problem) byService(inners []inner) []servedValue {
	values := make([]servedValue, p.count())
	places := p.servingPlaces()
	defer p.giveBack(places)
	for v, i := range places {
		e := &p.values[v]
		t := servedValue{int32(v), inners[v], e.insert, e.remove, p.call[e.insert], p.ret[e.insert],
			history.NoReturn, history.NoReturn, e.looks, p.values[v+1].looks, 0, history.NoReturn}
		if e.remove != none {
			t.removeCall, t.removeRet = p.call[e.remove], p.ret[e.remove]
		}
		values[i] = t
	}
	return values
}

// serve finds slots for the operations on a value: free slots for looks and
// removal. It returns an operation without a free slot, or none.
//
// After it, no slot strictly between insertion and removal is free. Later values
// rely on that.
func (s *pqMonitor) serve(t *servedValue) int32 {
	if t.inner == leftOut {
		return none
	}
	before, after := s.free.prev(t.inner.first), s.free.next(t.inner.last+1)
	if before >= after { // there is a free slot for all of them
		t.insertSlot, t.removeSlot = after, after
		for k := t.looks; k < t.looksEnd; k++ {
			s.lookSlot[k] = after
		}
		return none
	}
	// As no free slot lies between before and first, nor between last+1 and
	// after, each look goes to one of these two or between first and last+1.
	from := max(before, t.insertCall+1)
	earliest, latest := t.insertRet, from
	for k := t.looks; k < t.looksEnd; k++ {
		op := s.looks[k]
		x := s.free.next(max(from, s.call[op]+1))
		if x > min(s.ret[op], t.removeRet) {
			return op
		}
		s.lookSlot[k] = x
		earliest, latest = min(earliest, x), max(latest, x)
	}
	if t.remove != none {
		t.removeSlot = s.free.next(max(latest, t.removeCall+1))
		if t.removeSlot > t.removeRet {
			return t.remove
		}
	}
	t.insertSlot = min(earliest, t.removeSlot)
	if !t.inner.empty() {
		s.free.removeRange(t.inner.first+1, t.inner.last)
	}
	return none
}

// neverFirst returns the conflict between op, which reads or removes the i-th value, and
// the values that are served before it and were in the queue.
func (s *pqMonitor) neverFirst(i int, op int32) []int32 {
	t := &s.served[i]
	ops := []int32{t.insert, op}
	if op != t.remove && t.removeRet < s.ret[op] {
		ops = append(ops, t.remove)
	}
	inners, _ := s.inners()
	var values []int32
	for _, before := range s.served[:i] {
		values = append(values, before.value)
	}
	return s.appendCover(ops, values, inners, max(s.call[op], t.insertCall)+1, min(s.ret[op], t.removeRet))
}

// servingPlaces returns the place of each value in the order of service.
func (p *problem) servingPlaces() []int32 {
	place := p.ints(p.count())
	if list := p.byInt(); list != nil {
		for i, k := range list {
			place[k.value()] = int32(i)
		}
	} else {
		values := indices(p.count())
		slices.SortFunc(values, func(a, b int32) int { return p.ranks[a].Compare(p.ranks[b]) })
		for i, v := range values {
			place[v] = int32(i)
		}
	}
	if p.discipline == replay.Largest {
		for v := range place {
			place[v] = int32(len(place)-1) - place[v]
		}
	}
	return place
}

// A keyed value has a sort key in its upper half.
type keyed uint64

func (k keyed) value() int32 { return int32(uint32(k)) }

// byInt returns the values in ascending order, or nil unless all are ints in a
// range of 2^32. It is a radix sort, 11 bits at a time, in linear time; two passes
// usually suffice.
func (p *problem) byInt() []keyed {
	if p.count() == 0 {
		return nil
	}
	least, most := p.ranks[0].Int(), p.ranks[0].Int()
	for v := range p.count() {
		value := p.ranks[v]
		if value.Kind() != history.Int {
			return nil
		}
		least, most = min(least, value.Int()), max(most, value.Int())
	}
	if uint64(most)-uint64(least) > math.MaxUint32 {
		return nil
	}
	list, other := make([]keyed, p.count()), make([]keyed, p.count())
	for v := range list {
		list[v] = keyed(uint64(p.ranks[v].Int())-uint64(least))<<32 | keyed(v)
	}
	const digit = 11
	for width, shift := uint64(most)-uint64(least), 0; width>>shift != 0; shift += digit {
		var at [1<<digit + 1]int32
		for _, k := range list {
			at[k>>32>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			at[d+1] += at[d]
		}
		for _, k := range list {
			d := k >> 32 >> shift & (1<<digit - 1)
			other[at[d]] = k
			at[d]++
		}
		list, other = other, list
	}
	return list
}

// order sorts the operations by slot. Within a slot, first come the values that
// leave in it, in the order of service: the values served before them have left or have
// yet to arrive. Then come reads of a value that stays, or operations that find
// nothing. Last come the values that arrive, in the opposite order of service.
func (s *pqMonitor) order() []int32 {
	at := s.ints(int(s.end) + 3)
	n := s.countBySlot(at)
	l := &placer{s, at, s.ints(len(s.call))[:n]}
	for i := range s.served {
		if t := &s.served[i]; t.remove != none {
			if t.insertSlot == t.removeSlot {
				l.put(t.insert, t.insertSlot)
			}
			l.putLooks(t, t.removeSlot, t.removeSlot)
			l.put(t.remove, t.removeSlot)
		}
	}
	if len(s.looks) > 0 {
		for i := range s.served {
			t := &s.served[i]
			l.putLooks(t, t.insertSlot+1, t.removeSlot-1)
		}
	}
	for i, op := range s.nothing {
		l.put(op, s.nothingSlot[i])
	}
	for i := range slices.Backward(s.served) {
		if t := &s.served[i]; t.insertSlot < t.removeSlot && t.inner != leftOut {
			l.put(t.insert, t.insertSlot)
			l.putLooks(t, t.insertSlot, t.insertSlot)
		}
	}
	return l.order
}

// countBySlot sets at to the number of operations before each slot, and returns
// the number of all.
func (s *pqMonitor) countBySlot(at []int32) int32 {
	for i := range s.served {
		t := &s.served[i]
		if t.inner != leftOut {
			at[t.insertSlot+1]++
		}
		if t.remove != none {
			at[t.removeSlot+1]++
		}
	}
	for _, x := range s.lookSlot {
		at[x+1]++
	}
	for _, x := range s.nothingSlot {
		at[x+1]++
	}
	for x := range at[1:] {
		at[x+1] += at[x]
	}
	return at[len(at)-1]
}

// A placer appends operations to the lists of their slots.
type placer struct {
	*pqMonitor
	at    []int32 // slot -> next place
	order []int32
}

func (l *placer) put(op, slot int32) {
	l.order[l.at[slot]] = op
	l.at[slot]++
}

// putLooks puts the reads of a value whose slots are from lo to hi.
func (l *placer) putLooks(t *servedValue, lo, hi int32) {
	for k := t.looks; k < t.looksEnd; k++ {
		if x := l.lookSlot[k]; lo <= x && x <= hi {
			l.put(l.looks[k], x)
		}
	}
}
