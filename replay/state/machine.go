package state

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Fail is the state after an operation whose recorded result is impossible in
// the specification.
const Fail = -1

// A Machine replays operations of one history on a specification whose objects
// are States. States are interned by their canonical keys and every transition
// is computed once, so replaying is a table lookup. Operations that are alike
// (same method, arguments and result) share a column. A state of the machine is
// the set of states that a nondeterministic object may be in. A Machine is not
// safe for concurrent use.
type Machine struct {
	*tables
	ops        []history.Operation
	column     []int32 // operation -> column
	sizeBefore int64   // size of the tables before this history, in bytes
	keptBytes  int64   // bytes after the last Keep
	// compact, if it is not nil, has the states instead of the tables: a sequence or a
	// composite.
	compact   persistent
	numbering *numbering // see UseVersions; nil without it

	meter    *meter.Meter // see Bound
	maxBytes int64        // bound of the tables; 0: no bound
	gaveUp   replay.Cause
}

// NewMachine returns a Machine for the operations of p, or nil if the
// specification's objects are not States.
func NewMachine(p *ops.Problem) *Machine {
	n := len(p.H.Ops)
	t := takeTables(n, p.Spec)
	if t == nil {
		return nil
	}
	m := &t.view
	*m = Machine{tables: t, ops: p.H.Ops, column: slices.Grow(m.column[:0], n)[:n], sizeBefore: t.size()}
	for i := range p.H.Ops {
		m.column[i] = t.columnOf(&p.H.Ops[i])
	}
	return m
}

// NewLazyMachine returns a Machine that reads an operation when it is first needed, if the
// history has more than SharedOps operations.
func NewLazyMachine(p *ops.Problem) *Machine {
	if len(p.H.Ops) <= SharedOps {
		return NewMachine(p)
	}
	t := takeTables(len(p.H.Ops), p.Spec)
	if t == nil {
		return nil
	}
	m := &t.view
	*m = Machine{tables: t, ops: p.H.Ops, column: slices.Repeat([]int32{unseen}, len(p.H.Ops))}
	return m
}

// UseCompact makes states compact, if that is possible and the history is long. It must be
// called before the first Step. Objects must not be called after it, except for the first
// state.
func (m *Machine) UseCompact(p *ops.Problem) {
	if len(p.H.Ops) > SharedOps {
		m.compact = newPersistent(p, m)
	}
}

// IsCompact reports whether the states are compact.
func (m *Machine) IsCompact() bool { return m.compact != nil }

// unseen is the column of an operation that a lazy machine has not read.
const unseen = -1

// Crowded reports whether the states take more than crowded bytes or half of the
// memory, and more than twice as much as after the last Keep.
func (m *Machine) Crowded() bool {
	limit := int64(crowded)
	if m.maxBytes > 0 {
		limit = min(limit, m.maxBytes/2)
	}
	return m.stateBytes() > max(limit, 2*m.keptBytes)
}

// crowded is enough memory for the states that one response of most histories needs.
// With a sixteenth of it, the depth of 100,000 operations of a register takes 1.6 of
// the time. With four times as much, what queues of BenchmarkPrices allocate is 1.5 of it.
const crowded = 1 << 23

// stateBytes returns the memory that Keep may free.
func (m *Machine) stateBytes() int64 {
	if m.compact != nil {
		return m.compact.bytes()
	}
	return m.Bytes()
}

// Keep forgets all states except the first and the given ones, and replaces the given
// numbers by the new ones.
func (m *Machine) Keep(states []int32) {
	if m.compact != nil {
		m.compact.keep(states)
	} else {
		m.keepWhole(states)
	}
	m.keptBytes = m.stateBytes()
}

// Forget forgets all states except the first.
func (m *Machine) Forget() {
	m.keepWhole(nil)
	m.Keep(nil)
}

func (m *Machine) keepWhole(states []int32) {
	old := m.tables.states
	m.tables.forgetStates()
	m.intern(old[0])
	number := make(map[int32]int32, len(states))
	for i, s := range states {
		n, known := number[s]
		if !known {
			n = m.intern(old[s])
			number[s] = n
		}
		states[i] = n
	}
}

// Bound bounds the machine. The meter counts outcomes computed, if a transition has
// several, and the elements of lists in arguments. The tables may grow by maxBytes; 0 means any
// amount. After a Step that exceeds a bound, GaveUp returns the cause, until Bound is
// called again.
func (m *Machine) Bound(count *meter.Meter, maxBytes int64) {
	m.meter, m.maxBytes, m.gaveUp = count, maxBytes, replay.NoCause
}

