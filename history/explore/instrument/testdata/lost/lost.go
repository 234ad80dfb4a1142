// Package lost has a counter that loses updates, for a test.
package lost

import "sync/atomic"

// A Counter counts. Its method Add is not atomic.
type Counter struct{ n atomic.Int64 }

// Add adds 1.
func (c *Counter) Add() {
	n := c.n.Load()
	c.n.Store(n + 1)
}

// Value returns how often Add was called, but for lost updates.
func (c *Counter) Value() int64 { return c.n.Load() }

// A Plain is a Counter without atomic operations.
type Plain struct{ n int64 }

// Add adds 1.
func (c *Plain) Add() { c.n++ }

// Value returns how often Add was called, but for lost updates.
func (c *Plain) Value() int64 { return c.n }
