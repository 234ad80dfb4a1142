package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A problem is a history, arranged by the values that its operations insert, read and
// remove.
// Slots lie between the events of the history, which are at positions 0, 1, 2, ...:
// slot i is right before the event at position i. Operation op can take effect in
// slots call[op]+1 to ret[op]. Operations that take effect in one slot are concurrent,
// so any order of them respects real time.
type problem struct {
	discipline replay.Discipline
	call, ret  []int32   // operation -> positions of its events; ret is history.NoReturn when pending
	end        int32     // the position after the last event
	front      []bool    // operation -> it works at the front of a deque; nil for other collections
	values     []element // in the order of first appearance
	looks      []int32   // looks of value v: looks[values[v].looks:values[v+1].looks]; values has one more
	absents    []int32   // like looks, for the operations that found v absent
	nothing    []int32   // operations that found the collection empty
	// pendingRemovals may have removed any value that no other operation removed.
	// (Removals from a set name their values and are not here.)
	pendingRemovals []int32
	impossible      []int32   // a conflict that was found when reading
	partial         string    // if not "", some operations are left out, so an order proves nothing
	spare           [][]int32 // see ints
	// meter counts work. Passes over a list are not counted as long as there is
	// a fixed number of them; all other work is.
	meter *meter.Meter

	ranks []history.Value // for a priority queue: the values themselves

	// In a register, the last value is the initial one, which is never inserted.
	// In a map, each pair of a key and a value is a value, and the values from
	// initials on are the initial values of the keys.
	initials int32
	key      []int32 // value -> key; nil if all are 0

	// hasReadded: a value was added to a set again. Then roles and valueOf are kept, and
	// looks and absents are not filled in.
	hasReadded bool
	roles      []replay.Role // of operations
	valueOf    []int32       // operation -> value, or none
}

// An element is a value with its operations.
type element struct {
	insert, remove int32 // operations, or none; the first of several pending removals
	looks, absents int32 // where its looks and absents begin in the lists of the problem
}

// none means no operation, or no value.
const none = -1

// newProblem reads the history. If it declines, it returns the reason.
func newProblem(h *history.History, d replay.Described, discipline replay.Discipline, m *meter.Meter) (*problem, string) {
	n := len(h.Ops)
	r := reader{spec: d, problem: &problem{discipline: discipline, call: make([]int32, n), ret: make([]int32, n),
		roles: make([]replay.Role, n), valueOf: make([]int32, n)}}
	r.parted = r.discipline == replay.OverwrittenByKey
	r.names, r.keys, r.pairs.values = newNumbering(n), newNumbering(n), newNumbering(n)
	r.meter = m
	for i := range n {
		if r.meter.MustStop(1) {
			return nil, stopped
		}
		if declined := r.read(int32(i), &h.Ops[i]); declined != "" {
			return nil, declined
		}
	}
	if r.discipline == replay.BothEnds {
		r.front = make([]bool, n)
	}
	if r.discipline == replay.LastIn {
		r.dropRepeated()
	}
	values := r.names.n
	switch r.discipline {
	case replay.Overwritten:
		r.initials, values = values, values+1
	case replay.OverwrittenByKey:
		r.initials = int32(len(r.pairs.keys))
		r.key = append(r.pairs.keys, indices(int(r.keys.n))...)
		values = int32(len(r.key))
	}
	r.names, r.keys, r.pairs = numbering{}, numbering{}, pairing{}
	r.values = make([]element, values+1)
	for v := range r.values {
		r.values[v] = element{insert: none, remove: none}
	}
	if declined := r.enter(); declined != "" {
		return nil, declined
	}
	if r.discipline == replay.Smallest || r.discipline == replay.Largest {
		r.ranks = make([]history.Value, values)
		for v := range r.ranks {
			if op := r.values[v].insert; op != none {
				r.ranks[v] = d.Facts(&h.Ops[op]).Value
			}
		}
	}
	return r.problem, ""
}

// A reader collects the roles of the operations and numbers their values.
type reader struct {
	*problem
	spec   replay.Described
	parted bool      // a map
	names  numbering // numbers the values
	keys   numbering // numbers the keys of a map
	pairs  pairing   // numbers the pairs of keys and values of a map
}

const (
	unknownOperations = "operations that no monitor knows"
	repeatedValues    = "values that are not distinct"
)

// initial - k stands for the initial value of key k until all values are counted.
const initial = none - 1

