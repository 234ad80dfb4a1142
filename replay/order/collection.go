package order

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A collection has the constraints on a history of a queue, a stack, a priority queue or a
// deque. It declines if
//
//   - an edge begins or ends at an operation that is pending or did not happen;
//   - an operation does more than insert, remove, look, find nothing, find the collection
//     full, or count: it may not clear the collection;
//   - a pending insertion into a bounded collection happened: it may have found no room;
//   - an operation returned with an unknown result.
//
// An order of the operations, with an insertion for each removal and look that takes or
// sees its value, is a witness if and only if
//
//   - each insertion comes before the removal and the looks that take or see it;
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
// An insertion is gone after a removal that takes it.
//
// Which of two values is nearer to an end follows from their order, if both were
// inserted at the same end, and from the ends otherwise. In a priority queue, it follows
// from the values.
//
// A pending removal takes one insertion or none, and a pending insertion may take effect or
// not.
//
// So there is a variable for the order of each two concurrent operations, and one for each
// removal and each insertion that it may take.
type collection struct {
	ordering
	discipline replay.Discipline
	capacity   int // 0: unbounded
	values     []valueOps
	rank       []int32 // value -> its rank in a priority queue
	impossible int32   // see findClosings

	inserts  []int32              // sorted by invocation
	choices  [][]choice           // removal or look -> the insertions that it may take or see
	removals [][]choice           // insertion -> the removals that may take it
	happened []literal            // insertion -> whether it takes effect
	isGone   map[[2]int32]literal // insertion and operation -> see gone
	returns  [2][]int32           // see returned

	// State of mayHold:
	maybeHeld      []int32 // insertions invoked before the last operation that are not known to be gone
	invokedInserts int     // how many insertions were invoked before the last operation
}

// decideCollection decides the history of a collection.
func decideCollection(problem *ops.Problem, m *meter.Meter) replay.Finding {
	p := &collection{
		ordering:   newOrdering(problem, m),
		discipline: problem.Discipline(),
		capacity:   problem.Traits().Capacity,
		impossible: history.NoReturn,
	}
	if !p.read() {
		return replay.Declines("")
	}
	if p.impossible != history.NoReturn {
		return replay.RefutedAt(p.impossible)
	}
	if p.discipline == replay.Smallest || p.discipline == replay.Largest {
		p.rankValues()
	}
	return p.solveWith(p.constrain, p.witness)
}

// constrain adds the clauses. It returns the cause if there are too many.
//
// It handles operations in the order of their invocations and propagates at once. So later
// removals get no choices that are known to have been taken.
func (p *collection) constrain() replay.Cause {
	n := len(p.ops)
	p.choices, p.removals = make([][]choice, n), make([][]choice, n)
	p.happened, p.isGone = make([]literal, n), map[[2]int32]literal{}
	for _, x := range p.inserts {
		if p.happened[x] = always; !p.ops[x].must {
			p.happened[x] = p.variable(false, x)
		}
	}
	for k := range p.ops {
		if o := &p.ops[k]; o.role == replay.Remove && o.ret == history.NoReturn {
			p.addChoices(int32(k))
		}
		if p.stops() {
			return p.cause
		}
	}
	offered := 0 // removals before it have their choices
	for k := range p.ops {
		o := &p.ops[k]
		for ; offered < n && p.ops[offered].call < o.ret && o.role != replay.Insert && !p.stops(); offered++ {
			if r := &p.ops[offered]; r.role == replay.Remove && r.ret != history.NoReturn {
				p.addChoices(int32(offered))
			}
		}
		p.constrainOperation(int32(k))
		if p.stops() {
			return p.cause
		}
		if !p.propagate() {
			p.unsatisfiable = true
			break
		}
	}
	return replay.NoCause
}

// mostChoices is how many choices there may be for each operation, on average. With a
// quarter, BenchmarkRun decides 5 histories less. It bounds the memory of hopeless ones.
const mostChoices = 32

// stops reports whether there are too many choices or clauses, or no time is left.
func (p *collection) stops() bool {
	if !p.gaveUp() && p.choiceCount > mostChoices*len(p.ops) {
		p.cause = replay.Memory
	}
	return p.cause != replay.NoCause
}

// constrainOperation adds the clauses of one operation.
func (p *collection) constrainOperation(e int32) {
	switch o := &p.ops[e]; o.role {
	case replay.Insert:
		p.constrainRoom(e)
	case replay.Size:
		p.constrainSize(e)
	case replay.Nothing:
		for _, y := range p.mayHold(e) {
			p.add(p.before(e, y), p.happened[y].not(), p.gone(y, e))
		}
	case replay.Look:
		p.addChoices(e)
		fallthrough
	case replay.Remove:
		others := p.mayHold(e)
		p.meter.MustStop(len(others) * len(p.choices[e]))
		for _, c := range p.choices[e] {
			if !p.isFalse(c.chosen) && p.cause == replay.NoCause {
				p.constrainChoice(e, c, others)
			}
		}
	}
}

// witness returns all operations in the order of the solution.
func (p *collection) witness() []int32 {
	takes := make([]bool, len(p.ops))
	for _, x := range p.inserts {
		for _, t := range p.removals[x] {
			takes[t.op] = takes[t.op] || p.isTrue(t.chosen)
		}
	}
	return p.inOrder(func(k int32) bool {
		o := &p.ops[k]
		return o.must || o.role == replay.Insert && p.isTrue(p.happened[k]) || o.role == replay.Remove && takes[k]
	})
}
