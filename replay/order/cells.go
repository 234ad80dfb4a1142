package order

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// cells has the constraints on a history of registers, maps or transactions. The registers
// are cells. An order of the operations, with a write for each read, is a witness if and
// only if
//
//   - each read comes after the write that it sees, and they have the same value;
//   - any other write to the cell comes before that write, or after the read;
//   - a compare-and-set that failed comes before each write of the value that it expected, or
//     another value was written between them.
//
// The initial value of a cell is a write, too.
//
// So there is a variable for the order of each two concurrent operations, and one for each
// read and each write that it may see. A read cannot see a write if another one overwrote it,
// in real time, before the read was invoked.
//
// Pending operations are concurrent with everything after them. So those whose effect is not
// known to have been seen are left out, as if they had none. Then the reads that may have
// seen them are only a preference. Reads with several choices are left out, too, if there are
// too many. If no order exists nevertheless, the history has no witness. Otherwise the order
// is replayed, because it may be none.
type cells struct {
	ordering
	*accesses
	readsOf  [][]access // operation -> its reads
	writesTo [][]access // cell -> its writes, by invocation
	invoked  []int      // cell -> how many of them were invoked before the last read
	live     [][]access // cell -> those of them that were not overwritten before it
}

// decideCells decides the history of registers. It declines histories in which an operation
// may write any value, and in which results depend on more than the values of cells.
func decideCells(problem *ops.Problem, spec replay.Stepped, m *meter.Meter) replay.Finding {
	a := &accesses{h: problem.H, spec: spec, numbers: map[string]int32{}, impossible: history.NoReturn}
	if !a.read(m) {
		return notDecided(m)
	}
	if a.tighten(); a.impossible != history.NoReturn {
		return replay.RefutedAt(a.impossible)
	}
	p := &cells{ordering: newOrdering(problem, m), accesses: a}
	p.arrange()
	f := p.solveWith(p.constrain, func() []int32 { return p.inOrder(func(int32) bool { return true })[1:] })
	if f.Answer == replay.Linearizable && replay.Verify(p.h, p.spec, f.Witness, p.meter) != nil {
		return notDecided(m)
	}
	return f
}

// notDecided returns that no time is left, or declines the history.
func notDecided(m *meter.Meter) replay.Finding {
	if m.Stopped() {
		return replay.GaveUp(replay.Time)
	}
	return replay.Declines("")
}

// arrange sorts the operations by invocation. Operation 0 writes all initial values.
func (p *cells) arrange() {
	n := len(p.h.Ops)
	p.ops = append(p.ops, operation{op: noOperation, call: -2, ret: -1})
	for i := range n {
		if p.must[i] {
			p.ops = append(p.ops, operation{op: int32(i), call: p.call[i], ret: p.ret[i]})
		} else {
			p.idle = append(p.idle, int32(i))
		}
	}
	slices.SortStableFunc(p.ops, func(a, b operation) int { return cmp.Compare(a.call, b.call) })
	number := slices.Repeat([]int32{noOperation}, n)
	for k := range p.ops[1:] {
		number[p.ops[k+1].op] = int32(k + 1)
	}
	p.readsOf = make([][]access, len(p.ops))
	for _, r := range p.reads {
		if r.op = number[r.op]; r.op >= 0 {
			p.readsOf[r.op] = append(p.readsOf[r.op], r)
		}
	}
	p.writesTo, p.live, p.invoked = make([][]access, len(p.cells)), make([][]access, len(p.cells)), make([]int, len(p.cells))
	for c := range p.cells {
		p.writesTo[c] = []access{{op: 0, value: p.cells[c].first}}
	}
	for _, w := range p.writes {
		if w.op = number[w.op]; w.op >= 0 {
			p.writesTo[w.cell] = append(p.writesTo[w.cell], w)
		}
	}
	for _, list := range p.writesTo {
		slices.SortFunc(list, func(a, b access) int { return cmp.Compare(a.op, b.op) })
	}
}

