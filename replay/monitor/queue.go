package monitor

import (
	"sort"

	"github.com/leadline/leadline/replay/ops"
)

// A fifo sorts the values of a queue by the limits calledIn, first, seen and last.
//
// Two lists by position have the values with a limit at the event there: entering
// has calledIn and first, leaving has last and seen. The response of an operation on
// value v is v+1, the invocation of one is -1-v, and 0 means none. The lists serve as
// sorted lists, because no two values share an event. Infinity is the end of the problem.
type fifo struct {
	*problem
	inners            []inner // first and last
	entering, leaving []int32
	stay              []int32 // values whose last is infinite
	state             []uint8 // value -> flags
	todo              int     // number of values to sort
	ready, order      []int32
}

// Flags of a value.
const (
	mayEnter uint8 = 1 << iota // no other unsorted value has to be inserted before it
	mayLeave                   // no other unsorted value has to be seen or removed before it
	done                       // it is sorted, or left out
)

// queue decides histories of a queue; see the package documentation.
func (p *problem) queue(inners []inner) (order, conflict []int32) {
	q := newFifo(p, inners)
	if conflict := q.sort(); conflict != nil || p.meter.Stopped() {
		return nil, conflict
	}
	return q.witness(), nil
}

func newFifo(p *problem, inners []inner) *fifo {
	q := &fifo{problem: p, inners: inners, state: make([]uint8, len(inners)), entering: make([]int32, p.end), leaving: make([]int32, p.end)}
	for i, in := range inners {
		v := int32(i)
		if in == leftOut {
			q.state[v] = done
			continue
		}
		q.todo++
		q.entering[q.calledIn(v)], q.entering[in.first] = -1-v, v+1
		if seen := q.seen(v); seen < q.end {
			q.leaving[seen] = v + 1
		}
		if in.last < q.end {
			q.leaving[in.last] = -1 - v
		} else {
			q.stay = append(q.stay, v)
		}
	}
	return q
}

func (q *fifo) calledIn(v int32) int32 { return q.call[q.values[v].insert] }

func (q *fifo) seen(v int32) int32 {
	seen := q.end
	for op := range q.uses(v) {
		seen = min(seen, q.ret[op])
	}
	return seen
}

// sort sorts the values topologically, or returns a conflict. A value may come
// next if its insertion was invoked before the least first of the unsorted values,
// and its last is before the least seen of the other unsorted values. As values are
// sorted, these limits only rise.
func (q *fifo) sort() (conflict []int32) {
	q.order = make([]int32, 0, q.todo)
	var first, seen, second, calledIn, last int32
	for len(q.order) < q.todo && !q.meter.MustStop(1) {
		first, seen = q.next(q.entering, first), q.next(q.leaving, seen)
		second = q.next(q.leaving, max(second, seen+1))
		for ; calledIn < first; calledIn++ {
			q.allow(-1-q.entering[calledIn], mayEnter)
		}
		for ; last < seen; last++ {
			q.allow(-1-q.leaving[last], mayLeave)
		}
		if seen == q.end {
			for _, v := range q.stay {
				q.allow(v, mayLeave)
			}
			q.stay = nil
		} else if v := q.leaving[seen] - 1; q.inners[v].last <= second {
			q.allow(v, mayLeave)
		}
		if len(q.ready) == 0 {
			return q.cycle(first, seen, second)
		}
		v := q.ready[len(q.ready)-1]
		q.ready = q.ready[:len(q.ready)-1]
		q.state[v] = done
		q.order = append(q.order, v)
	}
	return nil
}

// next returns the first position from at on with the response of an operation on
// an unsorted value, or end.
func (q *fifo) next(list []int32, at int32) int32 {
	for at < q.end && (list[at] <= 0 || q.state[list[at]-1]&done != 0) {
		at++
	}
	return min(at, q.end)
}

// allow notes that value v, if it is one, may enter or leave.
func (q *fifo) allow(v int32, what uint8) {
	if v < 0 || q.state[v]&(done|what) != 0 {
		return
	}
	q.state[v] |= what
	if q.state[v] == mayEnter|mayLeave {
		q.ready = append(q.ready, v)
	}
}

// cycle returns the operations of a cycle of two or three values. It is called when no
// value is ready. Let p be the value at first, q the value at seen and r the value at
// second.
//
// p may enter, so it may not leave. If p is q, then r has to come before p for that
// reason; and p has to come before r, whether r may not enter or may not leave. Otherwise
// q has to come before p. If q may not enter, p has to come before q. If q may not leave,
// r has to come before q. Then q has to come before r if r may not leave; otherwise p has
// to come before r, and p, r, q is a cycle.
func (q *fifo) cycle(first, seen, second int32) []int32 {
	cycle := []int32{q.entering[first] - 1, q.leaving[seen] - 1}
	if second < q.end {
		cycle = append(cycle, q.leaving[second]-1)
	}
	for i, a := range cycle {
		for _, b := range cycle[:i] {
			if q.before(a, b) && q.before(b, a) && a != b {
				return append(q.decisive(a), q.decisive(b)...)
			}
		}
	}
	var ops []int32
	for _, v := range cycle {
		ops = append(ops, q.decisive(v)...)
	}
	return ops
}

// before reports whether value a has to come before value b.
func (q *fifo) before(a, b int32) bool {
	return q.inners[a].first < q.calledIn(b) || q.seen(a) < q.inners[b].last
}

// witness returns an order of the operations, each as early as possible. The values are
// inserted and removed in q.order, except that values that have to be inserted before an
// operation that found nothing come before it. The slots of these operations are sorted.
func (q *fifo) witness() []int32 {
	order := make([]int32, 0, len(q.call))
	place := func(op, after int32) int32 {
		q.slot[op] = max(after, q.call[op]+1)
		order = append(order, op)
		return q.slot[op]
	}
	in, out := int32(0), int32(0) // slots of the last insertion, and of the last look or removal
	stages := ops.Group(len(q.order), len(q.nothing)+1, func(i int32) int32 {
		first := q.inners[q.order[i]].first
		return int32(sort.Search(len(q.nothing), func(k int) bool { return q.slot[q.nothing[k]] > first }))
	})
	for stage := range len(q.nothing) + 1 {
		for _, i := range stages.Of(int32(stage)) {
			v := q.order[i]
			e := &q.values[v]
			in = place(e.insert, in)
			after := max(in, out)
			for _, op := range q.looks.Of(v) { // sorted by invocation, so slots do not decrease
				out = place(op, after)
			}
			if e.remove != none {
				out = place(e.remove, max(in, out))
			}
		}
		if stage < len(q.nothing) {
			op := q.nothing[stage]
			in = place(op, q.slot[op])
		}
	}
	return q.bySlot(order)
}
