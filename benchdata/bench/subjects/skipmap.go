package subjects

import (
	bytedancemap "github.com/bytedance/gopkg/collection/skipmap"
	bytedanceset "github.com/bytedance/gopkg/collection/skipset"
	"github.com/zhangyunhao116/skipmap"
)

// BytedanceSkipmap is an IntMap of
// github.com/bytedance/gopkg/collection/skipmap.
type BytedanceSkipmap struct{ *bytedancemap.IntMap }

func NewBytedanceSkipmap() *BytedanceSkipmap { return &BytedanceSkipmap{bytedancemap.NewInt()} }

// NewFilledBytedanceSkipmap returns a map with the keys 0 and 1.
func NewFilledBytedanceSkipmap() *BytedanceSkipmap {
	m := NewBytedanceSkipmap()
	fill(func(key, value int) { m.Store(key, value) })
	return m
}

// LoadOrStoreLazy computes value.
func (m *BytedanceSkipmap) LoadOrStoreLazy(key, value int) (any, bool) {
	return m.IntMap.LoadOrStoreLazy(key, func() any { return value })
}

// Range returns the visited entries, in its order.
func (m *BytedanceSkipmap) Range() []pair[int] {
	return visit(func(f func(int, int) bool) {
		m.IntMap.Range(func(key int, value any) bool { return f(key, value.(int)) })
	})
}

// BytedanceSkipset is an IntSet of
// github.com/bytedance/gopkg/collection/skipset.
type BytedanceSkipset struct{ *bytedanceset.IntSet }

func NewBytedanceSkipset() *BytedanceSkipset { return &BytedanceSkipset{bytedanceset.NewInt()} }

// Range returns the visited elements, in its order.
func (s *BytedanceSkipset) Range() []int {
	var list []int
	s.IntSet.Range(func(value int) bool {
		list = append(list, value)
		return true
	})
	return list
}

// Skipmap is an IntMap of github.com/zhangyunhao116/skipmap.
type Skipmap struct{ *skipmap.IntMap[int] }

func NewSkipmap() *Skipmap { return &Skipmap{skipmap.NewInt[int]()} }

// NewFilledSkipmap returns a map with the keys 0 and 1.
func NewFilledSkipmap() *Skipmap {
	m := NewSkipmap()
	fill(m.Store)
	return m
}

// LoadOrStoreLazy computes value.
func (m *Skipmap) LoadOrStoreLazy(key, value int) (int, bool) {
	return m.IntMap.LoadOrStoreLazy(key, func() int { return value })
}

// Range returns the visited entries, in its order.
func (m *Skipmap) Range() []pair[int] { return visit(m.IntMap.Range) }
