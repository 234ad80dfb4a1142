package leadline

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"reflect"
	"slices"
)

// A contents encodes values of any Go types by their contents. Two values have the same
// encoding only if no pure function distinguishes them. Indistinguishable values may have
// different encodings, which costs time but is never wrong.
type contents struct {
	types  map[reflect.Type]uint64
	unique uint64 // the last number for a value that equals no other value

	deep    bool      // it follows pointers; see sum
	left    int       // bytes that sum may still visit
	open    []uintptr // pointers on the path to the value that sum visits
	changes bool      // sum has met a pointer, a slice or a map
	visited int64     // bytes that all calls of sum have visited, and equalWork for each call of Equal
	summed  []byte
}

// equalWork is the number of bytes that count as visited for a call of Equal.
const equalWork = 64

// sumBytes is about the number of bytes of content that a sum visits at most.
const sumBytes = 1 << 16

var seed = maphash.MakeSeed()

// sum returns a hash of the content of v and of the targets of pointers in it, up to about
// sumBytes. Functions and channels count by address. A pointer back to a value that
// contains it counts by the number of pointers on the way. sum also reports whether any
// part of v can change.
//
// Values with the same sum may differ, and values with different sums may be equal for a
// model.
func (c *contents) sum(v any) (sum uint64, changes bool) {
	c.deep, c.left, c.changes, c.open = true, sumBytes, false, c.open[:0]
	c.summed = c.appendAny(c.summed[:0], reflect.ValueOf(v), 0)
	c.deep, c.visited = false, c.visited+int64(sumBytes-c.left)
	return maphash.Bytes(seed, c.summed), c.changes
}

// equal compares two states of a model without Equal: by == if that is possible, as
// porcupine does, and otherwise by content.
func (c *contents) equal(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.IsValid() && y.IsValid() && (!x.Comparable() || !y.Comparable()) {
		return bytes.Equal(c.append(nil, a), c.append(nil, b))
	}
	return a == b
}

// maxDepth bounds the nesting of values that are compared by content.
const maxDepth = 500

// sumOf returns the sum of v if any part of v can change, and otherwise 0.
func (c *contents) sumOf(v any) uint64 {
	sum, changes := c.sum(v)
	if !changes {
		return 0
	}
	return max(1, sum)
}

// append appends the content of v to dst. Floats are compared by their bits, so
// that 0 and -0 differ. Pointers and channels are compared by address, so they
// must be kept alive as long as the content is in use. A function other than nil is not
// equal to any value, not even to itself.
func (c *contents) append(dst []byte, v any) []byte {
	return c.appendAny(dst, reflect.ValueOf(v), 0)
}

// appendAny appends the type and the content of v.
func (c *contents) appendAny(dst []byte, v reflect.Value, depth int) []byte {
	if !v.IsValid() {
		return append(dst, 0)
	}
	t, known := c.types[v.Type()]
	if !known {
		if c.types == nil {
			c.types = map[reflect.Type]uint64{}
		}
		t = uint64(len(c.types)) + 1
		c.types[v.Type()] = t
	}
	return c.appendContent(binary.AppendUvarint(dst, t), v, depth+1)
}

func (c *contents) appendContent(dst []byte, v reflect.Value, depth int) []byte {
	switch c.left -= 8; {
	case c.deep && (c.left < 0 || depth > maxDepth):
		return dst
	case depth > maxDepth:
		return c.appendUnique(dst)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(dst, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(dst, v.Uint())
	case reflect.Float32, reflect.Float64:
		return binary.AppendUvarint(dst, math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		dst = binary.AppendUvarint(dst, math.Float64bits(real(v.Complex())))
		return binary.AppendUvarint(dst, math.Float64bits(imag(v.Complex())))
	case reflect.String:
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		if c.left -= v.Len(); c.deep {
			return append(dst, v.String()[:max(0, v.Len()+min(c.left, 0))]...)
		}
		return append(dst, v.String()...)
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		if c.deep && v.Kind() == reflect.Pointer && !v.IsNil() {
			return c.appendTarget(dst, v, depth)
		}
		return binary.AppendUvarint(dst, uint64(v.Pointer()))
	case reflect.Interface:
		return c.appendAny(dst, v.Elem(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			dst = c.appendContent(dst, v.Field(i), depth+1)
		}
		return dst
	case reflect.Func:
		switch {
		case v.IsNil():
			return append(dst, 0)
		case c.deep:
			return binary.AppendUvarint(dst, uint64(v.Pointer()))
		}
		return c.appendUnique(append(dst, 1))
	case reflect.Slice, reflect.Map:
		if v.IsNil() && !c.deep {
			return append(dst, 0)
		}
		c.changes = c.changes || !v.IsNil()
		dst = binary.AppendUvarint(dst, uint64(v.Len())+1)
	}
	if v.Kind() == reflect.Map {
		return c.appendMap(dst, v, depth)
	}
	for i := 0; i < v.Len() && (!c.deep || c.left >= 0); i++ { // of a slice or an array
		dst = c.appendContent(dst, v.Index(i), depth+1)
	}
	return dst
}

// appendMap appends the entries of a map, sorted by content.
func (c *contents) appendMap(dst []byte, v reflect.Value, depth int) []byte {
	var entries []string
	for it := v.MapRange(); (!c.deep || c.left >= 0) && it.Next(); {
		entry := c.appendContent(nil, it.Key(), depth+1)
		entries = append(entries, string(c.appendContent(entry, it.Value(), depth+1)))
	}
	if c.deep && c.left < 0 {
		return dst // the entries visited depend on the random order of the map
	}
	slices.Sort(entries)
	for _, entry := range entries {
		dst = append(dst, entry...)
	}
	return dst
}

// appendTarget appends the content of the target of a pointer.
func (c *contents) appendTarget(dst []byte, v reflect.Value, depth int) []byte {
	if i := slices.Index(c.open, v.Pointer()); i >= 0 {
		return binary.AppendUvarint(dst, uint64(len(c.open)-i))
	}
	c.changes = true
	c.open = append(c.open, v.Pointer())
	dst = c.appendContent(append(dst, 0), v.Elem(), depth+1)
	c.open = c.open[:len(c.open)-1]
	return dst
}

// appendUnique appends a number that no other value has.
func (c *contents) appendUnique(dst []byte) []byte {
	c.unique++
	return binary.AppendUvarint(dst, c.unique)
}