// read reads operation i. If it declines, it returns the reason.
func (r *reader) read(i int32, op *history.Operation) string {
	r.call[i], r.ret[i] = op.Call, op.Return
	r.end = max(r.end, op.Call+1)
	if !op.Pending() {
		r.end = max(r.end, op.Return+1)
	}
	facts := r.spec.Facts(op)
	role, value := facts.Role, facts.Value
	r.roles[i], r.valueOf[i] = role, none
	switch role {
	case replay.Size:
		if r.discipline != replay.LastIn {
			return unknownOperations
		}
		r.roles[i], r.partial = replay.Idle, unknownOperations
		return ""
	case replay.Other, replay.Clear:
		return unknownOperations
	case replay.Idle, replay.Never:
		return ""
	case replay.Remove, replay.RemoveFront:
		if value.Kind() == history.Unknown {
			if op.Happened { // it may have found nothing, which not every removal can
				return "pending removals that happened"
			}
			r.pendingRemovals = append(r.pendingRemovals, i)
			r.roles[i] = replay.Idle
			return ""
		}
	}
	key := int32(0)
	if r.parted {
		part, ok := facts.PartOf(op)
		if !ok {
			return unknownOperations
		}
		key = r.keys.number(part)
	}
	switch overwritten := r.discipline == replay.Overwritten || r.parted; {
	case role == replay.Nothing && overwritten:
		r.roles[i], r.valueOf[i] = replay.Look, initial-key
	case role == replay.Nothing:
	case r.parted:
		r.valueOf[i] = r.pairs.number(key, value)
	default:
		r.valueOf[i] = r.names.number(value)
	}
	return ""
}

// dropRepeated leaves out the operations on values that are inserted into a stack several
// times. A witness of the stack, restricted to the operations on other values and those
// that find nothing, is a witness of these operations. Pending removals may have taken a
// value that is left out, and need not have happened.
func (r *reader) dropRepeated() {
	times := make([]int32, r.names.n) // value -> insertions
	for i, role := range r.roles {
		if role == replay.Insert {
			if times[r.valueOf[i]]++; times[r.valueOf[i]] > 1 {
				r.partial = repeatedValues
			}
		}
	}
	if r.partial != repeatedValues {
		return
	}
	number := times // value -> its number among the remaining values
	r.names.n = 0
	for v := range number {
		if number[v] > 1 {
			number[v] = none
			continue
		}
		number[v] = r.names.n
		r.names.n++
	}
	for i, v := range r.valueOf {
		if v >= 0 {
			if r.valueOf[i] = number[v]; number[v] == none {
				r.roles[i] = replay.Idle
			}
		}
	}
}

// enter fills in the operations of each value. If it declines, it returns the reason.
func (r *reader) enter() string {
	first, second := int32(none), int32(none) // removals of one value
	for i, role := range r.roles {
		op := int32(i)
		if at := r.valueOf[i]; at <= initial {
			r.valueOf[i] = r.initials + initial - at
		}
		var v *element
		if r.valueOf[i] >= 0 {
			v = &r.values[r.valueOf[i]]
		}
		switch role {
		case replay.InsertFront, replay.RemoveFront, replay.LookFront:
			r.front[i] = true
		}
		switch role {
		case replay.Nothing:
			r.nothing = append(r.nothing, op)
		case replay.Never:
			if r.ret[i] != history.NoReturn {
				r.impossible = []int32{op}
			}
		case replay.Insert, replay.InsertFront:
			if v.insert != none {
				if r.discipline != replay.Named {
					return repeatedValues
				}
				r.hasReadded = true
			}
			v.insert = op
		case replay.Remove, replay.RemoveFront:
			switch {
			case v.remove == none || r.ret[v.remove] == history.NoReturn && r.ret[i] != history.NoReturn:
				v.remove = op
			case r.ret[i] != history.NoReturn:
				first, second = v.remove, op
			}
		case replay.Look, replay.LookFront:
			v.looks++
		case replay.Absent:
			v.absents++
		}
	}
	if r.hasReadded {
		return ""
	}
	if r.impossible == nil && second != none {
		r.impossible = []int32{first, second}
	}
	r.list()
	r.giveBack(r.valueOf)
	r.roles, r.valueOf = nil, nil
	return ""
}

