package order

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

const (
	// mostChoices is how many choices there may be for each operation, on average.
	mostChoices = 32
	// pairBytes is about the memory for a concurrent pair.
	pairBytes = 128
)

// constrain adds all variables and clauses. It returns the cause if there are too many.
//
// It handles operations in the order of their invocations and propagates at once. So later
// removals get no choices that are known to have been taken.
func (p *pairs) constrain() replay.Cause {
	if int64(p.countConcurrent())*pairBytes > p.solver.maxBytes/2 {
		return replay.Memory
	}
	if p.solver.meter.Stopped() {
		return replay.Time
	}
	n := len(p.ops)
	p.findConcurrent()
	p.nearA, p.nearB, p.firstA = make([]int32, n), make([]int32, n), make([]literal, n)
	p.solver.theory = p.propagateOrder
	p.choices, p.removals = make([][]choice, n), make([][]choice, n)
	p.happened, p.isGone = make([]literal, n), map[[2]int32]literal{}
	for _, x := range p.inserts {
		if p.happened[x] = always; !p.ops[x].must {
			p.happened[x] = p.variable(false, &p.ops[x])
		}
	}
	for _, e := range p.edges {
		p.solver.add(p.before(e.From, e.To))
	}
	offered := 0 // removals before it have their choices
	for k := range p.ops {
		if o := &p.ops[k]; o.role == replay.Remove && o.ret == history.NoReturn {
			p.addChoices(int32(k))
		}
		if p.gaveUp() {
			return p.solver.cause
		}
	}
	p.maybeHeld, p.invokedInserts, p.cleared = nil, 0, -1
	for k := range p.ops {
		e, o := int32(k), &p.ops[k]
		for ; offered < n && p.ops[offered].call < o.ret && o.role != replay.Insert && !p.gaveUp(); offered++ {
			if r := &p.ops[offered]; r.role == replay.Remove && r.ret != history.NoReturn {
				p.addChoices(int32(offered))
			}
		}
		p.constrainOperation(e)
		if p.gaveUp() {
			return p.solver.cause
		}
		if !p.solver.propagate() {
			p.solver.unsatisfiable = true
			break
		}
	}
	return replay.NoCause
}

// gaveUp reports whether there are too many choices or clauses, or no time is left.
func (p *pairs) gaveUp() bool {
	if !p.solver.gaveUp() && p.choiceCount > mostChoices*len(p.ops) {
		p.solver.cause = replay.Memory
	}
	return p.solver.cause != replay.NoCause
}

// constrainOperation adds the clauses of one operation.
func (p *pairs) constrainOperation(e int32) {
	switch o := &p.ops[e]; o.role {
	case replay.Insert:
		if p.capacity > 0 {
			terms, others := p.balance(e)
			p.atMost(terms, p.capacity-1-others, p.happened[e].not())
		}
	case replay.Size:
		terms, others := p.balance(e)
		if p.atLeast(terms, max(1, int(o.size))-others, never); o.size >= 0 {
			p.atMost(terms, int(o.size)-others, never)
		}
	case replay.Nothing:
		for _, y := range p.mayHold(e) {
			p.solver.add(p.before(e, y), p.happened[y].not(), p.gone(y, e))
		}
	case replay.Look:
		p.addChoices(e)
		fallthrough
	case replay.Remove:
		others := p.mayHold(e)
		p.solver.meter.MustStop((len(others) + len(p.clears)) * len(p.choices[e]))
		for _, c := range p.choices[e] {
			if !p.solver.isFalse(c.chosen) && p.solver.cause == replay.NoCause {
				p.constrainChoice(e, c, others)
			}
		}
	}
}

