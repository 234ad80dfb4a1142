package order

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// constrainRoom adds the clauses that an insertion into a bounded collection finds room.
func (p *collection) constrainRoom(e int32) {
	if p.capacity > 0 {
		terms, others := p.balance(e)
		p.atMost(terms, p.capacity-1-others, p.happened[e].not())
	}
}

// constrainSize adds the clauses that an operation counts correctly.
func (p *collection) constrainSize(e int32) {
	size := int(p.ops[e].size)
	terms, others := p.balance(e)
	if p.atLeast(terms, max(1, size)-others, never); size >= 0 {
		p.atMost(terms, size-others, never)
	}
}

// balance returns the number of values before e in two parts: others, which may be
// negative, and one for each of the terms that is true.
func (p *collection) balance(e int32) (terms []literal, others int) {
	o := &p.ops[e]
	others = p.returned(replay.Insert, o.call) - p.returned(replay.Remove, o.call)
	term := func(k int32) {
		switch before := p.before(k, e); p.ops[k].role {
		case replay.Insert:
			terms = append(terms, p.both(before, p.happened[k]))
		case replay.Remove: // -1, and +1 if it does not come before e
			if p.ops[k].ret == history.NoReturn {
				before = p.both(before, p.takes(k))
			}
			terms = append(terms, before.not())
			others--
		}
	}
	for _, k := range p.earlier[e] {
		term(k)
	}
	for k := e + 1; k <= p.last[e]; k++ {
		term(k)
	}
	return terms, others
}

// returned returns how many operations of a role returned before a moment.
func (p *collection) returned(role replay.Role, moment int32) int {
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
func (p *collection) takes(e int32) literal {
	key := [2]int32{e, e}
	if l, ok := p.isGone[key]; ok {
		return l
	}
	l := p.variable(false, e)
	list := []literal{l.not()}
	for _, t := range p.choices[e] {
		p.add(l, t.chosen.not())
		list = append(list, t.chosen)
	}
	p.add(list...)
	p.isGone[key] = l
	return l
}
