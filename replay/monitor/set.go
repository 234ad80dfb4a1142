package monitor

import "github.com/leadline/leadline/replay"

// set decides histories of a set or multiset; see the package documentation.
func (p *problem) set() finding {
	inners, conflict := p.inners()
	for v := 0; conflict == nil && v < len(inners); v++ {
		conflict = p.absentWithin(int32(v), inners[v])
	}
	if conflict != nil {
		return finding{conflict: conflict}
	}
	slots, conflict := p.emptySlots(inners)
	if conflict != nil {
		return finding{conflict: conflict}
	}
	return finding{order: p.arrange(inners, slots)}
}

// absentWithin returns a conflict if an operation found value v absent although
// all its slots are in the inner interval of v.
func (p *problem) absentWithin(v int32, in inner) []int32 {
	for _, op := range p.absentsOf(v) {
		if in != leftOut && in.first < p.call[op] && p.ret[op] < in.last {
			return append(p.decisive(v), op)
		}
	}
	return nil
}

// The operations that take effect in one slot do so in steps.
const (
	lookOn     = iota // read a value that was inserted in an earlier slot
	takeOut           // remove a value that was inserted in an earlier slot
	findNone          // find a value absent, or the collection empty
	putIn             // insert a value
	lookAtOnce        // read a value that was inserted in the step before
	undo              // remove a value that was inserted in the same slot
	steps
)

// A timetable has the slot and the step of each operation.
type timetable struct {
	slot []int32 // operation -> slot, or 0 if it has none
	step []uint8
}

func (t *timetable) add(step uint8, op, slot int32) { t.slot[op], t.step[op] = slot, step }

// ops returns the operations in the order of their steps, with their slots.
func (t *timetable) ops() (ops, slots []int32) {
	var at [steps + 1]int32
	for op, step := range t.step {
		if t.slot[op] > 0 {
			at[step+1]++
		}
	}
	for step := range steps {
		at[step+1] += at[step]
	}
	ops, slots = make([]int32, at[steps]), make([]int32, at[steps])
	for op, step := range t.step {
		if slot := t.slot[op]; slot > 0 {
			ops[at[step]], slots[at[step]] = int32(op), slot
			at[step]++
		}
	}
	return ops, slots
}

// arrange returns the operations in an order in which each value is in the collection for
// its inner interval and no longer, or within one slot if its inner interval is empty.
func (p *problem) arrange(inners []inner, empty []int32) []int32 {
	t := timetable{make([]int32, len(p.call)), make([]uint8, len(p.call))}
	for i, op := range p.nothing {
		t.add(findNone, op, empty[i])
	}
	for v := range int32(p.count()) {
		in := inners[v]
		for _, op := range p.absentsOf(v) {
			slot := p.call[op] + 1
			if in.first < slot {
				slot = max(slot, in.last+1)
			}
			t.add(findNone, op, slot)
		}
		if in != leftOut {
			p.arrangeValue(v, in, &t)
		}
	}
	return p.bySlot(t.ops())
}

func (p *problem) arrangeValue(v int32, in inner, t *timetable) {
	e := &p.values[v]
	t.add(putIn, e.insert, in.first)
	for _, op := range p.looksOf(v) {
		if slot := p.call[op] + 1; slot > in.first {
			t.add(lookOn, op, slot)
		} else {
			t.add(lookAtOnce, op, in.first)
		}
	}
	switch {
	case e.remove == none:
	case in.first < in.last:
		t.add(takeOut, e.remove, in.last+1)
	default:
		t.add(undo, e.remove, in.first)
	}
}

// A valueState is the state of one value of a set during the sweep.
type valueState struct {
	adds, removes int32 // heaps of the additions and removals that are invoked and have not taken effect
	waiting       int32 // list of the looks and absents that wait for a change
	last          int32 // the addition or removal that took effect last, or none
	present       bool
}

// A sweep decides histories of a set to which values are added again; see the
// package documentation. It visits all events in order.
type sweep struct {
	*problem
	events []int32 // position -> operation invoked there + 1, or -1 - operation that returned there
	states []valueState
	// Operations that are invoked and have not taken effect are in a pairing
	// heap, by response, or in a list.
	child, next []int32
	done        []bool
	forced      []int32 // looks and absents that forced a change
	order       []int32
}

// sweepSet decides a history in which values are added again.
func (p *problem) sweepSet() finding {
	if len(p.nothing) > 0 {
		return finding{declined: "values that are not distinct"}
	}
	s := p.newSweep()
	for _, e := range s.events {
		switch {
		case s.meter.MustStop(1):
			return finding{}
		case e > 0:
			s.invoke(e - 1)
		case e < 0 && !s.force(-e-1):
			return finding{conflict: s.conflict(-e - 1)}
		}
	}
	return finding{order: s.order}
}

