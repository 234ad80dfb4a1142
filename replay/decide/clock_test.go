package decide

import (
	"context"
	"testing"
	"time"

	"github.com/leadline/leadline/replay"
)

// TestVerifying: what ends the check of a witness.
func TestVerifying(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer cancelLate()
	for _, test := range []struct {
		name    string
		ctx     context.Context
		limit   time.Duration
		over    bool // before the check
		bounded bool // by time
	}{
		{"no limit", context.Background(), 0, false, false},
		{"a limit", context.Background(), time.Hour, false, true},
		{"a limit that has passed", context.Background(), time.Nanosecond, true, true},
		{"a context whose deadline has passed", late, 0, true, false},
		{"a context cancelled before", cancelled, 0, true, true},
	} {
		c := newClock(test.ctx, replay.Budget{Time: test.limit})
		if test.limit == time.Nanosecond {
			time.Sleep(time.Microsecond)
		}
		if c.expired() != test.over {
			t.Errorf("%s: expired %v", test.name, c.over)
		}
		v, _ := c.verifying(1000, c.meter())
		if v.expired() {
			t.Errorf("%s: the check may not begin", test.name)
		}
		if v.deadline.IsZero() == test.bounded {
			t.Errorf("%s: the check ends at %v", test.name, v.deadline)
		}
		if test.bounded && time.Until(v.deadline) < test.limit {
			t.Errorf("%s: the check has less time than the search", test.name)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	c := newClock(ctx, replay.Budget{})
	v, m := c.verifying(1000, c.meter())
	if m.MustStop(1 << 20) {
		t.Error("a check without a limit ends")
	}
	if stop(); !m.MustStop(1<<20) || v.cause != replay.Cancelled {
		t.Errorf("a check goes on after cancelling: %v", v.cause)
	}
}
