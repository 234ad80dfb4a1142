package meter

import (
	"testing"
	"time"
)

// TestAsks: the stop function is called once in AskEvery units, however they
// are spent.
func TestAsks(t *testing.T) {
	for _, step := range []int{1, 7, AskEvery - 1, AskEvery, AskEvery + 1, 5 * AskEvery} {
		asked, due := 0, 0
		m := New(func() bool { asked++; return false })
		for range 100 * AskEvery / step {
			if m.Spend(step) {
				due++
			}
		}
		if want := m.Spent() / int64(max(step, AskEvery)); asked != due || int64(asked) > want+1 || 2*int64(asked) < want {
			t.Errorf("steps of %d: asked %d times, due %d times, for %d units", step, asked, due, m.Spent())
		}
		if m.Stopped() {
			t.Errorf("steps of %d: stopped", step)
		}
	}
}

// TestShare: a share ends after its work, and when the whole does.
func TestShare(t *testing.T) {
	limit := int64(1 << 40)
	var whole *Meter
	whole = New(func() bool { return whole.Spent() > limit })
	for _, work := range []int64{0, 1, AskEvery, 10 * AskEvery, 1 << 20} {
		before := whole.Spent()
		share := whole.Share(work)
		for !share.MustStop(3) {
		}
		if spent := whole.Spent() - before; spent <= work || spent > work+AskEvery+3 {
			t.Errorf("a share of %d units ended after %d", work, spent)
		}
		if whole.Stopped() {
			t.Errorf("a share of %d units stopped the whole", work)
		}
	}
	limit = whole.Spent() + 10*AskEvery
	nested := whole.Share(Unlimited).Share(1 << 40)
	for !nested.MustStop(1) {
	}
	if !whole.Stopped() || whole.Spent() > limit+2*AskEvery {
		t.Errorf("the whole ended after %d units of %d", whole.Spent(), limit)
	}
	if share := whole.Share(1 << 20); !share.Stopped() {
		t.Error("a share of a stopped meter goes on")
	}
}

// TestSmallShares: work in many small shares is counted together, so that the
// stop function is asked as often as for one piece of work.
func TestSmallShares(t *testing.T) {
	asked := 0
	whole := New(func() bool { asked++; return false })
	for range 10 * AskEvery {
		whole.Share(100).Spend(1)
	}
	if asked != 10 {
		t.Errorf("asked %d times, want 10", asked)
	}
}

// TestNil: a nil meter never stops, but its shares do.
func TestNil(t *testing.T) {
	var m *Meter
	if m.MustStop(1<<30) || m.Spent() != 0 {
		t.Error("a nil meter counted")
	}
	if share := m.Share(10); share.MustStop(10) || !share.MustStop(AskEvery) || !share.MustStop(1) {
		t.Error("a share of a nil meter does not end after its work")
	}
}

// TestCall: calls that take long ask more often whether to stop, also if they were fast
// before, and then all shares notice the end at once. They are no work, and do not change
// when callers check their bounds.
func TestCall(t *testing.T) {
	for _, fast := range []int{0, 1, 100} {
		for _, c := range []struct {
			call time.Duration
			most int // calls after the end
		}{{time.Nanosecond, askCalls}, {time.Millisecond, 5}, {4 * time.Millisecond, 1}, {20 * time.Millisecond, 1}, {time.Minute, 1}} {
			now, asked := time.Unix(0, 0), 0
			end := now.Add(1000 * c.call)
			m := New(func() bool { asked++; return now.After(end) })
			m.count.now = func() time.Time { return now }
			share, other := m.Share(1<<40), m.Share(1<<40)
			if share.MustStop(3) || other.MustStop(4) {
				t.Fatal("stopped before its time")
			}
			for range fast {
				share.Call()
			}
			late := 0
			for !share.Call() {
				if now = now.Add(c.call); now.After(end) {
					late++
				}
			}
			if late > c.most+1 && fast == 0 || late > askCalls+1 {
				t.Errorf("calls of %v after %d fast ones: %d are late", c.call, fast, late)
			}
			if least := 1000 / (c.most + 1); asked < min(least, 1000/askCalls) {
				t.Errorf("calls of %v: asked %d times", c.call, asked)
			}
			if m.Spent() != 7 || !other.MustStop(1) || !share.MustStop(1) || !m.Spend(1) || !m.Stopped() || m.Spent() != 10 {
				t.Errorf("calls of %v: a share does not notice the end, after %d units", c.call, m.Spent())
			}
		}
	}
	var m *Meter
	if m.Call() || New(nil).Call() {
		t.Error("a meter without an end has ended")
	}
	checks := 0
	m = New(func() bool { return false })
	for range 10 * AskEvery {
		if m.Call(); m.Spend(1) {
			checks++
		}
	}
	if checks != 10 {
		t.Errorf("%d checks, want 10", checks)
	}
}
