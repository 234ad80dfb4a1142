package subject

import (
	"maps"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

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
