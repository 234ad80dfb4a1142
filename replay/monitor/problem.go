package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A problem is a history, arranged by the values that its operations insert, read and
// remove. Operation op can take effect in slots call[op]+1 to ret[op]. Operations that take
// effect in one slot are concurrent, so any order of them respects real time.
type problem struct {
	in         *ops.Problem
	discipline replay.Discipline
	call, ret  []int32       // operation -> positions of its events; ret is history.NoReturn when pending
	end        int32         // the position after the last event
	roles      []replay.Role // of operations; Idle if they are left out
	valueOf    []int32       // operation -> value, or none
	values     []element     // by the numbers of ops.Columns
	looks      ops.Lists     // value -> operations that read it
	nothing    []int32       // operations that found the collection empty
	// pendingRemovals may have removed any value that no other operation removed.
	// (Removals from a set name their values and are not here.) If onlyRemoved, all
	// those values are left out.
	pendingRemovals []int32
	onlyRemoved     bool
	impossible      []int32       // a conflict that was found when reading
	slot            []int32       // operation -> slot in which it takes effect, as a monitor finds it
	partial         replay.Reason // if not "", some operations are left out, so an order proves nothing
	// meter counts work. Passes over a list are not counted as long as there is
	// a fixed number of them; all other work is.
	meter *meter.Meter

	// In a register, the last value is the initial one, which is never inserted.
	// In a map, each pair of a key and a value is a value, and the values from
	// initials on are the initial values of the keys.
	initials int32   // how many values are none of them
	key      []int32 // value -> key; nil if all are 0

	hasReadded bool // a value was added to a set again; then looks are not filled in
}

// An element is a value with its operations, or none. If there are several pending removals,
// it has the first of them.
type element struct{ insert, remove int32 }

// none means no operation, or no value.
const none = ops.None

// newProblem reads the history. If it declines, it returns the reason. It returns nil if the
// meter stopped.
func newProblem(in *ops.Problem, m *meter.Meter) (p *problem, declined replay.Reason) {
	c, n := in.Columns(m), len(in.H.Ops)
	if c == nil {
		return nil, ""
	}
	p = &problem{in: in, discipline: in.Discipline(), meter: m, call: make([]int32, n), ret: make([]int32, n),
		roles: slices.Clone(c.Role), valueOf: c.Value, initials: c.Values}
	values := c.Values
	switch p.discipline {
	case replay.FirstInBounded:
		return nil, replay.NoMonitor
	case replay.Overwritten:
		p.valueOf = slices.Clone(c.Value)
		values++
	case replay.OverwrittenByKey:
		p.valueOf = slices.Clone(c.Value)
		p.key = append(slices.Clone(c.PartOf), ops.Indices(int(c.Parts))...)
		values += c.Parts
	}
	for i := range n {
		if declined := p.read(int32(i), &in.H.Ops[i], c.Part[i]); declined != "" {
			return nil, declined
		}
	}
	if p.discipline == replay.LastIn {
		p.leaveOutRepeated()
	}
	declined = p.enter(int(values))
	if p.discipline == replay.BothEnds && declined == "" && p.impossible == nil {
		declined = p.asDeque()
	}
	if declined == "" && !p.hasReadded {
		p.looks = p.byValue(replay.Look)
	}
	return p, declined
}

// read reads the events of operation i and adapts its role. If it declines, it returns the
// reason.
func (p *problem) read(i int32, op *history.Operation, part int32) replay.Reason {
	p.call[i], p.ret[i] = op.Call, op.Return
	p.end = max(p.end, op.Call+1)
	if !op.Pending() {
		p.end = max(p.end, op.Return+1)
	}
	isMap := p.discipline == replay.OverwrittenByKey
	switch role := p.roles[i]; {
	case role == replay.Size && p.discipline == replay.LastIn:
		p.roles[i], p.partial = replay.Idle, replay.UnknownOperations
	case role == replay.Size, role == replay.Other, role == replay.Clear:
		return replay.UnknownOperations
	case role == replay.Idle, role == replay.Never:
	case isMap && part == none:
		return replay.UnknownOperations
	case role == replay.Nothing && isMap:
		p.roles[i], p.valueOf[i] = replay.Look, p.initials+part
	case role == replay.Nothing && p.discipline == replay.Overwritten:
		p.roles[i], p.valueOf[i] = replay.Look, p.initials
	case (role == replay.Remove || role == replay.RemoveFront) && p.valueOf[i] == none:
		if op.Happened { // it may have found nothing, which not every removal can
			return replay.PendingRemovals
		}
		p.pendingRemovals = append(p.pendingRemovals, i)
		p.roles[i] = replay.Idle
	}
	return ""
}

// leaveOutRepeated leaves out the operations on values that are inserted into a stack
// several times. Pending removals may have taken such a value, and need not have happened.
func (p *problem) leaveOutRepeated() {
	times := make([]int32, p.initials) // value -> insertions
	for i, role := range p.roles {
		if role == replay.Insert {
			times[p.valueOf[i]]++
		}
	}
	for i, v := range p.valueOf {
		if p.roles[i] != replay.Idle && v != none && times[v] > 1 {
			p.roles[i], p.partial = replay.Idle, replay.RepeatedValues
		}
	}
}

// enter fills in the operations of each value. If it declines, it returns the reason.
func (p *problem) enter(values int) replay.Reason {
	p.values = slices.Repeat([]element{{none, none}}, values)
	first, second := int32(none), int32(none) // removals of one value
	for i, role := range p.roles {
		op := int32(i)
		switch role {
		case replay.Nothing:
			p.nothing = append(p.nothing, op)
		case replay.Never:
			if p.ret[i] != history.NoReturn {
				p.impossible = []int32{op}
			}
		case replay.Insert, replay.InsertFront:
			v := &p.values[p.valueOf[i]]
			if v.insert != none {
				if p.discipline != replay.Named {
					return replay.RepeatedValues
				}
				p.hasReadded = true
			}
			v.insert = op
		case replay.Remove, replay.RemoveFront:
			v := &p.values[p.valueOf[i]]
			switch {
			case v.remove == none || p.ret[v.remove] == history.NoReturn && p.ret[i] != history.NoReturn:
				v.remove = op
			case p.ret[i] != history.NoReturn:
				first, second = v.remove, op
			}
		}
	}
	switch {
	case p.impossible != nil:
	case p.hasReadded && len(p.nothing) > 0:
		return replay.RepeatedValues
	case !p.hasReadded && second != none:
		p.impossible = []int32{first, second}
	}
	return ""
}

// byValue lists the operations of a role by value, in the order of invocations.
func (p *problem) byValue(role replay.Role) ops.Lists {
	roles, valueOf := p.roles, p.valueOf
	return ops.Group(len(roles), len(p.values), func(i int32) int32 {
		if roles[i] != role {
			return none
		}
		return valueOf[i]
	})
}
