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
// One unit is about the work of looking at one operation: applying it to an
// object, following a table to the next state, moving it in a schedule.
//
// All engines that work on one history share one count, so that many small
// searches ask whether to stop as often as a large one. A Share bounds the work
// of one of them.
package meter

import "math"

// AskEvery is how much work is done between two calls of the stop function.
const AskEvery = 1 << 11

// Unlimited is the size of a share that only the stop function bounds.
const Unlimited = math.MaxInt64

// A Meter counts work. It is not safe for concurrent use. A nil Meter counts
// nothing, never stops and never reports true.
type Meter struct {
	count *count
	limit int64 // of the count's work
	over  bool  // known to have stopped
}

// A count is what a meter and its shares have in common.
type count struct {
	stop    func() bool // nil: never
	left    int         // work until the next question
	asked   int64       // work done at the last question
	stopped bool
}

// New returns a meter that asks stop about once in AskEvery units of work. A
// nil stop never stops it.
func New(stop func() bool) *Meter {
	both := &struct {
		meter Meter
		count count
	}{Meter{limit: Unlimited}, count{stop: stop, left: AskEvery}}
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
	return true
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
