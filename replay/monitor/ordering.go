package monitor

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay/ops"
)

// An ordering puts operations in an order that respects real time and further precedences.
// Its nodes are the operations, and moments that have to come before some operations and
// after others.
type ordering struct {
	h           *history.History
	meter       *meter.Meter
	shownBy     []int32 // operation -> the one that shows that it took effect, or none
	nodes       int32
	precedences []precedence
	before      ops.Lists // node -> the precedences of its predecessors
	state       []uint8
	path        []pathNode
	order       []int32
}

// A precedence is a node that has to come before node to. shownBy is the operation that
// shows this, or none if the two nodes alone show it.
type precedence struct{ node, to, shownBy int32 }

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
	p := &ordering{h: h, meter: m, shownBy: make([]int32, len(h.Ops)), nodes: int32(len(h.Ops))}
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
	p.nodes++
	return p.nodes - 1
}

func (p *ordering) add(from, to, shownBy int32) {
	p.meter.Spend(1)
	if from != to {
		p.precedences = append(p.precedences, precedence{from, to, shownBy})
	}
}

// run returns the operations that took effect in order, or a conflict. It places them by
// response, each after its predecessors. If a predecessor was invoked after the response,
// no order exists. returned has the completed operations by response.
func (p *ordering) run(returned []int32) (order, conflict []int32) {
	p.state, p.order = make([]uint8, p.nodes), nil
	p.before = ops.Group(len(p.precedences), int(p.nodes), func(i int32) int32 { return p.precedences[i].to })
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
	p.path = append(p.path[:0], pathNode{precedence{op, none, none}, 0})
	p.state[op] = isBegun
	for len(p.path) > 0 && !p.meter.MustStop(1) {
		at := &p.path[len(p.path)-1]
		before := p.before.Of(at.node)
		if int(at.next) == len(before) {
			if p.state[at.node] = isPlaced; p.isOperation(at.node) {
				p.order = append(p.order, at.node)
			}
			p.path = p.path[:len(p.path)-1]
			continue
		}
		from := p.precedences[before[at.next]]
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
