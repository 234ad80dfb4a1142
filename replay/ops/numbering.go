package ops

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// A numbering numbers values by first appearance.
type numbering struct {
	dense []int32 // int from 0 to below limit -> number + 1, or 0
	limit int64
	ints  map[int64]int32
	other map[string]int32
	n     int32
	key   []byte
}

// newNumbering returns a numbering for the values of n operations.
func newNumbering(n int) numbering { return numbering{limit: 4*int64(n) + 64} }

func (m *numbering) number(v history.Value) int32 {
	if v.Kind() == history.Int {
		k := v.Int()
		if k >= 0 && k < m.limit {
			if k >= int64(len(m.dense)) {
				m.grow(k)
			}
			if m.dense[k] == 0 {
				m.n++
				m.dense[k] = m.n
			}
			return m.dense[k] - 1
		}
		if m.ints == nil {
			m.ints = map[int64]int32{}
		}
		return next(m, m.ints, k)
	}
	if m.other == nil {
		m.other = map[string]int32{}
	}
	m.key = v.AppendKey(m.key[:0])
	if i, ok := m.other[string(m.key)]; ok {
		return i
	}
	return next(m, m.other, string(m.key))
}

// grow makes room for k.
func (m *numbering) grow(k int64) {
	dense := make([]int32, min(m.limit, max(2*k, 64)))
	copy(dense, m.dense)
	m.dense = dense
}

func next[K comparable](m *numbering, index map[K]int32, key K) int32 {
	if i, ok := index[key]; ok {
		return i
	}
	m.n++
	index[key] = m.n - 1
	return m.n - 1
}

// A Pairing numbers pairs of a part and a value by first appearance. While each
// value occurs with one part only, a list is enough.
type Pairing struct {
	values numbering
	first  []pair // value -> the part that it first occurred with, and the number of the pair
	other  map[pair]int32
	keys   []int32 // pair -> part
}

type pair struct{ key, value int32 }

// NewPairing returns a numbering of about n pairs.
func NewPairing(n int) *Pairing { return &Pairing{values: newNumbering(n)} }

// Len returns how many pairs have a number.
func (m *Pairing) Len() int32 { return int32(len(m.keys)) }

// Number returns the number of a pair.
func (m *Pairing) Number(key int32, value history.Value) int32 {
	v, next := m.values.number(value), int32(len(m.keys))
	switch {
	case int(v) == len(m.first):
		m.first = push(m.first, pair{key, next})
	case m.first[v].key == key:
		return m.first[v].value
	default:
		if i, ok := m.other[pair{key, v}]; ok {
			return i
		}
		if m.other == nil {
			m.other = map[pair]int32{}
		}
		m.other[pair{key, v}] = next
	}
	m.keys = push(m.keys, key)
	return next
}

// push is append, but it doubles the capacity of a long list, where append adds only a
// quarter.
func push[E any](list []E, e E) []E {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 16))
	}
	return append(list, e)
}
