package subject

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A set is a set of numbers.
type set interface {
	add(v int) bool
	remove(v int) bool
	contains(v int) bool
	size() int
	elements() []int
}

func sets() []*Subject {
	return subjects(model{name: "set"}, []*stress.Method{
		unary("add", 0, func(s set, v int) history.Value { return history.BoolValue(s.add(v)) }),
		unary("remove", 0, func(s set, v int) history.Value { return history.BoolValue(s.remove(v)) }),
		unary("contains", readOnly, func(s set, v int) history.Value { return history.BoolValue(s.contains(v)) }),
		nullary("size", readOnly, func(s set) history.Value { return intValue(s.size()) }),
		nullary("elements", readOnly, func(s set) history.Value { return intList(s.elements()) }),
	}, variant{
		name: "set", doc: "a set under a lock",
		new: func() any { return newLockedSet() },
	}, variant{
		name: "set-stale-size", doc: "a set that counts its elements outside of its lock",
		new: func() any { return &countedSet{lockedSet: newLockedSet()} }, twin: "set",
	}, variant{
		name: "set-check-then-act", doc: "a set whose add looks and inserts under the lock, but gives it back in between",
		new: func() any { return &checkedSet{newLockedSet()} }, twin: "set",
	})
}

type lockedSet struct {
	mu sync.Mutex
	m  map[int]bool
}

func newLockedSet() *lockedSet { return &lockedSet{m: map[int]bool{}} }

func (s *lockedSet) add(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m[v] {
		return false
	}
	s.m[v] = true
	return true
}

func (s *lockedSet) remove(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.m[v]
	delete(s.m, v)
	return had
}

func (s *lockedSet) contains(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[v]
}

func (s *lockedSet) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.m)
}

func (s *lockedSet) elements() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.m))
}

// A checkedSet may add a value that was added since it checked: two adds of one
// value return true.
type checkedSet struct{ *lockedSet }

func (s *checkedSet) add(v int) bool {
	if s.contains(v) {
		return false
	}
	linger()
	s.lockedSet.add(v)
	return true
}

// A countedSet changes the number of its elements after it has released the lock:
// its size is late, and may be negative.
type countedSet struct {
	*lockedSet
	n atomic.Int64
}

func (s *countedSet) add(v int) bool {
	if !s.lockedSet.add(v) {
		return false
	}
	linger()
	s.n.Add(1)
	return true
}

func (s *countedSet) remove(v int) bool {
	if !s.lockedSet.remove(v) {
		return false
	}
	linger()
	s.n.Add(-1)
	return true
}

func (s *countedSet) size() int { return int(s.n.Load()) }

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

// A bulkMap shows a part of a putAll.
type bulkMap struct{ lockedMap }

func (m *bulkMap) putAll(entries []entry) {
	for _, e := range entries {
		m.put(e.key, e.v)
		linger()
	}
}

// A shardMap is a map in several parts, each with its lock.
type shardMap interface {
	get(key int) (int, bool)
	put(key, v int)
	remove(key int) (int, bool)
	size() int
	snapshot() map[int]int
}

// shardedMaps have no model: kv has no snapshot.
func shardedMaps() []*Subject {
	return subjects(model{}, []*stress.Method{
		unary("get", core|readOnly, func(m shardMap, key int) history.Value { return orNull(m.get(key)) }),
		binary("put", core, func(m shardMap, key, v int) history.Value { m.put(key, v); return history.NoValue }),
		unary("remove", core, func(m shardMap, key int) history.Value { return orNull(m.remove(key)) }),
		nullary("size", readOnly, func(m shardMap) history.Value { return intValue(m.size()) }),
		nullary("snapshot", readOnly, func(m shardMap) history.Value { return intMap(m.snapshot()) }),
	}, variant{
		name: "sharded-map", doc: "a map in four parts that are all locked for its size and a snapshot",
		new: func() any { return newShardedMap() },
	}, variant{
		name: "sharded-map-unlocked", doc: "a map in four parts that are locked one after another for its size and a snapshot",
		new: func() any { return &looseMap{newShardedMap()} }, twin: "sharded-map",
	})
}

