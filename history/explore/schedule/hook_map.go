package schedule

import (
	"cmp"
	"math"
	"reflect"
	"slices"
)

// permuted is the largest number of keys of a map whose orders are all explored. For a
// larger map, all rotations are, forwards and backwards.
const permuted = 4

// An Order is an order of the keys of a map, which Choose decides. Keys that
// are added while it is used come last, or not at all.
type Order[K comparable] struct {
	collect func() []K
	keys    []K        // that are left
	visited map[K]bool // nil before the first one
	large   bool       // more than permuted
	added   bool       // those that are left were added
}

// NewOrder returns an order of the keys that collect returns, which is called
// again at the end.
func NewOrder[K comparable](collect func() []K) *Order[K] { return &Order[K]{collect: collect} }

// Next returns the next key, or false at the end.
func (o *Order[K]) Next() (K, bool) {
	if o.visited == nil {
		o.keys, o.visited = o.collect(), map[K]bool{}
		sortKeys(o.keys)
		o.large = len(o.keys) > permuted
	}
	if len(o.keys) == 0 && !o.added {
		o.added = true
		for _, k := range o.collect() {
			if k == k && !o.visited[k] { // a NaN is not equal to itself
				o.keys = append(o.keys, k)
			}
		}
		sortKeys(o.keys)
	}
	switch {
	case o.added:
		if i := Choose(len(o.keys) + 1); i > 0 {
			return o.take(i - 1)
		}
		o.keys = nil
		var none K
		return none, false
	case !o.large:
		return o.take(Choose(len(o.keys)))
	case len(o.visited) == 0:
		i := Choose(len(o.keys))
		o.keys = slices.Concat(o.keys[i:], o.keys[:i])
	case len(o.visited) == 1 && Choose(2) == 1:
		slices.Reverse(o.keys)
	}
	return o.take(0)
}

func (o *Order[K]) take(i int) (K, bool) {
	k := o.keys[i]
	o.keys = slices.Delete(o.keys, i, i+1)
	o.visited[k] = true
	return k, true
}

// A MapRange iterates over a map.
type MapRange[K comparable, V any] struct {
	m     map[K]V
	order *Order[K]        // in a scheduled execution
	nan   []V              // the values of keys that are not equal to themselves
	real  *reflect.MapIter // outside of one
}

// RangeMap replaces the range clause over a map:
//
//	for it, k, v := schedule.RangeMap(m); it.Next(&k, &v); { ... }
func RangeMap[M ~map[K]V, K comparable, V any](m M) (*MapRange[K, V], K, V) {
	var k K
	var v V
	r := &MapRange[K, V]{m: m}
	if Active() {
		r.order = NewOrder(r.collect)
	} else {
		r.real = reflect.ValueOf(m).MapRange()
	}
	return r, k, v
}

func (r *MapRange[K, V]) collect() []K {
	keys := make([]K, 0, len(r.m))
	r.nan = nil
	for k, v := range r.m {
		keys = append(keys, k)
		if k != k {
			r.nan = append(r.nan, v)
		}
	}
	return keys
}

// Next sets k and v, which may be nil, to the next entry; false at the end.
func (r *MapRange[K, V]) Next(k *K, v *V) bool {
	if r.real != nil {
		if !r.real.Next() {
			return false
		}
		if k != nil {
			reflect.ValueOf(k).Elem().SetIterKey(r.real)
		}
		if v != nil {
			reflect.ValueOf(v).Elem().SetIterValue(r.real)
		}
		return true
	}
	for {
		key, ok := r.order.Next()
		if !ok {
			return false
		}
		value, ok := r.m[key]
		if key != key && len(r.nan) > 0 {
			value, ok = r.nan[0], true
			r.nan = r.nan[1:]
		}
		if !ok {
			continue // deleted since
		}
		if k != nil {
			*k = key
		}
		if v != nil {
			*v = value
		}
		return true
	}
}

// sortKeys puts keys in an order that is the same in each execution, as far as
// their contents distinguish them. Other pointers are ordered by address.
func sortKeys[K comparable](keys []K) {
	switch keys := any(keys).(type) {
	case []int:
		slices.Sort(keys)
	case []string:
		slices.Sort(keys)
	default:
		slices.SortStableFunc(keys.([]K), func(a, b K) int {
			return compareValues(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), 2)
		})
	}
}

// compareValues compares values of one type. It follows pointers up to the given depth.
func compareValues(a, b reflect.Value, follow int) int {
	switch a.Kind() {
	case reflect.Bool:
		return cmp.Compare(bit(a.Bool()), bit(b.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return cmp.Or(cmp.Compare(a.Float(), b.Float()), cmp.Compare(math.Float64bits(a.Float()), math.Float64bits(b.Float())))
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Array:
		return compareEach(a.Len(), a.Index, b.Index, follow)
	case reflect.Struct:
		return compareEach(a.NumField(), a.Field, b.Field, follow)
	case reflect.Interface:
		switch {
		case a.IsNil() || b.IsNil():
			return cmp.Compare(bit(!a.IsNil()), bit(!b.IsNil()))
		case a.Elem().Type() != b.Elem().Type():
			return cmp.Compare(a.Elem().Type().String(), b.Elem().Type().String())
		}
		return compareValues(a.Elem(), b.Elem(), follow)
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.Pointer() == b.Pointer() {
			break
		}
		if follow == 0 {
			return 0
		}
		if c := compareValues(a.Elem(), b.Elem(), follow-1); c != 0 || follow < 2 {
			return c
		}
	case reflect.Chan, reflect.UnsafePointer:
		if follow < 2 {
			return 0 // an address would hide the fields that distinguish other keys
		}
	default:
		return 0
	}
	return cmp.Compare(a.Pointer(), b.Pointer())
}

func compareEach(n int, a, b func(int) reflect.Value, follow int) int {
	for i := range n {
		if c := compareValues(a(i), b(i), follow); c != 0 {
			return c
		}
	}
	return 0
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
