package further

import (
	"context"
	"strconv"

	"github.com/Workiva/go-datastructures/trie/ctrie"
	mapset "github.com/deckarep/golang-set"
	"github.com/dgraph-io/badger/v3/skl"
	"github.com/dgraph-io/badger/v3/y"
	"github.com/hashicorp/go-memdb"
	"github.com/ipfs/go-datastore"
	"github.com/ipfs/go-datastore/query"
	dssync "github.com/ipfs/go-datastore/sync"
	cmap "github.com/orcaman/concurrent-map"
	xsync1 "github.com/puzpuzpuz/xsync"
	"github.com/puzpuzpuz/xsync/v3"
	"github.com/tidwall/btree"
	"tailscale.com/syncs"
)

// XsyncMapOf is a MapOf of github.com/puzpuzpuz/xsync/v3.
type XsyncMapOf struct{ *xsync.MapOf[int, int] }

func NewXsyncMapOf() *XsyncMapOf { return &XsyncMapOf{xsync.NewMapOf[int, int]()} }

// Compute adds one to the value; an absent value counts as zero.
func (m *XsyncMapOf) Compute(key int) (int, bool) {
	return m.MapOf.Compute(key, func(old int, _ bool) (int, bool) { return old + 1, false })
}

// LoadOrCompute computes value.
func (m *XsyncMapOf) LoadOrCompute(key, value int) (int, bool) {
	return m.MapOf.LoadOrCompute(key, func() int { return value })
}

// Range returns the visited entries.
func (m *XsyncMapOf) Range() [][2]any { return entries(m.MapOf.Range) }

// Xsync1Map is a Map of github.com/puzpuzpuz/xsync, its first version.
type Xsync1Map struct{ *xsync1.Map }

func NewXsync1Map() *Xsync1Map { return &Xsync1Map{xsync1.NewMap()} }

// LoadOrCompute computes value.
func (m *Xsync1Map) LoadOrCompute(key string, value int) (any, bool) {
	return m.Map.LoadOrCompute(key, func() any { return value })
}

// Range returns the visited entries.
func (m *Xsync1Map) Range() [][2]any { return entries(m.Map.Range) }

// Orcaman1 is a map of github.com/orcaman/concurrent-map, its first version, with
// two shards instead of 32.
type Orcaman1 struct{ cmap.ConcurrentMap }

func init() { cmap.SHARD_COUNT = 2 }

func NewOrcaman1() *Orcaman1 { return &Orcaman1{cmap.New()} }

func (m *Orcaman1) Set(key string, value int) { m.ConcurrentMap.Set(key, value) }
func (m *Orcaman1) SetIfAbsent(key string, value int) bool {
	return m.ConcurrentMap.SetIfAbsent(key, value)
}

// MSet sets the values of the keys with these numbers.
func (m *Orcaman1) MSet(data map[int]int) {
	texts := make(map[string]any, len(data))
	for key, value := range data {
		texts[strconv.Itoa(key)] = value
	}
	m.ConcurrentMap.MSet(texts)
}

// Upsert adds the value to the current one.
func (m *Orcaman1) Upsert(key string, value int) any {
	return m.ConcurrentMap.Upsert(key, value, func(exists bool, old, value any) any {
		if exists {
			return value.(int) + old.(int)
		}
		return value
	})
}

// RemoveCb removes the key if it has the value.
func (m *Orcaman1) RemoveCb(key string, value int) bool {
	return m.ConcurrentMap.RemoveCb(key, func(_ string, v any, exists bool) bool { return exists && v == value })
}

// Keys are sorted.
func (m *Orcaman1) Keys() []string { return sorted(m.ConcurrentMap.Keys()) }

// IterCb returns the visited entries.
func (m *Orcaman1) IterCb() [][2]any {
	return entries(func(f func(string, any) bool) {
		m.ConcurrentMap.IterCb(func(key string, value any) { f(key, value) })
	})
}

// IterBuffered returns the received entries.
func (m *Orcaman1) IterBuffered() [][2]any {
	return entries(func(f func(string, any) bool) {
		for t := range m.ConcurrentMap.IterBuffered() {
			f(t.Key, t.Val)
		}
	})
}

// GolangSet1 is a thread-safe Set of github.com/deckarep/golang-set, its first
// version.
type GolangSet1 struct{ s mapset.Set }

func NewGolangSet1() *GolangSet1 { return &GolangSet1{mapset.NewSet()} }

