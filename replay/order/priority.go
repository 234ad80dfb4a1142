package order

import "slices"

// rankValues numbers the values of a priority queue in their order.
func (p *collection) rankValues() {
	var values []int32 // those that are inserted
	for v := range p.values {
		if len(p.values[v].inserts) > 0 {
			values = append(values, int32(v))
		}
	}
	compare := func(v, w int32) int {
		x, y := p.ops[p.values[v].inserts[0]].op, p.ops[p.values[w].inserts[0]].op
		return p.problem.ValueOf(x).Compare(p.problem.ValueOf(y))
	}
	slices.SortFunc(values, compare)
	p.rank = make([]int32, len(p.values))
	for k, v := range values[min(1, len(values)):] {
		p.rank[v] = p.rank[values[k]]
		if compare(values[k], v) != 0 {
			p.rank[v]++
		}
	}
}

// precedes is nearer for a priority queue: always, if the value of x is not greater than
// the value of y, or never.
func (p *collection) precedes(x, y int32) literal {
	if p.rank[p.ops[x].value] <= p.rank[p.ops[y].value] {
		return always
	}
	return never
}