func (p *problem) newSweep() *sweep {
	n := len(p.call)
	s := &sweep{problem: p, events: make([]int32, p.end), states: make([]valueState, p.count()),
		child: make([]int32, n), next: make([]int32, n), done: make([]bool, n), order: make([]int32, 0, n)}
	for op, v := range p.valueOf {
		if v == none {
			continue
		}
		s.events[p.call[op]] = int32(op) + 1
		if p.ret[op] < p.end {
			s.events[p.ret[op]] = -1 - int32(op)
		}
	}
	for v := range s.states {
		s.states[v] = valueState{none, none, none, none, false}
	}
	return s
}

// invoke handles an invocation. A look or absent takes effect at once if its value is
// present, or absent.
func (s *sweep) invoke(op int32) {
	l := &s.states[s.valueOf[op]]
	s.child[op], s.next[op] = none, none
	switch role := s.roles[op]; {
	case role == replay.Insert:
		l.adds = s.meld(l.adds, op)
	case role == replay.Remove:
		l.removes = s.meld(l.removes, op)
	case l.present == (role == replay.Look):
		s.take(op)
	default:
		s.next[op], l.waiting = l.waiting, op
	}
}

// force makes an operation that is about to return take effect, unless it has
// done so. It reports false if that is impossible.
func (s *sweep) force(op int32) bool {
	if s.done[op] {
		return true
	}
	l := &s.states[s.valueOf[op]]
	switch s.roles[op] {
	case replay.Insert, replay.Remove: // first the opposite change
		if l.present == (s.roles[op] == replay.Insert) && !s.change(l) {
			return false
		}
	default:
		s.forced = append(s.forced, op)
	}
	return s.change(l)
}

// change makes the next change of the value, and then lets the operations that
// waited for it take effect. It reports false if no operation can make the change.
func (s *sweep) change(l *valueState) bool {
	heap := &l.adds
	if l.present {
		heap = &l.removes
	}
	op := *heap
	if op == none {
		return false
	}
	*heap = s.pop(op)
	s.take(op)
	l.present, l.last = !l.present, op
	for ; l.waiting != none; l.waiting = s.next[l.waiting] {
		s.take(l.waiting)
	}
	return true
}

func (s *sweep) take(op int32) {
	s.done[op] = true
	s.order = append(s.order, op)
}

// meld joins two heaps.
func (s *sweep) meld(a, b int32) int32 {
	switch {
	case a == none:
		return b
	case b == none:
		return a
	case s.ret[b] < s.ret[a]:
		a, b = b, a
	}
	s.next[b], s.child[a] = s.child[a], b
	return a
}

// pop returns the heap without its root.
func (s *sweep) pop(root int32) int32 {
	pairs := int32(none)
	for a := s.child[root]; a != none; {
		b, rest := s.next[a], int32(none)
		if b != none {
			rest = s.next[b]
		}
		pair := s.meld(a, b)
		s.next[pair], pairs = pairs, pair
		a = rest
	}
	root = none
	for pairs != none {
		rest := s.next[pairs]
		root, pairs = s.meld(root, pairs), rest
	}
	return root
}

// conflict returns a conflict, after the sweep could not make operation last take
// effect. It consists of additions and removals of the value, and the other operations
// that forced them. A second sweep visits only these. Whenever all invoked ones have taken
// effect, neither fewer nor more can have taken effect in any other order. So the earlier
// operations do not matter, except that the value may be present: then one addition that
// has returned replaces all of them.
func (s *sweep) conflict(last int32) (ops []int32) {
	v, kept := s.valueOf[last], make([]bool, len(s.call))
	for _, op := range s.forced {
		kept[op] = true
	}
	second := s.newSweep()
	l := &second.states[v]
	for _, e := range s.events {
		op := max(e, -e) - 1
		if s.meter.MustStop(1) {
			return nil
		}
		if e == 0 || s.valueOf[op] != v || !kept[op] && s.roles[op] != replay.Insert && s.roles[op] != replay.Remove {
			continue
		}
		if e < 0 {
			if !second.force(op) {
				break
			}
			continue
		}
		settled := l.adds == none && l.removes == none && l.waiting == none
		switch {
		case settled && !l.present:
			ops = ops[:0]
		case settled && s.ret[l.last] < s.call[op]:
			ops = append(ops[:0], l.last)
		}
		ops = append(ops, op)
		second.invoke(op)
	}
	return ops
}
