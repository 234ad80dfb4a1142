package history

import "unsafe"

// Size returns the approximate memory of the Builder in bytes, without arguments and
// results, which the caller made. Room that operations will soon need counts, so that a
// caller with a limit, who asks again within nearFull operations, refuses them before it is made.
func (b *Builder) Size() int64 {
	room := cap(b.ops)
	if room >= 16*nearFull && room-len(b.ops) < nearFull {
		room = b.room()
	}
	return int64(unsafe.Sizeof(*b)) +
		int64(room)*int64(unsafe.Sizeof(Operation{})) +
		int64(cap(b.open))*4 + b.timing.size() +
		int64(cap(b.edges))*int64(unsafe.Sizeof(rawEdge{})) +
		int64(cap(b.crashes))*int64(unsafe.Sizeof(rawCrash{})) + int64(cap(b.uncrashed))*4 +
		int64(cap(b.marks))*int64(unsafe.Sizeof(rawMark{})) +
		int64(cap(b.processes.names))*int64(unsafe.Sizeof(Value{})) +
		b.index.size() + b.processes.byID.size()
}

// nearFull is how few operations there is room for when Size counts the next growth.
const nearFull = 64

func (t *timing) size() int64 {
	return int64(cap(t.calls)+cap(t.returns))*8 + int64(cap(t.lines)+cap(t.returned))*4 +
		int64(cap(t.late))*int64(unsafe.Sizeof(response{}))
}

// size overestimates the entries of maps.
func (x *idIndex) size() int64 {
	const entry = 64
	return int64(cap(x.dense))*4 + int64(len(x.ints)+len(x.texts))*entry
}
