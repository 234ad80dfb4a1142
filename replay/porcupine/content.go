package porcupine

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"slices"
)

// A contents encodes the contents of values, of any Go types.
type contents struct {
	byAddress bool // for key: pointers count by their addresses
	left      int  // bytes that may still be visited
	changes   bool // a sum has met a pointer, a slice or a map
	unlike    int  // values that equal no other
	scratch   []byte
}

// mostContent is about the number of bytes of content that a sum or a key visits. There is
// a bound because values may contain themselves; it is not tuned.
const mostContent = 1 << 16

var seed = maphash.MakeSeed()

// sum returns a hash of the content of v, and whether any part of v can change. It follows
// pointers; functions and channels count by address. Values with the same sum may differ,
// and values with different sums may be equal for a model.
func (c *contents) sum(v any) (sum uint64, changes bool) {
	c.byAddress, c.left, c.changes = false, mostContent, false
	c.scratch = c.appendAny(c.scratch[:0], reflect.ValueOf(v))
	return maphash.Bytes(seed, c.scratch), c.changes
}

// key returns a string that two inputs or outputs share only if no pure function
// distinguishes them. A pointer in them must be kept alive as long as the key is in use. A
// large value, or one with a function, equals no value, not even itself.
func (c *contents) key(v any) string {
	c.byAddress, c.left = true, mostContent
	c.scratch = c.appendAny(c.scratch[:0], reflect.ValueOf(v))
	if c.left < 0 {
		c.unlike++
		return fmt.Sprintf("unlike others %d", c.unlike) // no type is at the address 'u'
	}
	return string(c.scratch)
}

// appendAny appends the type of v, as its address, and the content.
func (c *contents) appendAny(dst []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(reflect.ValueOf(v.Type()).Pointer()))
	return c.append(dst, v)
}

// append appends the content of v. It ends also if v contains itself, because each call
// counts as some bytes.
func (c *contents) append(dst []byte, v reflect.Value) []byte {
	if c.left -= 8; c.left < 0 {
		return dst
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case reflect.Float32, reflect.Float64:
		return binary.AppendUvarint(dst, math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		dst = binary.AppendUvarint(dst, math.Float64bits(real(v.Complex())))
		return binary.AppendUvarint(dst, math.Float64bits(imag(v.Complex())))
	case reflect.String:
		dst = append(binary.AppendUvarint(dst, uint64(v.Len())), v.String()[:min(v.Len(), c.left)]...)
		c.left -= v.Len()
		return dst
	case reflect.Interface:
		return c.appendAny(dst, v.Elem())
	case reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		switch {
		case v.Kind() == reflect.Func && c.byAddress && !v.IsNil():
			c.left = -1 // functions at one address may have captured different variables
		case v.Kind() == reflect.Pointer && !c.byAddress && !v.IsNil():
			c.changes = true
			return c.append(append(dst, 1), v.Elem())
		}
		return binary.AppendUvarint(dst, uint64(v.Pointer()))
	case reflect.Struct:
		for i := range v.NumField() {
			dst = c.append(dst, v.Field(i))
		}
		return dst
	case reflect.Array, reflect.Slice:
		dst = c.appendLen(dst, v)
		for i := 0; i < v.Len() && c.left >= 0; i++ {
			dst = c.append(dst, v.Index(i))
		}
		return dst
	case reflect.Map:
		return c.appendMap(dst, v)
	}
	if v.CanInt() {
		return binary.AppendVarint(dst, v.Int())
	}
	return binary.AppendUvarint(dst, v.Uint())
}

// appendLen appends the length of v. A slice or map that is nil is only for a key unlike an
// empty one.
func (c *contents) appendLen(dst []byte, v reflect.Value) []byte {
	isNil := v.Kind() != reflect.Array && v.IsNil()
	c.changes = c.changes || v.Kind() != reflect.Array && !isNil
	if isNil && c.byAddress {
		return append(dst, 0)
	}
	return binary.AppendUvarint(dst, uint64(v.Len())+1)
}

// appendMap appends the entries of a map, sorted by content.
func (c *contents) appendMap(dst []byte, v reflect.Value) []byte {
	dst = c.appendLen(dst, v)
	var entries []string
	for it := v.MapRange(); c.left >= 0 && it.Next(); {
		entries = append(entries, string(c.append(c.append(nil, it.Key()), it.Value())))
	}
	if c.left < 0 {
		return dst // the entries visited depend on the random order of the map
	}
	slices.Sort(entries)
	for _, entry := range entries {
		dst = append(dst, entry...)
	}
	return dst
}