func (s *GolangSet1) Add(i int) bool              { return s.s.Add(i) }
func (s *GolangSet1) Cardinality() int            { return s.s.Cardinality() }
func (s *GolangSet1) Clear()                      { s.s.Clear() }
func (s *GolangSet1) Contains(i int) bool         { return s.s.Contains(i) }
func (s *GolangSet1) Remove(i int)                { s.s.Remove(i) }
func (s *GolangSet1) Equal(other []int) bool      { return s.s.Equal(setOf(other)) }
func (s *GolangSet1) IsSubset(other []int) bool   { return s.s.IsSubset(setOf(other)) }
func (s *GolangSet1) IsProperSubset(o []int) bool { return s.s.IsProperSubset(setOf(o)) }
func (s *GolangSet1) Clone() []int                { return ints(s.s.Clone().ToSlice()) }
func (s *GolangSet1) Difference(other []int) []int {
	return ints(s.s.Difference(setOf(other)).ToSlice())
}
func (s *GolangSet1) Union(other []int) []int { return ints(s.s.Union(setOf(other)).ToSlice()) }
func (s *GolangSet1) ToSlice() []int          { return ints(s.s.ToSlice()) }

// Iter returns the received elements.
func (s *GolangSet1) Iter() []int {
	var list []any
	for x := range s.s.Iter() {
		list = append(list, x)
	}
	return ints(list)
}

func setOf(list []int) mapset.Set {
	s := mapset.NewThreadUnsafeSet()
	for _, x := range list {
		s.Add(x)
	}
	return mapset.NewSetFromSlice(s.ToSlice())
}

// TidwallBTree is a BTreeG of github.com/tidwall/btree, of ints.
type TidwallBTree struct{ *btree.BTreeG[int] }

func NewTidwallBTree() *TidwallBTree {
	return &TidwallBTree{btree.NewBTreeG(func(a, b int) bool { return a < b })}
}

// Copy returns the items of the copy.
func (t *TidwallBTree) Copy() []int { return t.BTreeG.Copy().Items() }

// Scan returns the visited items, in its order.
func (t *TidwallBTree) Scan() []int {
	var list []int
	t.BTreeG.Scan(func(x int) bool { list = append(list, x); return true })
	return list
}

// DeleteRange deletes what is between, and returns how many it deletes.
func (t *TidwallBTree) DeleteRange(least, most int) int {
	list := t.BTreeG.DeleteRange(least, most, nil)
	return list.Len()
}

// Iter returns the items of an iterator, which locks the tree.
func (t *TidwallBTree) Iter() []int {
	var list []int
	it := t.BTreeG.Iter()
	defer it.Release()
	for ok := it.First(); ok; ok = it.Next() {
		list = append(list, it.Item())
	}
	return list
}

// Ctrie is a Ctrie of github.com/Workiva/go-datastructures/trie/ctrie.
type Ctrie struct{ c *ctrie.Ctrie }

func NewCtrie() *Ctrie { return &Ctrie{ctrie.New(nil)} }

func (c *Ctrie) Insert(key string, value int)  { c.c.Insert([]byte(key), value) }
func (c *Ctrie) Lookup(key string) (any, bool) { return c.c.Lookup([]byte(key)) }
func (c *Ctrie) Remove(key string) (any, bool) { return c.c.Remove([]byte(key)) }
func (c *Ctrie) Clear()                        { c.c.Clear() }
func (c *Ctrie) Size() int                     { return int(c.c.Size()) }
func (c *Ctrie) Snapshot() [][2]any            { return entriesOf(c.c.Snapshot()) }
func (c *Ctrie) ReadOnlySnapshot() [][2]any    { return entriesOf(c.c.ReadOnlySnapshot()) }
func (c *Ctrie) Iterator() [][2]any            { return entriesOf(c.c) }
func entriesOf(c *ctrie.Ctrie) [][2]any {
	return entries(func(f func(string, any) bool) {
		for e := range c.Iterator(nil) {
			f(string(e.Key), e.Value)
		}
	})
}

// Skiplist is a Skiplist of github.com/dgraph-io/badger/v3/skl, in which each key
// has one version.
type Skiplist struct{ s *skl.Skiplist }

func NewSkiplist() *Skiplist { return &Skiplist{skl.NewSkiplist(1 << 14)} }

func (s *Skiplist) Empty() bool { return s.s.Empty() }

func (s *Skiplist) Put(key, value string) {
	s.s.Put(y.KeyWithTs([]byte(key), 1), y.ValueStruct{Value: []byte(value)})
}

// Get returns the value, and whether there is one.
func (s *Skiplist) Get(key string) (string, bool) {
	v := s.s.Get(y.KeyWithTs([]byte(key), 1))
	return string(v.Value), v.Version > 0
}

// NewIterator returns the visited entries, in its order.
func (s *Skiplist) NewIterator() [][2]string {
	var list [][2]string
	it := s.s.NewIterator()
	defer it.Close()
	for it.SeekToFirst(); it.Valid(); it.Next() {
		list = append(list, [2]string{string(y.ParseKey(it.Key())), string(it.Value().Value)})
	}
	return list
}

// Memdb is a database of github.com/hashicorp/go-memdb with one table. A method
// is a transaction.
type Memdb struct{ db *memdb.MemDB }