type shardedMap struct{ shards [4]lockedMap }

func newShardedMap() *shardedMap {
	m := &shardedMap{}
	for i := range m.shards {
		m.shards[i].m = map[int]int{}
	}
	return m
}

func (m *shardedMap) shard(key int) *lockedMap { return &m.shards[uint(key)%uint(len(m.shards))] }

func (m *shardedMap) get(key int) (int, bool)    { return m.shard(key).get(key) }
func (m *shardedMap) put(key, v int)             { m.shard(key).put(key, v) }
func (m *shardedMap) remove(key int) (int, bool) { return m.shard(key).remove(key) }

func (m *shardedMap) lock() {
	for i := range m.shards {
		m.shards[i].mu.Lock()
	}
}

func (m *shardedMap) unlock() {
	for i := range m.shards {
		m.shards[i].mu.Unlock()
	}
}

func (m *shardedMap) size() (n int) {
	m.lock()
	defer m.unlock()
	for i := range m.shards {
		n += len(m.shards[i].m)
	}
	return n
}

func (m *shardedMap) snapshot() map[int]int {
	m.lock()
	defer m.unlock()
	all := map[int]int{}
	for i := range m.shards {
		maps.Copy(all, m.shards[i].m)
	}
	return all
}

// A looseMap reads its parts at different times.
type looseMap struct{ *shardedMap }

func (m *looseMap) size() (n int) {
	for i := range m.shards {
		n += m.shards[i].size()
		linger()
	}
	return n
}

func (m *looseMap) snapshot() map[int]int {
	all := map[int]int{}
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		maps.Copy(all, s.m)
		s.mu.Unlock()
		linger()
	}
	return all
}

// syncMaps returns sync.Map with its own methods, derived by reflection, and with
// those of the model kv.
func syncMaps() []*Subject {
	reflected, err := stress.Reflect(func() *sync.Map { return &sync.Map{} }, stress.ReflectOptions{
		Name:    "sync.Map",
		Core:    []string{"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete"},
		Exclude: []string{"Range"}, // as it has a method without a parameter below
	})
	if err != nil {
		panic("subject: " + err.Error())
	}
	class := reflected.Class
	class.Methods = append(class.Methods, nullary("Range", readOnly|weak, func(m *sync.Map) history.Value { return intMap(syncMapRange(m)) }))
	return append([]*Subject{{Class: class, Doc: "sync.Map, with all its methods; Range is a map of what it visits"}},
		subjects(model{name: "kv"}, syncMapMethods(), variant{
			name: "sync.Map-kv", doc: "sync.Map, with the methods and answers of the model kv",
			new: func() any { return &sync.Map{} },
		})...)
}

func syncMapRange(m *sync.Map) map[int]int {
	snapshot := map[int]int{}
	m.Range(func(key, v any) bool {
		snapshot[key.(int)] = v.(int)
		return true
	})
	return snapshot
}

func syncMapMethods() []*stress.Method {
	return []*stress.Method{
		unary("get", core|readOnly, func(m *sync.Map, key int) history.Value { return anyOrNull(m.Load(key)) }),
		binary("put", core, func(m *sync.Map, key, v int) history.Value { m.Store(key, v); return history.NoValue }),
		unary("remove", core, func(m *sync.Map, key int) history.Value { return anyOrNull(m.LoadAndDelete(key)) }),
		unary("delete", core, func(m *sync.Map, key int) history.Value { m.Delete(key); return history.NoValue }),
		unary("contains", core|readOnly, func(m *sync.Map, key int) history.Value {
			_, ok := m.Load(key)
			return history.BoolValue(ok)
		}),
		ternary("cas", core, func(m *sync.Map, key, old, new int) history.Value {
			return history.BoolValue(m.CompareAndSwap(key, old, new))
		}),
		nullary("clear", 0, func(m *sync.Map) history.Value { m.Clear(); return history.NoValue }),
	}
}

func anyOrNull(v any, ok bool) history.Value {
	if !ok {
		return history.NullValue
	}
	return intValue(v.(int))
}
