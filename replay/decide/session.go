package decide

import (
	"cmp"
	"context"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A Session decides several histories within one budget, without their depths. It is for
// questions about one history that need the verdicts of others, such as its prefixes; see
// package explain. Only one goroutine at a time may use it.
type Session struct {
	o       replay.Options
	engines []row
	clock   *clock
	meter   *meter.Meter // of all engines; stops when the clock has expired
}

// NewSession returns a session with the budget of o, which has its defaults, except for the
// time that is used up already. Cancelling ctx ends it.
func NewSession(ctx context.Context, o replay.Options, used time.Duration) *Session {
	c := newClock(cmp.Or(ctx, context.Background()), o.Budget)
	if o.Budget.Time > 0 {
		c.deadline = c.deadline.Add(-used)
	}
	return &Session{o, engines, &c, c.meter()}
}

// Meter counts the work of the session. It stops when the session has to end.
func (s *Session) Meter() *meter.Meter { return s.meter }

// Stopped returns why the session has to end, or NoCause if it need not.
func (s *Session) Stopped() replay.Cause {
	s.clock.expired()
	return s.clock.cause
}

// HasRoom reports whether the process stays within its memory if it takes that many bytes
// more. If not, the session has to end.
func (s *Session) HasRoom(bytes int64) bool { return s.clock.hasRoom(bytes) }

// Decide decides a history whose operations the specification accepts. m is the meter of the
// session or a share of it. Decide gives up when m stops, if not before. It panics if the
// specification does; see Guard.
func (s *Session) Decide(p *ops.Problem, m *meter.Meter) replay.Finding {
	part := &task{Session: *s, Problem: p, checked: true, verdictOnly: true}
	part.meter = m
	defer part.release()
	f, err := part.decide()
	if err != nil {
		return replay.Finding{}
	}
	return f
}

// Concurrency returns Verdict.C and Verdict.CP of a history.
func (s *Session) Concurrency(p *ops.Problem) (c int, cp int64) {
	return (&task{Session: *s, Problem: p}).concurrency()
}

// Guard calls f, which works on a history. If f panics, Guard returns the reason in words,
// which are the same in every run. Otherwise it returns "".
func Guard(h *history.History, spec replay.Spec, f func()) (fault string) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case replay.Unmodelled:
			fault = string(value)
		default:
			e := panicked(h, spec, value)
			fault = "the specification panicked" + e.Fault()
			if e.internal {
				fault = "internal error" + e.Fault()
			}
		}
	}()
	f()
	return ""
}