type row struct{ Key, Value int }

func NewMemdb() (*Memdb, error) {
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{"t": {
		Name: "t",
		Indexes: map[string]*memdb.IndexSchema{
			"id":    {Name: "id", Unique: true, Indexer: &memdb.IntFieldIndex{Field: "Key"}},
			"value": {Name: "value", Indexer: &memdb.IntFieldIndex{Field: "Value"}},
		},
	}}})
	return &Memdb{db}, err
}

func (m *Memdb) write(f func(*memdb.Txn) (int, error)) (int, error) {
	txn := m.db.Txn(true)
	defer txn.Abort()
	n, err := f(txn)
	txn.Commit()
	return n, err
}

// Insert inserts a row or replaces the one with the key.
func (m *Memdb) Insert(key, value int) error {
	_, err := m.write(func(txn *memdb.Txn) (int, error) { return 0, txn.Insert("t", row{key, value}) })
	return err
}

func (m *Memdb) Delete(key int) error {
	_, err := m.write(func(txn *memdb.Txn) (int, error) { return 0, txn.Delete("t", row{Key: key}) })
	return err
}

// DeleteAll deletes the rows with the value.
func (m *Memdb) DeleteAll(value int) (int, error) {
	return m.write(func(txn *memdb.Txn) (int, error) { return txn.DeleteAll("t", "value", value) })
}

// First returns the value of the key, or null.
func (m *Memdb) First(key int) (any, error) {
	r, err := m.db.Txn(false).First("t", "id", key)
	if r == nil {
		return nil, err
	}
	return r.(row).Value, err
}

// Get returns the keys of the rows with the value, in its order.
func (m *Memdb) Get(value int) ([]int, error) { return rows(m.db.Txn(false), "value", value) }

// Snapshot returns the keys of a snapshot.
func (m *Memdb) Snapshot() ([]int, error) { return rows(m.db.Snapshot().Txn(false), "id") }

func rows(txn *memdb.Txn, index string, args ...any) ([]int, error) {
	it, err := txn.Get("t", index, args...)
	if err != nil {
		return nil, err
	}
	var keys []int
	for r := it.Next(); r != nil; r = it.Next() {
		keys = append(keys, r.(row).Key)
	}
	return keys, nil
}

// Datastore is a map of github.com/ipfs/go-datastore in a MutexWrap.
type Datastore struct{ d *dssync.MutexDatastore }

func NewDatastore() *Datastore { return &Datastore{dssync.MutexWrap(datastore.NewMapDatastore())} }

func (d *Datastore) Put(key, value string) error {
	return d.d.Put(context.Background(), datastore.NewKey(key), []byte(value))
}
func (d *Datastore) Get(key string) (any, error) {
	return text(d.d.Get(context.Background(), datastore.NewKey(key)))
}
func (d *Datastore) Has(key string) (bool, error) {
	return d.d.Has(context.Background(), datastore.NewKey(key))
}
func (d *Datastore) Delete(key string) error {
	return d.d.Delete(context.Background(), datastore.NewKey(key))
}

// Commit puts value for both keys in a batch.
func (d *Datastore) Commit(value string) error {
	b, err := d.d.Batch(context.Background())
	for _, key := range []string{"0", "1"} {
		if err == nil {
			err = b.Put(context.Background(), datastore.NewKey(key), []byte(value))
		}
	}
	if err != nil {
		return err
	}
	return b.Commit(context.Background())
}

// Query returns all entries.
func (d *Datastore) Query() (map[string]string, error) {
	results, err := d.d.Query(context.Background(), query.Query{})
	if err != nil {
		return nil, err
	}
	list, err := results.Rest()
	m := map[string]string{}
	for _, e := range list {
		m[e.Key] = string(e.Value)
	}
	return m, err
}

// ShardedMap is a ShardedMap of tailscale.com/syncs, with a shard for each key.
type ShardedMap struct{ *syncs.ShardedMap[int, int] }

func NewShardedMap() *ShardedMap {
	return &ShardedMap{syncs.NewShardedMap[int, int](4, func(key int) int { return key })}
}

// Mutate adds one to the value, and deletes the key if that makes two.
func (m *ShardedMap) Mutate(key int) int {
	return m.ShardedMap.Mutate(key, func(old int, _ bool) (int, bool) { return old + 1, old+1 < 2 })
}

// TailscaleMap is a Map of tailscale.com/syncs.
type TailscaleMap struct{ *syncs.Map[int, int] }

func NewTailscaleMap() *TailscaleMap { return &TailscaleMap{new(syncs.Map[int, int])} }

// LoadOrInit makes value.
func (m *TailscaleMap) LoadOrInit(key, value int) (int, bool) {
	return m.Map.LoadOrInit(key, func() int { return value })
}

// All returns the visited entries.
func (m *TailscaleMap) All() [][2]any { return entries(m.Map.All()) }
