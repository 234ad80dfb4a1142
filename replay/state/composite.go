package state

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// persistent is a set of persistent states: a step copies only a small part of a state.
type persistent interface {
	// step returns the state after op, or Fail. The first state is 0.
	step(state, op int32) int32
	// bytes is the memory of the states.
	bytes() int64
	// keep forgets all states except the first and the given ones, and replaces the
	// given numbers by the new ones.
	keep(states []int32)
}

// newPersistent returns persistent states for the operations of p, or nil if no
// implementation supports them. The machine must be one for the same operations.
func newPersistent(p *ops.Problem, m *Machine) persistent {
	if c := newComposite(p, m); c != nil {
		return c
	}
	if q := newSequence(p); q != nil {
		return q
	}
	return nil
}

// A composite replays the operations of a partitioned object part by part. Its states are
// persistent: a step copies a few words for each level of a tree, instead of the object
// with all its parts. Two states count as equal if their sums over the parts, of 128 bits,
// are equal.
type composite struct {
	parts  *Machine // its states are the states of single parts
	partOf []int32  // step -> part
	// steps is nil if an operation is one step. Otherwise the steps of operation i have the
	// numbers from steps[i] to steps[i+1]-1.
	steps  []int32
	ops    []history.Operation // only with steps
	states table.Table[compositeState]
	nodes  []int32 // of trees: see compositeState
	spare  spareStates
}

// A compositeState has a tree that maps parts to their states. Each level uses three bits
// of the number of a part. A node is fanout numbers in composite.nodes. At the lowest level
// these are states, above it the places where the nodes below begin. 0 is the first state,
// or a node that maps every part to it.
type compositeState struct {
	root       int32
	levels     int32 // of root; 0: all parts are in their first state
	first, end int32 // see sequence
	sum        [2]uint64
}

// spareStates is memory for keep.
type spareStates struct {
	states table.Table[compositeState]
	nodes  []int32
	moved  []int32
}

const (
	fanoutBits = 3
	fanout     = 1 << fanoutBits
)

func (s *compositeState) hash() uint32 { return uint32(s.sum[0]) }

// newComposite returns a composite for the operations of p, or nil unless there are several
// parts and each operation consists of steps that concern one of them. The machine must be
// one for the same operations.
func newComposite(p *ops.Problem, m *Machine) *composite {
	c := &composite{parts: m}
	if d, ok := p.Spec.(replay.Divisible); ok {
		if !c.divide(p, d) {
			return nil
		}
	} else if !p.Traits().Partitioned {
		return nil
	} else if c.partOf = p.Columns(nil).Part; slices.Contains(c.partOf, ops.None) || slices.Max(c.partOf) == slices.Min(c.partOf) {
		return nil
	}
	c.empty()
	return c
}

// divide divides all operations into steps, and sets parts to a machine for these. It
// returns false if that is impossible.
func (c *composite) divide(p *ops.Problem, d replay.Divisible) bool {
	t := takeTables(len(p.H.Ops), p.Spec)
	t.view = Machine{tables: t}
	c.parts, c.ops, c.steps = &t.view, p.H.Ops, []int32{0}
	number := map[string]int32{}
	var key []byte
	for i := range p.H.Ops {
		op := &p.H.Ops[i]
		steps, parts, ok := d.Divide(op)
		if !ok {
			return false
		}
		for k := range steps {
			// A pending step without a transition would be skipped, but the other steps
			// performed. So the steps of a pending operation are marked as happened.
			step := history.Operation{Method: steps[k].Method, Args: steps[k].Args, Result: steps[k].Result, Return: 1}
			if op.Pending() {
				step.Return, step.Happened = history.NoReturn, true
			}
			c.parts.ops = append(c.parts.ops, step)
			c.parts.column = append(c.parts.column, unseen)
			key = parts[k].AppendKey(key[:0])
			part, known := number[string(key)]
			if !known {
				part = int32(len(number))
				number[string(key)] = part
			}
			c.partOf = append(c.partOf, part)
		}
		c.steps = append(c.steps, int32(len(c.partOf)))
	}
	return true
}

func (c *composite) empty() {
	c.nodes = append(c.nodes[:0], make([]int32, fanout)...)
	c.states.Clear()
	c.add(compositeState{})
}

