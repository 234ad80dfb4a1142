package monitor

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A problem is a history in terms of the values that its operations insert,
// look at and remove. Between the events of the history, at positions 0, 1,
// 2, ..., lie slots: slot i is right before the event at position i.
// Operation op can take effect in slots call[op]+1 to ret[op]. Operations that
// take effect in one slot are concurrent, so that every order of theirs
// respects real time.
type problem struct {
	discipline replay.Discipline
	call, ret  []int32   // operation -> positions of its events; ret is history.NoReturn when pending
	end        int32     // the position behind the last event
	front      []bool    // operation -> is at the front of a deque; nil if none is
	values     []element // by first appearance
	looks      []int32   // looks of value v: looks[values[v].looks:values[v+1].looks]; values has one more
	absents    []int32   // as looks
	nothing    []int32   // operations that found the collection empty
	// pendingRemovals may have removed any value that nothing else did. (Those
	// of a set name theirs, so that they are not here.)
	pendingRemovals []int32
	impossible      []int32 // operations that are in conflict on the face of it
}

// An element is a value with its operations.
type element struct {
	value          history.Value // only where the order of values matters
	insert, remove int32         // operations, or none; of several removals that are pending the first
	looks, absents int32         // where its looks and absents begin
}

// none stands for no operation.
const none = -1

// newProblem reads the history; it says why if it declines.
func newProblem(h *history.History, c replay.Collection) (*problem, string) {
	n := len(h.Ops)
	p := &problem{discipline: c.Discipline(), call: make([]int32, n), ret: make([]int32, n)}
	roles := make([]replay.Role, n)
	about := make([]int32, n) // operation -> value
	var first []int32         // value -> operation on it
	names := newNumbering(h.Ops)
	for i := range h.Ops {
		op := &h.Ops[i]
		p.setTime(i, op)
		role, value := c.Role(op)
		roles[i], about[i] = role, none
		switch role {
		case replay.Other:
			return nil, "operations that no monitor knows"
		case replay.Idle, replay.Nothing, replay.Never:
			continue
		case replay.Remove, replay.RemoveFront:
			if value.Kind() == history.Unknown {
				if op.Happened { // perhaps of nothing, which not every removal can
					return nil, "pending removals that happened"
				}
				p.pendingRemovals = append(p.pendingRemovals, int32(i))
				roles[i] = replay.Idle
				continue
			}
		}
		about[i] = names.number(value)
		if int(about[i]) == len(first) {
			first = append(first, int32(i))
		}
	}
	if p.discipline == replay.BothEnds {
		p.front = make([]bool, n)
	}
	p.values = make([]element, len(first)+1)
	for v := range p.values {
		p.values[v] = element{insert: none, remove: none}
	}
	if p.discipline == replay.Smallest || p.discipline == replay.Largest {
		for v, i := range first {
			_, p.values[v].value = c.Role(&h.Ops[i])
		}
	}
	return p, p.enter(roles, about)
}

func (p *problem) setTime(i int, op *history.Operation) {
	p.call[i], p.ret[i] = op.Call, op.Return
	p.end = max(p.end, op.Call+1)
	if !op.Pending() {
		p.end = max(p.end, op.Return+1)
	}
}

// enter fills in what each value's operations are; it says why if it declines.
func (p *problem) enter(roles []replay.Role, about []int32) string {
	for i, role := range roles {
		op := int32(i)
		switch role {
		case replay.InsertFront, replay.RemoveFront, replay.LookFront:
			p.front[i] = true
		}
		var v *element
		if about[i] >= 0 {
			v = &p.values[about[i]]
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
				return "values that are not distinct"
			}
			v.insert = op
		case replay.Remove, replay.RemoveFront:
			switch {
			case v.remove == none || p.ret[v.remove] == history.NoReturn && p.ret[i] != history.NoReturn:
				v.remove = op
			case p.ret[i] != history.NoReturn:
				p.impossible = []int32{v.remove, op}
			}
		case replay.Look, replay.LookFront:
			v.looks++
		case replay.Absent:
			v.absents++
		}
	}
	p.list(roles, about)
	return ""
}

// list lists looks and absents by value, each in the order of invocations.
func (p *problem) list(roles []replay.Role, about []int32) {
	looks, absents := int32(0), int32(0)
	for i := range p.values {
		v := &p.values[i]
		looks, v.looks = looks+v.looks, looks
		absents, v.absents = absents+v.absents, absents
	}
	p.looks, p.absents = make([]int32, looks), make([]int32, absents)
	if looks+absents == 0 {
		return
	}
	at := make([][2]int32, len(p.values))
	for i, role := range roles {
		switch role {
		case replay.Look, replay.LookFront:
			v := about[i]
			p.looks[p.values[v].looks+at[v][0]] = int32(i)
			at[v][0]++
		case replay.Absent:
			v := about[i]
			p.absents[p.values[v].absents+at[v][1]] = int32(i)
			at[v][1]++
		}
	}
}

// count is the number of values.
func (p *problem) count() int { return len(p.values) - 1 }

// looksOf returns the operations that looked at value v.
func (p *problem) looksOf(v int32) []int32 { return p.looks[p.values[v].looks:p.values[v+1].looks] }

// absentsOf returns the operations that found value v absent.
func (p *problem) absentsOf(v int32) []int32 {
	return p.absents[p.values[v].absents:p.values[v+1].absents]
}

// withoutLoose is the problem without the values that a pending removal may
// have taken: those that nothing else removed. Its operations on the others
// are all in p, and what p does not explain without those values it does not
// explain with them.
func (p *problem) withoutLoose() *problem {
	q := &problem{discipline: p.discipline, call: p.call, ret: p.ret, end: p.end, front: p.front, nothing: p.nothing}
	for i := range p.count() {
		v := int32(i)
		e := p.values[v]
		if e.insert != none && e.remove == none {
			continue
		}
		looks, absents := p.looksOf(v), p.absentsOf(v)
		e.looks, e.absents = int32(len(q.looks)), int32(len(q.absents))
		q.values = append(q.values, e)
		q.looks, q.absents = append(q.looks, looks...), append(q.absents, absents...)
	}
	q.values = append(q.values, element{looks: int32(len(q.looks)), absents: int32(len(q.absents))})
	return q
}
