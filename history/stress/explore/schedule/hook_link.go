package schedule

import (
	"math/bits"
	"time"
	"unsafe"
)

var processStart = time.Now()

// Nanotime replaces runtime.nanotime.
func Nanotime() int64 {
	if Active() {
		return Now()
	}
	return int64(time.Since(processStart)) + 1
}

// Unsupported panics in a scheduled execution. It is called before functions of the
// runtime that work on goroutines and processors.
func Unsupported(what string) {
	if Active() {
		panic("schedule: " + what + " cannot run in a scheduled execution")
	}
}

// MemHash replaces runtime.memhash. Unlike the runtime's hash, it is the same in each
// process, so that a schedule can be replayed in another one.
func MemHash(p unsafe.Pointer, seed, size uintptr) uintptr {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	mix := func(a, b uint64) uint64 {
		hi, lo := bits.Mul64(a, b)
		return hi ^ lo
	}
	h := mix(uint64(seed)^k0, k1)
	var word uint64
	for i, b := range unsafe.Slice((*byte)(p), size) {
		word |= uint64(b) << (i % 8 * 8)
		if i%8 == 7 {
			h, word = mix(h^word, k1), 0
		}
	}
	return uintptr(mix(h^word, k1^uint64(size)))
}

// StrHash replaces runtime.strhash: p points to a string.
func StrHash(p unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(p)
	return MemHash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
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
