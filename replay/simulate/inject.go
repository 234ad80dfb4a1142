package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
)

// faulty is the state of a runner's faults. They draw numbers of their own, so that
// a history is the same up to the first fault.
type faulty struct {
	random  random
	removed int           // how many removals returned a value that was inserted once
	stale   history.Value // one of these values, each as likely as the others
	lostOn  map[int64]int // lost operations by element, where values repeat

	first, second history.Value // exchanged in the results of the object
	ahead, behind int           // elements before and after them
}

// inject injects a fault.
func (r *runner) inject(f Fault) {
	switch {
	case f.Kind == Wrong:
		r.rest()
		r.wrong()
	case r.model.shape == ends:
		r.swap()
	default:
		r.rest()
		r.staleRead()
	}
}

// returned records a value that was inserted once and whose removal has returned.
func (r *runner) returned(s *slot) {
	if s.kind != remove || r.Values > 0 || len(r.Faults) == 0 {
		return
	}
	v := s.result
	switch {
	case r.model.shape == named && s.result.Bool():
		v = s.inv.Args[0]
	case r.model.shape != ends || v.Kind() == history.Null:
		return
	}
	if r.removed++; r.faulty.random.below(r.removed) == 0 {
		r.stale = v
	}
}

// noteLost records the element of a lost operation.
func (r *runner) noteLost(s *slot) {
	if r.model.shape == named && r.Values > 0 && s.kind != look && len(r.Faults) > 0 {
		r.lostOn[s.inv.Args[0].Int()]++
	}
}

// wrong runs one operation, alone, with a wrong result.
func (r *runner) wrong() {
	k := look
	which := r.faulty.random.below(len(r.model.methods[look]))
	switch r.model.shape {
	case ends:
		// The value was inserted once. If a removal returned it before, no
		// operation can return it again, whatever the pending operations did.
		// Otherwise it was never inserted.
		if r.faulty.random.below(2) == 0 {
			k = remove
		}
		r.alone(k, which, r.staleOrUnused())
	case named:
		r.wrongElement()
	case cell:
		// No operation has begun to write the value.
		r.alone(look, which, r.unused())
	case keyed:
		key := history.IntValue(int64(r.faulty.random.below(r.Keys)))
		r.alone(look, which, r.unused(), key)
	case number:
		// All operations change the number by 1 at most, and those that
		// returned took effect. It is unknown which of the lost ones did, so
		// the number can differ from the present one by their number at most.
		n := r.ask(lookOf(r.model)).Int()
		r.alone(look, which, history.IntValue(n+int64(r.lost)+1))
	case lock:
		// At rest every lock has been unlocked, and no operation is lost.
		r.alone(look, which, history.BoolValue(true))
	}
}

func (r *runner) staleOrUnused() history.Value {
	if r.removed > 0 {
		return r.stale
	}
	return r.unused()
}

// wrongElement returns the opposite of whether an element is in a set.
//
// If values are distinct, either the element was added once, by an operation that
// took effect before its removal returned, or it was never added. So it is not in
// the set, whatever the pending operations do.
//
// If they are not, it is an element without a pending addition or removal. In every
// order, additions and removals that return true alternate in a set. In a multiset,
// the element is there as many times as additions outnumber those removals. So the
// results determine whether it is there. If there is no such element, the operation
// uses one that was never added.
func (r *runner) wrongElement() {
	if r.Values == 0 {
		r.alone(look, 0, history.BoolValue(true), r.staleOrUnused())
		return
	}
	for range 64 {
		v := int64(r.faulty.random.below(r.Values))
		if r.lostOn[v] == 0 {
			inv := lookOf(r.model)
			inv.Args = r.args(history.IntValue(v))
			r.alone(look, 0, history.BoolValue(!r.ask(inv).Bool()), history.IntValue(v))
			return
		}
	}
	r.alone(look, 0, history.BoolValue(true), r.unused())
}

