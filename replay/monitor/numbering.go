package monitor

import "github.com/leadline/leadline/history"

// A numbering numbers values by first appearance.
type numbering struct {
	dense []int32 // of small ints; number + 1
	ints  map[int64]int32
	other map[string]int32
	n     int32
	key   []byte
}

// newNumbering expects the values of the operations.
func newNumbering(ops []history.Operation) *numbering {
	return &numbering{dense: make([]int32, 4*len(ops)+64)}
}

func (m *numbering) number(v history.Value) int32 {
	if v.Kind() == history.Int {
		k := v.Int()
		if k >= 0 && k < int64(len(m.dense)) {
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

func next[K comparable](m *numbering, index map[K]int32, key K) int32 {
	if i, ok := index[key]; ok {
		return i
	}
	m.n++
	index[key] = m.n - 1
	return m.n - 1
}
