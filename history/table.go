package history

import (
	"fmt"
	"slices"
	"strconv"
)

// An idIndex finds operations by identifier. The usual ones are the operations'
// own numbers, which need no table; other small integers are looked up in a
// slice.
type idIndex struct {
	straight int32   // the identifiers 0..straight-1 are those operations
	dense    []int32 // identifier -> operation+1
	ints     map[int64]int32
	texts    map[string]int32
}

// denseLimit bounds the length of dense to a small multiple of its entries.
func (x *idIndex) denseLimit(operations int32) int64 { return 4*int64(operations) + 1024 }

func (x *idIndex) get(id Value) (int32, bool) {
	switch id.Kind() {
	case Int:
		if id.num >= 0 && id.num < int64(x.straight) {
			return int32(id.num), true
		}
		if id.num >= 0 && id.num < int64(len(x.dense)) && x.dense[id.num] != 0 {
			return x.dense[id.num] - 1, true
		}
		i, ok := x.ints[id.num]
		return i, ok
	case String:
		i, ok := x.texts[id.ref.text]
		return i, ok
	}
	return 0, false
}

// put reports whether id was new. The Builder ensures that it is an Int or a
// String.
func (x *idIndex) put(id Value, op int32) bool {
	if _, ok := x.get(id); ok {
		return false
	}
	switch {
	case id.Kind() == Int && id.num == int64(op) && op == x.straight:
		x.straight++
	case id.Kind() == String:
		if x.texts == nil {
			x.texts = map[string]int32{}
		}
		x.texts[id.ref.text] = op
	case id.num >= 0 && id.num < x.denseLimit(op):
		for int64(len(x.dense)) <= id.num {
			x.dense = append(x.dense, 0)
		}
		x.dense[id.num] = op + 1
	default:
		if x.ints == nil {
			x.ints = map[int64]int32{}
		}
		x.ints[id.num] = op
	}
	return true
}

// renumber updates the index after operations got new numbers.
func (x *idIndex) renumber(moved []int32) {
	for i, o := range x.dense {
		if o != 0 {
			x.dense[i] = moved[o-1] + 1
		}
	}
	for len(x.dense) < int(x.straight) {
		x.dense = append(x.dense, 0)
	}
	for i := range x.straight {
		x.dense[i] = moved[i] + 1
	}
	x.straight = 0
	for id, o := range x.ints {
		x.ints[id] = moved[o]
	}
	for id, o := range x.texts {
		x.texts[id] = moved[o]
	}
}

// A processTable numbers processes in the order in which they are first seen.
type processTable struct {
	names []Value
	byID  idIndex
	// latest are the latest successors of processes that went on after an unknown outcome,
	// and heirs all successors, which have the name of the first one until they get their own.
	latest map[int32]int32
	heirs  []int32
}

func (t *processTable) find(name Value) (int32, bool) {
	i, ok := t.byID.get(name)
	if next, succeeded := t.latest[i]; ok && succeeded {
		return next, true
	}
	return i, ok
}

func (t *processTable) index(name Value) int32 {
	if i, ok := t.find(name); ok {
		return i
	}
	i := int32(len(t.names))
	t.byID.put(name, i)
	t.names = append(t.names, name)
	return i
}

// succeed returns a new process, which goes on for process p.
func (t *processTable) succeed(p int32) int32 {
	first, _ := t.byID.get(t.names[p])
	next := int32(len(t.names))
	if t.latest == nil {
		t.latest = map[int32]int32{}
	}
	t.latest[first], t.heirs, t.names = next, append(t.heirs, next), append(t.names, t.names[p])
	return next
}

// nameHeirs names the successors of process "a" "a#2", "a#3" and so on.
func (t *processTable) nameHeirs() {
	number := map[string]int{}
	for _, p := range t.heirs {
		base := t.names[p].Text()
		if t.names[p].Kind() == Int {
			base = strconv.FormatInt(t.names[p].Int(), 10)
		}
		for taken := true; taken; _, taken = t.byID.get(t.names[p]) {
			number[base]++
			t.names[p] = StringValue(fmt.Sprintf("%s#%d", base, number[base]+1))
		}
		t.byID.put(t.names[p], p)
	}
	t.heirs = nil
}

// renumber numbers the processes of ops by their first operation there and
// returns their names in that order. A process that only ghosts belong to gets
// a negative number of its own: -1, -2, ...
func (t *processTable) renumber(ops, ghosts []Operation) []Value {
	if len(ghosts) == 0 && t.inOrder(ops) {
		if cap(t.names) > 2*len(t.names)+16 { // more were expected
			t.names = slices.Clone(t.names)
		}
		return slices.Clip(t.names)
	}
	number := make([]int32, len(t.names))
	names := make([]Value, 0, len(t.names))
	for i := range ops {
		p := ops[i].Process
		if number[p] == 0 {
			names = append(names, t.names[p])
			number[p] = int32(len(names))
		}
		ops[i].Process = number[p] - 1
	}
	absent := int32(0)
	for i := range ghosts {
		p := ghosts[i].Process
		if number[p] == 0 {
			absent--
			number[p] = absent
		}
		ghosts[i].Process = number[p]
		if number[p] > 0 {
			ghosts[i].Process--
		}
	}
	return names
}

// inOrder reports whether the processes have the numbers that renumber would give
// them.
func (t *processTable) inOrder(ops []Operation) bool {
	next := int32(0)
	for i := range ops {
		switch p := ops[i].Process; {
		case p > next:
			return false
		case p == next:
			next++
		}
	}
	return int(next) == len(t.names)
}

// In formats of intervals, each operation is a process of its own, named by the
// operation's identifier. As long as that is so, the index of operations serves as
// that of processes.

// processOf returns the number of the process that invokes the next operation.
func (b *Builder) processOf(ev *Event) int32 {
	if !b.shared {
		if ev.Process.Equal(ev.Op) {
			return int32(len(b.ops))
		}
		b.shared = true
		for i := range b.ops {
			b.processes.index(b.ops[i].ID())
		}
	}
	return b.processes.index(ev.Process)
}

func (b *Builder) findProcess(name Value) (int32, bool) {
	if !b.shared {
		return b.index.get(name)
	}
	return b.processes.find(name)
}

// processName returns the name of the process that invoked op.
func (b *Builder) processName(op *Operation) Value {
	if !b.shared {
		return op.ID()
	}
	return b.processes.names[op.Process]
}

// nameLikeOperations is processTable.renumber if each operation is a process of
// its own.
func nameLikeOperations(ops, ghosts []Operation) []Value {
	names := make([]Value, len(ops))
	for i := range ops {
		names[i], ops[i].Process = ops[i].ID(), int32(i)
	}
	for i := range ghosts {
		ghosts[i].Process = int32(-1 - i)
	}
	return names
}
