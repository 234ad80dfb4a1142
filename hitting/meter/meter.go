// Package meter counts the work of the engines. Work is counted instead of
// time, so that a bound on it gives the same result on every run and machine.
//
//	m := meter.New(func() bool { return ctx.Err() != nil })
//	for !done {
//		if m.MustStop(1) {
//			return // undecided
//		}
//	}
//
// One unit is about the work for one operation: applying it to an object, finding the
// next state in a table, moving it in a schedule.
//
// All engines that work on one history share one count. So many small
// searches ask whether to stop as often as a large one. A Share bounds the work
// of one of them.
package meter

import (
	"math"
	"time"
)

// AskEvery is how much work is done between two calls of the stop function.
const AskEvery = 1 << 11

// Calls of a specification may take long, even if they count as little work. So the stop
// function is also called after some of them: after as many as took about askAfter the
// last time, but after at most askCalls.
const (
	askAfter = 5 * time.Millisecond
	askCalls = 16
)

// Unlimited is the size of a share that only the stop function bounds.
const Unlimited = math.MaxInt64

// A Meter counts work. It is not safe for concurrent use. A nil Meter counts
// nothing, never stops and never reports true.
type Meter struct {
	count *count
	limit int64 // bound of the count's work
	over  bool  // it is known to have stopped
}

// A count is the state that a meter and its shares have in common.
type count struct {
	stop    func() bool // nil: never
	left    int         // work until the next call of stop
	asked   int64       // work done at the last call of stop
	stopped bool

	calls, due int       // calls of a specification until the next call of stop, and from the last one to it
	called     time.Time // when Call last called stop, or zero
	now        func() time.Time
}

// New returns a meter that asks stop about once in AskEvery units of work. A
// nil stop never stops it.
func New(stop func() bool) *Meter {
	both := &struct {
		meter Meter
		count count
	}{Meter{limit: Unlimited}, count{stop: stop, left: AskEvery, calls: 1, due: 1, now: time.Now}}
	both.meter.count = &both.count
	return &both.meter
}

// OrUnbounded returns m, or a meter that never stops if m is nil: for engines
// that check their own bounds whenever Spend reports true.
func (m *Meter) OrUnbounded() *Meter {
	if m == nil {
		return New(nil)
	}
	return m
}

// Share returns a meter that stops after the given work from now on, and at most
// AskEvery units later, or when m does. It counts for m, too.
func (m *Meter) Share(work int64) *Meter {
	m = m.OrUnbounded()
	limit := m.limit
	if spent := m.Spent(); work < limit-spent {
		limit = spent + max(work, 0)
	}
	return &Meter{count: m.count, limit: limit}
}

// Left returns the work until the meter's own limit: Unlimited or close to it if
// there is none.
func (m *Meter) Left() int64 {
	if m == nil {
		return Unlimited
	}
	return max(0, m.limit-m.Spent())
}

// Spend counts work. It reports true about once in AskEvery units, after asking
// whether to stop. Then the caller checks Stopped and its own bounds.
func (m *Meter) Spend(work int) bool {
	if m == nil {
		return false
	}
	m.count.left -= work
	return m.count.left <= 0 && m.count.ask()
}

func (c *count) ask() bool {
	c.asked += int64(AskEvery - c.left)
	c.left = AskEvery
	c.stopped = c.stopped || c.stop != nil && c.stop()
	if c.stopped { // each meter that shares the count notices at its next call
		c.asked, c.left = c.asked-AskEvery, 0
	}
	return true
}

// Call counts a call of code that may take long, after it has returned, and reports
// whether the stop function has ended the work. It counts no work.
func (m *Meter) Call() bool {
	if m == nil || m.count.stop == nil {
		return false
	}
	c := m.count
	if c.calls--; c.calls > 0 || c.stopped {
		return c.stopped
	}
	now, most := c.now(), int64(1)
	if !c.called.IsZero() {
		most = min(int64(c.due)*int64(askAfter)/max(1, int64(now.Sub(c.called))), askCalls)
	}
	c.due = int(max(1, most))
	c.calls, c.called = c.due, now
	if c.stop() {
		c.stopped = true
		c.asked, c.left = c.asked-int64(c.left), 0
	}
	return c.stopped
}

// Stopped reports whether the stop function or the share has ended the work.
func (m *Meter) Stopped() bool { return m != nil && (m.count.stopped || m.Spent() > m.limit) }

// MustStop counts work and reports whether to stop. It notices that about once
// in AskEvery units.
func (m *Meter) MustStop(work int) bool {
	if m == nil {
		return false
	}
	if m.count.left -= work; m.count.left > 0 {
		return m.over
	}
	return m.askAndStop()
}

func (m *Meter) askAndStop() bool {
	m.count.ask()
	m.over = m.Stopped()
	return m.over
}

// Spent returns the work counted so far, by m and by all that share its count.
func (m *Meter) Spent() int64 {
	if m == nil {
		return 0
	}
	return m.count.asked + int64(AskEvery-m.count.left)
}
