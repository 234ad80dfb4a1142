package spec

import "iter"

// A ring is a sequence with cheap ends: pushing and popping at either end is
// amortised O(1). The zero ring is empty.
type ring[T any] struct {
	buf  []T // element i is buf[(head+i) mod len(buf)]
	head int
	n    int
}

func (r *ring[T]) length() int { return r.n }

func (r *ring[T]) slot(i int) *T {
	i += r.head
	if i >= len(r.buf) {
		i -= len(r.buf)
	}
	return &r.buf[i]
}

// at returns element i, 0 <= i < length.
func (r *ring[T]) at(i int) T { return *r.slot(i) }

// all yields the elements in order.
func (r *ring[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range r.n {
			if !yield(r.at(i)) {
				return
			}
		}
	}
}

// backward yields the elements in reverse order.
func (r *ring[T]) backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := r.n - 1; i >= 0; i-- {
			if !yield(r.at(i)) {
				return
			}
		}
	}
}

// copyTo copies the elements, in order, to dst and returns their number.
func (r *ring[T]) copyTo(dst []T) int {
	end := min(r.head+r.n, len(r.buf))
	k := copy(dst, r.buf[r.head:end])
	return k + copy(dst[k:], r.buf[:r.n-k])
}

// clone leaves room for one or two more elements, since a clone is usually
// modified.
func (r *ring[T]) clone() ring[T] {
	if r.n == 0 {
		return ring[T]{}
	}
	c := ring[T]{buf: make([]T, r.n+2), n: r.n}
	r.copyTo(c.buf)
	return c
}

func (r *ring[T]) grow() {
	if r.n < len(r.buf) {
		return
	}
	buf := make([]T, max(4, 2*r.n))
	r.copyTo(buf)
	r.buf, r.head = buf, 0
}

func (r *ring[T]) pushBack(v T) {
	r.grow()
	r.n++
	*r.slot(r.n - 1) = v
}

func (r *ring[T]) pushFront(v T) {
	r.grow()
	r.n++
	r.head--
	if r.head < 0 {
		r.head += len(r.buf)
	}
	r.buf[r.head] = v
}

// popFront removes and returns element 0 of a nonempty ring.
func (r *ring[T]) popFront() T {
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

// popBack removes and returns the last element of a nonempty ring.
func (r *ring[T]) popBack() T {
	var zero T
	p := r.slot(r.n - 1)
	v := *p
	*p = zero
	r.n--
	return v
}

// removeAt removes element i. O(n).
func (r *ring[T]) removeAt(i int) {
	if i == 0 {
		r.popFront()
		return
	}
	for ; i < r.n-1; i++ {
		*r.slot(i) = r.at(i + 1)
	}
	r.popBack()
}

// filter removes the elements for which keep returns false, and reports whether
// there were any. O(n).
func (r *ring[T]) filter(keep func(T) bool) bool {
	kept := 0
	for i := range r.n {
		if v := r.at(i); keep(v) {
			*r.slot(kept) = v
			kept++
		}
	}
	removed := r.n - kept
	for range removed {
		r.popBack()
	}
	return removed > 0
}

func (r *ring[T]) clear() { *r = ring[T]{} }
