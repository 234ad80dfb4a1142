package subjects

import "github.com/puzpuzpuz/xsync/v4"

// XsyncMap is a Map of github.com/puzpuzpuz/xsync/v4.
type XsyncMap struct{ *xsync.Map[int, int] }

func NewXsyncMap() *XsyncMap { return &XsyncMap{xsync.NewMap[int, int]()} }

// Compute adds one to the value; an absent value counts as zero.
func (m *XsyncMap) Compute(key int) (int, bool) {
	return m.Map.Compute(key, func(old int, _ bool) (int, xsync.ComputeOp) { return old + 1, xsync.UpdateOp })
}

// LoadOrCompute computes value.
func (m *XsyncMap) LoadOrCompute(key, value int) (int, bool) {
	return m.Map.LoadOrCompute(key, func() (int, bool) { return value, false })
}

// DeleteMatching deletes the entries with the value.
func (m *XsyncMap) DeleteMatching(value int) int {
	return m.Map.DeleteMatching(func(_, v int) (bool, bool) { return v == value, false })
}

// Range returns the visited entries.
func (m *XsyncMap) Range() []pair[int] { return sortPairs(visit(m.Map.Range)) }

// RangeRelaxed returns the visited entries.
func (m *XsyncMap) RangeRelaxed() []pair[int] { return sortPairs(visit(m.Map.RangeRelaxed)) }
