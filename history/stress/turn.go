package stress

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
)

// waitLimit is how long a call on threads may take until it counts as one that may wait for
// ever. Threads cannot know: the call may only be slow, or wait for another one.
var waitLimit = 2 * time.Second

// waitLooks is how often a call has to be seen in that time.
const waitLooks = 8

// A WaitsError is the error for a program with a call that does not return within seconds.
type WaitsError struct{ Method string }

func (e *WaitsError) Error() string {
	return e.Method + " may wait for ever: only schedules can tell"
}

// A turn makes calls one after another, in a goroutine of its own.
type turn struct {
	calls atomic.Int64           // that have returned, and objects that were made
	in    atomic.Pointer[Method] // that is called; nil outside of calls
	left  atomic.Bool            // nobody waits for it any more
}

// inTurn runs f in a goroutine. It returns a *WaitsError if a call of f takes longer than the
// limit. The goroutine then stays until the call returns, and ends there.
func (c *Class) inTurn(limit time.Duration, f func(*turn)) error {
	t, ended := &turn{}, make(chan struct{})
	go schedule.Outside(func() { // it may go on beside later executions, on an object of its own
		defer close(ended)
		f(t)
	})
	// What counts is how often the call was seen, not the time: a busy machine may not let this
	// process run for seconds.
	looks := time.NewTicker(limit / waitLooks)
	defer looks.Stop()
	last, seen := int64(-1), 0
	for {
		select {
		case <-ended:
			c.Moved()
			return nil
		case <-looks.C:
		}
		n, m := t.calls.Load(), t.in.Load()
		if n != last {
			last, seen = n, 0
			c.Moved()
			continue
		}
		seen++
		switch {
		case m != nil && seen >= waitLooks:
			t.left.Store(true)
			return &WaitsError{m.Name}
		case seen >= int(constructorTime()*waitLooks/limit):
			t.left.Store(true)
			return &WaitsError{constructor}
		}
	}
}

// object returns a new object.
func (t *turn) object(c *Class) any {
	t.in.Store(nil)
	t.calls.Add(1)
	return c.New()
}

// call makes a call. It ends the goroutine if nobody waits for it any more.
func (t *turn) call(s *prepared, object any) history.Value {
	t.in.Store(s.method)
	v := s.run(object)
	t.calls.Add(1)
	if t.left.Load() {
		runtime.Goexit()
	}
	return v
}

// Sequential calls methods of a fresh object, one after another, and returns the results.
// There are fewer than calls if one of them does not return within the time, 0 for two seconds:
// its goroutine may stay.
func Sequential(c *Class, list []Invocation, wait time.Duration) []history.Value {
	calls := make([]prepared, len(list))
	for i, inv := range list {
		calls[i] = inv.prepare()
	}
	results, _ := c.sequential(calls, cmp.Or(wait, waitLimit))
	return results
}

// sequential is Sequential with another limit.
func (c *Class) sequential(calls []prepared, limit time.Duration) ([]history.Value, error) {
	results := make([]history.Value, len(calls))
	n := new(atomic.Int64)
	err := c.inTurn(limit, func(t *turn) {
		object := t.object(c)
		for i := range calls {
			results[i] = t.call(&calls[i], object)
			n.Add(1)
		}
		t.in.Store(nil)
		c.Release(object)
	})
	returned := n.Load()
	return results[:returned:returned], err
}

const (
	// leavingObjects are made to find out whether each leaves a goroutine, or leavingLeast if
	// that takes leavingTime. So many, as other goroutines of the process come and go.
	leavingObjects = 64
	leavingLeast   = 8
	leavingTime    = 100 * time.Millisecond
	leavingPause   = 2 * time.Millisecond
	leavingPauses  = 50 // while goroutines may be about to end
)

// leaves reports whether the objects of a class leave goroutines. Such a goroutine may change
// results of threads when it wakes, while schedules control it.
func (c *Class) leaves() bool {
	before, objects := runtime.NumGoroutine(), 0
	for start := time.Now(); objects < leavingLeast || objects < leavingObjects && time.Since(start) < leavingTime; objects++ {
		c.Release(c.New())
	}
	return stays(before + objects/2)
}

// stays reports whether the process has more than so many goroutines, and not only as some are
// about to end.
func stays(goroutines int) bool {
	for n := 0; runtime.NumGoroutine() > goroutines; n++ {
		if n == leavingPauses {
			return true
		}
		time.Sleep(leavingPause)
	}
	return false
}
