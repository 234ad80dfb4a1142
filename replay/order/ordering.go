package order

import (
	"cmp"
	"slices"
	"sort"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// An ordering is a solver with a variable for the order of each two concurrent operations.
// The order must have no cycles. A theory beside the clauses ensures this; see transitive.
type ordering struct {
	solver
	problem *ops.Problem
	ops     []operation // sorted by invocation
	idle    []int32     // operations of the history that do not matter

	// The operations a+1 to last[a] are concurrent with a, and so are those in earlier[a].
	last    []int32
	earlier [][]int32
	base    []variable // operation a -> the variable for its order with a+1
	low     []int32    // variable -> the first of its two operations
	high    []int32    // variable -> the second one

	choiceCount int // how many writes or insertions all operations may see or take
}

// An operation takes effect between its invocation and its response.
type operation struct {
	op, call, ret int32
	must          bool // it must take effect

	// Of a collection:
	value int32 // of insertions, removals and looks; -1 if it is unknown
	size  int32 // of operations that count; -1 if it only found at least one value
	role  replay.Role
	front bool // it works at the front
}

// pairBytes is about the memory for a concurrent pair. It is measured, not tuned.
const pairBytes = 128

func newOrdering(p *ops.Problem, m *meter.Meter) ordering {
	return ordering{solver: solver{maxBytes: p.MaxBytes, meter: m.OrUnbounded()}, problem: p, ops: make([]operation, 0, len(p.H.Ops))}
}

// solveWith adds the pairs, the edges and the clauses of constrain, and solves them. witness
// returns the order of a solution.
func (o *ordering) solveWith(constrain func() replay.Cause, witness func() []int32) replay.Finding {
	if cause := o.addPairs(); cause != replay.NoCause {
		return replay.GaveUp(cause)
	}
	if !o.addEdges() {
		return replay.Declines("")
	}
	if cause := constrain(); cause != replay.NoCause {
		return replay.GaveUp(cause)
	}
	found, cause := o.solve()
	return replay.Searched(found, cause, witness)
}

// addPairs makes the variables of the concurrent pairs. It returns the cause if there are
// too many. The solver first tries the order by response.
func (o *ordering) addPairs() replay.Cause {
	n, pairs := len(o.ops), 0
	o.last, o.base, o.earlier = make([]int32, n), make([]variable, n), make([][]int32, n)
	for a := range o.ops {
		later := sort.Search(n-a-1, func(i int) bool { return o.ops[a+1+i].call > o.ops[a].ret })
		o.last[a] = int32(a + later)
		pairs += later
	}
	switch {
	case int64(pairs)*pairBytes > o.maxBytes/2:
		return replay.Memory
	case o.meter.MustStop(n):
		return replay.Time
	}
	o.reserve(pairs)
	o.low, o.high = make([]int32, 0, pairs), make([]int32, 0, pairs)
	for k := range o.ops {
		a := int32(k)
		o.base[a] = variable(len(o.low))
		for b := a + 1; b <= o.last[a]; b++ {
			o.variable(o.ops[a].ret < o.ops[b].ret, a)
			o.low, o.high = append(o.low, a), append(o.high, b)
			o.earlier[b] = append(o.earlier[b], a)
		}
		if o.meter.MustStop(int(o.last[a] - a)) {
			return replay.Time
		}
	}
	o.theory = o.transitive
	return replay.NoCause
}

// variable returns a new variable, which is decided in the turn of an operation.
func (o *ordering) variable(phase bool, turn int32) literal {
	return o.newVariable(phase, -float32(o.ops[turn].call)/float32(1<<31)).literal()
}

// before returns the literal that is true if a comes before b.
func (o *ordering) before(a, b int32) literal {
	switch {
	case a < b && b > o.last[a]:
		return always
	case a < b:
		return (o.base[a] + variable(b-a-1)).literal()
	case a == b || a > o.last[b]:
		return never
	}
	return (o.base[b] + variable(a-b-1)).literal().not()
}

// transitive is the theory of the solver: the order of operations is transitive. If l says
// that a comes before b, it implies that a comes before each c after b, and that each c
// before a comes before b.
//
// Nothing new follows from l if real time and one other literal imply it. Say a comes before
// d, and d returned before b was invoked. What comes after b comes after d as well, and so
// after a. What returned before a was invoked also returned before b was invoked, because a
// and d overlap. So the many operations that are concurrent with a pending one are not
// compared with each other again and again.
func (o *ordering) transitive(l literal) bool {
	v := l.variable()
	if int(v) >= len(o.low) {
		return true
	}
	if why := &o.why[v]; why.clause == implied && why.others[0] != never && why.others[1] == never {
		return true
	}
	a, b := o.low[v], o.high[v]
	if l.isNegated() {
		a, b = b, a
	}
	return o.extend(l, a, b, 0) && o.extend(l, b, a, 1)
}

// extend implies that a comes before each c after b, where l says that a comes before b.
// With 1 for reverse, it has "after" in place of "before", and the other way round.
func (o *ordering) extend(l literal, a, b int32, reverse literal) bool {
	o.meter.MustStop((len(o.earlier[a]) + int(o.last[a]-a)) / 8)
	for _, c := range o.earlier[a] {
		implied := (o.base[c] + variable(a-c-1)).literal().not() ^ reverse
		if o.value[implied] <= 0 && !o.implyBoth(implied, l, o.before(b, c)^reverse) {
			return false
		}
	}
	for c := a + 1; c <= o.last[a]; c++ {
		implied := (o.base[a] + variable(c-a-1)).literal() ^ reverse
		if o.value[implied] <= 0 && !o.implyBoth(implied, l, o.before(b, c)^reverse) {
			return false
		}
	}
	return true
}

// implyBoth implies a literal if l and another one are true. l is known to be.
func (o *ordering) implyBoth(implied, l, other literal) bool {
	return !o.isTrue(other) || o.imply(implied, l.not(), other.not())
}

// addEdges adds the edges of the history. It returns false if some edge begins or ends at
// an operation that did not return.
func (o *ordering) addEdges() bool {
	h := o.problem.H
	if len(h.Edges) == 0 {
		return true
	}
	number := slices.Repeat([]int32{-1}, len(h.Ops))
	for k := range o.ops {
		if i := o.ops[k].op; i >= 0 && !h.Ops[i].Pending() {
			number[i] = int32(k)
		}
	}
	for _, e := range h.Edges {
		from, to := number[e.From], number[e.To]
		if from < 0 || to < 0 {
			return false
		}
		o.add(o.before(from, to))
	}
	return true
}

// inOrder returns the operations of the history in an order of the solution: those that take
// effect, and then the others. Pairs without a value are in the order of their responses where
// that is possible. What the solution says of others is transitive, so an operation can be
// inserted right before the first one that it precedes.
func (o *ordering) inOrder(takesEffect func(k int32) bool) []int32 {
	var list, left []int32
	for k := range o.ops {
		if takesEffect(int32(k)) {
			list = append(list, int32(k))
		} else {
			left = append(left, int32(k))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(o.ops[a].ret, o.ops[b].ret) })
	for i, a := range list {
		to := i
		for k := i - 1; k >= 0 && !o.isTrue(o.before(list[k], a)); k-- {
			if o.isTrue(o.before(a, list[k])) {
				to = k
			}
		}
		copy(list[to+1:], list[to:i])
		list[to] = a
	}
	var order []int32
	for _, k := range append(list, left...) {
		order = append(order, o.ops[k].op)
	}
	return append(order, o.idle...)
}

// both returns a literal that is true if and only if a and b are.
func (o *ordering) both(a, b literal) literal {
	switch {
	case a == always || b == never:
		return b
	case b == always || a == never:
		return a
	}
	l := o.variable(true, 0)
	o.add(l.not(), a)
	o.add(l.not(), b)
	o.add(l, a.not(), b.not())
	return l
}
