package order

import "github.com/leadline/leadline/replay"

// nearer returns the literal that is true if, while both values are in the collection, the
// value of x is nearer to the end than the value of y.
func (p *collection) nearer(x, y int32, front bool) literal {
	switch p.discipline {
	case replay.Smallest:
		return p.precedes(x, y)
	case replay.Largest:
		return p.precedes(y, x)
	}
	return p.nearerEnd(x, y, front)
}

// nearerEnd is nearer for a queue, a stack or a deque. Values that were inserted at one end
// are in the order of their insertions.
func (p *collection) nearerEnd(x, y int32, front bool) literal {
	if !front {
		x, y = y, x
	}
	switch a, b := &p.ops[x], &p.ops[y]; { // at the front
	case a.front && b.front:
		return p.before(y, x)
	case a.front:
		return always
	case b.front:
		return never
	}
	return p.before(x, y)
}
