package subjects

import (
	"strconv"

	cmap "github.com/orcaman/concurrent-map/v2"
)

// Orcaman is a map of github.com/orcaman/concurrent-map/v2.
type Orcaman struct {
	*cmap.ConcurrentMap[string, int]
}

// NewOrcaman returns a map with the usual 32 shards. The key "0" or "1" is in
// the first shard and the other in the last. So a method that iterates over the
// shards takes longest between the two.
func NewOrcaman() *Orcaman {
	m := cmap.NewWithCustomShardingFunction[string, int](func(key string) uint32 { return 31 * uint32(key[0]-'0') })
	return &Orcaman{&m}
}

// MSet sets the values of the keys with these numbers.
func (m *Orcaman) MSet(data map[int]int) {
	texts := make(map[string]int, len(data))
	for key, value := range data {
		texts[strconv.Itoa(key)] = value
	}
	m.ConcurrentMap.MSet(texts)
}

// Upsert adds the value to the current one.
func (m *Orcaman) Upsert(key string, value int) int {
	return m.ConcurrentMap.Upsert(key, value, func(exists bool, old, value int) int {
		if exists {
			value += old
		}
		return value
	})
}

// RemoveCb removes the key if it has the value.
func (m *Orcaman) RemoveCb(key string, value int) bool {
	return m.ConcurrentMap.RemoveCb(key, func(_ string, v int, exists bool) bool { return exists && v == value })
}

// Keys are sorted.
func (m *Orcaman) Keys() []string { return sorted(m.ConcurrentMap.Keys()) }

// IterCb returns the visited entries.
func (m *Orcaman) IterCb() []pair[string] {
	return sortPairs(visit(func(f func(string, int) bool) {
		m.ConcurrentMap.IterCb(func(key string, value int) { f(key, value) })
	}))
}

// IterBuffered returns the received entries.
func (m *Orcaman) IterBuffered() []pair[string] {
	var pairs []pair[string]
	for t := range m.ConcurrentMap.IterBuffered() {
		pairs = append(pairs, pair[string]{t.Key, t.Val})
	}
	return sortPairs(pairs)
}
