package state

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A sequence replays the operations of a queue or a stack. Its states are those of a
// composite whose parts are the places of the values: the state of a part is 1 more than the
// number of the value at that place. The values are at the places from first to end-1.
// In a queue, the first value inserted has place 0 and each further one the next place. So
// states with the same values may differ, but not after the same insertions.
type sequence struct {
	composite
	stack   bool
	columns *ops.Columns
}

// newSequence returns a sequence for the operations of p, or nil unless they are operations
// of a queue or stack that a sequence can represent.
func newSequence(p *ops.Problem) *sequence {
	discipline := p.Traits().Discipline
	if discipline != replay.FirstIn && discipline != replay.LastIn {
		return nil
	}
	q := &sequence{columns: p.Columns(nil), stack: discipline == replay.LastIn}
	for i := range p.H.Ops {
		if !q.supports(int32(i), &p.H.Ops[i]) {
			return nil
		}
	}
	q.empty()
	return q
}

// supports reports whether a sequence can represent what op does.
func (q *sequence) supports(i int32, op *history.Operation) bool {
	hasValue := q.columns.Value[i] != ops.None
	switch q.columns.Role[i] {
	case replay.Idle, replay.Nothing, replay.Clear, replay.Size:
		return true
	case replay.Insert:
		return hasValue
	case replay.Remove:
		return hasValue && !op.Pending() || !hasValue && op.Pending() && !op.Happened
	case replay.Look:
		return hasValue && !op.Pending()
	}
	return false
}

// step returns the state after op, or Fail.
func (q *sequence) step(state, op int32) int32 {
	role, value := q.columns.Role[op], q.columns.Value[op]
	s := *q.states.At(state)
	n := s.end - s.first
	switch role {
	case replay.Idle:
		return state
	case replay.Nothing:
		if n > 0 {
			return Fail
		}
		return state
	case replay.Size:
		if n == 0 || value != ops.None && value != n {
			return Fail
		}
		return state
	case replay.Clear:
		return 0
	case replay.Insert:
		s.end++
		return q.change(s, s.end-1, 0, value+1)
	}
	// Remove or Look.
	if n == 0 {
		if value == ops.None {
			return state
		}
		return Fail
	}
	place := s.first
	if q.stack {
		place = s.end - 1
	}
	next := q.get(s, place)
	switch {
	case value != ops.None && value+1 != next:
		return Fail
	case role == replay.Look:
		return state
	case q.stack:
		s.end--
	default:
		s.first++
	}
	return q.change(s, place, next, 0)
}

// change returns the number of s after a change of the state of one part. A value that is
// removed may stay in the tree.
func (q *sequence) change(s compositeState, place, before, after int32) int32 {
	s.change(place, before, after)
	if id := q.find(&s); id >= 0 {
		return id
	}
	if after != 0 {
		q.set(&s, place, after)
	}
	return q.add(s)
}
