package leadline

import (
	"cmp"
	"context"
	"math/bits"
	"reflect"
	"slices"

	"github.com/leadline/leadline/replay"
)

// A plain search looks for a witness of one part by calling the model itself (Wing and
// Gong 1993, with the memory of Lowe 2017). Operations are tried in the order of their
// calls, as porcupine does, so that a part takes about as many steps. Each Step gets the
// state that the Step before returned: a model need not be quite pure, whereas the engines
// of leadline number states and keep transitions.
//
// A Step that appends to a slice in its argument is pure enough. It may write to states
// that the search has left behind and compares with others, but it changes their sum.
type plain struct {
	judge func(state, input, output any) (bool, any)
	equal func(a, b any) bool
	hash  func(state any) uint64 // nil: states are compared by equal alone

	ops     []*recorded // by call
	returns []int32     // responses: ops by return
	called  []int32     // response -> number of ops called before it
	slot    []int32     // op -> bit of placed while it is open
	next    []int32     // list of ops that are not placed; len(ops) is its head and end
	prev    []int32

	steps  int64
	state  any
	due    int32    // the first response whose operation is not placed
	placed []uint64 // slots of open operations that are placed
	at     int32    // the op to try next
	path   []placement

	slices  slicesIn
	content contents
	last    map[uint64]int32 // hash -> the last configuration visited, + 1
	visited []configuration
	sets    []uint64 // placed of each of visited
}

// A placement is an operation with what was before it.
type placement struct {
	op, due int32
	state   any
}

// A configuration has been visited: nobody needs to visit it again.
type configuration struct {
	state any
	due   int32
	older int32  // the one before of the same hash, + 1
	sum   uint64 // of the state; 0: no Step can write to it
}

func newPlain(spec *specification, ops []*recorded) *plain {
	slices.SortStableFunc(ops, func(a, b *recorded) int { return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.number, b.number)) })
	n := int32(len(ops))
	p := &plain{judge: spec.judge, equal: spec.states.equal, hash: spec.states.hash, ops: ops, slot: make([]int32, n),
		next: make([]int32, n+1), prev: make([]int32, n+1), state: clip(spec.model.Init()), slices: slicesIn{}, last: map[uint64]int32{}}
	if p.equal == nil {
		p.equal = new(contents).equal
	}
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
	return p
}

// run makes up to the given number of steps.
func (p *plain) run(ctx context.Context, steps int64) replay.Answer {
	end := int32(len(p.ops))
	last := p.steps + steps
	for int(p.due) < len(p.returns) {
		switch {
		case p.at < p.called[p.due]: // end is not
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

// place places the op at p.at, which leads to the state. It reports false if the search
// has been there before.
func (p *plain) place(state any) bool {
	before := placement{p.at, p.due, p.state}
	p.placed[p.slot[p.at]/64] |= 1 << (p.slot[p.at] % 64)
	for int(p.due) < len(p.returns) && p.isPlaced(p.returns[p.due]) {
		s := p.slot[p.returns[p.due]]
		p.placed[s/64] &^= 1 << (s % 64)
		p.due++
	}
	if p.wasHere(state) {
		p.undo(before)
		return false
	}
	p.path = append(p.path, before)
	p.next[p.prev[p.at]], p.prev[p.next[p.at]] = p.next[p.at], p.prev[p.at]
	p.state = state
	return true
}

// forget frees what only an undecided search needs.
func (p *plain) forget() { p.last, p.visited, p.sets = nil, nil, nil }

func (p *plain) isPlaced(op int32) bool { return p.placed[p.slot[op]/64]>>(p.slot[op]%64)&1 != 0 }

// undo takes back that an op was placed.
func (p *plain) undo(last placement) {
	for p.due > last.due {
		p.due--
		s := p.slot[p.returns[p.due]]
		p.placed[s/64] |= 1 << (s % 64)
	}
	p.placed[p.slot[last.op]/64] &^= 1 << (p.slot[last.op] % 64)
}

// back takes back the last placement. The op after it is the next one to try.
func (p *plain) back() {
	last := p.path[len(p.path)-1]
	p.path = p.path[:len(p.path)-1]
	p.undo(last)
	p.next[p.prev[last.op]], p.prev[p.next[last.op]] = last.op, last.op
	p.state, p.at = last.state, p.next[last.op]
}

// wasHere reports whether the search has visited the configuration with this state. If
// not, it has now.
func (p *plain) wasHere(state any) bool {
	h := uint64(p.due)
	for _, w := range p.placed {
		hi, lo := bits.Mul64(h^w, 0x9e3779b97f4a7c15)
		h = hi ^ lo
	}
	if p.hash != nil {
		h ^= p.hash(state)
	}
	words := len(p.placed)
	for k := p.last[h]; k > 0; k = p.visited[k-1].older {
		c := &p.visited[k-1]
		if c.due != p.due || !slices.Equal(p.sets[int(k-1)*words:int(k)*words], p.placed) || c.sum != p.sumOf(c.state) {
			continue
		}
		if p.equal(state, c.state) {
			return true
		}
	}
	p.visited = append(p.visited, configuration{state, p.due, p.last[h], p.sumOf(state)})
	p.sets = append(p.sets, p.placed...)
	p.last[h] = int32(len(p.visited))
	return false
}

// sumOf returns a sum of the content of a state, or 0 if it has no slice inside.
func (p *plain) sumOf(state any) uint64 {
	if !p.slices.inside(state) {
		return 0
	}
	p.equal(state, state) // Equal may sort something in it, once and for all
	return p.content.sumOf(state)
}

// clip cuts the capacity of a state that is a slice, so that a Step which appends to it
// copies it.
func clip(state any) any {
	if v := reflect.ValueOf(state); v.Kind() == reflect.Slice && v.Cap() > v.Len() {
		return v.Slice3(0, v.Len(), v.Len()).Interface()
	}
	return state
}

// slicesIn says which types may lead to slices.
type slicesIn map[reflect.Type]bool

// inside reports whether a state may have a slice inside. One that is a slice has been
// clipped.
func (s slicesIn) inside(state any) bool {
	v := reflect.ValueOf(state)
	switch {
	case !v.IsValid():
		return false
	case v.Kind() != reflect.Slice:
		return s.in(v.Type())
	case v.Type().Elem().Kind() != reflect.Interface:
		return s.in(v.Type().Elem())
	}
	for i := range v.Len() {
		if e := v.Index(i).Elem(); e.IsValid() && s.in(e.Type()) {
			return true
		}
	}
	return false
}

func (s slicesIn) in(t reflect.Type) bool {
	leads, known := s[t]
	if known {
		return leads
	}
	s[t] = true // a type within itself may
	switch leads = false; t.Kind() {
	case reflect.Slice, reflect.Interface, reflect.UnsafePointer:
		leads = true
	case reflect.Array, reflect.Pointer:
		leads = s.in(t.Elem())
	case reflect.Map:
		leads = s.in(t.Key()) || s.in(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			leads = leads || s.in(t.Field(i).Type)
		}
	}
	s[t] = leads
	return leads
}
