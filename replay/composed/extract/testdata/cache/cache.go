// Package cache is an example for leadline composed.
package cache

import "sync"

// A Cache keeps lengths of strings.
type Cache struct{ lengths sync.Map }

// Length returns the length of a string.
func (c *Cache) Length(s string) int {
	if n, ok := c.lengths.Load(s); ok {
		return n.(int)
	}
	n := len(s)
	c.lengths.LoadOrStore(s, n)
	return n
}

// Forget removes a string.
func (c *Cache) Forget(s string) { c.lengths.Delete(s) }
