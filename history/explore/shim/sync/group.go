package sync

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// A WaitGroup replaces sync.WaitGroup.
type WaitGroup struct {
	real  sync.WaitGroup
	used  used
	n     atomic.Int64 // the counter of real
	base  int64        // the counter before the execution
	waits int          // threads that wait
	round int          // how often it let them go
}

// Add adds delta to the counter.
func (wg *WaitGroup) Add(delta int) {
	schedule.Step(write, unsafe.Pointer(wg))
	if schedule.Active() {
		wg.enter()
		n := wg.n.Load() + int64(delta)
		if n == 0 && wg.waits > 0 {
			wg.round++
			wg.waits = 0
		}
		if n > 0 && delta < 0 {
			schedule.Failed() // the order of such steps makes no difference
		}
		if schedule.Traced() {
			schedule.NoteValue("counter ", n)
		}
	}
	wg.n.Add(int64(delta))
	wg.real.Add(delta)
}

// Done decrements the counter.
func (wg *WaitGroup) Done() { wg.Add(-1) }

// Wait blocks until the counter is zero.
func (wg *WaitGroup) Wait() {
	if !schedule.Active() {
		wg.real.Wait()
		return
	}
	schedule.Step(read, unsafe.Pointer(wg))
	wg.enter()
	if wg.n.Load() == 0 {
		return
	}
	wg.waits++
	schedule.Wait(read, unsafe.Pointer(wg), &groupWait{wg, wg.round}, "sync.WaitGroup.Wait")
	if wg.n.Load() != 0 {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
}

// Go runs f in a goroutine of the group.
func (wg *WaitGroup) Go(f func()) {
	wg.Add(1)
	schedule.Go(func() {
		defer func() {
			if x := recover(); x != nil {
				panic(x) // as the real one does: no Done
			}
			wg.Done()
		}()
		f()
	})
}

// enter notes the counter at the first use in the execution.
func (wg *WaitGroup) enter() {
	if !wg.used {
		wg.base = wg.n.Load()
		wg.used.mark((*groupState)(wg))
	}
}

type groupState WaitGroup

// Reset undoes what the execution did to the counter.
func (wg *groupState) Reset() {
	delta := wg.base - wg.n.Load()
	wg.n.Add(delta)
	wg.real.Add(int(delta))
	wg.used, wg.waits = false, 0
}

type groupWait struct {
	wg    *WaitGroup
	round int
}

func (w *groupWait) Ready() bool { return w.wg.round != w.round || w.wg.n.Load() == 0 }

// A Once replaces sync.Once. What was done in an execution is not done
// for the next one.
type Once struct {
	mu   Mutex
	done atomic.Bool
}

// Do calls f if this is the first call.
func (o *Once) Do(f func()) {
	schedule.Step(read, unsafe.Pointer(o))
	if o.done.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done.Load() {
		defer o.markDone()
		f()
	}
}

func (o *Once) markDone() {
	schedule.Step(write, unsafe.Pointer(o))
	schedule.AtEnd((*onceState)(o))
	o.done.Store(true)
}

type onceState Once

func (o *onceState) Reset() { o.done.Store(false) }

// OnceFunc returns a function that calls f once.
func OnceFunc(f func()) func() {
	call := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { call() }
}

// OnceValue returns a function that calls f once and returns its value.
func OnceValue[T any](f func() T) func() T {
	call := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T {
		v, _ := call()
		return v
	}
}

// OnceValues returns a function that calls f once and returns its values. If f panics, each
// call does.
func OnceValues[T1, T2 any](f func() (T1, T2)) func() (T1, T2) {
	var once Once
	var r1 T1
	var r2 T2
	var valid bool
	var p any
	return func() (T1, T2) {
		once.Do(func() {
			valid, p = false, nil
			defer func() {
				if !valid {
					p = recover()
					panic(p)
				}
			}()
			r1, r2 = f()
			valid = true
		})
		if !valid {
			panic(p)
		}
		return r1, r2
	}
}

// A Cond replaces sync.Cond.
type Cond struct {
	L Locker

	real  sync.Cond // where goroutines outside of an execution wait
	once  sync.Once // sets its L
	self  *Cond     // to notice copies
	used  used
	first *condWait // the queue of threads of the execution
}

// NewCond returns a Cond with the locker l.
func NewCond(l Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L, waits for Signal or Broadcast, and locks it again.
func (c *Cond) Wait() {
	if !schedule.Active() {
		c.outside().Wait()
		return
	}
	schedule.Step(write, unsafe.Pointer(c))
	schedule.Note("sync.Cond.Wait unlocks")
	c.enter()
	w, last := &condWait{}, &c.first
	for *last != nil {
		last = &(*last).next
	}
	*last = w
	c.L.Unlock()
	schedule.Wait(read, unsafe.Pointer(c), w, "sync.Cond.Wait")
	c.L.Lock()
}

// Signal wakes the thread that waits longest.
func (c *Cond) Signal() {
	if schedule.Active() {
		schedule.Step(write, unsafe.Pointer(c))
		schedule.Note("sync.Cond.Signal")
		c.enter()
		if c.first != nil {
			c.first.woken = true
			c.first = c.first.next
			return
		}
	}
	c.outside().Signal()
}

// Broadcast wakes all threads that wait.
func (c *Cond) Broadcast() {
	if schedule.Active() {
		schedule.Step(write, unsafe.Pointer(c))
		schedule.Note("sync.Cond.Broadcast")
		c.enter()
		for ; c.first != nil; c.first = c.first.next {
			c.first.woken = true
		}
	}
	c.outside().Broadcast()
}

func (c *Cond) outside() *sync.Cond {
	c.once.Do(func() { c.real.L = c.L })
	return &c.real
}

// enter is called at each use in an execution.
func (c *Cond) enter() {
	if c.self == nil {
		c.self = c
	}
	if c.self != c {
		panic("sync.Cond is copied")
	}
	c.used.mark((*condState)(c))
}

type condState Cond

func (c *condState) Reset() { c.used, c.first = false, nil }

type condWait struct {
	woken bool
	next  *condWait
}

func (w *condWait) Ready() bool { return w.woken }
