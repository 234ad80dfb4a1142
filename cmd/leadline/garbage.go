package main

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// A collector decides when garbage is collected. Checking a long history
// makes little garbage, and following the pointers of a million operations
// again and again would take a quarter of the time. So the first collection
// waits until the process is larger than its input calls for; from then on
// garbage is collected as usual, and while a long history is checked sooner.
//
// At all times the runtime collects as hard as it must to stay below the
// limit; what then still needs more is given up by the engines.
type collector struct {
	mu      sync.Mutex
	limit   int64 // in bytes
	first   int64 // when the process has so many bytes, the first collection begins
	waiting bool  // for it
	long    int   // histories at work that are long
	restore func()
}

const (
	// firstCollection is the size of the process at the first collection, in
	// bytes, if its input is small.
	firstCollection = 16 << 20
	// usualGarbage and soonGarbage are how much garbage there may be, in
	// percent of what is in use.
	usualGarbage, soonGarbage = 100, 40
)

func newCollector(limit int64) *collector {
	c := &collector{limit: limit, first: min(limit, firstCollection), waiting: true}
	percent, bytes := debug.SetGCPercent(-1), debug.SetMemoryLimit(c.first)
	c.restore = func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(bytes) }
	// The first collection finds this without use.
	runtime.AddCleanup(&[]*collector{c}, (*collector).begun, c)
	return c
}

// begun is told that the first collection has been.
func (c *collector) begun() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.waiting = false
		debug.SetMemoryLimit(c.limit)
		c.adjust()
	}
}

// reading is told that an input of so many bytes will be read.
func (c *collector) reading(input int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// The operations take about as much as their text, and so do the monitors;
	// the search takes more.
	if wanted := min(c.limit, firstCollection+3*input); c.waiting && wanted > c.first {
		c.first = wanted
		debug.SetMemoryLimit(wanted)
	}
}

// checking is told that there are so many more long histories at work.
func (c *collector) checking(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.long += more
	if !c.waiting {
		c.adjust()
	}
}

func (c *collector) adjust() {
	if c.long > 0 {
		debug.SetGCPercent(soonGarbage)
	} else {
		debug.SetGCPercent(usualGarbage)
	}
}

// stop makes garbage be collected as it was before.
func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	c.restore()
}