// constrain adds the clauses, read by read, and propagates at once. It returns the cause if
// there are too many.
func (p *cells) constrain() replay.Cause {
	for k := range p.ops {
		for _, r := range p.readsOf[k] {
			p.constrainRead(r)
		}
		if p.gaveUp() {
			return p.cause
		}
		if !p.propagate() {
			p.unsatisfiable = true
			break
		}
	}
	return replay.NoCause
}

func (p *cells) constrainRead(r access) {
	unless := never
	if r.differs && p.cells[r.cell].pending || !r.differs && p.values[r.value].pending {
		unless = p.newVariable(false, 1).literal() // decided first
	}
	writes := p.visible(r)
	if r.differs {
		p.differs(r, writes, unless)
	} else {
		p.sees(r, writes, unless)
	}
}

// visible returns the writes to the cell of r that were not overwritten before r was
// invoked, and that were invoked before r returned.
func (p *cells) visible(r access) []access {
	o, all := &p.ops[r.op], p.writesTo[r.cell]
	live, next := p.live[r.cell], p.invoked[r.cell]
	for ; next < len(all) && all[next].op < r.op; next++ {
		live = append(live, all[next])
	}
	since := int32(-2) // the latest invocation of a write that returned before r was invoked
	for _, w := range live {
		if x := &p.ops[w.op]; x.ret < o.call {
			since = max(since, x.call)
		}
	}
	live = slices.DeleteFunc(live, func(w access) bool { return p.ops[w.op].ret < since })
	p.live[r.cell], p.invoked[r.cell] = live, next
	until := next
	for until < len(all) && p.ops[all[until].op].call < o.ret {
		until++
	}
	p.meter.MustStop(until - next + len(live))
	return slices.DeleteFunc(slices.Concat(live, all[next:until]), func(w access) bool { return w.op == r.op })
}

// sees adds the clauses that r sees one of the writes, or that unless is true.
func (p *cells) sees(r access, writes []access, unless literal) {
	var choices []int32
	for _, w := range writes {
		if w.value == r.value && !p.isFalse(p.before(w.op, r.op)) {
			choices = append(choices, w.op)
		}
	}
	if len(choices) > 1 && p.leavesOut(len(choices)) {
		return
	}
	p.meter.MustStop(len(choices) * len(writes))
	some := []literal{unless}
	for _, w := range choices {
		seen := always
		if len(choices) > 1 || unless != never {
			seen = p.variable(false, r.op)
		}
		some = append(some, seen)
		p.add(seen.not(), p.before(w, r.op))
		for _, x := range writes {
			if x.op != w && p.before(x.op, w) != always && p.before(r.op, x.op) != always {
				p.add(seen.not(), p.before(x.op, w), p.before(r.op, x.op))
			}
		}
	}
	p.add(some...)
}

// differs adds the clauses that r sees a write of another value, or that unless is true: for
// each write of the value of r before r, another value is written between them.
func (p *cells) differs(r access, writes []access, unless literal) {
	for _, w := range writes {
		if w.value != r.value || p.isFalse(p.before(w.op, r.op)) {
			continue
		}
		some := []literal{unless, p.before(r.op, w.op)}
		for _, x := range writes {
			if x.value != r.value && p.before(w.op, x.op) != never && p.before(x.op, r.op) != never {
				some = append(some, p.both(p.before(w.op, x.op), p.before(x.op, r.op)))
			}
		}
		if p.leavesOut(len(some)) {
			return
		}
		p.add(some...)
	}
}

// leavesOut reports whether more choices would be too many, so that a read is left out.
func (p *cells) leavesOut(choices int) bool {
	p.choiceCount += choices
	return p.choiceCount > mostSeen*len(p.ops)
}

// mostSeen is how many choices there may be for each operation, on average. With a quarter,
// BenchmarkRun decides one register less. Any number of choices changes nothing in
// BenchmarkPrices; this bounds the memory.
const mostSeen = 8
