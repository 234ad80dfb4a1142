package order

import (
	"cmp"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// valueOps is a value and its operations.
type valueOps struct {
	inserts   []int32 // sorted by invocation
	removes   []int32 // removals that returned, sorted by response
	firstLook int32   // the earliest response of a look
	// closings are the responses of removals at which as many removals have returned as
	// insertions have been invoked. So these removals take exactly these insertions.
	closings []int32
	// inserts[:taken] were taken before the invocation of the last removal, and
	// inserts[:unseen] before the invocation of the last look.
	taken, unseen int
}

// read returns false if the history has operations that it cannot decide.
func (p *collection) read() bool {
	columns := p.problem.Columns(p.meter)
	p.values = slices.Repeat([]valueOps{{firstLook: history.NoReturn}}, int(columns.Values))
	for i := range p.problem.H.Ops {
		if !p.readOperation(int32(i), columns) {
			return false
		}
	}
	for v := range p.values {
		p.findClosings(&p.values[v])
	}
	if p.capacity >= len(p.inserts) {
		p.capacity = 0 // the history cannot reach it
	}
	return true
}

// readOperation adds an operation, or returns false if it cannot decide it.
func (p *collection) readOperation(i int32, columns *ops.Columns) bool {
	op, k := &p.problem.H.Ops[i], int32(len(p.ops))
	o := operation{op: i, call: op.Call, ret: op.Return, value: columns.Value[i], must: !op.Pending() || op.Happened}
	o.role, o.front = p.end(columns.Role[i])
	switch {
	case o.role == replay.Idle, op.Pending() && columns.ReadOnly[i]:
		p.idle = append(p.idle, i)
		return true
	case o.role == replay.Never && !op.Pending():
		p.impossible = min(p.impossible, op.Return)
		return true
	case !p.accepts(&o, op):
		return false
	}
	switch o.role {
	case replay.Insert:
		p.inserts = append(p.inserts, k)
		v := &p.values[o.value]
		v.inserts = append(v.inserts, k)
	case replay.Remove:
		if !op.Pending() {
			v := &p.values[o.value]
			v.removes = append(v.removes, k)
		}
	case replay.Look:
		v := &p.values[o.value]
		v.firstLook = min(v.firstLook, o.ret)
	case replay.Full:
		o.role, o.size = replay.Size, int32(min(p.capacity, math.MaxInt32))
	case replay.Size:
		o.size = o.value
	}
	p.ops = append(p.ops, o)
	return true
}

// end returns a role without its end, and whether it is the front.
func (p *collection) end(role replay.Role) (replay.Role, bool) {
	switch role {
	case replay.InsertFront:
		return replay.Insert, true
	case replay.RemoveFront:
		return replay.Remove, true
	case replay.LookFront:
		return replay.Look, true
	case replay.Remove, replay.Look:
		return role, p.discipline == replay.FirstIn || p.discipline == replay.FirstInBounded
	}
	return role, false
}

// accepts reports whether the clauses describe an operation.
func (p *collection) accepts(o *operation, op *history.Operation) bool {
	switch o.role {
	case replay.Insert:
		return o.value != ops.None && !(op.Pending() && op.Happened && p.discipline == replay.FirstInBounded)
	case replay.Remove:
		return op.Pending() != (o.value != ops.None) && !(op.Pending() && op.Happened)
	case replay.Look:
		return o.value != ops.None && !op.Pending()
	case replay.Nothing, replay.Size, replay.Full:
		return !op.Pending()
	}
	return false
}

// findClosings finds the closings of a value, and whether it is removed too often, or seen before
// any insertion was invoked.
func (p *collection) findClosings(v *valueOps) {
	if len(v.inserts) == 0 || p.ops[v.inserts[0]].call > v.firstLook {
		p.impossible = min(p.impossible, v.firstLook)
	}
	slices.SortFunc(v.removes, func(a, b int32) int { return cmp.Compare(p.ops[a].ret, p.ops[b].ret) })
	invoked := 0
	for k, e := range v.removes {
		ret := p.ops[e].ret
		for invoked < len(v.inserts) && p.ops[v.inserts[invoked]].call < ret {
			invoked++
		}
		switch {
		case invoked < k+1:
			p.impossible = min(p.impossible, ret)
			return
		case invoked == k+1:
			v.closings = append(v.closings, ret)
		}
	}
}

// closing returns the first closing after a moment, or NoReturn.
func (v *valueOps) closing(after int32) int32 {
	i, _ := slices.BinarySearch(v.closings, after+1)
	if i == len(v.closings) {
		return history.NoReturn
	}
	return v.closings[i]
}
