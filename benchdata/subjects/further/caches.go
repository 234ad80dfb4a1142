package further

import (
	"context"
	"time"

	"github.com/allegro/bigcache/v3"
	"github.com/bluele/gcache"
	"github.com/coocood/freecache"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/muesli/cache2go"
	"github.com/vmihailenco/go-tinylfu"
)

// Gcache is a cache of github.com/bluele/gcache without expiry. Its methods that
// take checkExpired are called with true.
type Gcache struct{ gcache.Cache }

// NewGcacheSimple returns a cache that no program fills, since what a full one
// evicts is random.
func NewGcacheSimple() *Gcache { return &Gcache{gcache.New(16).Simple().Build()} }

// NewGcacheLRU returns a cache with room for two.
func NewGcacheLRU() *Gcache { return &Gcache{gcache.New(2).LRU().Build()} }

// NewGcacheLFU returns a cache that no program fills, for the same reason.
func NewGcacheLFU() *Gcache { return &Gcache{gcache.New(16).LFU().Build()} }

// NewGcacheARC returns a cache with room for two.
func NewGcacheARC() *Gcache { return &Gcache{gcache.New(2).ARC().Build()} }

// NewGcacheLoader returns a cache that loads ten times the key.
func NewGcacheLoader() *Gcache {
	return &Gcache{gcache.New(16).Simple().LoaderFunc(func(key any) (any, error) { return 10 * key.(int), nil }).Build()}
}

func (c *Gcache) Get(key int) (any, error)          { return c.Cache.Get(key) }
func (c *Gcache) GetIFPresent(key int) (any, error) { return c.Cache.GetIFPresent(key) }
func (c *Gcache) Has(key int) bool                  { return c.Cache.Has(key) }
func (c *Gcache) Remove(key int) bool               { return c.Cache.Remove(key) }
func (c *Gcache) Set(key, value int) error          { return c.Cache.Set(key, value) }
func (c *Gcache) GetALL() map[any]any               { return c.Cache.GetALL(true) }
func (c *Gcache) Keys() []int                       { return ints(c.Cache.Keys(true)) }
func (c *Gcache) Len() int                          { return c.Cache.Len(true) }

// Cache2go is a table of github.com/muesli/cache2go without expiry and callbacks.
// Its items are live, but their keys and data do not change.
type Cache2go struct{ t *cache2go.CacheTable }

func NewCache2go() *Cache2go {
	t := new(cache2go.CacheTable)
	t.Flush() // makes the map
	return &Cache2go{t}
}

func (c *Cache2go) Add(key, data int)              { c.t.Add(key, 0, data) }
func (c *Cache2go) Count() int                     { return c.t.Count() }
func (c *Cache2go) Exists(key int) bool            { return c.t.Exists(key) }
func (c *Cache2go) Flush()                         { c.t.Flush() }
func (c *Cache2go) NotFoundAdd(key, data int) bool { return c.t.NotFoundAdd(key, 0, data) }
func (c *Cache2go) Delete(key int) (any, error)    { return dataOf(c.t.Delete(key)) }
func (c *Cache2go) Value(key int) (any, error)     { return dataOf(c.t.Value(key)) }

func dataOf(item *cache2go.CacheItem, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return item.Data(), nil
}

// Foreach returns the data of the items.
func (c *Cache2go) Foreach() map[int]any {
	list := map[int]any{}
	c.t.Foreach(func(key any, item *cache2go.CacheItem) { list[key.(int)] = item.Data() })
	return list
}

// AccessCount returns the count of the item that Value returns.
func (c *Cache2go) AccessCount(key int) (int64, error) {
	item, err := c.t.Value(key)
	if err != nil {
		return 0, err
	}
	return item.AccessCount(), nil
}

// BigCache is a cache of github.com/allegro/bigcache/v3 with two shards, one for
// each key, and without clean-up.
type BigCache struct{ *bigcache.BigCache }

func NewBigCache() (*BigCache, error) {
	c, err := bigcache.New(context.Background(), bigcache.Config{
		Shards: 2, LifeWindow: time.Hour, MaxEntriesInWindow: 2, MaxEntrySize: 8, Hasher: lastByte{}, StatsEnabled: true,
	})
	return &BigCache{c}, err
}

// lastByte is a hash that is the last byte.
type lastByte struct{}

func (lastByte) Sum64(key string) uint64 { return uint64(key[len(key)-1]) }

func (c *BigCache) Append(key, entry string) error { return c.BigCache.Append(key, []byte(entry)) }
func (c *BigCache) Set(key, entry string) error    { return c.BigCache.Set(key, []byte(entry)) }

