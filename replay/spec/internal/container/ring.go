// Package container has the containers that hold the states of the bundled specifications:
// a sequence with cheap ends and a sorted map. Both are cheap to clone while they are small.
package container

import "iter"

// A Ring is a sequence with cheap ends: pushing and popping at either end is
// amortised O(1). The zero Ring is empty.
type Ring[T any] struct {
	buf  []T // element i is buf[(head+i) mod len(buf)]
	head int
	n    int
}

func (r *Ring[T]) Len() int { return r.n }

func (r *Ring[T]) slot(i int) *T {
	i += r.head
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return &r.buf[i]
}

// At returns element i, 0 <= i < length.
func (r *Ring[T]) At(i int) T { return *r.slot(i) }

// All yields the elements in order.
func (r *Ring[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range r.n {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}

// Backward yields the elements in reverse order.
func (r *Ring[T]) Backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := r.n - 1; i >= 0; i-- {
			if !yield(r.At(i)) {
				return
			}
		}
	}
}

// copyTo copies the elements, in order, to dst and returns their number.
func (r *Ring[T]) copyTo(dst []T) int {
	end := min(r.head+r.n, len(r.buf))
	k := copy(dst, r.buf[r.head:end])
	return k + copy(dst[k:], r.buf[:r.n-k])
}

// Clone leaves room for one or two more elements, since a clone is usually
// modified.
func (r *Ring[T]) Clone() Ring[T] {
	if r.n == 0 {
		return Ring[T]{}
	}
	c := Ring[T]{buf: make([]T, r.n+2), n: r.n}
	r.copyTo(c.buf)
	return c
}

func (r *Ring[T]) grow() {
	if r.n < len(r.buf) {
		return
	}
	buf := make([]T, max(4, 2*r.n))
	r.copyTo(buf)
	r.buf, r.head = buf, 0
}

func (r *Ring[T]) PushBack(v T) {
	r.grow()
	r.n++
	*r.slot(r.n - 1) = v
}

func (r *Ring[T]) PushFront(v T) {
	r.grow()
	r.n++
	r.head--
	if r.head < 0 {
		r.head += len(r.buf)
	}
	r.buf[r.head] = v
}

// PopFront removes and returns element 0 of a nonempty ring.
func (r *Ring[T]) PopFront() T {
	p := r.slot(0)
	v := *p
	clear(r.buf[r.head : r.head+1]) // drops references of the element
	r.head++
	if r.head == len(r.buf) {
		r.head = 0
	}
	r.n--
	return v
}

// PopBack removes and returns the last element of a nonempty ring.
func (r *Ring[T]) PopBack() T {
	var zero T
	p := r.slot(r.n - 1)
	v := *p
	*p = zero
	r.n--
	return v
}

// RemoveAt removes element i. O(n).
func (r *Ring[T]) RemoveAt(i int) {
	if i == 0 {
		r.PopFront()
		return
	}
	for ; i < r.n-1; i++ {
		*r.slot(i) = r.At(i + 1)
	}
	r.PopBack()
}

// Filter removes the elements for which keep returns false, and reports whether
// there were any. O(n).
func (r *Ring[T]) Filter(keep func(T) bool) bool {
	kept := 0
	for i := range r.n {
		if v := r.At(i); keep(v) {
			*r.slot(kept) = v
			kept++
		}
	}
	removed := r.n - kept
	for range removed {
		r.PopBack()
	}
	return removed > 0
}

func (r *Ring[T]) Clear() { *r = Ring[T]{} }
