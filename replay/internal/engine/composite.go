package engine

import (
	"math/bits"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// persistent are states of which a step copies little. An implementation learns what
// operations do as it meets them.
type persistent interface {
	// step returns the state after op, or Fail. The first state is 0.
	step(state, op int32) int32
	// whole reports whether an operation was met that needs the whole object. All
	// results are meaningless then.
	whole() bool
	// bytes is the memory of the states, which keep gives back except for those
	// given, which it renumbers.
	bytes() int64
	keep(states []int32)
}

// newPersistent returns persistent states for the operations of h, or nil if there
// are none for the specification. The machine must be for them, too.
func newPersistent(h *history.History, spec replay.Spec, m *Machine) persistent {
	if c := newComposite(h, spec, m); c != nil {
		return c
	}
	if q := newSequence(h, spec); q != nil {
		return q
	}
	return nil
}

// A composite replays the operations of a partitioned object part by part. Its
// states are persistent: a step copies a few words for each level of a tree, instead
// of the object with all its parts. Two states count as equal if sums of 128 bits over
// their parts are equal.
type composite struct {
	spec   replay.Described
	parts  *Machine // its states are those of one part
	ops    []history.Operation
	number []int32 // operation -> part + 1; 0: not known yet
	part   map[string]int32
	key    []byte
	states []compositeState
	index  map[[2]uint64]int32
	added  int64 // nodes since Keep
	// across is set when an operation turns out to concern several parts. The
	// composite does not apply then.
	across bool
}

type compositeState struct {
	root   *partNode
	levels int // of root; 0: all parts are in their first state
	sum    [2]uint64
}

// A partNode is a node of a tree that maps parts to their states, by four bits of
// the number at each level.
type partNode struct {
	state [16]int32     // at the lowest level
	below [16]*partNode // above it
}

const partNodeBytes = 16 * (4 + 8)

// newComposite returns a composite for the operations of h, or nil if the
// specification has no parts. The machine must be for them, too.
func newComposite(h *history.History, spec replay.Spec, m *Machine) *composite {
	described, ok := spec.(replay.Described)
	if !ok || !replay.TraitsOf(spec).Partitioned {
		return nil
	}
	c := &composite{spec: described, parts: m, ops: h.Ops, number: make([]int32, len(h.Ops)), part: map[string]int32{}}
	c.empty()
	return c
}

func (c *composite) empty() {
	c.states, c.index, c.added = []compositeState{{}}, map[[2]uint64]int32{{}: 0}, 0
}

// step returns the state after op, or Fail.
func (c *composite) step(state, op int32) int32 {
	part := c.partOf(op)
	if part < 0 {
		c.across = true
		return Fail
	}
	from := c.states[state]
	before := from.get(part)
	after := c.parts.Step(before, op)
	switch after {
	case Fail:
		return Fail
	case before:
		return state
	}
	old, now := partSum(part, before), partSum(part, after)
	sum := [2]uint64{from.sum[0] - old[0] + now[0], from.sum[1] - old[1] + now[1]}
	if id, known := c.index[sum]; known {
		return id
	}
	from.sum = sum
	from.root, from.levels = c.set(from.root, from.levels, part, after)
	id := int32(len(c.states))
	c.states = append(c.states, from)
	c.index[sum] = id
	return id
}

// partOf returns the part that op concerns, or -1 if there are several.
func (c *composite) partOf(op int32) int32 {
	if n := c.number[op]; n > 0 {
		return n - 1
	}
	o := &c.ops[op]
	value, ok := c.spec.Facts(o).PartOf(o)
	if !ok {
		return -1
	}
	c.key = value.AppendKey(c.key[:0])
	part, known := c.part[string(c.key)]
	if !known {
		part = int32(len(c.part))
		c.part[string(c.key)] = part
	}
	c.number[op] = part + 1
	return part
}

// partSum is what a part in a state adds to the sum: nothing in the first state.
func partSum(part, state int32) [2]uint64 {
	if state == 0 {
		return [2]uint64{}
	}
	x := uint64(uint32(part))<<32 | uint64(uint32(state))
	high, low := bits.Mul64(x^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
	high2, low2 := bits.Mul64(x^0xc4ceb9fe1a85ec53, 0xd6e8feb86659fd93)
	high, low = bits.Mul64(high^low, 0xbf58476d1ce4e5b9|low2<<1)
	return [2]uint64{high ^ low2, low ^ high2}
}

// get returns the state of a part.
func (s *compositeState) get(part int32) int32 {
	if part>>(4*s.levels) != 0 {
		return 0
	}
	n := s.root
	for level := s.levels - 1; level > 0 && n != nil; level-- {
		n = n.below[part>>(4*level)&15]
	}
	if n == nil {
		return 0
	}
	return n.state[part&15]
}

// set returns a tree that differs from the given one in the state of a part.
func (c *composite) set(root *partNode, levels int, part, state int32) (*partNode, int) {
	for levels == 0 || part>>(4*levels) != 0 {
		if levels > 0 {
			root = &partNode{below: [16]*partNode{root}}
			c.added++
		}
		levels++
	}
	var at *partNode
	top := &at
	for level := levels - 1; ; level-- {
		n := new(partNode)
		if root != nil {
			*n = *root
		}
		*top = n
		c.added++
		if level == 0 {
			n.state[part&15] = state
			return at, levels
		}
		top = &n.below[part>>(4*level)&15]
		root = *top
	}
}

func (c *composite) whole() bool { return c.across }

func (c *composite) bytes() int64 {
	return c.added*partNodeBytes + int64(len(c.states))*compositeStateBytes
}

// compositeStateBytes is the memory of a state with its entry in the index.
const compositeStateBytes = 96

// keep forgets all states but the first and the given ones, and renumbers these.
func (c *composite) keep(states []int32) {
	old := c.states
	c.empty()
	for i, s := range states {
		id, known := c.index[old[s].sum]
		if !known {
			id = int32(len(c.states))
			c.states = append(c.states, old[s])
			c.index[old[s].sum] = id
		}
		states[i] = id
	}
}
