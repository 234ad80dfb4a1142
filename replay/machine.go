package replay

import (
	"slices"

	"github.com/leadline/leadline/history"
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
}

// NewMachine returns a Machine for the operations of h, or nil if the
// specification's objects are not States.
func NewMachine(h *history.History, spec Spec) *Machine {
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

// Start returns the initial state.
func (m *Machine) Start() int32 { return 0 }

// Same reports whether two operations look the same: method, arguments and
// result.
func (m *Machine) Same(a, b int32) bool { return m.column[a] == m.column[b] }

// Look returns a number, below Looks(), that two operations share exactly if
// they look the same.
func (m *Machine) Look(op int32) int32 { return m.column[op] }

// Observes reports whether the specification is an Observer that says so of op.
func (m *Machine) Observes(op int32) bool { return m.sample[m.column[op]].observes }

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
		next = m.compute(state, &m.sample[c].Operation)
		m.next.put(state, c, next)
	}
	return next
}

// Release gives the tables to the next history of the same specification,
// which then finds in them what this one has computed. The Machine must not be
// used afterwards. One that is not released is forgotten with its tables.
func (m *Machine) Release() {
	t := m.tables
	m.tables, m.ops = nil, nil
	t.giveBack()
}
