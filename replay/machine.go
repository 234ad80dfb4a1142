package replay

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// Fail is the state after an operation whose recorded result the
// specification cannot give.
const Fail = -1

const notYet = -2 // in a row: the transition has not been computed

// A Machine replays operations of one history on a specification whose
// objects are States. States are interned by their canonical keys and every
// transition is computed once, so that replaying is looking up a table.
// Operations that look the same (method, arguments, result) share a column.
// A state of the machine is the set of states in which a nondeterministic
// object may be. It is not safe for concurrent use.
type Machine struct {
	ops    []history.Operation
	column []int32 // operation -> column
	sample []int32 // column -> an operation
	states [][]State
	rows   [][]int32          // state -> column -> next state, Fail or notYet; nil if sparse
	sparse map[[2]int32]int32 // (state, column) -> next state or Fail, of long histories
	index  map[string]int32
	key    []byte
	bytes  int64
}

// denseColumns is up to how many columns the transitions of a state are a row.
const denseColumns = 256

// NewMachine returns a Machine for the operations of h, or nil if the
// specification's objects are not States.
func NewMachine(h *history.History, spec Spec) *Machine {
	initial, ok := spec.New().(State)
	if !ok {
		return nil
	}
	m := &Machine{ops: h.Ops, column: make([]int32, len(h.Ops)), index: map[string]int32{}}
	columns := make(map[string]int32, len(h.Ops))
	for i := range h.Ops {
		m.key = appendColumnKey(m.key[:0], &h.Ops[i])
		c, ok := columns[string(m.key)]
		if !ok {
			c = int32(len(m.sample))
			columns[string(m.key)] = c
			m.sample = append(m.sample, int32(i))
		}
		m.column[i] = c
	}
	if len(m.sample) > denseColumns {
		m.sparse = map[[2]int32]int32{}
	}
	m.intern([]State{initial})
	return m
}

func appendColumnKey(key []byte, op *history.Operation) []byte {
	switch {
	case !op.Pending():
		key = append(key, 'r')
	case op.Happened:
		key = append(key, 'h')
	default:
		key = append(key, 'p')
	}
	key = append(append(key, op.Method...), 0)
	for _, a := range op.Args {
		key = a.AppendKey(key)
	}
	return op.Result.AppendKey(append(key, 0xff))
}

// Start returns the initial state.
func (m *Machine) Start() int32 { return 0 }

// Same reports whether two operations look the same: method, arguments and
// result.
func (m *Machine) Same(a, b int32) bool { return m.column[a] == m.column[b] }

// Bytes estimates the memory of the tables.
func (m *Machine) Bytes() int64 { return m.bytes }

// Step returns the state after operation op in the given state, or Fail.
func (m *Machine) Step(state, op int32) int32 {
	c := m.column[op]
	if m.sparse != nil {
		return m.stepSparse(state, c)
	}
	if next := m.rows[state][c]; next != notYet {
		return next
	}
	next := m.compute(state, &m.ops[m.sample[c]])
	m.rows[state][c] = next
	return next
}

// sparseCost is the memory of an entry of sparse.
const sparseCost = 32

func (m *Machine) stepSparse(state, c int32) int32 {
	next, ok := m.sparse[[2]int32{state, c}]
	if !ok {
		next = m.compute(state, &m.ops[m.sample[c]])
		m.sparse[[2]int32{state, c}] = next
		m.bytes += sparseCost
	}
	return next
}

// compute applies op to each state of the set and interns what comes out.
// A pending operation for which there is no transition did not take effect.
func (m *Machine) compute(state int32, op *history.Operation) int32 {
	inv := Invocation{op.Method, op.Args}
	var after []State
	for _, s := range m.states[state] {
		outcomes := Transitions(s, inv)
		for _, o := range outcomes {
			if Accepts(op.Result, o.Result) {
				after = append(after, o.Next)
			}
		}
		if len(outcomes) == 0 && op.Pending() && !op.Happened {
			after = append(after, s)
		}
	}
	if len(after) == 0 {
		return Fail
	}
	return m.intern(after)
}

// Transitions returns the outcomes of an invocation: at most one of an
// ordinary state, any number of a nondeterministic one.
func Transitions(s State, inv Invocation) []Outcome {
	if n, ok := s.(Nondeterministic); ok {
		return n.Outcomes(inv)
	}
	next := s.Clone()
	result, ok := next.Apply(inv)
	if !ok {
		return nil
	}
	return []Outcome{{result, next}}
}

// rowCost is the memory of a state besides its key and its row: the object
// itself, its place in the index.
const rowCost = 256

func (m *Machine) intern(set []State) int32 {
	if len(set) == 1 {
		m.key = set[0].AppendKey(m.key[:0])
	} else {
		set = m.sortSet(set)
	}
	if id, ok := m.index[string(m.key)]; ok {
		return id
	}
	id := int32(len(m.states))
	m.index[string(m.key)] = id
	m.states = append(m.states, set)
	m.bytes += int64(2*len(m.key)) + rowCost*int64(len(set))
	if m.sparse == nil {
		row := make([]int32, len(m.sample))
		for c := range row {
			row[c] = notYet
		}
		m.rows = append(m.rows, row)
		m.bytes += 4 * int64(len(row))
	}
	return id
}

// sortSet sorts the states by key, leaves out doubles, and makes m.key the
// key of the set.
func (m *Machine) sortSet(set []State) []State {
	type keyed struct {
		key   string
		state State
	}
	byKey := make([]keyed, len(set))
	for i, s := range set {
		byKey[i] = keyed{string(s.AppendKey(nil)), s}
	}
	slices.SortStableFunc(byKey, func(x, y keyed) int {
		switch {
		case x.key < y.key:
			return -1
		case x.key > y.key:
			return 1
		}
		return 0
	})
	m.key = m.key[:0]
	set = set[:0]
	for i, k := range byKey {
		if i == 0 || k.key != byKey[i-1].key {
			set = append(set, k.state)
			// With its length in front no set's key is that of another.
			m.key = history.StringValue(k.key).AppendKey(m.key)
		}
	}
	if len(set) == 1 {
		m.key = set[0].AppendKey(m.key[:0])
	}
	return set
}
