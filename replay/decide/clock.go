package decide

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A clock reports when to stop and why: at a deadline, when the context is
// cancelled, or when the process has taken too much memory.
type clock struct {
	ctx      context.Context
	limit    time.Duration // the time limit of the user; 0: none
	deadline time.Time     // zero: none
	late     bool          // the deadline of ctx does not count
	grace    time.Duration // not 0: the deadline is that long after the next call of expired
	process  int64         // bound of the memory of the process, in bytes; 0: none
	measured time.Time     // when the memory of the process was last measured
	over     bool
	cause    replay.Cause
}

func newClock(ctx context.Context, b replay.Budget) clock {
	c := clock{ctx: ctx, limit: b.Time, process: b.Process}
	if b.Time > 0 {
		c.deadline = time.Now().Add(b.Time)
	}
	if end, ok := ctx.Deadline(); ok {
		c.limit = max(c.limit, time.Until(end))
	}
	return c
}

// meter returns a meter that stops when the clock has expired.
func (c *clock) meter() *meter.Meter { return meter.New(c.expired) }

// expired reports whether to stop. Engines call it thousands of times a second.
func (c *clock) expired() bool {
	if c.over {
		return true
	}
	if c.grace > 0 {
		c.deadline, c.grace = time.Now().Add(c.grace), 0
	}
	err := c.ctx.Err()
	isLate := errors.Is(err, context.DeadlineExceeded)
	switch {
	case isLate && !c.late, !c.deadline.IsZero() && time.Now().After(c.deadline):
		c.over, c.cause = true, replay.Time
	case err != nil && !isLate:
		c.over, c.cause = true, replay.Cancelled
	case c.process > 0:
		if now := time.Now(); now.Sub(c.measured) > limits.measureEvery {
			c.measured = now
			if meter.Mapped() > c.process && stillMapped(c.process) {
				c.over, c.cause = true, replay.Memory
			}
		}
	}
	return c.over
}

// verifying returns the clock and the meter for the check of a witness of n operations. m
// is the meter of c, which no other code may use from then on. A witness that was found
// within the budget must not be lost, even on a busy machine. So without a time limit, only
// cancelling ends the check. With a limit, the check may take that long and some more (see
// limits.verify), from the first call of expired, even after the budget has ended. If the
// context was cancelled before, the same holds.
func (c *clock) verifying(n int, m *meter.Meter) (*clock, *meter.Meter) {
	cancelled := c.over && c.cause == replay.Cancelled
	if c.over {
		c = &clock{ctx: c.ctx, limit: c.limit}
		m = c.meter()
	}
	if cancelled {
		c.ctx = context.WithoutCancel(c.ctx)
	}
	c.deadline, c.process, c.late = time.Time{}, 0, true
	if cancelled || c.limit > 0 {
		c.grace = c.limit + limits.verify + time.Duration(n)*limits.verifyEach
	}
	return c, m
}

// hasRoom reports whether the process stays within its bound if it takes that many
// bytes more. If not, the clock has expired.
func (c *clock) hasRoom(bytes int64) bool {
	if c.process == 0 || meter.Mapped()+bytes <= c.process || !stillMapped(max(0, c.process-bytes)) {
		return true
	}
	c.over, c.cause = true, replay.Memory
	return false
}

// collecting is held during a garbage collection, because one collection helps all
// concurrent checks.
var collecting sync.Mutex

// stillMapped reports whether more than limit bytes are held after garbage collection, when
// the system has got back what is free.
func stillMapped(limit int64) bool {
	collecting.Lock()
	defer collecting.Unlock()
	if meter.Mapped() <= limit {
		return false
	}
	debug.FreeOSMemory()
	return meter.Mapped() > limit
}
