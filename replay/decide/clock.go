package decide

import (
	"context"
	"errors"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/leadline/leadline/replay"
)

// A clock tells when to stop, and why: at a deadline, when the context is
// cancelled, or when the process has taken too much memory.
type clock struct {
	ctx      context.Context
	deadline time.Time // zero: none
	process  int64     // bytes, 0: no bound
	over     bool
	cause    replay.Cause
}

func newClock(ctx context.Context, b replay.Budget) *clock {
	c := &clock{ctx: ctx, process: b.Process}
	if b.Time > 0 {
		c.deadline = time.Now().Add(b.Time)
	}
	return c
}

// expired is asked by the engines now and then, some thousand times a second.
func (c *clock) expired() bool {
	if c.over {
		return true
	}
	switch err := c.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded), !c.deadline.IsZero() && time.Now().After(c.deadline):
		c.over, c.cause = true, replay.Time
	case err != nil:
		c.over, c.cause = true, replay.Cancelled
	case c.process > 0 && mapped() > c.process && stillMapped(c.process):
		c.over, c.cause = true, replay.Memory
	}
	return c.over
}

// verifyTime is how long a witness is checked that was known when time was over.
const verifyTime = 10 * time.Second

// verifying returns what tells the check of a witness to stop. A witness that
// is known when the clock has expired is not lost: its check gets some time.
func (c *clock) verifying() func() bool {
	if !c.over {
		return c.expired
	}
	return newClock(context.WithoutCancel(c.ctx), replay.Budget{Time: verifyTime}).expired
}

// hasRoom reports whether so many bytes more keep the process within its
// bound. If not, the clock has expired.
func (c *clock) hasRoom(bytes int64) bool {
	if c.process == 0 || mapped()+bytes <= c.process || !stillMapped(max(0, c.process-bytes)) {
		return true
	}
	c.over, c.cause = true, replay.Memory
	return false
}

// mapped is the memory that the Go runtime holds, in bytes: about the
// resident size of the process.
func mapped() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// collecting lets one history at a time find out whether garbage is to blame,
// so that the others profit from it.
var collecting sync.Mutex

// stillMapped reports whether more than limit bytes are held after garbage
// collection.
func stillMapped(limit int64) bool {
	collecting.Lock()
	defer collecting.Unlock()
	if mapped() <= limit {
		return false
	}
	runtime.GC()
	return mapped() > limit
}
