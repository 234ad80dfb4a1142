package order

import "slices"

// atMostOne adds the clauses that at most one literal of the list is true. For each prefix
// of two or more literals, a new literal is true if some literal of the prefix is.
func (o *ordering) atMostOne(list []literal) {
	if len(list) == 0 {
		return
	}
	some := list[0]
	for k, l := range list[1:] {
		if k > 0 {
			next := o.variable(false, 0)
			o.add(next, some.not())
			o.add(next, list[k].not())
			some = next
		}
		o.add(some.not(), l.not())
	}
}

// atMost adds the clauses that at most n of the terms are true, or that unless is true.
func (o *ordering) atMost(terms []literal, n int, unless literal) {
	negated := make([]literal, len(terms))
	for i, term := range terms {
		negated[i] = term.not()
	}
	o.atLeast(negated, len(terms)-n, unless)
}

// atLeast adds the clauses that at least n of the terms are true, or that unless is true.
// For each i and j, a new literal implies that j of the first i terms are true (Sinz,
// "Towards an optimal CNF encoding of Boolean cardinality constraints", 2005).
func (o *ordering) atLeast(terms []literal, n int, unless literal) {
	switch {
	case n <= 0:
		return
	case n > len(terms):
		o.add(unless)
		return
	}
	o.meter.MustStop(len(terms) * n / 8)
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
			l := o.variable(true, 0)
			o.add(l.not(), was, term)
			o.add(l.not(), was, less)
			counts[j] = l
		}
	}
	o.add(unless, counts[n])
}