// staleRead writes two values, each for the only time, and reads the first, all
// alone. The second was written in between, and no pending operation writes the
// first.
func (r *runner) staleRead() {
	var key []history.Value
	if r.model.shape == keyed {
		key = r.args(history.IntValue(int64(r.faulty.random.below(r.Keys))))
	}
	first, second := r.unused(), r.unused()
	r.alone(insert, 0, history.UnknownValue, append(key, first)...)
	r.alone(insert, 0, history.UnknownValue, append(key, second)...)
	r.alone(look, 0, first, key...)
}

// swap inserts first and second, alone, so that both are removed at the same end
// one right after the other. From then on it exchanges them in the results of the
// object. When few elements are left before them, or few operations, it removes
// elements, alone, until it has both.
//
// Each is inserted once, so these removals return them, and no other does, not even
// a pending one. Operations that are alone have a known order:
//
//	queue           first goes in, then second; second comes out, then first
//	stack           first goes in, then second; first comes out, then second
//	priority queue  the smaller and the larger go in; the larger comes out first
//	deque           as a queue from the front, as a stack from the back
//
// Each case is against the order in which the collection removes values.
func (r *runner) swap() {
	apart := 4 * r.Threads // elements to keep open removals away
	if r.Fill <= shallow {
		apart = max(apart, r.Fill)
	}
	if r.capacity > 0 {
		apart = min(apart, r.capacity)
	}
	start := r.begun
	r.noRemovals = true
	r.until(func() bool { return r.size >= apart || r.begun >= start+4*apart })
	r.rest()
	for r.capacity > 0 && r.size > r.capacity-2 && !r.stopped {
		r.alone(remove, 0, history.UnknownValue)
	}
	r.insertPair()
	start = r.begun
	r.until(func() bool { return r.distance() >= apart || r.begun >= start+4*apart })
	r.noRemovals = false

	// At most Threads removals are open at any time, and each removes one
	// element: if no more begin, they cannot reach the pair. The other limit
	// leaves room for the removals below, also if open insertions put more
	// elements before the pair.
	r.until(func() bool {
		r.emptying = r.begun > start+r.Ops/10
		return r.distance() <= r.Threads || r.Ops-r.begun <= r.distance()+r.Threads+2
	})
	r.emptying = false
	r.rest()
	r.removePair()
}

// distance returns how many elements at least are removed before the pair.
func (r *runner) distance() int {
	switch r.model.place {
	case lined, ranked:
		return r.ahead
	case piled:
		return r.behind
	}
	return min(r.ahead, r.behind)
}

func (r *runner) insertPair() {
	which := len(r.model.methods[insert]) - 1 // the back of a deque
	low := r.model.place == ranked && r.Fill > shallow
	if low {
		// The largest values would never be removed.
		r.second, r.first = r.smallest(), r.smallest()
	} else {
		r.first, r.second = r.unused(), r.unused()
	}
	size := r.size
	first, second := r.first, r.second
	r.first, r.second = history.Value{}, history.Value{}
	r.alone(insert, which, history.UnknownValue, first)
	r.alone(insert, which, history.UnknownValue, second)
	r.first, r.second = first, second
	r.ahead, r.behind = size, 0
	if low {
		r.ahead = math.MinInt / 2 // they are next, whatever is inserted
	}
}

func (r *runner) removePair() {
	which := 0
	if r.model.place == twoEnds && r.behind < r.ahead {
		which = 1
	}
	for taken := 0; taken < 2 && !r.stopped; {
		switch v := r.alone(remove, which, history.UnknownValue); {
		case v.Kind() == history.Null:
			panic(fmt.Sprintf("simulate: %v and %v are gone", r.first, r.second))
		case slices.ContainsFunc([]history.Value{r.first, r.second}, v.Equal):
			taken++
		}
	}
	r.first, r.second = history.Value{}, history.Value{}
}

// exchange exchanges the pair of a swap in a result of the object.
func (r *runner) exchange(v history.Value) history.Value {
	switch {
	case r.first.Kind() == history.None:
		return v
	case v.Equal(r.first):
		return r.second
	case v.Equal(r.second):
		return r.first
	}
	return v
}
