package subject

import (
	"maps"
	"slices"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A mapping is a map from numbers to numbers.
type mapping interface {
	get(key int) (int, bool)
	put(key, v int)
	remove(key int) (int, bool)
	size() int
	keys() []int
	putAll(entries []entry)
}

type entry struct{ key, v int }

// mappings have no model: kv has neither keys nor putAll.
func mappings() []*Subject {
	return subjects(model{}, []*stress.Method{
		unary("get", core|readOnly, func(m mapping, key int) history.Value { return orNull(m.get(key)) }),
		binary("put", core, func(m mapping, key, v int) history.Value { m.put(key, v); return history.NoValue }),
		unary("remove", core, func(m mapping, key int) history.Value { return orNull(m.remove(key)) }),
		nullary("size", core|readOnly, func(m mapping) history.Value { return intValue(m.size()) }),
		nullary("keys", core|readOnly, func(m mapping) history.Value { return intList(m.keys()) }),
		putAllMethod(),
	}, variant{
		name: "map", doc: "a map under a lock",
		new: func() any { return &lockedMap{m: map[int]int{}} },
	}, variant{
		name: "map-bulk", doc: "a map whose putAll puts one entry after another",
		new: func() any { return &bulkMap{lockedMap{m: map[int]int{}}} }, twin: "map",
	})
}

func putAllMethod() *stress.Method {
	m := newMethod("putAll", 0, stress.Map)
	m.Prepare = func(args []history.Value) stress.Call {
		var entries []entry
		for pair := range slices.Chunk(args[0].List(), 2) {
			entries = append(entries, entry{int(pair[0].Int()), int(pair[1].Int())})
		}
		return func(object any) history.Value {
			object.(mapping).putAll(entries)
			return history.NoValue
		}
	}
	return m
}

type lockedMap struct {
	mu sync.Mutex
	m  map[int]int
}

func (m *lockedMap) get(key int) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[key]
	return v, ok
}

func (m *lockedMap) put(key, v int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.m[key] = v
}

func (m *lockedMap) remove(key int) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.m[key]
	delete(m.m, key)
	return v, ok
}

func (m *lockedMap) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.m)
}

func (m *lockedMap) keys() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.m))
}

func (m *lockedMap) putAll(entries []entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range entries {
		m.m[e.key] = e.v
	}
}
