package container

import (
	"iter"
	"slices"
)

// An Ordered is a map sorted by key. Lookup takes O(log n). Inserting and
// removing move a part of one chunk, and sometimes a part of the list of
// chunks. That is about as fast as a balanced tree up to tens of millions of
// keys. A small map, the usual case, is one sorted slice: cheap to clone, and
// its order is its canonical form. The zero Ordered is empty.
type Ordered[K interface{ Compare(K) int }, V any] struct {
	chunks [][]Pair[K, V] // none is empty
	n      int
}

// In a pair the value is first: an empty struct at the end would be padded.
type Pair[K, V any] struct {
	Val V
	Key K
}

// maxChunk is the best of 64, 256 and 1024 in BenchmarkLong of package spec, with 1,000,000
// elements.
const maxChunk = 256

func (o *Ordered[K, V]) Len() int { return o.n }

// locate returns the position of key, or the position to insert it.
func (o *Ordered[K, V]) locate(key K) (chunk, index int, found bool) {
	if len(o.chunks) == 0 {
		return 0, 0, false
	}
	// The last chunk that does not begin after key, or the first chunk. sort.Search and sort.Find
	// call a function for each comparison. With 1,000 keys, they take 1.5 times as long.
	above := len(o.chunks) // the chunks from there on begin after key
	for chunk+1 < above {
		if middle := int(uint(chunk+above) / 2); o.chunks[middle][0].Key.Compare(key) > 0 {
			above = middle
		} else {
			chunk = middle
		}
	}
	c := o.chunks[chunk]
	for end := len(c); index < end; {
		middle := int(uint(index+end) / 2)
		switch order := key.Compare(c[middle].Key); {
		case order == 0:
			return chunk, middle, true
		case order > 0:
			index = middle + 1
		default:
			end = middle
		}
	}
	return chunk, index, false
}

// Get returns a pointer to the value of key, or nil. It is valid until the keys
// change.
func (o *Ordered[K, V]) Get(key K) *V {
	if c, i, ok := o.locate(key); ok {
		return &o.chunks[c][i].Val
	}
	return nil
}

// GetOrAdd is like get, but adds key with a zero value if it is missing, and
// reports whether it did.
func (o *Ordered[K, V]) GetOrAdd(key K) (p *V, added bool) {
	c, i, ok := o.locate(key)
	if ok {
		return &o.chunks[c][i].Val, false
	}
	o.n++
	if len(o.chunks) == 0 {
		o.chunks = [][]Pair[K, V]{make([]Pair[K, V], 0, 2)}
	}
	if full := o.chunks[c]; len(full) >= maxChunk {
		half := len(full) / 2
		o.chunks = slices.Insert(o.chunks, c+1, slices.Clone(full[half:]))
		clear(full[half:])
		o.chunks[c] = full[:half]
		if i > half {
			c, i = c+1, i-half
		}
	}
	o.chunks[c] = slices.Insert(o.chunks[c], i, Pair[K, V]{Key: key})
	return &o.chunks[c][i].Val, true
}

// Remove removes key and reports whether it existed.
func (o *Ordered[K, V]) Remove(key K) bool {
	c, i, ok := o.locate(key)
	if !ok {
		return false
	}
	o.n--
	if len(o.chunks[c]) == 1 {
		o.chunks = slices.Delete(o.chunks, c, c+1)
	} else {
		o.chunks[c] = slices.Delete(o.chunks[c], i, i+1)
	}
	return true
}

// First returns the pair of the smallest key, or nil.
func (o *Ordered[K, V]) First() *Pair[K, V] {
	if o.n == 0 {
		return nil
	}
	return &o.chunks[0][0]
}

// Last returns the pair of the largest key, or nil.
func (o *Ordered[K, V]) Last() *Pair[K, V] {
	if o.n == 0 {
		return nil
	}
	c := o.chunks[len(o.chunks)-1]
	return &c[len(c)-1]
}

// Below returns the pair of the largest key that is smaller than key, or equal
// to it if orEqual is set, or nil.
func (o *Ordered[K, V]) Below(key K, orEqual bool) *Pair[K, V] {
	c, i, found := o.locate(key)
	if !found || !orEqual {
		i--
	}
	if i < 0 {
		c--
		if c < 0 {
			return nil
		}
		i = len(o.chunks[c]) - 1
	}
	return &o.chunks[c][i]
}

// Above returns the pair of the smallest key that is larger than key, or equal
// to it if orEqual is set, or nil.
func (o *Ordered[K, V]) Above(key K, orEqual bool) *Pair[K, V] {
	c, i, found := o.locate(key)
	if found && !orEqual {
		i++
	}
	if c < len(o.chunks) && i == len(o.chunks[c]) {
		c, i = c+1, 0
	}
	if c == len(o.chunks) {
		return nil
	}
	return &o.chunks[c][i]
}

// All yields the pairs in key order.
func (o *Ordered[K, V]) All() iter.Seq[*Pair[K, V]] {
	return func(yield func(*Pair[K, V]) bool) {
		for _, c := range o.chunks {
			for i := range c {
				if !yield(&c[i]) {
					return
				}
			}
		}
	}
}

// Backward yields the pairs in reverse key order.
func (o *Ordered[K, V]) Backward() iter.Seq[*Pair[K, V]] {
	return func(yield func(*Pair[K, V]) bool) {
		for _, c := range slices.Backward(o.chunks) {
			for i := range slices.Backward(c) {
				if !yield(&c[i]) {
					return
				}
			}
		}
	}
}

func (o *Ordered[K, V]) Clear() { *o = Ordered[K, V]{} }

// Clone copies keys and values by assignment.
func (o *Ordered[K, V]) Clone() Ordered[K, V] {
	c := Ordered[K, V]{n: o.n}
	if o.n > 0 {
		c.chunks = make([][]Pair[K, V], len(o.chunks))
		for i, chunk := range o.chunks {
			c.chunks[i] = append(make([]Pair[K, V], 0, len(chunk)+1), chunk...)
		}
	}
	return c
}
