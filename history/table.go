package history

// An idIndex finds operations by identifier. Small integers, the usual case,
// are looked up in a slice.
type idIndex struct {
	dense []int32 // identifier -> operation+1
	ints  map[int64]int32
	texts map[string]int32
}

// denseLimit bounds the slice to a small multiple of what is in it.
func (x *idIndex) denseLimit(operations int32) int64 { return 4*int64(operations) + 1024 }

func (x *idIndex) get(id Value) (int32, bool) {
	switch id.Kind() {
	case Int:
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

// A processTable numbers processes in the order in which they are first seen.
type processTable struct {
	names []Value
	byID  idIndex
}

func (t *processTable) find(name Value) (int32, bool) { return t.byID.get(name) }

func (t *processTable) index(name Value) int32 {
	if i, ok := t.byID.get(name); ok {
		return i
	}
	i := int32(len(t.names))
	t.byID.put(name, i)
	t.names = append(t.names, name)
	return i
}

// renumber numbers the processes of ops by their first operation there and
// returns their names in that order. A process that only ghosts belong to gets
// a negative number of its own: -1, -2, ...
func (t *processTable) renumber(ops, ghosts []Operation) []Value {
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
