// Package broken has a type that is not safe for concurrent use.
package broken

// Table is a map without a lock, with strings for keys.
type Table[K ~string] struct{ m map[K]int }

// NewTable panics if less is not an ordering.
func NewTable[K ~string](less func(a, b K) bool) *Table[K] {
	if less("a", "a") || !less("a", "b") {
		panic("not an ordering")
	}
	return &Table[K]{map[K]int{}}
}

func (t *Table[K]) Put(key K, to int) { t.m[key] = to }
