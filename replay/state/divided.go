package state

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A divided has the steps of the operations of a replay.Divisible, for a composite. Such an
// operation concerns several parts, each step one part. States with equal sums are compared
// part by part.
type divided struct {
	spec   replay.Divisible
	ops    []history.Operation
	number map[string]int32 // numbers the parts
	key    []byte
	steps  []stepsOf // operation -> its steps
	// part is the part of each step. The steps are the operations of composite.parts.
	part    []int32
	changes []partChange // changes that the current operation has made so far
}

// stepsOf are the steps from first to end-1 of an operation.
type stepsOf struct{ first, end int32 }

// A partChange is a part with its state before and after an operation.
type partChange struct{ part, before, after int32 }

// newDivided returns a composite for the operations of h, a history of more than
// SharedOps operations, or nil if the specification is not a replay.Divisible.
func newDivided(h *history.History, spec replay.Spec) *composite {
	d, ok := spec.(replay.Divisible)
	if !ok {
		return nil
	}
	t := takeTables(len(h.Ops), spec)
	if t == nil {
		return nil
	}
	t.view = Machine{tables: t}
	c := &composite{parts: &t.view, divided: &divided{spec: d, ops: h.Ops, number: map[string]int32{}, steps: make([]stepsOf, len(h.Ops))}}
	c.empty()
	return c
}

// divide finds the steps of an operation. It returns false if op cannot be divided.
func (c *composite) divide(op int32) bool {
	d := c.divided
	o := &d.ops[op]
	steps, parts, ok := d.spec.Divide(o)
	if !ok {
		return false
	}
	known := &d.steps[op]
	known.first = int32(len(d.part))
	for i := range steps {
		// A pending step without a transition would be skipped, but the other steps
		// performed. So the steps of a pending operation are marked as happened.
		step := history.Operation{Method: steps[i].Method, Args: steps[i].Args, Result: steps[i].Result, Return: 1}
		if o.Pending() {
			step.Return, step.Happened = history.NoReturn, true
		}
		c.parts.ops = append(c.parts.ops, step)
		c.parts.column = append(c.parts.column, unseen)
		d.part = append(d.part, d.numberOf(parts[i]))
	}
	known.end = int32(len(d.part))
	return true
}

// numberOf returns the number of a part.
func (d *divided) numberOf(value history.Value) int32 {
	d.key = value.AppendKey(d.key[:0])
	part, known := d.number[string(d.key)]
	if !known {
		part = int32(len(d.number))
		d.number[string(d.key)] = part
	}
	return part
}

// stepDivided returns the state after op, or Fail.
func (c *composite) stepDivided(state, op int32) int32 {
	d := c.divided
	steps := d.steps[op]
	from := *c.states.At(state)
	d.changes = d.changes[:0]
	for k := steps.first; k < steps.end; k++ {
		change := d.change(c, from, d.part[k])
		after := c.parts.Step(change.after, k)
		if o := &d.ops[op]; after == Fail && o.Pending() && !o.Happened {
			return state
		} else if after == Fail {
			return Fail
		}
		change.after = after
	}
	nodes := len(c.nodes)
	for _, change := range d.changes {
		if change.before != change.after {
			from.change(change.part, change.before, change.after)
			c.set(&from, change.part, change.after)
		}
	}
	if len(c.nodes) == nodes {
		return state
	}
	id := c.states.Find(from.hash(), func(other *compositeState) bool { return other.sum == from.sum && c.isSame(*other, from) })
	if id >= 0 {
		c.nodes = c.nodes[:nodes]
		return id
	}
	return c.add(from)
}

// change returns the change that the operation has made to a part so far.
func (d *divided) change(c *composite, from compositeState, part int32) *partChange {
	for i := range d.changes {
		if d.changes[i].part == part {
			return &d.changes[i]
		}
	}
	s := c.get(from, part)
	d.changes = append(d.changes, partChange{part, s, s})
	return &d.changes[len(d.changes)-1]
}

// isSame reports whether all parts have the same states in a and b.
func (c *composite) isSame(a, b compositeState) bool {
	if a.levels < b.levels {
		a, b = b, a
	}
	for ; a.levels > b.levels; a.levels-- {
		for i := a.root + 1; i < a.root+fanout; i++ {
			if !c.isSameNode(c.nodes[i], 0, a.levels-2) {
				return false
			}
		}
		a.root = c.nodes[a.root]
	}
	return c.isSameNode(a.root, b.root, a.levels-1)
}

// isSameNode compares two nodes of a level, or two states of a part below level 0. Node 0
// maps every part to the first state.
func (c *composite) isSameNode(a, b, level int32) bool {
	switch {
	case a == b:
		return true
	case level < 0:
		return false
	}
	for i := range int32(fanout) {
		if !c.isSameNode(c.nodes[a+i], c.nodes[b+i], level-1) {
			return false
		}
	}
	return true
}

// readsAll divides all operations. It reports whether that is possible.
func (c *composite) readsAll() bool {
	for i := range c.divided.ops {
		if !c.divide(int32(i)) {
			return false
		}
	}
	return true
}
