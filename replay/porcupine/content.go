package leadline

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// A contents numbers values of any Go types by their contents. Two values have
// the same number only if no pure function distinguishes them. Values that are
// alike may have different numbers, which costs time but is never wrong.
type contents struct {
	types      map[reflect.Type]uint64
	unique     uint64 // the last one given to something that equals nothing else
	references int    // pointers, slices and maps met so far: what can change
	follow     int    // length of dst up to which append follows pointers
}

// followBytes bounds the bytes behind pointers that are compared to find changes.
const followBytes = 1 << 16

// maxDepth bounds the nesting of values that are compared by content.
const maxDepth = 500

// append appends the content of v to dst. Floats are compared by their bits, so
// that 0 and -0 differ. Pointers and channels are compared by address, so they
// must be kept alive as long as the content is in use. A function other than nil equals
// nothing, not even itself.
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
	if depth > maxDepth {
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
		return append(dst, v.String()...)
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		c.references++
		dst = binary.AppendUvarint(dst, uint64(v.Pointer()))
		if v.Kind() == reflect.Pointer && !v.IsNil() && len(dst) < c.follow {
			dst = c.appendContent(dst, v.Elem(), depth+1)
		}
		return dst
	case reflect.Interface:
		return c.appendAny(dst, v.Elem(), depth)
	case reflect.Struct:
		for i := range v.NumField() {
			dst = c.appendContent(dst, v.Field(i), depth+1)
		}
		return dst
	case reflect.Func:
		if !v.IsNil() {
			return c.appendUnique(append(dst, 1))
		}
		return append(dst, 0)
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return append(dst, 0)
		}
		c.references++
		dst = binary.AppendUvarint(dst, uint64(v.Len())+1)
	}
	if v.Kind() == reflect.Map {
		return c.appendMap(dst, v, depth)
	}
	for i := range v.Len() { // of a slice or an array
		dst = c.appendContent(dst, v.Index(i), depth+1)
	}
	return dst
}

// appendMap appends the entries of a map, sorted by content.
func (c *contents) appendMap(dst []byte, v reflect.Value, depth int) []byte {
	var entries []string
	for it := v.MapRange(); it.Next(); {
		entry := c.appendContent(nil, it.Key(), depth+1)
		entries = append(entries, string(c.appendContent(entry, it.Value(), depth+1)))
	}
	slices.Sort(entries)
	for _, entry := range entries {
		dst = append(dst, entry...)
	}
	return dst
}

func (c *contents) appendUnique(dst []byte) []byte {
	c.unique++
	return binary.AppendUvarint(dst, c.unique)
}
