package subjects

import "github.com/cornelk/hashmap"

// Cornelk is a map of github.com/cornelk/hashmap.
type Cornelk struct{ *hashmap.Map[int, int] }

func NewCornelk() *Cornelk { return &Cornelk{hashmap.New[int, int]()} }

// NewFilledCornelk returns a map with the keys 0 and 1.
func NewFilledCornelk() *Cornelk {
	m := NewCornelk()
	fill(m.Set)
	return m
}

// Range returns the visited entries.
func (m *Cornelk) Range() []pair[int] { return sortPairs(visit(m.Map.Range)) }
