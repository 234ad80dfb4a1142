package monitor

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A sweep decides histories of a set to which values are added again; see the
// package documentation. It visits all events in order.
type sweep struct {
	*problem
	states []valueState
	// changes are the additions of value v in list 2*v and its removals in list 2*v+1, by
	// response. rank is the place of an operation in all these lists. open has the ranks of
	// those that are invoked and have not taken effect.
	changes ops.Lists
	rank    []int32
	open    *numberSet

	next   []int32 // see valueState.waiting
	done   []bool
	forced []bool // looks and absents that forced a change
	order  []int32
}

// A valueState is the state of one value of a set during the sweep.
type valueState struct {
	present bool
	open    int32 // additions and removals that are invoked and have not taken effect
	waiting int32 // list of the looks and absents that wait for a change
	last    int32 // the addition or removal that took effect last, or none
	// The number of changes was certain when the operation since was invoked. If the value
	// was present, origin is an addition that returned before, otherwise none.
	since, origin int32
}

// sweepSet decides a history in which values are added again.
func (p *problem) sweepSet() (order, conflict []int32) {
	s := p.newSweep()
	for _, e := range s.events() {
		switch {
		case s.meter.MustStop(1):
			return nil, nil
		case e > 0:
			s.invoke(e - 1)
		case e < 0 && !s.force(-e-1):
			return nil, s.conflict(-e - 1)
		}
	}
	return s.order, nil
}

func (p *problem) newSweep() *sweep {
	n, values := len(p.call), len(p.values)
	s := &sweep{problem: p, states: make([]valueState, values), rank: make([]int32, n), open: newNumberSet(int32(n), false),
		next: make([]int32, n), done: make([]bool, n), forced: make([]bool, n), order: make([]int32, 0, n)}
	for v := range s.states {
		s.states[v] = valueState{waiting: none, last: none, origin: none}
	}
	byResponse := ops.Complete(p.in.Responses(), n)
	s.changes = ops.Group(n, 2*values, func(i int32) int32 {
		switch op := byResponse[i]; p.roles[op] {
		case replay.Insert:
			return 2 * p.valueOf[op]
		case replay.Remove:
			return 2*p.valueOf[op] + 1
		}
		return none
	})
	changes := s.changes.All()
	for rank, i := range changes {
		changes[rank] = byResponse[i]
		s.rank[byResponse[i]] = int32(rank)
	}
	return s
}

// events returns for each position the operation that is invoked there + 1, or -1 - the
// operation that returned there.
func (p *problem) events() []int32 {
	events := make([]int32, p.end)
	for op, v := range p.valueOf {
		if v == none {
			continue
		}
		events[p.call[op]] = int32(op) + 1
		if p.ret[op] < p.end {
			events[p.ret[op]] = -1 - int32(op)
		}
	}
	return events
}

// invoke handles an invocation. A look or absent takes effect at once if its value is
// present, or absent.
func (s *sweep) invoke(op int32) {
	l := &s.states[s.valueOf[op]]
	switch {
	case l.open > 0:
	case !l.present:
		l.since, l.origin = s.call[op], none
	case l.waiting == none && s.ret[l.last] < s.call[op]:
		l.since, l.origin = s.call[op], l.last
	}
	switch role := s.roles[op]; {
	case role == replay.Insert, role == replay.Remove:
		l.open++
		s.open.add(s.rank[op])
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
	v := s.valueOf[op]
	switch s.roles[op] {
	case replay.Insert, replay.Remove: // first the opposite change
		if s.states[v].present == (s.roles[op] == replay.Insert) && !s.change(v) {
			return false
		}
	default:
		s.forced[op] = true
	}
	return s.change(v)
}

// change makes the next change of value v, and then lets the operations that
// waited for it take effect. It reports false if no operation can make the change.
func (s *sweep) change(v int32) bool {
	l, list := &s.states[v], 2*v
	if l.present {
		list++
	}
	from, to := s.changes.Bounds(list)
	rank := s.open.next(from)
	if rank >= to {
		return false
	}
	s.open.remove(rank)
	op := s.changes.All()[rank]
	s.take(op)
	l.open--
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

// conflict returns a conflict, after the sweep could not make operation failed take
// effect. Operations before the last moment when the number of changes was certain do not
// matter, except that the value may be present: then origin replaces all of them.
func (s *sweep) conflict(failed int32) (ops []int32) {
	v := s.valueOf[failed]
	l := &s.states[v]
	if l.origin != none {
		ops = append(ops, l.origin)
	}
	for i, role := range s.roles {
		isChange := role == replay.Insert || role == replay.Remove
		if s.valueOf[i] == v && s.call[i] < s.ret[failed] && (isChange && s.call[i] >= l.since || s.forced[i] && s.ret[i] >= l.since) {
			ops = append(ops, int32(i))
		}
	}
	return ops
}
