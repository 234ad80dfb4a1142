package subjects

import "github.com/jellydator/ttlcache/v3"

// TTLCache is a cache of github.com/jellydator/ttlcache/v3 without expiry.
// Items are live: their values are read immediately.
type TTLCache struct{ c *ttlcache.Cache[int, int] }

func NewTTLCache() *TTLCache { return &TTLCache{ttlcache.New[int, int]()} }

// NewSmallTTLCache returns a cache with room for one item.
func NewSmallTTLCache() *TTLCache {
	return &TTLCache{ttlcache.New(ttlcache.WithCapacity[int, int](1))}
}

func (c *TTLCache) Delete(key int)     { c.c.Delete(key) }
func (c *TTLCache) DeleteAll()         { c.c.DeleteAll() }
func (c *TTLCache) Has(key int) bool   { return c.c.Has(key) }
func (c *TTLCache) Len() int           { return c.c.Len() }
func (c *TTLCache) Set(key, value int) { c.c.Set(key, value, ttlcache.NoTTL) }
func (c *TTLCache) Touch(key int)      { c.c.Touch(key) }

// Get returns the value of the item, and whether it exists.
func (c *TTLCache) Get(key int) (int, bool) {
	item := c.c.Get(key)
	if item == nil {
		return 0, false
	}
	return item.Value(), true
}

// GetAndDelete returns the value of the item, and whether it existed.
func (c *TTLCache) GetAndDelete(key int) (int, bool) {
	item, ok := c.c.GetAndDelete(key)
	if !ok {
		return 0, false
	}
	return item.Value(), true
}

// GetOrSet returns the value of the item, and whether it existed. For a new
// item it returns the value given: the item's value may have changed already.
func (c *TTLCache) GetOrSet(key, value int) (int, bool) {
	item, ok := c.c.GetOrSet(key, value)
	if !ok {
		return value, false
	}
	return item.Value(), true
}

// GetOrSetFunc is GetOrSet with a function that returns the value.
func (c *TTLCache) GetOrSetFunc(key, value int) (int, bool) {
	item, ok := c.c.GetOrSetFunc(key, func() int { return value })
	if !ok {
		return value, false
	}
	return item.Value(), true
}

// Items returns the values of the items.
func (c *TTLCache) Items() map[int]int {
	values := map[int]int{}
	for key, item := range c.c.Items() {
		values[key] = item.Value()
	}
	return values
}

// Keys are sorted.
func (c *TTLCache) Keys() []int { return sorted(c.c.Keys()) }

// Range returns the visited keys, in its order.
func (c *TTLCache) Range() []int {
	var keys []int
	c.c.Range(func(item *ttlcache.Item[int, int]) bool {
		keys = append(keys, item.Key())
		return true
	})
	return keys
}

// RangeBackwards returns the visited keys, in its order.
func (c *TTLCache) RangeBackwards() []int {
	var keys []int
	c.c.RangeBackwards(func(item *ttlcache.Item[int, int]) bool {
		keys = append(keys, item.Key())
		return true
	})
	return keys
}