// GaveUp returns why a transition was not fully computed, or replay.NoCause if all were.
// Results of Step since that transition are meaningless.
func (m *Machine) GaveUp() replay.Cause { return m.gaveUp }

// Start returns the initial state.
func (m *Machine) Start() int32 { return 0 }

// Objects returns the objects that a state stands for: several if the object is
// nondeterministic.
func (m *Machine) Objects(state int32) []replay.State { return m.states[state] }

// Column returns the column of op. Columns are numbered as they are read. Two operations have
// the same column exactly if they are alike.
func (m *Machine) Column(op int32) int32 {
	if m.column[op] == unseen {
		m.column[op] = m.columnOf(&m.ops[op])
	}
	return m.column[op]
}

// Bytes estimates the memory that this history has added to the tables.
func (m *Machine) Bytes() int64 {
	return m.size() - m.sizeBefore + m.CompactBytes()
}

// Computed returns how many transitions have been computed.
func (m *Machine) Computed() int { return m.next.Len() }

// MeanState returns the mean memory of a state of a whole object, in bytes.
func (m *Machine) MeanState() int64 { return m.inStates / int64(len(m.tables.states)) }

// CompactBytes returns the memory of the compact states, or 0 if there are none.
func (m *Machine) CompactBytes() int64 {
	if m.compact == nil {
		return 0
	}
	return m.compact.bytes()
}

// Step returns the state after operation op in the given state, or Fail.
func (m *Machine) Step(state, op int32) int32 {
	if m.compact != nil {
		return m.compact.step(state, op)
	}
	next := m.stepWhole(state, op)
	if m.numbering != nil && m.ops[op].Pending() && m.forbids(state, next) {
		return Fail
	}
	return next
}

// stepWhole is Step on whole objects.
func (m *Machine) stepWhole(state, op int32) int32 {
	c := m.Column(op)
	next, known := m.next.get(state, c)
	if !known {
		if next = m.compute(state, &m.sample[c]); m.gaveUp != replay.NoCause {
			return Fail
		}
		m.next.put(state, c, next)
	}
	return next
}

// argumentWork is the work for the lists in the arguments of op in one transition: the steps
// of a transaction, the elements of a bulk operation.
func argumentWork(op *history.Operation) int {
	work := 0
	for _, arg := range op.Args {
		work += len(arg.List())
	}
	return work
}

// compute applies op to each state of the set and interns the resulting set. A
// pending operation for which there is no transition did not take effect. Sets
// can grow by a factor with each operation, so bounds are checked inside the
// loop. The time and memory of slow objects and of large states are checked after each
// transition, because the engines check only after many of them.
func (m *Machine) compute(state int32, op *history.Operation) int32 {
	if m.gaveUp != replay.NoCause {
		return Fail
	}
	var after []replay.State
	elements := argumentWork(op)
	for _, s := range m.states[state] {
		if elements > 0 && m.isOver(elements, len(after)) {
			return Fail
		}
		outcomes := replay.OutcomesOf(s, op)
		for _, o := range outcomes {
			if replay.Accepts(op.Result, o.Result) {
				after = append(after, o.Next)
			}
		}
		if len(outcomes) == 0 && op.Pending() && !op.Happened {
			after = append(after, s)
		}
		if len(outcomes) > 1 && m.isOver(len(outcomes), len(after)) {
			return Fail
		}
	}
	next := int32(Fail)
	if len(after) > 0 {
		next = m.intern(after)
	}
	isLarge := len(m.scratch) > largeKey
	switch {
	case isLarge && m.meter.Call(), replay.Calls(m.spec, m.meter).Call():
		m.gaveUp = replay.Time
	case isLarge && m.maxBytes > 0 && m.Bytes() > m.maxBytes:
		m.gaveUp = replay.Memory
	}
	return next
}

// largeKey is the length above which the key of a state is large. All keys or none change
// nothing in BenchmarkPrices. It bounds the memory and the silence of one long schedule.
const largeKey = 1 << 12

// isOver counts work and reports whether to give up with this many new states.
func (m *Machine) isOver(work, states int) bool {
	switch {
	case m.meter.MustStop(work):
		m.gaveUp = replay.Time
	case m.maxBytes > 0 && m.Bytes()+int64(states)*stateCost > m.maxBytes:
		m.gaveUp = replay.Memory
	}
	return m.gaveUp != replay.NoCause
}

// Release passes the tables on to the next history of the same specification,
// which then reuses their transitions. The Machine must not be used afterwards.
// Tables that are not released are garbage-collected.
func (m *Machine) Release() {
	t := m.tables
	m.tables, m.ops = nil, nil
	t.giveBack()
}
