package explore_test

import (
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	clock "github.com/leadline/leadline/history/explore/shim/time"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// An expiring cache has one entry, and a goroutine that deletes it when it has expired.
type expiring struct {
	mu      sync.Mutex
	value   int
	expires time.Time
	ttl     time.Duration
}

func newExpiring(ttl time.Duration) func() *expiring {
	return func() *expiring {
		e := &expiring{ttl: ttl, value: -1}
		if schedule.Self() < 0 { // a trial call of Reflect
			return e
		}
		schedule.Go(func() {
			for it, _ := schedule.RangeChan(clock.NewTicker(ttl).C); it.Next(nil); {
				e.mu.Lock()
				if clock.Now().After(e.expires) {
					e.value = -1
				}
				e.mu.Unlock()
			}
		})
		return e
	}
}

func (e *expiring) get() int {
	if clock.Now().After(e.expires) {
		return -1
	}
	return e.value
}

func (e *expiring) set(v int) { e.value, e.expires = v, clock.Now().Add(e.ttl) }

func (e *expiring) GetOrSet(v int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if old := e.get(); old >= 0 {
		return old
	}
	e.set(v)
	return v
}

// CheckOrSet is not atomic.
func (e *expiring) CheckOrSet(v int) int {
	e.mu.Lock()
	old := e.get()
	e.mu.Unlock()
	if old >= 0 {
		return old
	}
	e.mu.Lock()
	e.set(v)
	e.mu.Unlock()
	return v
}

// TestExpiry: an execution in which time does not jump is compared with such sequential runs,
// so what expires later does not explain its outcome.
func TestExpiry(t *testing.T) {
	for _, ttl := range []time.Duration{time.Microsecond, 20 * time.Microsecond, time.Minute, 2 * time.Hour} {
		c := classOf(t, newExpiring(ttl), stress.ReflectOptions{})
		for _, x := range []struct {
			program string
			found   bool
		}{
			{"{ GetOrSet(0) } || { GetOrSet(1) }", false},
			{"{ GetOrSet(0) } || { GetOrSet(1) } [ GetOrSet(2) ]", false},
			{"{ CheckOrSet(0) } || { CheckOrSet(1) }", ttl >= time.Minute},
		} {
			e := explored(t, c, x.program, explore.Plan{Preemptions: 2})
			if len(e.Violations) > 0 != x.found || e.Undecided+e.Cut+e.Diverged > 0 {
				t.Errorf("%v, %s: %d violations in %d executions, %d undecided, %d cut, %d diverged, %v", ttl, x.program, len(e.Violations), e.Executions, e.Undecided, e.Cut, e.Diverged, e.Outcomes)
			}
		}
	}
}
