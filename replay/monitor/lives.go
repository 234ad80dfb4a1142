package monitor

import "github.com/leadline/leadline/replay"

// A life is what is known of one value of a set while the sweep goes on.
type life struct {
	adds, removes int32 // heaps of those that are invoked and have not taken effect
	waiting       int32 // list of the others that wait for the value to come or to go
	last          int32 // the addition or removal that took effect last, or none
	present       bool
}

// A sweep decides histories of a set to which values are added again; see the
// package documentation. It comes by all events in their order.
type sweep struct {
	*problem
	events []int32 // position -> operation invoked there + 1, or -1 - operation that returned there
	lives  []life
	// Operations that are invoked and have not taken effect are in a pairing
	// heap, by response, or in a list.
	child, next []int32
	done        []bool
	forced      []int32 // looks and absents that the value had to come or to go for
	order       []int32
}

// lives decides a history in which values are added again.
func (p *problem) lives() finding {
	if len(p.nothing) > 0 {
		return finding{declined: "values that are not distinct"}
	}
	s := p.newSweep()
	for _, e := range s.events {
		switch {
		case s.mustStop(1):
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
	s := &sweep{problem: p, events: make([]int32, p.end), lives: make([]life, p.count()),
		child: make([]int32, n), next: make([]int32, n), done: make([]bool, n), order: make([]int32, 0, n)}
	for op, v := range p.about {
		if v == none {
			continue
		}
		s.events[p.call[op]] = int32(op) + 1
		if p.ret[op] < p.end {
			s.events[p.ret[op]] = -1 - int32(op)
		}
	}
	for v := range s.lives {
		s.lives[v] = life{none, none, none, none, false}
	}
	return s
}

// invoke takes up an operation. One that finds what is the case takes effect.
func (s *sweep) invoke(op int32) {
	l := &s.lives[s.about[op]]
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

// force lets an operation take effect that is about to return, if it has not
// done so. It reports false if that cannot be.
func (s *sweep) force(op int32) bool {
	if s.done[op] {
		return true
	}
	l := &s.lives[s.about[op]]
	switch s.roles[op] {
	case replay.Insert, replay.Remove: // first what undoes the last of its kind
		if l.present == (s.roles[op] == replay.Insert) && !s.turn(l) {
			return false
		}
	default:
		s.forced = append(s.forced, op)
	}
	return s.turn(l)
}

// turn lets the value come if it is absent, or else go, and then those take
// effect that waited for this. It reports false if no operation does it.
func (s *sweep) turn(l *life) bool {
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

// meld makes one heap of two.
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

// conflict returns operations in conflict, after the sweep could not let the
// last of them take effect: additions and removals of the value, and what else
// forced them, which is all that a second sweep looks at. Whenever all of these
// that were invoked have taken effect, there cannot have been fewer in any
// order, nor more. So what came before does not matter, but that the value is
// there, if it is: for that, one addition will do that has returned.
func (s *sweep) conflict(last int32) (ops []int32) {
	v, kept := s.about[last], make([]bool, len(s.call))
	for _, op := range s.forced {
		kept[op] = true
	}
	second := s.newSweep()
	l := &second.lives[v]
	for _, e := range s.events {
		op := max(e, -e) - 1
		if s.mustStop(1) {
			return nil
		}
		if e == 0 || s.about[op] != v || !kept[op] && s.roles[op] != replay.Insert && s.roles[op] != replay.Remove {
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
