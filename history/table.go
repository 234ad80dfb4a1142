package history

import (
	"fmt"
	"slices"
	"strconv"
)

// An idIndex finds operations, or processes, by identifier. Usually identifiers are small
// integers, which are looked up in a slice.
type idIndex struct {
	dense []int32 // identifier -> number + 1
	ints  map[int64]int32
	texts map[string]int32
}

// denseLimit bounds the length of dense to a small multiple of its entries.
func (x *idIndex) denseLimit(entries int32) int64 { return 4*int64(entries) + 1024 }

func (x *idIndex) get(id Value) (number int32, ok bool) {
	switch id.Kind() {
	case Int:
		if id.num >= 0 && id.num < int64(len(x.dense)) && x.dense[id.num] != 0 {
			return x.dense[id.num] - 1, true
		}
		number, ok = x.ints[id.num]
	case String:
		number, ok = x.texts[id.ref.text]
	}
	return number, ok
}

// put reports whether id was new. The Builder ensures that it is an Int or a String.
func (x *idIndex) put(id Value, number int32) bool {
	if _, ok := x.get(id); ok {
		return false
	}
	switch {
	case id.Kind() == String:
		if x.texts == nil {
			x.texts = map[string]int32{}
		}
		x.texts[id.ref.text] = number
	case id.num >= 0 && id.num < x.denseLimit(number):
		for int64(len(x.dense)) <= id.num {
			x.dense = append(x.dense, 0)
		}
		x.dense[id.num] = number + 1
	default:
		if x.ints == nil {
			x.ints = map[int64]int32{}
		}
		x.ints[id.num] = number
	}
	return true
}

// grow makes room for a total of entries if they are small integers.
func (x *idIndex) grow(entries int) {
	if len(x.dense) > 0 {
		x.dense = slices.Grow(x.dense, max(0, entries-len(x.dense)))
	}
}

// renumber updates the index after operations got new numbers.
func (x *idIndex) renumber(moved []int32) {
	for i, o := range x.dense {
		if o != 0 {
			x.dense[i] = moved[o-1] + 1
		}
	}
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
