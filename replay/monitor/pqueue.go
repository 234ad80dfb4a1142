package monitor

import "github.com/leadline/leadline/history"

// A turn is what a priority queue's history says of a value, all in one
// place: in serving order, values lie anywhere in memory.
type turn struct {
	value                 int32
	inner                 inner
	insert, remove        int32 // operations; remove may be none
	insertCall, insertRet int32
	removeCall, removeRet int32 // history.NoReturn if it is never removed
	looks, looksEnd       int32 // in problem.looks
	comesIn, goesIn       int32 // the slots of insert and remove
}

// A server finds slots for the operations of a priority queue, value by value
// in serving order: to those that were served, a later one is as good as not
// there.
type server struct {
	*problem
	turns []turn
	// free are the slots in which none of the values before is certainly in;
	// 0, before all, and the last, after all, always are.
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
		if p.mustStop(1) {
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

// inTurn returns the values in serving order.
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

// serve finds slots for the operations of a value, those that look at it or
// remove it in free ones. If one has none it returns it.
//
// No slot between the insertion and the removal will be free. Later values
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

// neverFirst is the conflict of an operation that looks at the value of the
// i-th turn or removes it with those that were to be served before and kept
// it from being first.
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