// mayHold returns the insertions whose values may be in the collection when e takes effect.
func (p *pairs) mayHold(e int32) []int32 {
	o := &p.ops[e]
	for ; p.invokedInserts < len(p.inserts) && p.ops[p.inserts[p.invokedInserts]].call < o.call; p.invokedInserts++ {
		p.maybeHeld = append(p.maybeHeld, p.inserts[p.invokedInserts])
	}
	for _, c := range p.clears {
		if p.ops[c].ret < o.call {
			p.cleared = max(p.cleared, p.ops[c].call)
		}
	}
	p.maybeHeld = slices.DeleteFunc(p.maybeHeld, func(y int32) bool {
		i := &p.ops[y]
		return i.ret < p.cleared || p.isTakenBefore(y, o.call)
	})
	p.solver.meter.MustStop(len(p.maybeHeld) / 4)
	until := p.invokedInserts
	for until < len(p.inserts) && p.ops[p.inserts[until]].call < o.ret {
		until++
	}
	return slices.Concat(p.maybeHeld, p.inserts[p.invokedInserts:until])
}

func (p *pairs) variable(phase bool, o *pairOp) literal {
	return literal(2 * p.solver.newVariable(phase, -float32(o.call)/float32(1<<31)))
}

// countConcurrent returns the number of concurrent pairs, or less if the meter stops it.
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

// findConcurrent finds the concurrent pairs and makes their variables. The solver first
// tries the order by response.
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

// before returns the literal that is true if a comes before b.
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

// candidates returns insertions, sorted by invocation. They include all insertions that the
// removal or look may take or see.
func (p *pairs) candidates(e int32) []int32 {
	switch o := &p.ops[e]; {
	case o.role == replay.Remove && o.value < 0:
		return p.inserts
	case o.role == replay.Remove:
		return p.values[o.value].inserts[p.values[o.value].taken:]
	case o.role == replay.Look:
		return p.values[o.value].inserts[p.values[o.value].unseen:]
	}
	return nil
}

// mayChoose reports whether the numbers of insertions and removals of the value of x allow
// e to take or see x.
func (p *pairs) mayChoose(e, x int32) bool {
	o, i := &p.ops[e], &p.ops[x]
	closing := p.values[i.value].closing(i.call)
	switch {
	case o.role == replay.Look:
		return closing > o.call
	case o.ret == history.NoReturn:
		return closing == history.NoReturn
	}
	return closing >= o.ret
}

// addChoices finds the choices of a removal or look, and adds their variables and clauses.
func (p *pairs) addChoices(e int32) {
	o := &p.ops[e]
	if o.value >= 0 {
		v := &p.values[o.value]
		from := &v.taken // removals come here by invocation, and so do looks
		if o.role == replay.Look {
			from = &v.unseen
		}
		for *from < len(v.inserts) && p.isTakenBefore(v.inserts[*from], o.call) {
			*from++
		}
	}
	var choices []choice
	candidates := p.candidates(e)
	p.solver.meter.MustStop(1 + len(candidates)/8)
	for _, x := range candidates {
		if p.ops[x].call > o.ret {
			break
		}
		if p.mayChoose(e, x) && !p.solver.isFalse(p.happened[x]) && !p.solver.isFalse(p.before(x, e)) &&
			!slices.ContainsFunc(p.removals[x], func(t choice) bool {
				return p.solver.isTrue(t.chosen) && (o.role == replay.Remove || p.solver.isFalse(p.before(e, t.op)))
			}) {
			choices = append(choices, choice{op: x})
		}
	}
	isLost := o.ret == history.NoReturn
	var list []literal
	for i := range choices {
		c := &choices[i]
		if c.chosen = always; len(choices) > 1 || isLost {
			c.chosen = p.variable(false, o)
		}
		list = append(list, c.chosen)
		p.solver.add(c.chosen.not(), p.happened[c.op])
		if o.role == replay.Remove {
			for _, t := range p.removals[c.op] {
				p.solver.add(c.chosen.not(), t.chosen.not())
			}
			p.removals[c.op] = append(p.removals[c.op], choice{e, c.chosen})
		}
	}
	p.atMostOne(list)
	if !isLost {
		p.solver.add(list...)
	}
	p.choices[e] = choices
	p.choiceCount += len(choices)
}

// isTakenBefore reports whether the value of x is known to have been taken before a moment.
func (p *pairs) isTakenBefore(x, moment int32) bool {
	i := &p.ops[x]
	return p.values[i.value].closing(i.call) < moment ||
		slices.ContainsFunc(p.removals[x], func(t choice) bool { return p.ops[t.op].ret < moment && p.solver.isTrue(t.chosen) })
}

