package search

import "github.com/leadline/leadline/replay"

// A cursor is a state that is changed in place. What was applied since a copy
// was taken is remembered, so that the state can be had back when an operation
// turns out not to have its recorded result.
type cursor struct {
	g     *guesser
	state replay.State
	kept  replay.State
	since []int32
}

// copyEvery is after how many operations a cursor takes a new copy.
const copyEvery = 12

// applyWork is what applying an operation counts, for the meter: there are
// copies of the state behind it.
const applyWork = 4

// newCursor returns a cursor at the state, which it takes over.
func newCursor(g *guesser, state replay.State) *cursor {
	return &cursor{g: g, state: state, kept: state.Clone()}
}

// stateAt returns a copy of the state if one is to be kept before response k,
// else nil.
func (c *cursor) stateAt(k int32) replay.State {
	if k%keepEvery != 0 {
		return nil
	}
	return c.state.Clone()
}

// apply applies op and reports whether the object answered as recorded. Once
// it is time to stop, nothing is accepted any more, and the guess comes to its
// end.
func (c *cursor) apply(op int32) bool {
	c.g.spent++
	if c.g.s.meter.MustStop(applyWork) {
		return false
	}
	o := &c.g.s.ops[op]
	result, ok := c.state.Apply(replay.Invocation{Method: o.Method, Args: o.Args})
	return ok && replay.Accepts(o.Result, result)
}

// accepts reports whether the operations have their recorded results one
// after another; the cursor stays where it is.
func (c *cursor) accepts(ops []int32) bool {
	accepted := true
	for _, op := range ops {
		if accepted = c.apply(op); !accepted {
			break
		}
	}
	c.goBack()
	return accepted
}

// goBack undoes what was applied and is not remembered.
func (c *cursor) goBack() {
	c.state = c.kept.Clone()
	for _, op := range c.since {
		c.apply(op)
	}
}

// step applies op if it is accepted; else the cursor stays where it is.
func (c *cursor) step(op int32) bool {
	if !c.apply(op) {
		c.goBack()
		return false
	}
	c.remember(op)
	return true
}

func (c *cursor) remember(op int32) {
	c.since = append(c.since, op)
	if len(c.since) >= copyEvery {
		c.kept, c.since = c.state.Clone(), c.since[:0]
	}
}

// run applies operations that are accepted.
func (c *cursor) run(ops []int32) {
	for _, op := range ops {
		c.apply(op)
		c.remember(op)
	}
}
