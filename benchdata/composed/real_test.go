package composed

import (
	"context"
	"slices"
	"testing"

	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/replay/composed"
)

// A notingMap notes what a method uses.
type notingMap struct {
	*sync.Map
	keys   []any
	ranges bool
}

func (m *notingMap) note(key any) {
	if !slices.Contains(m.keys, key) {
		m.keys = append(m.keys, key)
	}
}

func (m *notingMap) Load(key any) (any, bool) { m.note(key); return m.Map.Load(key) }
func (m *notingMap) Delete(key any)           { m.note(key); m.Map.Delete(key) }

func (m *notingMap) CompareAndDelete(key, old any) bool {
	m.note(key)
	return m.Map.CompareAndDelete(key, old)
}

func (m *notingMap) Range(f func(key, v any) bool) { m.ranges = true; m.Map.Range(f) }

// TestReal: leadline composed --check explores the methods on a map of the scheduler, with one or two
// operations of an open environment. It finds the same as composed.Explore, with one exception, which needs three
// operations of the environment and a key that is a value.
func TestReal(t *testing.T) {
	const missed = "unregisterExtEncoder"
	known := slices.Concat(violations, newer)
	for i, s := range slices.Concat(known, subjects, caches) {
		noting := &notingMap{Map: &sync.Map{}}
		func() {
			defer func() { _ = recover() }()
			s.method(noting)
		}()
		target := &composed.Target{
			Name: s.function, Function: func(m *sync.Map) any { return s.method(m) }, Roots: []int{0}, Keys: noting.keys, Whole: noting.ranges,
			Collection: func(m *sync.Map) []any {
				return []any{m.Load, m.Store, m.LoadOrStore, m.LoadAndDelete, m.Delete, m.Swap, m.CompareAndSwap, m.CompareAndDelete, m.Range}
			},
			Operations: []string{"Load ?k", "Store kv", "LoadOrStore kv", "LoadAndDelete k", "Delete k", "Swap kv", "CompareAndSwap kov", "CompareAndDelete ko", "Range r"},
		}
		if values := openValues(&s); values != nil {
			target.Values = values()
		}
		c := composed.Check(context.Background(), target, func() {})
		isAtomic := s.class == atomic && i >= len(known)
		if want := !isAtomic && s.function != missed; (c.Violation != nil) != want {
			t.Errorf("%s: %+v, want a violation: %v", s.function, c, want)
		}
	}
}
