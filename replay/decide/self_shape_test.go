package decide_test

import (
	"math/rand/v2"
)

// A shape is an interval order up to isomorphism. It alternates blocks of
// invocations and blocks of responses, and has the blocks in which each
// operation begins and ends. An interval order has exactly one such form
// without superfluous blocks (Greenough 1976). Without pending operations there
// are 1, 2, 5, 15, 53, 217 of 1 to 6 operations. Operations are sorted, so that
// operations with equal spans are adjacent.
type shape struct {
	blocks int
	ops    []span
}

// A span is an operation: the blocks in which it begins and ends.
type span struct{ begin, end int8 }

// open is the end of a pending operation.
const open = 1<<7 - 1

// shapes returns all shapes of n operations. Every block has an invocation and
// a response, except that the last block may have pending operations only.
func shapes(n int) []shape {
	var all []shape
	for blocks := 1; blocks <= n; blocks++ {
		var cells []span // possible operations
		for b := range int8(blocks) {
			for e := b; int(e) < blocks; e++ {
				cells = append(cells, span{b, e})
			}
			cells = append(cells, span{b, open})
		}
		ops := make([]span, 0, n)
		var choose func(from int)
		choose = func(from int) {
			if len(ops) == n {
				if s := (shape{blocks, ops}); s.isReduced() {
					all = append(all, shape{blocks, append([]span{}, ops...)})
				}
				return
			}
			for c := from; c < len(cells); c++ {
				ops = append(ops, cells[c])
				choose(c)
				ops = ops[:len(ops)-1]
			}
		}
		choose(0)
	}
	return all
}

// isReduced reports whether no block is superfluous.
func (s *shape) isReduced() bool {
	var begins, ends [maxOps]bool
	for _, o := range s.ops {
		begins[o.begin] = true
		if o.end != open {
			ends[o.end] = true
		}
	}
	for b := range s.blocks {
		if !begins[b] || !ends[b] && b+1 < s.blocks {
			return false
		}
	}
	return true
}

// list returns the possible calls of operation i of the shape.
func (s *shape) list(k *kind, i int) []call {
	if s.ops[i].end == open {
		return k.pending
	}
	return k.returned
}

// labels calls visit with every way to assign calls to the operations, as
// numbers in their lists, where first is the number of the first operation. It
// stops when visit returns false. Operations with equal spans have ascending
// numbers. In a symmetric kind, exchanging values 1 and 2 makes no difference,
// so assignments whose first value is 2 are skipped. None is lost: a call with
// 1 is right before the same call with 2, so the exchanged assignment, sorted,
// comes first and begins with 1.
func (s *shape) labels(k *kind, first int, visit func(label []int) bool) {
	label := make([]int, len(s.ops))
	label[0] = first
	i, lowest := 0, 0
	if len(s.ops) > 1 {
		i, lowest = 1, s.lowest(label, 1)
		label[1] = lowest
	}
	for {
		if i+1 == len(s.ops) && label[i] < len(s.list(k, i)) {
			if !(k.symmetric && s.beginsWithTwo(k, label)) && !visit(label) {
				return
			}
		}
		switch {
		case i+1 < len(s.ops) && label[i] < len(s.list(k, i)):
			i++
			label[i] = s.lowest(label, i)
			continue
		case label[i] >= len(s.list(k, i)):
			i--
		}
		if i <= 0 {
			return
		}
		label[i]++
	}
}

func (s *shape) lowest(label []int, i int) int {
	if s.ops[i] == s.ops[i-1] {
		return label[i-1]
	}
	return 0
}

func (s *shape) beginsWithTwo(k *kind, label []int) bool {
	for i, l := range label {
		if twin := s.list(k, i)[l].twin; twin != l {
			return twin < l
		}
	}
	return false
}

// arrange sets p to the history of the shape with the given calls. The order of
// events within a block, the processes, and which value is which are random.
func (s *shape) arrange(p *problem, k *kind, label []int, r *rand.Rand) {
	p.reset(k)
	p.draw(r)
	exchange := k.symmetric && r.Uint32()&1 != 0
	var number [maxOps]int // operation of the shape -> of the history
	var order [maxOps]int
	var free [maxOps]int32
	idle, processes := 0, int32(0)
	for b := range int8(s.blocks) {
		for _, i := range s.pick(order[:0], r, func(o span) bool { return o.begin == b }) {
			process := processes
			if idle > 0 && r.Uint32()&3 != 0 {
				at := r.IntN(idle)
				idle--
				process, free[at] = free[at], free[idle]
			} else {
				processes++
			}
			list := s.list(k, i)
			c := &list[label[i]]
			if exchange {
				c = &list[c.twin]
			}
			number[i] = p.invoke(c, process)
		}
		for _, i := range s.pick(order[:0], r, func(o span) bool { return o.end == b }) {
			p.respond(number[i])
			free[idle] = p.process[number[i]]
			idle++
		}
	}
}

// pick appends the operations that satisfy f, in random order.
func (s *shape) pick(order []int, r *rand.Rand, f func(span) bool) []int {
	for i, o := range s.ops {
		if f(o) {
			order = append(order, i)
			at := r.IntN(len(order))
			order[at], order[len(order)-1] = i, order[at]
		}
	}
	return order
}
