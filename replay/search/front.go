package search

import (
	"slices"

	"github.com/leadline/leadline/replay/internal/engine"
)

// Limits of fronts. Like those of guessing, they do not affect correctness.
const (
	frontAfter = 1 << 14 // configurations searched before
	frontWork  = 1 << 22 // units of work, and frontPerOp more per operation
	frontPerOp = 1 << 10
	frontWidth = 1 << 11 // configurations kept for a response, with each number of pending operations
	frontSlack = 2       // pending operations placed in a repair
	frontBack  = 1 << 7  // responses that a repair goes back
)

// fronts is a breadth-first search for a witness of a history with pending operations.
// The front of a response is the set of configurations reached in which it is due. The
// search places no pending operations. If it gets stuck at a response, a repair goes
// back some responses, and places one or two pending operations from there on. Then the
// search goes on without any from all configurations that were reached.
//
// After a wrong choice, a depth-first search tries all sequences of pending operations
// before it comes back to the choice. A front holds the other choices, too, and a repair
// tries all of them with one pending operation before any with two. That finds witnesses
// of histories that show that a pending operation took effect, but not which one, as the
// size of a map does.
//
// Of configurations that differ only in the pending operations placed, a front keeps
// one, and there are bounds. So a search that finds no witness proves nothing.
type fronts struct {
	sweep
	nodes []frontNode
	ops   []int32   // placed by the nodes
	of    [][]int32 // response -> nodes of its front
	first int32     // the first response with a front
	last  int32     // and the last
	seen  keySet
	over  bool // a bound was reached
}

// A frontNode is a configuration, and how it was reached: ops[from:to] were placed after
// those of its parent.
type frontNode struct {
	spot
	parent   int32
	from, to int32
	cost     int32 // pending operations placed in the repair
}

// advanceFronts returns a witness, or nil.
func advanceFronts(s *sweep) []int32 {
	f := &fronts{sweep: *s, of: make([][]int32, len(s.order)+1)}
	f.meter = s.meter.Share(frontWork + frontPerOp*int64(len(s.ops)))
	f.maxBytes = s.maxBytes/2 - (s.bytes() - s.machine.Bytes()) // half is left to the search that comes after
	f.occupant = slices.Clone(s.occupant)
	f.retreatTo(0)
	f.used, f.seen.words, f.stack, f.trail = usedSets{}, 2, nil, nil
	f.used.init(len(s.pendings))
	f.at = spot{state: s.machine.Start()}
	f.placeReads()
	f.reach(-1, 0)
	f.first = f.last
	for due := range int32(len(s.order)) {
		if len(f.of[due]) > 0 {
			f.pass(due, 0)
			if f.last == due && !f.repair(due) {
				return nil
			}
		}
	}
	return engine.Complete(f.path(f.of[len(s.order)][0]), len(s.ops))
}

// reach adds the current configuration to the front of its response, if it is new.
func (f *fronts) reach(parent, cost int32) {
	for int(f.at.due) < len(f.order) && f.at.mask>>f.slot[f.order[f.at.due]]&1 != 0 {
		f.advance()
	}
	key := f.at.key()
	if _, isNew := f.seen.add(key[:]); !isNew {
		return
	}
	from := int32(len(f.ops))
	f.ops = append(f.ops, f.trail...)
	f.of[f.at.due] = append(f.of[f.at.due], int32(len(f.nodes)))
	f.nodes = append(f.nodes, frontNode{f.at, parent, from, int32(len(f.ops)), cost})
	f.last = max(f.last, f.at.due)
}

// moveTo makes the operations open that are when the given response is due.
func (f *fronts) moveTo(due int32) {
	f.retreatTo(due)
	for f.at.due < due {
		f.occupant[f.slot[f.order[f.at.due]]] = -1
		f.at.due++
		f.invoke(f.called[f.at.due-1], f.called[f.at.due])
	}
}

// pass goes from the front of a response to those of later ones, with up to slack
// pending operations.
func (f *fronts) pass(due, slack int32) {
	if slack == 0 {
		f.start(due)
	}
	f.moveTo(due)
	pendings := 1 + int32(f.slots)
	for cost := int32(0); ; cost++ {
		width := 0
		f.isOver(len(f.of[due]) / 8)
		for k := 0; k < len(f.of[due]) && width < frontWidth; k++ {
			if i := f.of[due][k]; f.nodes[i].cost == cost {
				width++
				f.expand(i, 0, pendings, cost)
			}
		}
		if cost == slack || f.isOver(0) {
			return
		}
		for k, n := 0, len(f.of[due]); k < n; k++ {
			if i := f.of[due][k]; f.nodes[i].cost == cost {
				f.expand(i, pendings, pendings+f.pendUpTo[due], cost+1)
			}
		}
	}
}

// start makes what has been placed before the response count no more.
func (f *fronts) start(due int32) {
	for _, i := range f.of[due] {
		f.nodes[i].cost = 0
	}
}

// expand places each of some candidates in a configuration.
func (f *fronts) expand(i, from, to, cost int32) {
	at := f.nodes[i].spot
	for k := from; k < to && !f.isOver(1); k++ {
		f.at = at
		op, _ := f.candidate(k)
		if op < 0 || f.isBlocked(op) {
			continue
		}
		state := f.machine.Step(at.state, op)
		if state == engine.Fail || f.isUseless(op, state) {
			continue
		}
		f.trail = f.trail[:0]
		f.place(op, state)
		f.reach(i, cost)
		f.retreatTo(at.due)
		f.isOver(configurationWork + f.grown.work(f.machine.Bytes()))
	}
}

// repair goes back from the response at which the search is stuck, and places pending
// operations. It reports whether the search can go on then.
func (f *fronts) repair(due int32) bool {
	for back := int32(0); back < frontBack; back = 2*back + 1 {
		for slack := int32(1); slack <= frontSlack; slack++ {
			from := max(f.first, due-back)
			for len(f.of[from]) == 0 {
				from--
			}
			for k := from + 1; k <= f.last; k++ {
				f.of[k] = nil
			}
			f.last = from
			f.seen.clear()
			f.isOver(len(f.of[from]))
			for _, i := range f.of[from] {
				key := f.nodes[i].key()
				f.seen.add(key[:])
			}
			for f.start(from); from <= due; from++ {
				f.pass(from, slack)
			}
			if f.isOver(0) {
				return false
			}
			if f.last > due {
				return true
			}
		}
	}
	return false
}

// isOver counts work and reports whether to give up.
func (f *fronts) isOver(work int) bool {
	if f.meter.Spend(work) {
		f.over = f.over || f.meter.Stopped() || f.bytes() > f.maxBytes
	}
	return f.over
}

// bytes estimates the memory in use.
func (f *fronts) bytes() int64 {
	return f.seen.bytes() + f.used.bytes() + f.machine.Bytes() + int64(cap(f.nodes))*40 + int64(cap(f.ops)+2*len(f.nodes))*4 + int64(len(f.of))*24
}

// path returns what was placed up to a node.
func (f *fronts) path(i int32) []int32 {
	var path []int32
	for ; i >= 0; i = f.nodes[i].parent {
		n := &f.nodes[i]
		for _, op := range slices.Backward(f.ops[n.from:n.to]) {
			path = append(path, op)
		}
	}
	slices.Reverse(path)
	return path
}
