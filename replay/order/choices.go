package order

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A choice pairs an insertion with a removal or look, and has a literal: true if the
// removal or look takes or sees that insertion. op is the one of the two that does not hold
// the choice.
type choice struct {
	op     int32
	chosen literal
}

// addChoices finds the choices of a removal or look, and adds their variables and clauses.
func (p *collection) addChoices(e int32) {
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
	choices := p.choices[e]
	candidates := p.candidates(e)
	p.meter.MustStop(1 + len(candidates)/8)
	for _, x := range candidates {
		if p.ops[x].call > o.ret {
			break
		}
		if p.mayChoose(e, x) && !p.isFalse(p.happened[x]) && !p.isFalse(p.before(x, e)) &&
			!slices.ContainsFunc(p.removals[x], func(t choice) bool {
				return p.isTrue(t.chosen) && (o.role == replay.Remove || p.isFalse(p.before(e, t.op)))
			}) {
			choices = append(choices, choice{op: x})
		}
	}
	isLost := o.ret == history.NoReturn
	var list []literal
	for i := range choices {
		c := &choices[i]
		if c.chosen = always; len(choices) > 1 || isLost {
			c.chosen = p.variable(false, e)
		}
		list = append(list, c.chosen)
		p.add(c.chosen.not(), p.happened[c.op])
		if o.role == replay.Remove {
			for _, t := range p.removals[c.op] {
				p.add(c.chosen.not(), t.chosen.not())
			}
			p.removals[c.op] = append(p.removals[c.op], choice{e, c.chosen})
		}
	}
	p.atMostOne(list)
	if !isLost {
		p.add(list...)
	}
	p.choices[e] = choices
	p.choiceCount += len(choices)
}

// candidates returns insertions, sorted by invocation. They include all insertions that the
// removal or look may take or see.
func (p *collection) candidates(e int32) []int32 {
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
func (p *collection) mayChoose(e, x int32) bool {
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

// isTakenBefore reports whether the value of x is known to have been taken before a moment.
func (p *collection) isTakenBefore(x, moment int32) bool {
	i := &p.ops[x]
	return p.values[i.value].closing(i.call) < moment ||
		slices.ContainsFunc(p.removals[x], func(t choice) bool { return p.ops[t.op].ret < moment && p.isTrue(t.chosen) })
}

// constrainChoice adds the clauses that hold if e takes or sees the insertion of choice c.
// The values of others may be in the collection then.
func (p *collection) constrainChoice(e int32, c choice, others []int32) {
	x, isNot := c.op, c.chosen.not()
	p.add(isNot, p.before(x, e))
	if p.ops[e].role == replay.Look {
		for _, t := range p.removals[x] {
			p.add(isNot, t.chosen.not(), p.before(e, t.op))
		}
	}
	for _, y := range others {
		if y == x {
			continue
		}
		nearer, after := p.nearer(x, y, p.ops[e].front), p.before(e, y)
		if nearer != always && after != always {
			p.add(isNot, after, nearer, p.happened[y].not(), p.gone(y, e))
		}
	}
}
