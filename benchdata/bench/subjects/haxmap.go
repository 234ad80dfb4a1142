package subjects

import "github.com/alphadose/haxmap"

// Haxmap is a map of github.com/alphadose/haxmap.
type Haxmap struct{ *haxmap.Map[int, int] }

func NewHaxmap() *Haxmap { return &Haxmap{haxmap.New[int, int]()} }

// NewFilledHaxmap returns a map with the keys 0 and 1.
func NewFilledHaxmap() *Haxmap {
	m := NewHaxmap()
	fill(m.Set)
	return m
}

// Del deletes one key.
func (m *Haxmap) Del(key int) { m.Map.Del(key) }

// DelAll is Del for several keys.
func (m *Haxmap) DelAll(keys []int) { m.Map.Del(keys...) }

// GetOrCompute computes value.
func (m *Haxmap) GetOrCompute(key, value int) (int, bool) {
	return m.Map.GetOrCompute(key, func() int { return value })
}

// ForEach returns the visited entries.
func (m *Haxmap) ForEach() []pair[int] { return sortPairs(visit(m.Map.ForEach)) }
