package monitor

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// A placing puts operations in an order that respects real time and further precedences.
// Its nodes are the operations, and moments that have to come before some and after others.
type placing struct {
	h       *history.History
	meter   *meter.Meter
	shownBy []int32        // operation -> the one that shows that it took effect, or none
	before  [][]precedence // node -> what has to come before it
	state   []uint8
	path    []placed
	order   []int32
}

// A precedence is a node that has to come before another one, as an operation shows, or
// as these two do by themselves if it is none.
type precedence struct{ node, shownBy int32 }

type placed struct {
	precedence
	next int32 // of what comes before the node
}

// The state of a node.
const (
	isWaiting = iota
	isBegun
	isPlaced
)

// newPlacing knows that operations took effect that returned or are marked so.
func newPlacing(h *history.History, m *meter.Meter) *placing {
	n := len(h.Ops)
	p := &placing{h: h, meter: m, shownBy: make([]int32, n), before: make([][]precedence, n), state: make([]uint8, n)}
	for i := range h.Ops {
		p.shownBy[i] = none
		if op := &h.Ops[i]; !op.Pending() || op.Happened {
			p.shownBy[i] = int32(i)
		}
	}
	return p
}

// moment adds a node.
func (p *placing) moment() int32 {
	p.before, p.state = append(p.before, nil), append(p.state, isWaiting)
	return int32(len(p.before)) - 1
}

func (p *placing) add(from, to, shownBy int32) {
	p.meter.Spend(1)
	if from != to {
		p.before[to] = append(p.before[to], precedence{from, shownBy})
	}
}

// run returns the operations that took effect in order, or a conflict. It takes them by
// response, each after all that has to come before it. If some of that was invoked after
// the response, no order exists.
func (p *placing) run() (order, conflict []int32) {
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

// place places an operation before a response, and before it all that has to come before
// it. It returns a conflict if something of that is invoked after the response, or has to
// come before itself.
func (p *placing) place(op, response int32) (conflict []int32) {
	if p.state[op] == isPlaced {
		return nil
	}
	p.path = append(p.path[:0], placed{precedence{op, none}, 0})
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
		p.path = append(p.path, placed{from, 0})
	}
	return nil
}

func (p *placing) isOperation(node int32) bool { return int(node) < len(p.h.Ops) }

// conflict returns the operations of the path and of one more precedence, or of the loop
// that it closes, with those that show what has to come before what.
func (p *placing) conflict(last precedence) (ops []int32) {
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
