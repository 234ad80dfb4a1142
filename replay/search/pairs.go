package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Pairs decides histories of a queue, a stack, a priority queue or a deque by constraints
// on pairs of operations, which a solver satisfies or refutes. It declines where it does
// not apply:
//
//   - an edge begins or ends at an operation that is pending or did not happen;
//   - an operation does more than insert, remove, look, clear, find nothing, find the
//     collection full, or count;
//   - some clear a collection that is bounded, or whose values others count;
//   - an operation returned with an unknown result.
//
// The history is undecided for want of memory if there would be too many constraints: if
// removals and looks have more than the given number of insertions, on average, which they
// may take or see, or if too many operations are concurrent.
//
// An order of the operations, with an insertion for each removal and look that takes or
// sees its value, is a witness if and only if
//
//   - each insertion comes before what takes or sees it, without a clear between them, at
//     most one removal takes it, and looks that see it come before that;
//   - for each removal or look e with an insertion x, any other insertion y comes after
//     e, or is gone before e, or its value is farther from that end than that of x;
//   - for each operation e that finds nothing, any insertion comes after e, or is gone
//     before e;
//   - before an operation that counts, there are so many more insertions than removals,
//     and before an insertion into a bounded collection, there are not too many.
//
// An insertion is gone after a removal that takes it, and after the next clear.
//
// Which of two values is nearer to an end follows from their order, if both were
// inserted at the same end, and from the ends otherwise. In a priority queue, it follows
// from the values.
//
// A pending removal takes one insertion or none, and a pending insertion takes effect or
// does not.
//
// So a variable says which of two concurrent operations is first, another that a removal
// takes an insertion. That the order has no cycles is a theory beside the clauses: of
// three operations, the order of two pairs may imply that of the third; see order.
func Pairs(h *history.History, spec replay.Spec, choices int, maxBytes int64, m *meter.Meter) replay.Finding {
	if len(h.Ghosts) > 0 {
		return replay.Declines("")
	}
	traits := replay.TraitsOf(spec)
	p := &pairs{discipline: traits.Discipline, capacity: traits.Capacity, mostChoices: choices}
	p.solver.meter, p.solver.maxBytes = m.OrUnbounded(), maxBytes
	if !p.read(h, spec) {
		return replay.Declines("")
	}
	if p.impossible != history.NoReturn {
		return refutedAt(p.impossible)
	}
	if cause := p.constrain(); cause != replay.NoCause {
		return replay.GaveUp(cause)
	}
	found, cause := p.solver.solve()
	return finding(found, cause, p.witness)
}

// pairs are the constraints on a history.
type pairs struct {
	discipline  replay.Discipline
	capacity    int // 0 if there is no bound
	mostChoices int
	ops         []pairOp // by invocation
	idle        []int32  // operations that do not matter
	values      []pairValue
	impossible  int32 // see collected

	edges           []history.Edge // between ops
	inserts, clears []int32        // by invocation
	solver          solver
	// concurrent has, for each operation, those that are concurrent with it.
	concurrent [][]neighbour
	low, high  []int32              // variable -> the operations whose order it is
	choices    [][]choice           // removal or look -> what it may take or see
	takers     [][]choice           // insertion -> what may take it
	happened   []literal            // insertion -> whether it takes effect
	isGone     map[[2]int32]literal // insertion and operation -> see gone
	returns    [2][]int32           // see returned

	// of order
	stamp        int32
	nearA, nearB []int32   // operation -> the stamp
	firstA       []literal // operation -> whether a comes before it
}

// A pairValue is a value and its operations.
type pairValue struct {
	history.Value
	inserts []int32 // by invocation
	removes []int32 // that returned
	// closings are the responses of removals by which as many have returned as
	// insertions have been invoked: these take exactly those.
	closings []int32
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
	size          int32 // that was counted, or some: -1
	role          replay.Role
	front         bool // at the front
	must          bool // it takes effect
}

// A neighbour is a concurrent operation, and whether the first one comes before it.
type neighbour struct {
	op    int32
	first literal
}

// A choice is an insertion and what may take or see it, of which one has the other, and
// whether it does.
type choice struct {
	op int32
	is literal
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
		case o.role == replay.Idle:
			p.idle = append(p.idle, o.op)
			continue
		case o.role == replay.Never && !op.Pending():
			p.impossible = min(p.impossible, op.Return)
			continue
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
			p.values = append(p.values, pairValue{Value: facts.Value})
		}
		o.value = number
		switch v, k := &p.values[number], int32(len(p.ops)); o.role {
		case replay.Insert:
			v.inserts = append(v.inserts, k)
			p.inserts = append(p.inserts, k)
		case replay.Remove:
			v.removes = append(v.removes, k)
		}
		p.ops = append(p.ops, o)
	}
	for i := range p.values {
		p.close(&p.values[i])
	}
	if p.capacity >= len(p.inserts) {
		p.capacity = 0 // it is not reached
	}
	return (!counts && p.capacity == 0 || len(p.clears) == 0) && p.readEdges(h)
}