// list fills in looks and absents by value, in the order of invocations.
func (r *reader) list() {
	looks, absents := int32(0), int32(0)
	for i := range r.values { // set the places where the looks and absents of values end
		v := &r.values[i]
		looks, absents = looks+v.looks, absents+v.absents
		v.looks, v.absents = looks, absents
	}
	r.looks, r.absents = make([]int32, looks), make([]int32, absents)
	if looks+absents == 0 {
		return
	}
	for i := int32(len(r.roles)) - 1; i >= 0; i-- {
		switch r.roles[i] {
		case replay.Look, replay.LookFront:
			v := &r.values[r.valueOf[i]]
			v.looks--
			r.looks[v.looks] = i
		case replay.Absent:
			v := &r.values[r.valueOf[i]]
			v.absents--
			r.absents[v.absents] = i
		}
	}
}

// count returns the number of values.
func (p *problem) count() int { return len(p.values) - 1 }

// looksOf returns the operations that read value v.
func (p *problem) looksOf(v int32) []int32 { return p.looks[p.values[v].looks:p.values[v+1].looks] }

// absentsOf returns the operations that found value v absent.
func (p *problem) absentsOf(v int32) []int32 {
	return p.absents[p.values[v].absents:p.values[v+1].absents]
}

// withoutUnremoved returns the problem without the values that a pending removal may
// have taken: the values that no other operation removed. It has all operations of p on
// the other values, so a conflict in it is a conflict in p.
func (p *problem) withoutUnremoved() *problem {
	q := &problem{discipline: p.discipline, call: p.call, ret: p.ret, end: p.end, front: p.front, nothing: p.nothing, meter: p.meter}
	for i := range p.count() {
		v := int32(i)
		e := p.values[v]
		if e.insert != none && e.remove == none {
			continue
		}
		looks, absents := p.looksOf(v), p.absentsOf(v)
		e.looks, e.absents = int32(len(q.looks)), int32(len(q.absents))
		q.values = append(q.values, e)
		if p.ranks != nil {
			q.ranks = append(q.ranks, p.ranks[v])
		}
		q.looks, q.absents = append(q.looks, looks...), append(q.absents, absents...)
	}
	q.values = append(q.values, element{looks: int32(len(q.looks)), absents: int32(len(q.absents))})
	return q
}

// A numbering numbers values by first appearance.
type numbering struct {
	dense []int32 // int from 0 to below limit -> number + 1, or 0
	limit int64
	ints  map[int64]int32
	other map[string]int32
	n     int32
	key   []byte
}

// newNumbering returns a numbering for the values of ops operations.
func newNumbering(ops int) numbering { return numbering{limit: 4*int64(ops) + 64} }

func (m *numbering) number(v history.Value) int32 {
	if v.Kind() == history.Int {
		k := v.Int()
		if k >= 0 && k < m.limit {
			if k >= int64(len(m.dense)) {
				m.grow(k)
			}
			if m.dense[k] == 0 {
				m.n++
				m.dense[k] = m.n
			}
			return m.dense[k] - 1
		}
		if m.ints == nil {
			m.ints = map[int64]int32{}
		}
		return next(m, m.ints, k)
	}
	if m.other == nil {
		m.other = map[string]int32{}
	}
	m.key = v.AppendKey(m.key[:0])
	if i, ok := m.other[string(m.key)]; ok {
		return i
	}
	return next(m, m.other, string(m.key))
}

// grow makes room for k.
func (m *numbering) grow(k int64) {
	dense := make([]int32, min(m.limit, max(2*k, m.limit/4)))
	copy(dense, m.dense)
	m.dense = dense
}

func next[K comparable](m *numbering, index map[K]int32, key K) int32 {
	if i, ok := index[key]; ok {
		return i
	}
	m.n++
	index[key] = m.n - 1
	return m.n - 1
}

// A pairing numbers pairs of a key and a value by first appearance. While each
// value occurs with one key only, a list is enough.
type pairing struct {
	values numbering
	first  []pair // value -> the key that it first occurred with, and the number of the pair
	other  map[pair]int32
	keys   []int32 // pair -> key
}

type pair struct{ key, value int32 }

func (m *pairing) number(key int32, value history.Value) int32 {
	v, next := m.values.number(value), int32(len(m.keys))
	switch {
	case int(v) == len(m.first):
		m.first = push(m.first, pair{key, next})
	case m.first[v].key == key:
		return m.first[v].value
	default:
		if i, ok := m.other[pair{key, v}]; ok {
			return i
		}
		if m.other == nil {
			m.other = map[pair]int32{}
		}
		m.other[pair{key, v}] = next
	}
	m.keys = push(m.keys, key)
	return next
}

// push is append, but it doubles the capacity of a long list, where append adds only a
// quarter.
func push[E any](list []E, e E) []E {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 256))
	}
	return append(list, e)
}
