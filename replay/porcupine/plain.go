package leadline

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/leadline/leadline/hitting/table"
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

	visited visited
}

// A placement is a placed op with the due response and the state before it.
type placement struct {
	op, due int32
	state   any
}

// newPlain returns a search for an order of the operations in list. Both all and list are
// sorted by call.
func newPlain(spec *specification, all []*recorded, list []int32) *plain {
	n := int32(len(list))
	p := &plain{judge: spec.judge, slot: make([]int32, n),
		next: make([]int32, n+1), prev: make([]int32, n+1), state: clip(spec.model.Init())}
	for i := range n + 1 {
		p.next[i], p.prev[i] = (i+1)%(n+1), (i+n)%(n+1)
	}
	for i, op := range list {
		p.ops, p.returns = append(p.ops, all[op]), append(p.returns, int32(i))
	}
	ops := p.ops
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
	p.visited = visited{equal: spec.states.equal, hash: spec.states.hash}
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
	p.visited = visited{} // only an undecided search needs it
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
	if !p.visited.add(p.due, p.placed, state) {
		p.undo(before)
		return false
	}
	p.path = append(p.path, before)
	p.next[p.prev[p.at]], p.prev[p.next[p.at]] = p.next[p.at], p.prev[p.at]
	p.state = state
	return true
}

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

// clip cuts the capacity of a state that is a slice. So a Step that appends to the state
// copies it.
func clip(state any) any {
	if v := reflect.ValueOf(state); v.Kind() == reflect.Slice && v.Cap() > v.Len() {
		return v.Slice3(0, v.Len(), v.Len()).Interface()
	}
	return state
}

// visited has the configurations that a plain search has visited: sets of operations with
// states. Like porcupine, it compares a state with all states of the same set, and of the
// same hash if the model has one.
type visited struct {
	equal func(a, b any) bool
	hash  func(state any) uint64 // or nil

	key    []uint64
	keys   table.Words // of a set: the due response, the open operations placed, and the hash
	last   []int32     // key -> number, from 1, of the last state visited with it
	states []visitedState
}

type visitedState struct {
	state  any
	before int32 // number of the state visited before it with the same key, or 0
}

// add adds a configuration, and reports whether it is new.
func (v *visited) add(due int32, placed []uint64, state any) bool {
	v.key = append(append(v.key[:0], uint64(due)), placed...)
	if v.hash != nil {
		v.key = append(v.key, v.hash(state))
	}
	v.keys.Length = len(v.key)
	k, isNew := v.keys.Add(v.key)
	if isNew {
		v.last = append(v.last, 0)
	}
	for s := v.last[k]; s > 0; s = v.states[s-1].before {
		if v.equal(state, v.states[s-1].state) {
			return false
		}
	}
	v.states = append(v.states, visitedState{state, v.last[k]})
	v.last[k] = int32(len(v.states))
	return true
}
