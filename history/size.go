package history

import "unsafe"

// Size returns the approximate memory of the Builder in bytes, without arguments and
// results, which the caller made.
func (b *Builder) Size() int64 {
	return int64(unsafe.Sizeof(*b)) +
		int64(cap(b.ops))*int64(unsafe.Sizeof(Operation{})) +
		int64(cap(b.open))*4 + b.timing.size() +
		int64(cap(b.edges))*int64(unsafe.Sizeof(rawEdge{})) +
		int64(cap(b.marks))*int64(unsafe.Sizeof(rawMark{})) +
		int64(cap(b.processes.names))*int64(unsafe.Sizeof(Value{})) +
		b.index.size() + b.processes.byID.size()
}

func (t *timing) size() int64 {
	return int64(cap(t.calls)+cap(t.returns))*8 + int64(cap(t.lines)+cap(t.returned))*4 +
		int64(cap(t.late))*int64(unsafe.Sizeof(response{}))
}

// size overestimates the entries of maps.
func (x *idIndex) size() int64 {
	const entry = 64
	return int64(cap(x.dense))*4 + int64(len(x.ints)+len(x.texts))*entry
}
