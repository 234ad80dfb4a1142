package subjects

import "github.com/patrickmn/go-cache"

// GoCache is a cache of github.com/patrickmn/go-cache without expiry and
// without a cleanup goroutine.
type GoCache struct{ c *cache.Cache }

func NewGoCache() *GoCache { return &GoCache{cache.New(cache.NoExpiration, 0)} }

func (c *GoCache) Add(k string, x int) error     { return c.c.Add(k, x, cache.NoExpiration) }
func (c *GoCache) Delete(k string)               { c.c.Delete(k) }
func (c *GoCache) DeleteExpired()                { c.c.DeleteExpired() }
func (c *GoCache) Flush()                        { c.c.Flush() }
func (c *GoCache) Get(k string) (any, bool)      { return c.c.Get(k) }
func (c *GoCache) ItemCount() int                { return c.c.ItemCount() }
func (c *GoCache) Replace(k string, x int) error { return c.c.Replace(k, x, cache.NoExpiration) }
func (c *GoCache) Set(k string, x int)           { c.c.Set(k, x, cache.NoExpiration) }
func (c *GoCache) SetDefault(k string, x int)    { c.c.SetDefault(k, x) }

func (c *GoCache) Decrement(k string, n int) error           { return c.c.Decrement(k, int64(n)) }
func (c *GoCache) DecrementInt(k string, n int) (int, error) { return c.c.DecrementInt(k, n) }
func (c *GoCache) Increment(k string, n int) error           { return c.c.Increment(k, int64(n)) }
func (c *GoCache) IncrementInt(k string, n int) (int, error) { return c.c.IncrementInt(k, n) }

// GetWithExpiration omits the time, which is zero.
func (c *GoCache) GetWithExpiration(k string) (any, bool) {
	x, _, ok := c.c.GetWithExpiration(k)
	return x, ok
}

// Items returns the values of the items.
func (c *GoCache) Items() map[string]any {
	values := map[string]any{}
	for k, item := range c.c.Items() {
		values[k] = item.Object
	}
	return values
}
