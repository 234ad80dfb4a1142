// Package correct has a type that is safe for concurrent use.
package correct

import "sync"

// Counter has a lock.
type Counter struct {
	mu sync.Mutex
	n  int
}

func NewCounter(n int) *Counter { return &Counter{n: n} }

func (c *Counter) Add(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	return c.n
}

// AddTo panics if both are the same, whether other calls run or not.
func (c *Counter) AddTo(other *Counter) int {
	if c == other {
		panic("the same counter")
	}
	return other.Add(c.Add(0))
}
