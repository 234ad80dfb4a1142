package subject

import "sync/atomic"

// A lossyCounter loses an update that happens between its load and its store.
type lossyCounter struct{ n atomic.Int64 }

func (c *lossyCounter) read() int { return int(c.n.Load()) }

func (c *lossyCounter) add(delta int) int {
	old := c.n.Load()
	linger()
	c.n.Store(old + int64(delta))
	return int(old)
}
