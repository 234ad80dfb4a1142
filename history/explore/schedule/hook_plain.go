package schedule

import (
	"math/bits"
	"unsafe"
)

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

// MapRead returns m, with a scheduling point before it is read.
func MapRead[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		stepOfMap(Read, address(m))
	}
	return m
}

// MapWrite returns m, with a scheduling point before it is written.
func MapWrite[M ~map[K]V, K comparable, V any](m M) M {
	if m != nil {
		stepOfMap(Write, address(m))
	}
	return m
}

// stepOfMap is Step for a map that is not safe for concurrent use. If another thread is before its
// own access of the map, and one of the two writes, nothing keeps them from doing so at the same
// time: the runtime would end the process.
func stepOfMap(k Kind, addr unsafe.Pointer) {
	t := self()
	if t == nil {
		return
	}
	t.atMap = true
	t.step(k, uintptr(addr), "")
	t.atMap = false
	for m := the.alive &^ t.bit; m != 0; m &= m - 1 {
		o := the.threads[bits.TrailingZeros64(m)]
		if !o.atMap || o.pend.Addr != uintptr(addr) || k == Read && o.pend.Kind == Read || the.trying {
			continue
		}
		text := "concurrent map read and map write"
		if k == Write && o.pend.Kind == Write {
			text = "concurrent map writes"
		}
		the.crash(t, Fatal(text))
		the.next = nil
		t.suspend()
	}
}

// Fatal is an error with which the runtime ends a process.
type Fatal string

func (f Fatal) Error() string { return "fatal error: " + string(f) }

// Fail panics in an execution where the runtime would end the process, as at the unlock of an unlocked mutex. The
// panic may become the result of a call: Result.Fatal shows what it was.
func Fail(text string) {
	if !the.trying {
		the.result.Fatal = Fatal(text).Error()
	}
	panic(text)
}

// A Place is a variable that a plain store changes.
type Place[T any] struct{ p *T }

// At returns the place of a store: x = e becomes At(&x).Set(e), so that x and e
// are evaluated once, and the scheduling point is between e and the store.
func At[T any](p *T) Place[T] { return Place[T]{p} }

// Load loads the variable.
func (x Place[T]) Load() T { return Load(x.p) }

// Set stores v, with a scheduling point before.
func (x Place[T]) Set(v T) {
	if x.p != nil && unsafe.Sizeof(*x.p) > 0 {
		Step(Write, unsafe.Pointer(x.p))
	}
	*x.p = v
}

// Zero returns a zero value of the variable's type.
func (x Place[T]) Zero() (zero T) { return zero }

// A MapPlace is an element of a map that a plain store changes.
type MapPlace[K comparable, E any] struct {
	m map[K]E
	k K
}

// A Map is a map whose elements plain stores change.
type Map[K comparable, E any] map[K]E

// MapOf is At for elements of maps: m[k] = e becomes MapOf(m).At(k).Set(e). The type of k may
// differ from the type of the map's keys, if these are interfaces.
func MapOf[M ~map[K]E, K comparable, E any](m M) Map[K, E] { return Map[K, E](m) }

// At returns the place of an element.
func (m Map[K, E]) At(k K) MapPlace[K, E] { return MapPlace[K, E]{m, k} }

// Load loads the element.
func (x MapPlace[K, E]) Load() E { return MapRead(x.m)[x.k] }

// Set stores v, with a scheduling point before.
func (x MapPlace[K, E]) Set(v E) { MapWrite(x.m)[x.k] = v }

// Zero returns a zero value of the element's type.
func (x MapPlace[K, E]) Zero() (zero E) { return zero }

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
