package monitor

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// An ordering puts operations in an order that respects real time and further precedences.
// Its nodes are the operations, and moments that have to come before some operations and
// after others.
type ordering struct {
	h       *history.History
	meter   *meter.Meter
	shownBy []int32        // operation -> the one that shows that it took effect, or none
	before  [][]precedence // node -> its predecessors
	state   []uint8
	path    []pathNode
	order   []int32
}

// A precedence is a node that has to come before another one. shownBy is the operation that
// shows this, or none if the two nodes alone show it.
type precedence struct{ node, shownBy int32 }

type pathNode struct {
	precedence
	next int32 // index of the next predecessor to visit
}

// The state of a node.
const (
	isWaiting = iota
	isBegun
	isPlaced
)

// newOrdering returns an ordering in which the operations took effect that returned or are
// marked as happened.
func newOrdering(h *history.History, m *meter.Meter) *ordering {
	n := len(h.Ops)
	p := &ordering{h: h, meter: m, shownBy: make([]int32, n), before: make([][]precedence, n), state: make([]uint8, n)}
	for i := range h.Ops {
		p.shownBy[i] = none
		if op := &h.Ops[i]; !op.Pending() || op.Happened {
			p.shownBy[i] = int32(i)
		}
	}
	return p
}

// addMoment adds a node that is not an operation.
func (p *ordering) addMoment() int32 {
	p.before, p.state = append(p.before, nil), append(p.state, isWaiting)
	return int32(len(p.before)) - 1
}

func (p *ordering) add(from, to, shownBy int32) {
	p.meter.Spend(1)
	if from != to {
		p.before[to] = append(p.before[to], precedence{from, shownBy})
	}
}

// run returns the operations that took effect in order, or a conflict. It places them by
// response, each after its predecessors. If a predecessor was invoked after the response,
// no order exists.
func (p *ordering) run() (order, conflict []int32) {
	var returned []int32
	for i := range p.h.Ops {
		if !p.h.Ops[i].Pending() {
			returned = append(returned, int32(i))
		}
	}
	slices.SortFunc(returned, func(a, b int32) int { return cmp.Compare(p.h.Ops[a].Return, p.h.Ops[b].Return) })
	for _, i := range returned {
		if conflict = p.place(i, p.h.Ops[i].Return); conflict != nil || p.meter.Stopped() {
			return nil, conflict
		}
	}
	for i, by := range p.shownBy {
		if by == none {
			continue
		}
		if conflict = p.place(int32(i), history.NoReturn); conflict != nil || p.meter.Stopped() {
			return nil, conflict
		}
	}
	return p.order, nil
}

// place places an operation before a response, after all its direct and indirect
// predecessors. It returns a conflict if one of these was invoked after the response, or
// has to come before itself.
func (p *ordering) place(op, response int32) (conflict []int32) {
	if p.state[op] == isPlaced {
		return nil
	}
	p.path = append(p.path[:0], pathNode{precedence{op, none}, 0})
	p.state[op] = isBegun
	for len(p.path) > 0 && !p.meter.MustStop(1) {
		at := &p.path[len(p.path)-1]
		if int(at.next) == len(p.before[at.node]) {
			if p.state[at.node] = isPlaced; p.isOperation(at.node) {
				p.order = append(p.order, at.node)
			}
			p.path = p.path[:len(p.path)-1]
			continue
		}
		from := p.before[at.node][at.next]
		at.next++
		switch {
		case p.state[from.node] == isPlaced:
			continue
		case p.state[from.node] == isBegun, p.isOperation(from.node) && p.h.Ops[from.node].Call > response:
			return p.conflict(from)
		}
		p.state[from.node] = isBegun
		p.path = append(p.path, pathNode{from, 0})
	}
	return nil
}

func (p *ordering) isOperation(node int32) bool { return int(node) < len(p.h.Ops) }

// conflict returns the operations of the path and of one more precedence, or of the cycle
// that it closes, with the operations that show these precedences.
func (p *ordering) conflict(last precedence) (ops []int32) {
	add := func(from precedence) {
		if from.shownBy != none {
			ops = append(ops, from.shownBy)
		}
		if p.isOperation(from.node) {
			ops = append(ops, from.node, p.shownBy[from.node])
		}
	}
	add(last)
	for k := len(p.path) - 1; k >= 0; k-- {
		if add(p.path[k].precedence); p.path[k].node == last.node {
			break
		}
	}
	return ops
}