// atMostOne adds the clauses that at most one literal of the list is true. For each prefix
// of a long list, a new literal is true if some literal of the prefix is.
func (p *pairs) atMostOne(list []literal) {
	if len(list) <= longList {
		for i, a := range list {
			for _, b := range list[:i] {
				p.solver.add(a.not(), b.not())
			}
		}
		return
	}
	some := list[0]
	for _, l := range list[1:] {
		p.solver.add(some.not(), l.not())
		next := p.variable(false, &p.ops[0])
		p.solver.add(next, some.not())
		p.solver.add(next, l.not())
		some = next
	}
}

// longList is the length of a list above which pairs of its literals are too many.
const longList = 4

// constrainChoice adds the clauses that hold if e takes or sees the insertion of choice c.
// The values of others may be in the collection then.
func (p *pairs) constrainChoice(e int32, c choice, others []int32) {
	x, isNot := c.op, c.chosen.not()
	p.solver.add(isNot, p.before(x, e))
	for _, clear := range p.clears {
		p.solver.add(isNot, p.before(clear, x), p.before(e, clear))
	}
	if p.ops[e].role == replay.Look {
		for _, t := range p.removals[x] {
			p.solver.add(isNot, t.chosen.not(), p.before(e, t.op))
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

// nearer returns the literal that is true if, while both values are in the collection, the
// value of x is nearer to the end than the value of y.
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

// gone returns a literal that implies that the value of y has been taken or cleared before
// e.
func (p *pairs) gone(y, e int32) literal {
	if takers := p.removals[y]; len(p.clears) == 0 && len(takers) == 0 {
		return never
	} else if len(p.clears) == 0 && len(takers) == 1 && p.solver.isTrue(takers[0].chosen) {
		return p.before(takers[0].op, e)
	}
	key := [2]int32{y, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(true, &p.ops[e])
	list := []literal{l.not()}
	for _, t := range p.removals[y] {
		if first := p.before(t.op, e); first != never {
			list = append(list, p.both(t.chosen, first))
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

// both returns a literal that is true if and only if a and b are.
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

// balance returns the number of values before e in two parts: others, which may be
// negative, and one for each of the terms that is true.
func (p *pairs) balance(e int32) (terms []literal, others int) {
	o := &p.ops[e]
	others = p.returned(replay.Insert, o.call) - p.returned(replay.Remove, o.call)
	for _, c := range p.concurrent[e] {
		switch before := c.first.not(); p.ops[c.op].role {
		case replay.Insert:
			terms = append(terms, p.both(before, p.happened[c.op]))
		case replay.Remove: // -1, and +1 if it does not come before e
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

// takes returns the literal that is true if the pending removal takes a value.
func (p *pairs) takes(e int32) literal {
	key := [2]int32{e, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(false, &p.ops[e])
	list := []literal{l.not()}
	for _, c := range p.choices[e] {
		p.solver.add(l, c.chosen.not())
		list = append(list, c.chosen)
	}
	p.solver.add(list...)
	p.isGone[key] = l
	return l
}

// atMost adds the clauses that at most n of the terms are true, or that unless is true.
func (p *pairs) atMost(terms []literal, n int, unless literal) {
	negated := make([]literal, len(terms))
	for i, term := range terms {
		negated[i] = term.not()
	}
	p.atLeast(negated, len(terms)-n, unless)
}

// atLeast adds the clauses that at least n of the terms are true, or that unless is true.
// For each i and j, a new literal implies that j of the first i terms are true (Sinz 2005).
func (p *pairs) atLeast(terms []literal, n int, unless literal) {
	switch {
	case n <= 0:
		return
	case n > len(terms):
		p.solver.add(unless)
		return
	}
	p.solver.meter.MustStop(len(terms) * n / 8)
	counts := slices.Repeat([]literal{never}, n+1) // j -> the literal that j of the first i terms are true
	counts[0] = always
	for i, term := range terms {
		for j := min(i+1, n); j > 0; j-- {
			if n-j > len(terms)-i-1 {
				break // too few even if all later terms are true
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
