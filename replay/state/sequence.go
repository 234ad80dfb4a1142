package state

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A sequence replays the operations of a queue or a stack on persistent states. A step
// takes O(log n) for n values, and a state takes a few words for any number of values.
// The hash of a state is a polynomial of its
// values, modulo 2^64. Two states with the same hash are compared value by value from the
// last one on, up to the first node that they share: mostly a few steps.
type sequence struct {
	stack   bool
	columns *ops.Columns
	states  table.Table[sequenceState]
	spare   table.Table[sequenceState] // memory for keep
	powers  []uint64                   // powers of the base
	block   []valueNode                // allocated nodes that are not in use yet
	nodes   int64                      // how many were taken into use since keep
}

// A valueNode is the end of a list of inserted values, which goes back to the first
// insertion. jump leads to an earlier node, such that each node can be reached in O(log n)
// steps (Myers, "An applicative random-access stack", 1983).
type valueNode struct {
	before, jump *valueNode
	place        int32 // its index in the list, from 0
	value        int32
}

// A sequenceState has n values: the one of last, and the n-1 before it.
type sequenceState struct {
	last *valueNode // nil if it is empty
	n    int32
	sum  uint64
}

const (
	valueNodeBytes = 24
	// The base of the polynomial is any odd number.
	base = 0x0b7e151628aed2a7
)

// newSequence returns a sequence for the operations of p, or nil unless they are operations
// of a queue or stack that a sequence can represent.
func newSequence(p *ops.Problem) *sequence {
	discipline := p.Traits().Discipline
	if discipline != replay.FirstIn && discipline != replay.LastIn {
		return nil
	}
	q := &sequence{columns: p.Columns(nil), stack: discipline == replay.LastIn, powers: []uint64{1}}
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

func (q *sequence) empty() {
	q.nodes = 0
	q.states.Clear()
	q.intern(sequenceState{})
}

func (q *sequence) step(state, op int32) int32 {
	role, value := q.columns.Role[op], q.columns.Value[op]
	s := *q.states.At(state)
	switch role {
	case replay.Idle:
		return state
	case replay.Nothing:
		if s.n > 0 {
			return Fail
		}
		return state
	case replay.Size:
		if s.n == 0 || value != ops.None && value != s.n {
			return Fail
		}
		return state
	case replay.Clear:
		return 0
	case replay.Insert:
		s.last = q.insert(s.last, value)
		s.sum = s.sum*base + coefficient(value)
		s.n++
		return q.intern(s)
	}
	// Remove or Look.
	if s.n == 0 {
		if value == ops.None {
			return state
		}
		return Fail
	}
	next := s.last
	if !q.stack {
		next = s.last.at(s.last.place - s.n + 1)
	}
	if value != ops.None && value != next.value {
		return Fail
	}
	if role == replay.Look {
		return state
	}
	s.n--
	if q.stack {
		s.sum = (s.sum - coefficient(next.value)) * inverse
		s.last = s.last.before
	} else {
		s.sum -= coefficient(next.value) * q.power(s.n)
	}
	if s.n == 0 {
		return 0
	}
	return q.intern(s)
}

func (q *sequence) insert(last *valueNode, value int32) *valueNode {
	if q.nodes++; len(q.block) == 0 {
		q.block = make([]valueNode, 64)
	}
	n := &q.block[0]
	q.block = q.block[1:]
	n.before, n.value = last, value
	if last == nil {
		return n
	}
	n.place = last.place + 1
	n.jump = last
	if j := last.jump; j != nil && j.jump != nil && last.place-j.place == j.place-j.jump.place {
		n.jump = j.jump
	}
	return n
}

// at returns the node of the list that has the given place.
func (n *valueNode) at(place int32) *valueNode {
	for n.place > place {
		if n.jump.place >= place {
			n = n.jump
		} else {
			n = n.before
		}
	}
	return n
}

func (q *sequence) intern(s sequenceState) int32 {
	hash := table.Hash(s.sum, uint64(s.n))
	if id := q.states.Find(hash, func(other *sequenceState) bool { return isSame(other, &s) }); id >= 0 {
		return id
	}
	return q.states.Add(hash, s)
}

// isSame reports whether two states have the same values.
func isSame(a, b *sequenceState) bool {
	if a.n != b.n || a.sum != b.sum {
		return false
	}
	x, y := a.last, b.last
	for range a.n {
		if x == y {
			return true
		}
		if x.value != y.value {
			return false
		}
		x, y = x.before, y.before
	}
	return true
}

func (q *sequence) bytes() int64 {
	return q.nodes*valueNodeBytes + q.states.Bytes()
}

func (q *sequence) keep(states []int32) {
	q.states, q.spare = q.spare, q.states
	q.empty()
	for i, s := range states {
		states[i] = q.intern(*q.spare.At(s))
	}
}

// power returns the n-th power of the base.
func (q *sequence) power(n int32) uint64 {
	for int(n) >= len(q.powers) {
		q.powers = append(q.powers, q.powers[len(q.powers)-1]*base)
	}
	return q.powers[n]
}

// inverse is the inverse of the base modulo 2^64. Each round of Newton's method doubles the
// number of correct bits.
var inverse = func() uint64 {
	x := uint64(base) // 3 bits are correct
	for range 5 {
		x *= 2 - base*x
	}
	return x
}()

// coefficient returns the coefficient of a value in the polynomial.
func coefficient(value int32) uint64 { return table.Random(uint64(value)) }
