package state

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A sequence replays the operations of a queue or a stack on persistent states. A step
// takes O(log n) for n values, and a state takes a few words for any number of values.
// replay.Facts define what operations do. The hash of a state is a polynomial of its
// values, modulo 2^64. Two states with the same hash are compared value by value from the
// last one on, up to the first node that they share: mostly a few steps.
type sequence struct {
	spec        replay.Described
	stack       bool
	ops         []history.Operation
	facts       []sequenceOp // operation -> what it does
	number      map[string]int32
	key         []byte
	states      []sequenceState
	spare       []sequenceState // memory for keep
	index       Index           // of states
	powers      []uint64        // powers of the base
	block       []valueNode     // allocated nodes that are not in use yet
	nodes       int64           // how many were taken into use since keep
	unsupported bool            // see whole
}

// A sequenceOp is what an operation does. The zero value is for an operation that has not
// been read yet.
type sequenceOp struct {
	role  replay.Role
	known bool
	value int32 // number of the value, or the size, or anyValue
}

const anyValue = -1

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

func (s *sequenceState) hash() uint32 { return uint32((s.sum + uint64(s.n)*golden) * golden >> 32) }

const (
	valueNodeBytes     = 24
	sequenceStateBytes = 48 // with its entry in the index

	golden = 0x9e3779b97f4a7c15
	// The base of the polynomial is any odd number.
	base = 0x0b7e151628aed2a7
)

// newSequence returns a sequence for the operations of h, or nil if the
// specification is neither a queue nor a stack.
func newSequence(h *history.History, spec replay.Spec) *sequence {
	described, ok := spec.(replay.Described)
	if !ok {
		return nil
	}
	q := &sequence{spec: described, ops: h.Ops}
	switch described.Traits().Discipline {
	case replay.FirstIn:
	case replay.LastIn:
		q.stack = true
	default:
		return nil
	}
	q.number, q.powers = map[string]int32{}, []uint64{1}
	q.empty()
	return q
}

func (q *sequence) empty() {
	q.states, q.nodes = append(q.states[:0], sequenceState{}), 0
	q.index.Clear()
	q.index.Add(q.states[0].hash())
}

func (q *sequence) step(state, op int32) int32 {
	what := q.factsOf(op)
	s := q.states[state]
	switch what.role {
	case replay.Idle:
		return state
	case replay.Nothing:
		if s.n > 0 {
			return Fail
		}
		return state
	case replay.Size:
		if s.n == 0 || what.value != anyValue && what.value != s.n {
			return Fail
		}
		return state
	case replay.Clear:
		return 0
	case replay.Insert:
		s.last = q.insert(s.last, what.value)
		s.sum = s.sum*base + coefficient(what.value)
		s.n++
		return q.intern(s)
	}
	// Remove or Look.
	if s.n == 0 {
		if what.value == anyValue {
			return state
		}
		return Fail
	}
	next := s.last
	if !q.stack {
		next = s.last.at(s.last.place - s.n + 1)
	}
	if what.value != anyValue && what.value != next.value {
		return Fail
	}
	if what.role == replay.Look {
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

// factsOf returns what op does. It sets unsupported if that is more than a sequence can
// represent.
func (q *sequence) factsOf(op int32) sequenceOp {
	q.facts = grown(q.facts, int(op), len(q.ops))
	what := &q.facts[op]
	if what.known {
		return *what
	}
	o := &q.ops[op]
	f := q.spec.Facts(o)
	what.known, what.role, what.value = true, f.Role, anyValue
	switch {
	case f.Role == replay.Idle || f.Role == replay.Nothing || f.Role == replay.Clear:
	case f.Role == replay.Size && f.Value.Kind() == history.Int:
		what.value = int32(min(f.Value.Int(), math.MaxInt32)) // a history has fewer operations
	case f.Role == replay.Size:
	case f.Role == replay.Remove && o.Pending() && !o.Happened && f.Value.Kind() == history.Unknown:
	case (f.Role == replay.Insert || f.Role == replay.Remove || f.Role == replay.Look) && f.Value.Kind() != history.Unknown &&
		(f.Role == replay.Insert || !o.Pending()):
		q.key = f.Value.AppendKey(q.key[:0])
		number, ok := q.number[string(q.key)]
		if !ok {
			number = int32(len(q.number))
			q.number[string(q.key)] = number
		}
		what.value = number
	default:
		q.unsupported = true
		what.role = replay.Never
	}
	return *what
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
	hash := s.hash()
	id := q.index.Find(hash, func(i int32) bool { return isSame(&q.states[i], &s) })
	if id < 0 {
		id = q.index.Add(hash)
		q.states = append(q.states, s)
	}
	return id
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

func (q *sequence) needsWholeObject() bool { return q.unsupported }

// readsAll reports whether a sequence supports all operations.
func (q *sequence) readsAll() bool {
	for i := range q.ops {
		q.factsOf(int32(i))
	}
	return !q.unsupported
}

func (q *sequence) bytes() int64 {
	return q.nodes*valueNodeBytes + int64(len(q.states))*sequenceStateBytes
}

func (q *sequence) keep(states []int32) {
	old := q.states
	q.states, q.spare = q.spare, old
	q.empty()
	for i, s := range states {
		states[i] = q.intern(old[s])
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
func coefficient(value int32) uint64 {
	z := (uint64(value) + 1) * golden // splitmix64
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