// step returns the state after op, or Fail.
func (c *composite) step(state, op int32) int32 {
	if c.steps == nil {
		return c.stepPart(state, op)
	}
	at := state
	for k := c.steps[op]; k < c.steps[op+1] && at != Fail; k++ {
		at = c.stepPart(at, k)
	}
	if o := &c.ops[op]; at == Fail && o.Pending() && !o.Happened {
		return state
	}
	return at
}

// stepPart returns the state after a step, or Fail.
func (c *composite) stepPart(state, step int32) int32 {
	part := c.partOf[step]
	from := *c.states.At(state)
	before := c.get(from, part)
	after := c.parts.stepWhole(before, step)
	switch after {
	case Fail:
		return Fail
	case before:
		return state
	}
	from.change(part, before, after)
	if id := c.find(&from); id >= 0 {
		return id
	}
	c.set(&from, part, after)
	return c.add(from)
}

func (c *composite) add(s compositeState) int32 { return c.states.Add(s.hash(), s) }

// change updates the sum for a change of the state of one part.
func (s *compositeState) change(part, before, after int32) {
	old, now := partSum(part, before), partSum(part, after)
	s.sum[0] += now[0] - old[0]
	s.sum[1] += now[1] - old[1]
}

// find returns the number of a state with the same sum and ends, or -1.
func (c *composite) find(s *compositeState) int32 {
	return c.states.Find(s.hash(), func(other *compositeState) bool {
		return other.sum == s.sum && other.first == s.first && other.end == s.end
	})
}

// partSum returns the summand of a part in a state. It is 0 in the first state.
func partSum(part, state int32) [2]uint64 {
	if state == 0 {
		return [2]uint64{}
	}
	x := uint64(uint32(part))<<32 | uint64(uint32(state))
	return [2]uint64{table.Random(x), table.Random(^x)}
}

// get returns the state of a part.
func (c *composite) get(s compositeState, part int32) int32 {
	if part>>(fanoutBits*s.levels) != 0 {
		return 0
	}
	n := s.root
	for level := s.levels - 1; level >= 0; level-- {
		n = c.nodes[n+part>>(fanoutBits*level)&(fanout-1)]
	}
	return n
}

// set changes the state of a part, in copies of the nodes that lead to it.
func (c *composite) set(s *compositeState, part, state int32) {
	for s.levels == 0 || part>>(fanoutBits*s.levels) != 0 {
		if s.levels++; s.root != 0 {
			c.nodes = append(c.nodes, s.root, 0, 0, 0, 0, 0, 0, 0)
			s.root = int32(len(c.nodes)) - fanout
		}
	}
	s.root = c.with(s.root, s.levels-1, part, state)
}

// with returns a copy of a node in which the part has the state.
func (c *composite) with(node, level, part, state int32) int32 {
	n := int32(len(c.nodes))
	c.nodes = append(c.nodes, c.nodes[node:node+fanout]...)
	at := part >> (fanoutBits * level) & (fanout - 1)
	if level > 0 {
		state = c.with(c.nodes[n+at], level-1, part, state)
	}
	c.nodes[n+at] = state
	return n
}

func (c *composite) bytes() int64 {
	bytes := int64(len(c.nodes))*4 + c.states.Bytes()
	if c.steps != nil { // a machine of its own
		bytes += c.parts.Bytes()
	}
	return bytes
}

func (c *composite) keep(states []int32) {
	old, nodes := c.states, c.nodes
	c.states, c.nodes = c.spare.states, c.spare.nodes
	c.empty()
	moved := append(c.spare.moved[:0], make([]int32, len(nodes)/fanout)...) // node -> where its copy begins
	c.spare = spareStates{old, nodes, moved}
	var move func(node, level int32) int32
	move = func(node, level int32) int32 {
		if node == 0 || moved[node/fanout] != 0 {
			return moved[node/fanout]
		}
		n := int32(len(c.nodes))
		moved[node/fanout] = n
		c.nodes = append(c.nodes, nodes[node:node+fanout]...)
		for i := n; level > 0 && i < n+fanout; i++ {
			below := move(c.nodes[i], level-1)
			c.nodes[i] = below
		}
		return n
	}
	for i, s := range states {
		from := *old.At(s)
		id := c.find(&from)
		if id < 0 {
			from.root = move(from.root, from.levels-1)
			id = c.add(from)
		}
		states[i] = id
	}
}
