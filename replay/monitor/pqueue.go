package monitor

import (
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A turn has all that matters of a value of a priority queue in one place: in the
// order of service, values are scattered over memory.
type turn struct {
	value                 int32
	inner                 inner
	insert, remove        int32 // operations; remove may be none
	insertCall, insertRet int32
	removeCall, removeRet int32 // history.NoReturn if it is never removed
	looks, looksEnd       int32 // in problem.looks
	comesIn, goesIn       int32 // the slots of insert and remove
}

// A server finds slots for the operations of a priority queue, value by value in
// the order of service: a later value does not matter to those before it.
type server struct {
	*problem
	turns []turn
	// free are the slots outside the inner intervals of the values before. Slot
	// 0, before all events, and the last slot, after all, are always free.
	free        *numberSet
	lookSlot    []int32 // by place in problem.looks
	nothingSlot []int32
}

// priorityQueue decides histories of priority queues; see the package's
// documentation. O(n) after sorting.
func (p *problem) priorityQueue() finding {
	inners, conflict := p.inners()
	if conflict != nil {
		return finding{conflict: conflict}
	}
	turns := p.inTurn(inners)
	s := &server{p, turns, newNumberSet(p.end+2, true), p.ints(len(p.looks)), p.ints(len(p.nothing))}
	for i := range turns {
		if p.meter.MustStop(1) {
			return finding{}
		}
		if op := s.serve(&turns[i]); op != none {
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

// inTurn returns the values in the order of service.
func (p *problem) inTurn(inners []inner) []turn {
	turns := make([]turn, p.count())
	places := p.servingPlaces()
	defer p.giveBack(places)
	for v, i := range places {
		e := &p.values[v]
		t := turn{int32(v), inners[v], e.insert, e.remove, p.call[e.insert], p.ret[e.insert],
			history.NoReturn, history.NoReturn, e.looks, p.values[v+1].looks, 0, history.NoReturn}
		if e.remove != none {
			t.removeCall, t.removeRet = p.call[e.remove], p.ret[e.remove]
		}
		turns[i] = t
	}
	return turns
}

// serve finds slots for the operations on a value: free ones for looks and
// removal. It returns an operation that has none, or none.
//
// After it, no slot strictly between insertion and removal is free. Later values
// rely on that.
func (s *server) serve(t *turn) int32 {
	if t.inner == leftOut {
		return none
	}
	before, after := s.free.prev(t.inner.first), s.free.next(t.inner.last+1)
	if before >= after { // there is a free slot for all of them
		t.comesIn, t.goesIn = after, after
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
		t.goesIn = s.free.next(max(latest, t.removeCall+1))
		if t.goesIn > t.removeRet {
			return t.remove
		}
	}
	t.comesIn = min(earliest, t.goesIn)
	if !t.inner.empty() {
		s.free.removeRange(t.inner.first+1, t.inner.last)
	}
	return none
}

// neverFirst returns the conflict between op, which reads the value of the i-th
// turn or removes it, and the values that are served before it and were there.
func (s *server) neverFirst(i int, op int32) []int32 {
	t := &s.turns[i]
	ops := []int32{t.insert, op}
	if op != t.remove && t.removeRet < s.ret[op] {
		ops = append(ops, t.remove)
	}
	inners, _ := s.inners()
	var values []int32
	for _, before := range s.turns[:i] {
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
// leave in it, in the order of service: what is served before them has left or has
// yet to arrive. Then come reads of a value that stays, or operations that find
// nothing; last the values that arrive, in the opposite order of service.
func (s *server) order() []int32 {
	at := s.ints(int(s.end) + 3)
	n := s.countBySlot(at)
	l := &placer{s, at, s.ints(len(s.call))[:n]}
	for i := range s.turns {
		if t := &s.turns[i]; t.remove != none {
			if t.comesIn == t.goesIn {
				l.put(t.insert, t.comesIn)
			}
			l.putLooks(t, t.goesIn, t.goesIn)
			l.put(t.remove, t.goesIn)
		}
	}
	if len(s.looks) > 0 {
		for i := range s.turns {
			t := &s.turns[i]
			l.putLooks(t, t.comesIn+1, t.goesIn-1)
		}
	}
	for i, op := range s.nothing {
		l.put(op, s.nothingSlot[i])
	}
	for i := range slices.Backward(s.turns) {
		if t := &s.turns[i]; t.comesIn < t.goesIn && t.inner != leftOut {
			l.put(t.insert, t.comesIn)
			l.putLooks(t, t.comesIn, t.comesIn)
		}
	}
	return l.order
}

// countBySlot sets at to the number of operations before each slot, and returns
// the number of all.
func (s *server) countBySlot(at []int32) int32 {
	for i := range s.turns {
		t := &s.turns[i]
		if t.inner != leftOut {
			at[t.comesIn+1]++
		}
		if t.remove != none {
			at[t.goesIn+1]++
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

// A placer puts operations after the others of their slots.
type placer struct {
	*server
	at    []int32 // slot -> next place
	order []int32
}

func (l *placer) put(op, slot int32) {
	l.order[l.at[slot]] = op
	l.at[slot]++
}

// putLooks puts the reads of a value whose slots are from lo to hi.
func (l *placer) putLooks(t *turn, lo, hi int32) {
	for k := t.looks; k < t.looksEnd; k++ {
		if x := l.lookSlot[k]; lo <= x && x <= hi {
			l.put(l.looks[k], x)
		}
	}
}
