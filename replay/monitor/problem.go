package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
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
func newProblem(in *ops.Problem, m *meter.Meter) (*problem, string) {
	c, n := in.Columns(m), len(in.H.Ops)
	if c == nil {
		return nil, stopped
	}
	p := &problem{discipline: in.Discipline(), meter: m, call: make([]int32, n), ret: make([]int32, n),
		roles: slices.Clone(c.Role), valueOf: slices.Clone(c.Value)}
	if p.discipline == replay.FirstInBounded {
		return nil, "no monitor for " + in.Spec.Name()
	}
	for i := range n {
		if declined := p.read(int32(i), &in.H.Ops[i], c); declined != "" {
			return nil, declined
		}
	}
	values := c.Values
	switch p.discipline {
	case replay.BothEnds:
		p.front = make([]bool, n)
	case replay.LastIn:
		values = p.dropRepeated(values)
	case replay.Overwritten:
		p.initials, values = values, values+1
	case replay.OverwrittenByKey:
		p.initials = values
		p.key = append(slices.Clone(c.PartOf), indices(int(c.Parts))...)
		values = int32(len(p.key))
	}
	p.values = make([]element, values+1)
	for v := range p.values {
		p.values[v] = element{insert: none, remove: none}
	}
	if declined := p.enter(); declined != "" {
		return nil, declined
	}
	if p.discipline == replay.Smallest || p.discipline == replay.Largest {
		p.ranks = make([]history.Value, values)
		for v := range p.ranks {
			if op := p.values[v].insert; op != none {
				p.ranks[v] = in.ValueOf(op)
			}
		}
	}
	return p, ""
}

const (
	unknownOperations = "operations that no monitor knows"
	repeatedValues    = "values that are not distinct"
)

// initial - k stands for the initial value of key k until all values are counted.
const initial = none - 1

// read reads the events of operation i and adapts its role. If it declines, it returns the
// reason.
func (p *problem) read(i int32, op *history.Operation, c *ops.Columns) string {
	p.call[i], p.ret[i] = op.Call, op.Return
	p.end = max(p.end, op.Call+1)
	if !op.Pending() {
		p.end = max(p.end, op.Return+1)
	}
	isMap := p.discipline == replay.OverwrittenByKey
	switch role := p.roles[i]; {
	case role == replay.Size && p.discipline == replay.LastIn:
		p.roles[i], p.partial = replay.Idle, unknownOperations
		p.valueOf[i] = none
	case role == replay.Size, role == replay.Other, role == replay.Clear:
		return unknownOperations
	case role == replay.Idle, role == replay.Never:
	case isMap && c.Part[i] == none:
		return unknownOperations
	case role == replay.Nothing && isMap:
		p.roles[i], p.valueOf[i] = replay.Look, initial-c.Part[i]
	case role == replay.Nothing && p.discipline == replay.Overwritten:
		p.roles[i], p.valueOf[i] = replay.Look, initial
	case (role == replay.Remove || role == replay.RemoveFront) && p.valueOf[i] == none:
		if op.Happened { // it may have found nothing, which not every removal can
			return "pending removals that happened"
		}
		p.pendingRemovals = append(p.pendingRemovals, i)
		p.roles[i] = replay.Idle
	}
	return ""
}

// dropRepeated leaves out the operations on values that are inserted into a stack several
// times, and returns how many values remain. A witness of the stack, restricted to the
// operations on other values and those that find nothing, is a witness of these operations.
// Pending removals may have taken a value that is left out, and need not have happened.
func (p *problem) dropRepeated(values int32) int32 {
	times := make([]int32, values) // value -> insertions
	for i, role := range p.roles {
		if role == replay.Insert {
			if times[p.valueOf[i]]++; times[p.valueOf[i]] > 1 {
				p.partial = repeatedValues
			}
		}
	}
	if p.partial != repeatedValues {
		return values
	}
	number := times // value -> its number among the remaining values
	values = 0
	for v := range number {
		if number[v] > 1 {
			number[v] = none
			continue
		}
		number[v] = values
		values++
	}
	for i, v := range p.valueOf {
		if v >= 0 {
			if p.valueOf[i] = number[v]; number[v] == none {
				p.roles[i] = replay.Idle
			}
		}
	}
	return values
}

// enter fills in the operations of each value. If it declines, it returns the reason.
func (p *problem) enter() string {
	first, second := int32(none), int32(none) // removals of one value
	for i, role := range p.roles {
		op := int32(i)
		if at := p.valueOf[i]; at <= initial {
			p.valueOf[i] = p.initials + initial - at
		}
		var v *element
		if p.valueOf[i] >= 0 {
			v = &p.values[p.valueOf[i]]
		}
		switch role {
		case replay.InsertFront, replay.RemoveFront, replay.LookFront:
			p.front[i] = true
		}
		switch role {
		case replay.Nothing:
			p.nothing = append(p.nothing, op)
		case replay.Never:
			if p.ret[i] != history.NoReturn {
				p.impossible = []int32{op}
			}
		case replay.Insert, replay.InsertFront:
			if v.insert != none {
				if p.discipline != replay.Named {
					return repeatedValues
				}
				p.hasReadded = true
			}
			v.insert = op
		case replay.Remove, replay.RemoveFront:
			switch {
			case v.remove == none || p.ret[v.remove] == history.NoReturn && p.ret[i] != history.NoReturn:
				v.remove = op
			case p.ret[i] != history.NoReturn:
				first, second = v.remove, op
			}
		case replay.Look, replay.LookFront:
			v.looks++
		case replay.Absent:
			v.absents++
		}
	}
	if p.hasReadded {
		return ""
	}
	if p.impossible == nil && second != none {
		p.impossible = []int32{first, second}
	}
	p.list()
	p.giveBack(p.valueOf)
	p.roles, p.valueOf = nil, nil
	return ""
}

// list fills in looks and absents by value, in the order of invocations.
func (p *problem) list() {
	looks, absents := int32(0), int32(0)
	for i := range p.values { // set the places where the looks and absents of values end
		v := &p.values[i]
		looks, absents = looks+v.looks, absents+v.absents
		v.looks, v.absents = looks, absents
	}
	p.looks, p.absents = make([]int32, looks), make([]int32, absents)
	if looks+absents == 0 {
		return
	}
	for i := int32(len(p.roles)) - 1; i >= 0; i-- {
		switch p.roles[i] {
		case replay.Look, replay.LookFront:
			v := &p.values[p.valueOf[i]]
			v.looks--
			p.looks[v.looks] = i
		case replay.Absent:
			v := &p.values[p.valueOf[i]]
			v.absents--
			p.absents[v.absents] = i
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