// readEdges returns false if there are edges of other operations than those that returned.
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

// close finds the closings of a value, and whether it is removed too often.
func (p *pairs) close(v *pairValue) {
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

// Numbers of choices for Pairs. With FewChoices, it decides quickly, and declines quickly.
const (
	FewChoices  = 2
	MostChoices = 32
)

// pairBytes is about the memory for a concurrent pair.
const pairBytes = 128

// constrain adds all variables and clauses. It returns the cause if there are too many.
func (p *pairs) constrain() replay.Cause {
	if !p.findChoices() || int64(p.countConcurrent())*pairBytes > p.solver.maxBytes/2 {
		return replay.Memory
	}
	if p.solver.meter.Stopped() {
		return replay.Time
	}
	n := len(p.ops)
	p.findConcurrent()
	p.nearA, p.nearB, p.firstA = make([]int32, n), make([]int32, n), make([]literal, n)
	p.solver.theory = p.order
	p.happened, p.isGone = make([]literal, n), map[[2]int32]literal{}
	for _, x := range p.inserts {
		if p.happened[x] = always; !p.ops[x].must {
			p.happened[x] = p.variable(false, &p.ops[x])
		}
	}
	p.fixChoices()
	for _, e := range p.edges {
		p.solver.add(p.before(e.From, e.To))
	}
	var held []int32 // insertions that may be there
	next, cleared := 0, int32(-1)
	for k := range p.ops {
		e, o := int32(k), &p.ops[k]
		switch {
		case p.solver.meter.MustStop(1):
			return replay.Time
		case p.solver.bytes() > p.solver.maxBytes:
			return replay.Memory
		}
		switch o.role {
		case replay.Insert:
			if p.capacity > 0 {
				terms, others := p.balance(e)
				p.atMost(terms, p.capacity-1-others, p.happened[e].not())
			}
			continue
		case replay.Clear:
			continue
		case replay.Size:
			terms, others := p.balance(e)
			if p.atLeast(terms, max(1, int(o.size))-others, never); o.size >= 0 {
				p.atMost(terms, int(o.size)-others, never)
			}
			continue
		}
		for ; next < len(p.inserts) && p.ops[p.inserts[next]].call < o.call; next++ {
			held = append(held, p.inserts[next])
		}
		for _, c := range p.clears {
			if p.ops[c].ret < o.call {
				cleared = max(cleared, p.ops[c].call)
			}
		}
		held = slices.DeleteFunc(held, func(y int32) bool {
			i := &p.ops[y]
			return i.ret < cleared || p.values[i.value].closing(i.call) < o.call
		})
		invoked := next
		for invoked < len(p.inserts) && p.ops[p.inserts[invoked]].call < o.ret {
			invoked++
		}
		others := slices.Concat(held, p.inserts[next:invoked])
		p.solver.meter.MustStop(len(others)*(1+len(p.choices[k])) + len(p.clears))
		if o.role == replay.Nothing {
			for _, y := range others {
				p.solver.add(p.before(e, y), p.happened[y].not(), p.gone(y, e))
			}
		}
		for _, c := range p.choices[k] {
			p.choose(e, c, others)
		}
	}
	return replay.NoCause
}

func (p *pairs) variable(phase bool, o *pairOp) literal {
	return literal(2 * p.solver.newVariable(phase, -float32(o.call)/float32(1<<31)))
}

// countConcurrent returns the number of concurrent pairs, or more than fit in memory.
func (p *pairs) countConcurrent() int {
	count := 0
	var open []int32
	for k := range p.ops {
		o := &p.ops[k]
		open = slices.DeleteFunc(open, func(a int32) bool { return p.ops[a].ret < o.call })
		if p.solver.meter.MustStop(1 + len(open)/8) {
			break
		}
		count += len(open)
		open = append(open, int32(k))
	}
	return count
}

// findConcurrent finds the concurrent pairs and makes their variables. The operation with
// the earlier response is tried first.
func (p *pairs) findConcurrent() {
	p.concurrent = make([][]neighbour, len(p.ops))
	var open []int32
	for k := range p.ops {
		o := &p.ops[k]
		open = slices.DeleteFunc(open, func(a int32) bool { return p.ops[a].ret < o.call })
		p.solver.meter.MustStop(1 + len(open))
		for _, a := range open {
			first := p.variable(p.ops[a].ret < o.ret, &p.ops[a])
			p.low, p.high = append(p.low, a), append(p.high, int32(k))
			p.concurrent[a] = append(p.concurrent[a], neighbour{int32(k), first})
			p.concurrent[k] = append(p.concurrent[k], neighbour{a, first.not()})
		}
		open = append(open, int32(k))
	}
}

// before returns whether a comes before b.
func (p *pairs) before(a, b int32) literal {
	switch {
	case a == b || p.ops[b].ret < p.ops[a].call:
		return never
	case p.ops[a].ret < p.ops[b].call:
		return always
	}
	list := p.concurrent[a]
	i, _ := slices.BinarySearchFunc(list, b, func(c neighbour, b int32) int { return cmp.Compare(c.op, b) })
	return list[i].first
}

// findChoices finds what each removal and look may take or see. It reports false if there
// is too much.
func (p *pairs) findChoices() bool {
	p.choices = make([][]choice, len(p.ops))
	all := 0
	for k := range p.ops {
		o := &p.ops[k]
		isLost := o.role == replay.Remove && o.ret == history.NoReturn
		var candidates []int32
		switch {
		case isLost:
			candidates = p.inserts
		case o.role == replay.Remove || o.role == replay.Look:
			candidates = p.values[o.value].inserts
		}
		p.solver.meter.MustStop(1 + len(candidates)/8)
		for _, x := range candidates {
			i := &p.ops[x]
			if i.call > o.ret {
				break
			}
			switch closing := p.values[i.value].closing(i.call); {
			case isLost && closing < history.NoReturn:
			case o.role == replay.Remove && closing < o.ret:
			case o.role == replay.Look && closing < o.call:
			default:
				p.choices[k] = append(p.choices[k], choice{op: x})
			}
		}
		if all += len(p.choices[k]); all > p.mostChoices*len(p.ops) {
			return false
		}
	}
	return true
}

// fixChoices adds the variables and clauses of what takes or sees what.
func (p *pairs) fixChoices() {
	p.takers = make([][]choice, len(p.ops))
	var list []literal
	for k := range p.ops {
		o := &p.ops[k]
		if o.role != replay.Remove && o.role != replay.Look {
			continue
		}
		isLost := o.ret == history.NoReturn
		list = list[:0]
		for i := range p.choices[k] {
			c := &p.choices[k][i]
			if c.is = always; len(p.choices[k]) > 1 || isLost {
				c.is = p.variable(false, o)
			}
			list = append(list, c.is)
			p.solver.add(c.is.not(), p.happened[c.op])
			if o.role == replay.Remove {
				p.takers[c.op] = append(p.takers[c.op], choice{int32(k), c.is})
			}
		}
		p.atMostOne(list)
		if !isLost {
			p.solver.add(list...)
		}
	}
	for _, x := range p.inserts {
		list = list[:0]
		for _, t := range p.takers[x] {
			list = append(list, t.is)
		}
		p.atMostOne(list)
	}
}

func (p *pairs) atMostOne(list []literal) {
	for i, a := range list {
		for _, b := range list[:i] {
			p.solver.add(a.not(), b.not())
		}
	}
}

// choose adds what follows if e takes or sees an insertion while others may be there.
func (p *pairs) choose(e int32, c choice, others []int32) {
	x, isNot := c.op, c.is.not()
	p.solver.add(isNot, p.before(x, e))
	for _, clear := range p.clears {
		p.solver.add(isNot, p.before(clear, x), p.before(e, clear))
	}
	if p.ops[e].role == replay.Look {
		for _, t := range p.takers[x] {
			p.solver.add(isNot, t.is.not(), p.before(e, t.op))
		}
	}
	for _, y := range others {
		if y == x {
			continue
		}
		nearer, after := p.nearer(x, y, p.ops[e].front), p.before(e, y)
		if nearer != always && after != always {
			p.solver.add(isNot, after, nearer, p.happened[y].not(), p.gone(y, e))
		}
	}
}

// nearer returns whether the value of x is nearer to an end than that of y while both
// are there.
func (p *pairs) nearer(x, y int32, front bool) literal {
	a, b := &p.ops[x], &p.ops[y]
	order := 0
	switch p.discipline {
	case replay.Smallest:
		order = p.values[a.value].Compare(p.values[b.value].Value)
	case replay.Largest:
		order = p.values[b.value].Compare(p.values[a.value].Value)
	default:
		if !front {
			x, y, a, b = y, x, b, a
		}
		switch { // at the front
		case a.front && b.front:
			return p.before(y, x)
		case a.front:
			return always
		case b.front:
			return never
		}
		return p.before(x, y)
	}
	if order <= 0 {
		return always
	}
	return never
}

// gone returns whether the value of y has been taken before e, or cleared.
func (p *pairs) gone(y, e int32) literal {
	if takers := p.takers[y]; len(p.clears) == 0 && len(takers) == 0 {
		return never
	} else if len(p.clears) == 0 && len(takers) == 1 && takers[0].is == always {
		return p.before(takers[0].op, e)
	}
	key := [2]int32{y, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(true, &p.ops[e])
	list := []literal{l.not()}
	for _, t := range p.takers[y] {
		if first := p.before(t.op, e); first != never {
			list = append(list, p.both(t.is, first))
		}
	}
	for _, c := range p.clears {
		if after, first := p.before(y, c), p.before(c, e); after != never && first != never {
			list = append(list, p.both(after, first))
		}
	}
	p.solver.add(list...)
	p.isGone[key] = l
	return l
}

// both returns a literal that is true if both are.
func (p *pairs) both(a, b literal) literal {
	switch {
	case a == always || b == never:
		return b
	case b == always || a == never:
		return a
	}
	l := p.variable(true, &p.ops[0])
	p.solver.add(l.not(), a)
	p.solver.add(l.not(), b)
	p.solver.add(l, a.not(), b.not())
	return l
}

// balance returns how many values there are before e: the others, which may be negative,
// and one for each of the terms that is true.
func (p *pairs) balance(e int32) (terms []literal, others int) {
	o := &p.ops[e]
	others = p.returned(replay.Insert, o.call) - p.returned(replay.Remove, o.call)
	for _, c := range p.concurrent[e] {
		switch before := c.first.not(); p.ops[c.op].role {
		case replay.Insert:
			terms = append(terms, p.both(before, p.happened[c.op]))
		case replay.Remove: // -1, and 1 if it does not come before
			if p.ops[c.op].ret == history.NoReturn {
				before = p.both(before, p.takes(c.op))
			}
			terms = append(terms, before.not())
			others--
		}
	}
	return terms, others
}

// returned returns how many operations of a role returned before a moment.
func (p *pairs) returned(role replay.Role, moment int32) int {
	list := &p.returns[0]
	if role == replay.Remove {
		list = &p.returns[1]
	}
	if *list == nil {
		*list = []int32{}
		for k := range p.ops {
			if o := &p.ops[k]; o.role == role && o.ret != history.NoReturn {
				*list = append(*list, o.ret)
			}
		}
		slices.Sort(*list)
	}
	n, _ := slices.BinarySearch(*list, moment)
	return n
}

// takes returns whether a pending removal takes something.
func (p *pairs) takes(e int32) literal {
	key := [2]int32{e, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(false, &p.ops[e])
	list := []literal{l.not()}
	for _, c := range p.choices[e] {
		p.solver.add(l, c.is.not())
		list = append(list, c.is)
	}
	p.solver.add(list...)
	p.isGone[key] = l
	return l
}

// atMost adds that at most n of the terms are true, or that unless is.
func (p *pairs) atMost(terms []literal, n int, unless literal) {
	negated := make([]literal, len(terms))
	for i, term := range terms {
		negated[i] = term.not()
	}
	p.atLeast(negated, len(terms)-n, unless)
}

// atLeast adds that at least n of the terms are true, or that unless is. A literal says
// whether j of the first i terms are, for each i and j (Sinz 2005).
func (p *pairs) atLeast(terms []literal, n int, unless literal) {
	switch {
	case n <= 0:
		return
	case n > len(terms):
		p.solver.add(unless)
		return
	}
	p.solver.meter.MustStop(len(terms) * n / 8)
	counts := slices.Repeat([]literal{never}, n+1) // of the first i terms
	counts[0] = always
	for i, term := range terms {
		for j := min(i+1, n); j > 0; j-- {
			if n-j > len(terms)-i-1 {
				break // even with all of the others, it would be too few
			}
			was, less := counts[j], counts[j-1]
			if less == never {
				continue
			}
			l := p.variable(true, &p.ops[0])
			p.solver.add(l.not(), was, term)
			p.solver.add(l.not(), was, less)
			counts[j] = l
		}
	}
	p.solver.add(unless, counts[n])
}

// order implies what follows from a new order of two operations, with that of others: if
// a comes before b, and b before c, then a comes before c.
func (p *pairs) order(l literal) bool {
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

// witness returns all operations in the order of the solution. Those that have no effect
// are at the end.
func (p *pairs) witness() []int32 {
	takes := make([]bool, len(p.ops))
	for _, x := range p.inserts {
		for _, t := range p.takers[x] {
			takes[t.op] = takes[t.op] || p.solver.isTrue(t.is)
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
