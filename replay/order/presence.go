package order

import "slices"

// mayHold returns the insertions whose values may be in the collection when e takes effect.
func (p *collection) mayHold(e int32) []int32 {
	o := &p.ops[e]
	for ; p.invokedInserts < len(p.inserts) && p.ops[p.inserts[p.invokedInserts]].call < o.call; p.invokedInserts++ {
		p.maybeHeld = append(p.maybeHeld, p.inserts[p.invokedInserts])
	}
	p.maybeHeld = slices.DeleteFunc(p.maybeHeld, func(y int32) bool { return p.isTakenBefore(y, o.call) })
	p.meter.MustStop(len(p.maybeHeld) / 4)
	until := p.invokedInserts
	for until < len(p.inserts) && p.ops[p.inserts[until]].call < o.ret {
		until++
	}
	return slices.Concat(p.maybeHeld, p.inserts[p.invokedInserts:until])
}

// gone returns a literal that implies that the value of y has been taken before e.
func (p *collection) gone(y, e int32) literal {
	takers := p.removals[y]
	switch {
	case len(takers) == 0:
		return never
	case len(takers) == 1 && p.isTrue(takers[0].chosen):
		return p.before(takers[0].op, e)
	}
	key := [2]int32{y, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(true, e)
	list := []literal{l.not()}
	for _, t := range takers {
		if first := p.before(t.op, e); first != never {
			list = append(list, p.both(t.chosen, first))
		}
	}
	p.add(list...)
	p.isGone[key] = l
	return l
}
