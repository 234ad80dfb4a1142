package order

import (
	"cmp"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Pairs decides histories of a queue, a stack, a priority queue or a deque by constraints
// on pairs of operations, which a solver satisfies or refutes. It declines if
//
//   - an edge begins or ends at an operation that is pending or did not happen;
//   - an operation does more than insert, remove, look, clear, find nothing, find the
//     collection full, or count;
//   - an operation clears a collection that is bounded, or whose values others count;
//   - a pending insertion into a bounded collection happened: it may have found no room;
//   - an operation returned with an unknown result.
//
// The history stays undecided for lack of memory if there would be too many constraints.
// That is so if removals and looks may take or see too many insertions on average, or if
// too many operations are concurrent.
//
// An order of the operations, with an insertion for each removal and look that takes or
// sees its value, is a witness if and only if
//
//   - each insertion comes before the removal and the looks that take or see it, without a
//     clear between them;
//   - at most one removal takes an insertion, and looks that see it come before that
//     removal;
//   - for each removal or look e with an insertion x, any other insertion y comes after e,
//     or is gone before e, or its value is farther from the end of e than the value of x;
//   - for each operation e that finds nothing, any insertion comes after e, or is gone
//     before e;
//   - before an operation that counts, the insertions minus the removals are the number
//     that it returned, and before an insertion into a bounded collection they are less
//     than its capacity.
//
// An insertion is gone after a removal that takes it, and after the next clear.
//
// Which of two values is nearer to an end follows from their order, if both were
// inserted at the same end, and from the ends otherwise. In a priority queue, it follows
// from the values.
//
// A pending removal takes one insertion or none, and a pending insertion may take effect or
// not.
//
// So there is a variable for the order of each two concurrent operations, and one for each
// removal and each insertion that it may take. The order must have no cycles. A theory
// beside the clauses ensures this: the order of two pairs among three operations may imply
// the order of the third pair; see propagateOrder.
func Pairs(problem *ops.Problem, m *meter.Meter) replay.Finding {
	h, spec, maxBytes := problem.H, problem.Spec, problem.MaxBytes
	if len(h.Ghosts) > 0 {
		return replay.Declines("")
	}
	traits := replay.TraitsOf(spec)
	p := &pairs{discipline: problem.Discipline(), capacity: traits.Capacity}
	p.solver.meter, p.solver.maxBytes = m.OrUnbounded(), maxBytes
	if !p.read(h, spec) {
		return replay.Declines("")
	}
	if p.impossible != history.NoReturn {
		return replay.RefutedAt(p.impossible)
	}
	if cause := p.constrain(); cause != replay.NoCause {
		return replay.GaveUp(cause)
	}
	found, cause := p.solver.solve()
	return replay.Searched(found, cause, p.witness)
}

// pairs has the constraints on a history.
type pairs struct {
	discipline replay.Discipline
	capacity   int      // 0: unbounded
	ops        []pairOp // sorted by invocation
	idle       []int32  // operations that do not matter: pending reads
	values     []pairValue
	impossible int32 // see collected

	edges           []history.Edge // between elements of ops
	inserts, clears []int32        // sorted by invocation
	solver          solver
	// concurrent has, for each operation, the operations that are concurrent with it.
	concurrent  [][]neighbour
	low, high   []int32              // variable -> the operations whose order it is
	choices     [][]choice           // removal or look -> the insertions that it may take or see
	choiceCount int                  // length of all choices
	removals    [][]choice           // insertion -> the removals that may take it
	happened    []literal            // insertion -> whether it takes effect
	isGone      map[[2]int32]literal // insertion and operation -> see gone
	returns     [2][]int32           // see returned

	// State of mayHold:
	maybeHeld      []int32 // insertions invoked before the last operation that are not known to be gone
	invokedInserts int     // how many insertions were invoked before the last operation
	cleared        int32   // the latest invocation of a clear that has returned

	// Scratch of propagateOrder:
	stamp        int32
	nearA, nearB []int32   // operation -> the stamp
	firstA       []literal // operation -> whether a comes before it
}

// A pairValue is a value and its operations.
type pairValue struct {
	history.Value
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

// closing returns the first closing after a moment, or NoReturn.
func (v *pairValue) closing(after int32) int32 {
	i, _ := slices.BinarySearch(v.closings, after+1)
	if i == len(v.closings) {
		return history.NoReturn
	}
	return v.closings[i]
}

// A pairOp is an operation that is not idle.
type pairOp struct {
	op, call, ret int32
	value         int32 // of insertions, removals and looks; -1 if it is unknown
	size          int32 // of operations that count; -1 if it only found at least one value
	role          replay.Role
	front         bool // it works at the front
	must          bool // it must take effect
}

// A neighbour of an operation is a concurrent one. The literal first is true if the
// operation comes before its neighbour.
type neighbour struct {
	op    int32
	first literal
}

// A choice pairs an insertion with a removal or look, and has a literal: true if the
// removal or look takes or sees that insertion. op is the one of the two that does not hold
// the choice.
type choice struct {
	op     int32
	chosen literal
}

// read returns false if the history has operations that it cannot decide.
func (p *pairs) read(h *history.History, spec replay.Spec) bool {
	switch p.discipline {
	case replay.FirstIn, replay.FirstInBounded, replay.LastIn, replay.BothEnds, replay.Smallest, replay.Largest:
	default:
		return false
	}
	p.impossible = history.NoReturn
	numbers, counts := map[string]int32{}, false
	for i := range h.Ops {
		op := &h.Ops[i]
		facts := replay.FactsOf(spec, op)
		o := pairOp{op: int32(i), call: op.Call, ret: op.Return, value: -1, role: facts.Role, must: !op.Pending() || op.Happened}
		switch facts.Role {
		case replay.InsertFront:
			o.role, o.front = replay.Insert, true
		case replay.RemoveFront:
			o.role, o.front = replay.Remove, true
		case replay.LookFront:
			o.role, o.front = replay.Look, true
		case replay.Remove, replay.Look:
			o.front = p.discipline == replay.FirstIn || p.discipline == replay.FirstInBounded
		}
		switch {
		case o.role == replay.Idle, op.Pending() && facts.ReadOnly:
			p.idle = append(p.idle, o.op)
			continue
		case o.role == replay.Never && !op.Pending():
			p.impossible = min(p.impossible, op.Return)
			continue
		case o.role == replay.Insert && op.Pending() && op.Happened && p.discipline == replay.FirstInBounded:
			return false
		case o.role == replay.Insert:
		case o.role == replay.Remove && op.Pending():
			if op.Happened || facts.Value.Kind() != history.Unknown {
				return false
			}
			p.ops = append(p.ops, o)
			continue
		case op.Pending():
			return false
		case o.role == replay.Clear:
			p.clears = append(p.clears, int32(len(p.ops)))
			p.ops = append(p.ops, o)
			continue
		case o.role == replay.Full:
			o.role, o.size = replay.Size, int32(min(p.capacity, math.MaxInt32))
			p.ops = append(p.ops, o)
			counts = true
			continue
		case o.role == replay.Size:
			if o.size = -1; facts.Value.Kind() != history.Unknown {
				o.size = int32(min(facts.Value.Int(), math.MaxInt32))
			}
			p.ops = append(p.ops, o)
			counts = true
			continue
		case o.role == replay.Remove || o.role == replay.Look:
		case o.role == replay.Nothing:
			p.ops = append(p.ops, o)
			continue
		default:
			return false
		}
		key := string(facts.Value.AppendKey(nil))
		number, ok := numbers[key]
		if !ok {
			number = int32(len(numbers))
			numbers[key] = number
			p.values = append(p.values, pairValue{Value: facts.Value, firstLook: history.NoReturn})
		}
		o.value = number
		switch v, k := &p.values[number], int32(len(p.ops)); o.role {
		case replay.Look:
			v.firstLook = min(v.firstLook, o.ret)
		case replay.Insert:
			v.inserts = append(v.inserts, k)
			p.inserts = append(p.inserts, k)
		case replay.Remove:
			v.removes = append(v.removes, k)
		}
		p.ops = append(p.ops, o)
	}
	for i := range p.values {
		p.findClosings(&p.values[i])
	}
	if p.capacity >= len(p.inserts) {
		p.capacity = 0 // the history cannot reach it
	}
	return (!counts && p.capacity == 0 || len(p.clears) == 0) && p.readEdges(h)
}

// readEdges returns false if some edge begins or ends at an operation that did not return.
func (p *pairs) readEdges(h *history.History) bool {
	if len(h.Edges) == 0 {
		return true
	}
	number := slices.Repeat([]int32{-1}, len(h.Ops))
	for k := range p.ops {
		if o := &p.ops[k]; o.ret != history.NoReturn {
			number[o.op] = int32(k)
		}
	}
	for _, e := range h.Edges {
		e.From, e.To = number[e.From], number[e.To]
		if e.From < 0 || e.To < 0 {
			return false
		}
		p.edges = append(p.edges, e)
	}
	return true
}

// findClosings finds the closings of a value, and whether it is removed too often, or seen before
// any insertion was invoked.
func (p *pairs) findClosings(v *pairValue) {
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

// propagateOrder is the theory of the solver: the order of operations is transitive. If l
// says that a comes before b, it implies that a comes before each c after b, and that each
// c before a comes before b.
func (p *pairs) propagateOrder(l literal) bool {
	v := l.variable()
	if int(v) >= len(p.low) {
		return true
	}
	a, b := p.low[v], p.high[v]
	if l&1 != 0 {
		a, b = b, a
	}
	p.stamp++
	for _, c := range p.concurrent[a] {
		p.nearA[c.op], p.firstA[c.op] = p.stamp, c.first
	}
	p.solver.meter.MustStop((len(p.concurrent[a]) + len(p.concurrent[b])) / 4)
	for _, c := range p.concurrent[b] {
		p.nearB[c.op] = p.stamp
		switch {
		case c.op == a:
		case p.nearA[c.op] == p.stamp:
			first := p.firstA[c.op] // a before c
			if p.solver.value[c.first] > 0 && !p.solver.imply(first, l.not(), c.first.not()) {
				return false
			}
			if p.solver.value[first] < 0 && !p.solver.imply(c.first.not(), l.not(), first) {
				return false
			}
		case p.ops[c.op].ret < p.ops[a].call:
			if !p.solver.imply(c.first.not(), l.not(), never) {
				return false
			}
		}
	}
	for _, c := range p.concurrent[a] {
		if c.op != b && p.nearB[c.op] != p.stamp && p.ops[b].ret < p.ops[c.op].call && !p.solver.imply(c.first, l.not(), never) {
			return false
		}
	}
	return true
}

// witness returns all operations in the order of the solution. Operations that do not take
// effect are at the end.
func (p *pairs) witness() []int32 {
	takes := make([]bool, len(p.ops))
	for _, x := range p.inserts {
		for _, t := range p.removals[x] {
			takes[t.op] = takes[t.op] || p.solver.isTrue(t.chosen)
		}
	}
	var list, left []int32
	for k := range p.ops {
		o := &p.ops[k]
		if o.must || o.role == replay.Insert && p.solver.isTrue(p.happened[k]) || o.role == replay.Remove && takes[k] {
			list = append(list, int32(k))
		} else {
			left = append(left, int32(k))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		switch {
		case a == b:
			return 0
		case p.solver.isTrue(p.before(a, b)):
			return -1
		}
		return 1
	})
	var order []int32
	for _, k := range append(list, left...) {
		order = append(order, p.ops[k].op)
	}
	return append(order, p.idle...)
}