func (c *BigCache) Get(key string) (any, error) {
	entry, err := c.BigCache.Get(key)
	return string(entry), err
}

// KeyMetadata returns the number of requests of the key.
func (c *BigCache) KeyMetadata(key string) int { return int(c.BigCache.KeyMetadata(key).RequestCount) }

// Iterator returns the visited entries. An entry that is gone is left out.
func (c *BigCache) Iterator() [][2]any {
	return entries(func(f func(string, string) bool) {
		for it := c.BigCache.Iterator(); it.SetNext(); {
			if e, err := it.Value(); err == nil {
				f(e.Key(), string(e.Value()))
			}
		}
	})
}

// Freecache is a cache of github.com/coocood/freecache without expiry. Its keys
// and values are strings.
type Freecache struct{ c *freecache.Cache }

func NewFreecache() *Freecache { return &Freecache{freecache.NewCache(0)} }

func (c *Freecache) Clear()                { c.c.Clear() }
func (c *Freecache) Del(key string) bool   { return c.c.Del([]byte(key)) }
func (c *Freecache) EntryCount() int64     { return c.c.EntryCount() }
func (c *Freecache) HitCount() int64       { return c.c.HitCount() }
func (c *Freecache) HitRate() float64      { return c.c.HitRate() }
func (c *Freecache) LookupCount() int64    { return c.c.LookupCount() }
func (c *Freecache) MissCount() int64      { return c.c.MissCount() }
func (c *Freecache) OverwriteCount() int64 { return c.c.OverwriteCount() }
func (c *Freecache) ResetStatistics()      { c.c.ResetStatistics() }
func (c *Freecache) Touch(key string) error {
	return c.c.Touch([]byte(key), 0)
}
func (c *Freecache) Set(key, value string) error {
	return c.c.Set([]byte(key), []byte(value), 0)
}
func (c *Freecache) Get(key string) (any, error)  { return text(c.c.Get([]byte(key))) }
func (c *Freecache) Peek(key string) (any, error) { return text(c.c.Peek([]byte(key))) }
func (c *Freecache) GetOrSet(key, value string) (any, error) {
	return text(c.c.GetOrSet([]byte(key), []byte(value), 0))
}

func text(b []byte, err error) (any, error) {
	if b == nil {
		return nil, err
	}
	return string(b), err
}

// SetAndGet returns the old value, and whether there was one.
func (c *Freecache) SetAndGet(key, value string) (string, bool, error) {
	old, found, err := c.c.SetAndGet([]byte(key), []byte(value), 0)
	return string(old), found, err
}

// MultiGet gets both keys; it returns the values and whether they were found.
func (c *Freecache) MultiGet() ([]string, []bool) {
	values, errs := c.c.MultiGet([][]byte{[]byte("0"), []byte("1")})
	var list []string
	var found []bool
	for i, v := range values {
		list, found = append(list, string(v)), append(found, errs[i] == nil)
	}
	return list, found
}

// NewIterator returns the visited entries.
func (c *Freecache) NewIterator() [][2]any {
	return entries(func(f func(string, string) bool) {
		it := c.c.NewIterator()
		for e := it.Next(); e != nil; e = it.Next() {
			f(string(e.Key), string(e.Value))
		}
	})
}

// TinyLFU is a SyncT of github.com/vmihailenco/go-tinylfu without expiry.
type TinyLFU struct{ *tinylfu.SyncT }

// NewTinyLFU returns a cache with room for one new item and two older ones.
func NewTinyLFU() *TinyLFU { return &TinyLFU{tinylfu.NewSync(3, 30)} }

func (c *TinyLFU) Set(key string, value int) { c.SyncT.Set(&tinylfu.Item{Key: key, Value: value}) }

// EthereumSizedLRU is a SizeConstrainedCache of
// github.com/ethereum/go-ethereum/common/lru. The value of key k has k+1 bytes,
// since values have to follow from their keys.
type EthereumSizedLRU struct {
	c *lru.SizeConstrainedCache[int, []byte]
}

// NewEthereumSizedLRU returns a cache with room for three bytes.
func NewEthereumSizedLRU() *EthereumSizedLRU {
	return &EthereumSizedLRU{lru.NewSizeConstrainedCache[int, []byte](3)}
}

func (c *EthereumSizedLRU) Add(key int) bool           { return c.c.Add(key, make([]byte, key+1)) }
func (c *EthereumSizedLRU) Get(key int) ([]byte, bool) { return c.c.Get(key) }
func (c *EthereumSizedLRU) Size() uint64               { return c.c.Size() }
