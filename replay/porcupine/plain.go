package leadline

import (
	"cmp"
	"context"
	"slices"

	"github.com/leadline/leadline/replay"
)

// A plain search looks for a witness of one part by calling the model itself (Wing and
// Gong 1993, with the memory of Lowe 2017). It tries operations in the order of their
// calls, like porcupine, so a part takes about as many steps. Each Step gets the very
// state that the previous Step returned. So a model need not be quite pure, whereas the
// engines of leadline number states and keep transitions.
type plain struct {
	judge func(state, input, output any) (bool, any)

	ops     []*recorded // sorted by call
	returns []int32     // ops sorted by return
	called  []int32     // index into returns -> number of ops called up to that return
	slot    []int32     // op -> bit of placed while it is open
	next    []int32     // linked list of ops that are not placed; len(ops) is its head and end
	prev    []int32

	steps  int64
	state  any
	due    int32    // index into returns of the first op that is not placed
	placed []uint64 // slots of open operations that are placed
	at     int32    // the op to try next
	path   []placement

	memory memory
}

// A placement is a placed op with the due response and the state before it.
type placement struct {
	op, due int32
	state   any
}

func newPlain(spec *specification, ops []*recorded) *plain {
	slices.SortStableFunc(ops, func(a, b *recorded) int { return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.number, b.number)) })
	n := int32(len(ops))
	p := &plain{judge: spec.judge, ops: ops, slot: make([]int32, n),
		next: make([]int32, n+1), prev: make([]int32, n+1), state: clip(spec.model.Init())}
	for i := range n + 1 {
		p.next[i], p.prev[i] = (i+1)%(n+1), (i+n)%(n+1)
		if i < n {
			p.returns = append(p.returns, i)
		}
	}
	slices.SortStableFunc(p.returns, func(a, b int32) int { return cmp.Compare(ops[a].ret, ops[b].ret) })
	var free []int32
	called, slots := int32(0), int32(0)
	for _, r := range p.returns {
		for ; called < n && ops[called].call <= ops[r].ret; called++ {
			if len(free) == 0 {
				free, slots = append(free, slots), slots+1
			}
			p.slot[called] = free[len(free)-1]
			free = free[:len(free)-1]
		}
		p.called = append(p.called, called)
		free = append(free, p.slot[r])
	}
	p.placed = make([]uint64, slots/64+1)
	p.memory = newMemory(spec, len(p.placed))
	return p
}

// run makes up to the given number of steps.
func (p *plain) run(ctx context.Context, steps int64) replay.Answer {
	end := int32(len(p.ops))
	last := p.steps + steps
	for int(p.due) < len(p.returns) {
		switch {
		case p.at < p.called[p.due]: // false at the end of the list
			if p.steps == last || ctx.Err() != nil {
				return replay.Undecided
			}
			p.steps++
			op := p.ops[p.at]
			ok, next := p.judge(p.state, op.input, op.output)
			if ctx.Err() != nil {
				return replay.Undecided // StepContext may have given up
			}
			if ok && p.place(clip(next)) {
				p.at = p.next[end]
			} else {
				p.at = p.next[p.at]
			}
		case len(p.path) == 0:
			return replay.NotLinearizable
		default:
			p.back()
		}
	}
	return replay.Linearizable
}

// place places the op p.at, which leads to the state. It reports false if the search has
// visited that configuration before.
func (p *plain) place(state any) bool {
	before := placement{p.at, p.due, p.state}
	p.placed[p.slot[p.at]/64] |= 1 << (p.slot[p.at] % 64)
	for int(p.due) < len(p.returns) && p.isPlaced(p.returns[p.due]) {
		s := p.slot[p.returns[p.due]]
		p.placed[s/64] &^= 1 << (s % 64)
		p.due++
	}
	if p.memory.visit(p.due, p.placed, state) {
		p.undo(before)
		return false
	}
	p.path = append(p.path, before)
	p.next[p.prev[p.at]], p.prev[p.next[p.at]] = p.next[p.at], p.prev[p.at]
	p.state = state
	return true
}

// forget frees the memory that only an undecided search needs.
func (p *plain) forget() { p.memory = memory{} }

func (p *plain) isPlaced(op int32) bool { return p.placed[p.slot[op]/64]>>(p.slot[op]%64)&1 != 0 }

// undo restores due and placed to their values before a placement.
func (p *plain) undo(last placement) {
	for p.due > last.due {
		p.due--
		s := p.slot[p.returns[p.due]]
		p.placed[s/64] |= 1 << (s % 64)
	}
	p.placed[p.slot[last.op]/64] &^= 1 << (p.slot[last.op] % 64)
}

// back undoes the last placement. The op after it in the list is the next one to try.
func (p *plain) back() {
	last := p.path[len(p.path)-1]
	p.path = p.path[:len(p.path)-1]
	p.undo(last)
	p.next[p.prev[last.op]], p.prev[p.next[last.op]] = last.op, last.op
	p.state, p.at = last.state, p.next[last.op]
}
