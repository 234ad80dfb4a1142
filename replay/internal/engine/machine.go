package engine

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Fail is the state after an operation whose recorded result the
// specification cannot give.
const Fail = -1

// A Machine replays operations of one history on a specification whose
// objects are States. States are interned by their canonical keys and every
// transition is computed once, so that replaying is looking up a table.
// Operations that look the same (method, arguments, result) share a column.
// A state of the machine is the set of states in which a nondeterministic
// object may be. It is not safe for concurrent use.
type Machine struct {
	*tables
	ops    []history.Operation
	column []int32 // operation -> column
	found  int64   // bytes of the tables when they were taken

	meter    *meter.Meter // see Bound
	maxBytes int64        // of the tables, 0: no bound
	gaveUp   replay.Cause
}

// NewMachine returns a Machine for the operations of h, or nil if the
// specification's objects are not States.
func NewMachine(h *history.History, spec replay.Spec) *Machine {
	t := takeTables(len(h.Ops), spec)
	if t == nil {
		return nil
	}
	m := &t.view
	*m = Machine{tables: t, ops: h.Ops, column: slices.Grow(m.column[:0], len(h.Ops))[:len(h.Ops)], found: t.size()}
	for i := range h.Ops {
		m.column[i] = t.columnOf(&h.Ops[i])
	}
	return m
}

// Bound bounds the machine: the meter counts outcomes computed, and the tables
// may hold maxBytes more, 0 meaning any number. Where a bound is passed within a
// Step, GaveUp says so from then on.
func (m *Machine) Bound(count *meter.Meter, maxBytes int64) {
	m.meter, m.maxBytes = count, maxBytes
}

// GaveUp returns why a transition was not computed to its end, replay.NoCause if all
// were. What Step returned from then on says nothing.
func (m *Machine) GaveUp() replay.Cause { return m.gaveUp }

// Start returns the initial state.
func (m *Machine) Start() int32 { return 0 }

// Same reports whether two operations look the same: method, arguments and
// result.
func (m *Machine) Same(a, b int32) bool { return m.column[a] == m.column[b] }

// Look returns a number, below Looks(), that two operations share exactly if
// they look the same.
func (m *Machine) Look(op int32) int32 { return m.column[op] }

// ReadOnly is what Facts says of op.
func (m *Machine) ReadOnly(op int32) bool { return m.sample[m.column[op]].readOnly }

// Valid reports whether the specification accepts all operations: see Check.
// Until then Step must not be called.
func (m *Machine) Valid() bool {
	for _, c := range m.column {
		if m.sample[c].wrong {
			return false
		}
	}
	return true
}

// Looks bounds the numbers of Look.
func (m *Machine) Looks() int { return len(m.sample) }

// Bytes estimates the memory of what this history has added to the tables.
func (m *Machine) Bytes() int64 { return m.size() - m.found }

// Step returns the state after operation op in the given state, or Fail.
func (m *Machine) Step(state, op int32) int32 {
	c := m.column[op]
	next, known := m.next.get(state, c)
	if !known {
		if next = m.compute(state, &m.sample[c].Operation); m.gaveUp != replay.NoCause {
			return Fail
		}
		m.next.put(state, c, next)
	}
	return next
}

// compute applies op to each state of the set and interns what comes out.
// A pending operation for which there is no transition did not take effect.
// Sets can grow by a factor with each operation, so that bounds are looked at
// within.
func (m *Machine) compute(state int32, op *history.Operation) int32 {
	inv := replay.Invocation{Method: op.Method, Args: op.Args}
	var after []replay.State
	for _, s := range m.states[state] {
		outcomes := replay.Transitions(s, inv)
		for _, o := range outcomes {
			if replay.Accepts(op.Result, o.Result) {
				after = append(after, o.Next)
			}
		}
		if len(outcomes) == 0 && op.Pending() && !op.Happened {
			after = append(after, s)
		}
		if len(outcomes) > 1 && m.isOver(outcomeWork*len(outcomes), len(after)) {
			return Fail
		}
	}
	if len(after) == 0 {
		return Fail
	}
	return m.intern(after)
}

// outcomeWork is the work of one of several outcomes: making the state, its key
// and its place among the others.
const outcomeWork = 16

// isOver counts work and reports whether to give up with so many new states.
func (m *Machine) isOver(work, states int) bool {
	switch {
	case m.meter.MustStop(work):
		m.gaveUp = replay.Time
	case m.maxBytes > 0 && m.Bytes()+int64(states)*stateCost > m.maxBytes:
		m.gaveUp = replay.Memory
	}
	return m.gaveUp != replay.NoCause
}

// Release gives the tables to the next history of the same specification,
// which then finds in them what this one has computed. The Machine must not be
// used afterwards. One that is not released is forgotten with its tables.
func (m *Machine) Release() {
	t := m.tables
	m.tables, m.ops = nil, nil
	t.giveBack()
}
