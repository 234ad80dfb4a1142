package engine

import (
	"math"
	"math/bits"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A sequence replays the operations of a queue or a stack on persistent states: a
// step takes O(log n) for n values, and a state takes a few words, however many values
// it holds. replay.Facts define what operations do. Two polynomials of the values, modulo
// a prime near 2^61, find the state that a new one is compared with. A comparison takes
// as many steps as there are values after those that the two share, mostly few.
type sequence struct {
	spec    replay.Described
	stack   bool
	ops     []history.Operation
	facts   []sequenceOp // operation -> what it does
	number  map[string]int32
	key     []byte
	states  []sequenceState
	index   map[sequenceKey]int32
	powers  [][2]uint64 // of the bases
	nodes   int64       // allocated since keep
	isWhole bool        // see whole
}

// A sequenceOp is what an operation does. The zero value is not known yet.
type sequenceOp struct {
	role  replay.Role
	known bool
	value int32 // anyValue: whichever is there
}

const anyValue = -1

// A valueNode is a value with those inserted before it, back to the first ever. jump
// leads to an earlier one, such that any is reached in O(log n) steps (Myers, "An
// applicative random-access stack", 1983).
type valueNode struct {
	before, jump *valueNode
	place        int32 // from 0
	value        int32
}

type sequenceState struct {
	last *valueNode // nil if it is empty
	sequenceKey
}

type sequenceKey struct {
	n   int32
	sum [2]uint64
}

const (
	valueNodeBytes     = 24
	sequenceStateBytes = 120 // with its entry in the index
	prime              = 1<<61 - 1
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
	q.facts, q.number = make([]sequenceOp, len(h.Ops)), map[string]int32{}
	q.powers = [][2]uint64{{1, 1}}
	q.empty()
	return q
}

func (q *sequence) empty() {
	q.states, q.index, q.nodes = []sequenceState{{}}, map[sequenceKey]int32{{}: 0}, 0
}

func (q *sequence) step(state, op int32) int32 {
	what := q.look(op)
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
		for k, base := range bases {
			s.sum[k] = (mulMod(s.sum[k], base) + valueSum(what.value)[k]) % prime
		}
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
		for k, inverse := range inverses {
			s.sum[k] = mulMod((s.sum[k]+prime-valueSum(next.value)[k])%prime, inverse)
		}
		s.last = s.last.before
	} else {
		for k := range s.sum {
			s.sum[k] = (s.sum[k] + prime - mulMod(valueSum(next.value)[k], q.power(s.n)[k])) % prime
		}
	}
	if s.n == 0 {
		return 0
	}
	return q.intern(s)
}

// look returns what op does. It sets isWhole if op does more than the roles of
// replay.Role say.
func (q *sequence) look(op int32) sequenceOp {
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
		q.isWhole = true
		what.role = replay.Never
	}
	return *what
}

func (q *sequence) insert(last *valueNode, value int32) *valueNode {
	q.nodes++
	n := &valueNode{before: last, value: value}
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

// at returns the node of a place.
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
	for key := s.sequenceKey; ; key.sum[0]++ {
		id, ok := q.index[key]
		if !ok {
			id = int32(len(q.states))
			q.states = append(q.states, s)
			q.index[key] = id
			return id
		}
		if isSame(q.states[id], s) {
			return id
		}
	}
}

// isSame reports whether two states have the same values.
func isSame(a, b sequenceState) bool {
	if a.n != b.n {
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

func (q *sequence) whole() bool { return q.isWhole }

// readsAll reports whether no operation needs the whole object.
func (q *sequence) readsAll() bool {
	for i := range q.ops {
		q.look(int32(i))
	}
	return !q.isWhole
}

func (q *sequence) bytes() int64 {
	return q.nodes*valueNodeBytes + int64(len(q.states))*sequenceStateBytes
}

// keep forgets all states but the first and the given ones, and renumbers these.
func (q *sequence) keep(states []int32) {
	old := q.states
	q.empty()
	for i, s := range states {
		states[i] = q.intern(old[s])
	}
}

// power returns the n-th powers of the bases.
func (q *sequence) power(n int32) [2]uint64 {
	for int(n) >= len(q.powers) {
		last := q.powers[len(q.powers)-1]
		q.powers = append(q.powers, [2]uint64{mulMod(last[0], bases[0]), mulMod(last[1], bases[1])})
	}
	return q.powers[n]
}

// The bases of the two polynomials are any numbers; the inverses are theirs.
var (
	bases    = [2]uint64{0x0b7e151628aed2a7 % prime, 0x1f3d5b7995377191 % prime}
	inverses = [2]uint64{inverse(bases[0]), inverse(bases[1])}
)

// valueSum returns two numbers for a value, neither of them 0.
func valueSum(value int32) (sum [2]uint64) {
	x := uint64(value)
	for k := range sum {
		x += 0x9e3779b97f4a7c15 // splitmix64
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		sum[k] = (z^z>>31)%(prime-1) + 1
		x ^= z
	}
	return sum
}

func mulMod(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, rest := bits.Div64(high, low, prime)
	return rest
}

// inverse returns a^(prime-2).
func inverse(a uint64) uint64 {
	result := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			result = mulMod(result, a)
		}
		a = mulMod(a, a)
	}
	return result
}
