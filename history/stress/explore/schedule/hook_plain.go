package schedule

import "unsafe"

// These are the hooks of plain loads and stores.

// Load replaces the load *p, with a scheduling point before it.
func Load[T any](p *T) T {
	if p != nil && unsafe.Sizeof(*p) > 0 && Active() {
		Step(Read, unsafe.Pointer(p))
		if Traced() {
			NoteValue("= ", *p)
		}
	}
	return *p
}

// Store is the scheduling point of a store:
//
//	x, _ = e, schedule.Store(&x)
func Store[T any](p *T) struct{} {
	if p != nil && unsafe.Sizeof(*p) > 0 {
		Step(Write, unsafe.Pointer(p))
	}
	return struct{}{}
}

// MapRead returns m, with a scheduling point before it is read.
func MapRead[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		Step(Read, address(m))
	}
	return m
}

// MapWrite returns m, with a scheduling point before it is written.
func MapWrite[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		Step(Write, address(m))
	}
	return m
}

// A Place is a variable that a plain store changes.
type Place[T any] struct{ p *T }

// At returns the place of a store: x = e becomes At(&x).Set(e), so that x and e
// are evaluated once, and the scheduling point is between e and the store.
func At[T any](p *T) Place[T] { return Place[T]{p} }

// Set stores v.
func (x Place[T]) Set(v T) {
	Store(x.p)
	*x.p = v
}

// A MapPlace is a map that a plain store changes.
type MapPlace[K comparable, V any] struct{ m map[K]V }

// MapAt is At for maps: m[k] = e becomes MapAt(m).Set(k, e).
func MapAt[M ~map[K]V, K comparable, V any](m M) MapPlace[K, V] { return MapPlace[K, V]{m} }

// Set stores v.
func (x MapPlace[K, V]) Set(k K, v V) {
	MapWrite(x.m)
	x.m[k] = v
}

// A SliceIter iterates over the elements of a slice.
type SliceIter[E any] struct {
	s []E
	i int
}

// RangeSlice replaces a range over the elements of a slice. It returns the
// iterator and the zero values of its variables:
//
//	for it, i, v := schedule.RangeSlice(s); it.Next(&i, &v); {
func RangeSlice[S ~[]E, E any](s S) (it *SliceIter[E], i int, v E) {
	return &SliceIter[E]{s: s}, 0, v
}

// Next loads the next element, with a scheduling point before, and reports whether
// there is one. The index may be nil.
func (it *SliceIter[E]) Next(i *int, v *E) bool {
	if it.i == len(it.s) {
		return false
	}
	if i != nil {
		*i = it.i
	}
	*v = Load(&it.s[it.i])
	it.i++
	return true
}
