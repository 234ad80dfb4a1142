//go:build go1.27

package maphash

// A Hasher replaces maphash.Hasher.
type Hasher[T any] interface {
	Hash(*Hash, T)
	Equal(x, y T) bool
}

// A ComparableHasher replaces maphash.ComparableHasher.
type ComparableHasher[T comparable] struct {
	_ [0]func(T) // not comparable, and converted to no other instance
}

// Hash adds v to h.
func (ComparableHasher[T]) Hash(h *Hash, v T) { WriteComparable(h, v) }

// Equal reports whether x == y.
func (ComparableHasher[T]) Equal(x, y T) bool { return x == y }
