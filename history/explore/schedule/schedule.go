package schedule

import (
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Kind says what a step does.
type Kind uint8

const (
	Read  Kind = iota // a load, a failed compare-and-swap
	Write             // a store, read-modify-write, lock, unlock, send, receive
	Yield             // Gosched, Sleep: others go first
	Begin             // an invocation begins: a switch here is free
	Start             // a goroutine is started; it conflicts with nothing
)

func (k Kind) String() string {
	return [...]string{"read", "write", "yield", "begin", "start"}[k]
}

// A Waiter is what a blocked thread waits for. Ready is called between steps
// of other threads and has no effects.
//
// What makes a Waiter ready, or no longer ready, must be a Write step at the
// address given to Wait. A Waiter that depends on several addresses waits at
// the nil address, which conflicts with every access.
type Waiter interface{ Ready() bool }

// A Held is a Waiter that knows who holds the lock that it waits for: each of them has to
// unlock it. Forever and the report of a deadlock use it.
type Held interface{ Holders() []Hold }

// current is the thread that runs, or nil outside of an execution.
var current atomic.Pointer[thread]

// self returns the thread of the caller, or nil outside of a scheduled
// execution and for a goroutine that the scheduler does not know.
func self() *thread {
	t := current.Load()
	if t == nil {
		return nil
	}
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	if at-t.low.Load() < t.span.Load() || t.owns(at) {
		return t
	}
	return nil
}

// Active reports whether the caller runs in a scheduled execution.
func Active() bool { return self() != nil }

// Step is a scheduling point before an access to shared memory. A nil address
// conflicts with every other. Step does nothing if the caller is not Active.
func Step(k Kind, addr unsafe.Pointer) {
	if t := self(); t != nil {
		t.step(k, uintptr(addr), "")
	}
}

// Failed states that the last Step of the caller, a compare-and-swap, wrote
// nothing: it was a read.
func Failed() {
	if t := self(); t != nil {
		t.failed()
	}
}

// Unchanged states that the last Step of the caller, a Write, left memory as it was: a Swap
// of equal values. Unlike after Failed, it remains a write.
func Unchanged() {
	if t := self(); t != nil && the.trying {
		the.wrote = false
	}
}

// Wait is a Step that blocks its thread until w is ready. When it returns, w is
// ready and the caller acts before any other thread. What names the operation
// in the report of a deadlock, such as "sync.Mutex.Lock". Wait returns at once
// if the caller is not Active.
func Wait(k Kind, addr unsafe.Pointer, w Waiter, what string) {
	if t := self(); t != nil {
		t.waiter, t.place = w, addr
		the.waiting |= t.bit
		t.step(k, uintptr(addr), what)
		Note(what)
	}
}

// Choose returns a number below n for a nondeterministic choice: the order of a map, a
// random level, the case of a select. The strategy explores it like the choice of a
// thread. It returns 0 if the caller is not Active.
func Choose(n int) int {
	if t := self(); t != nil && n > 1 && !the.aborting {
		return t.choose(n)
	}
	return 0
}

// Go starts a goroutine of the object as a new thread, a daemon: it does not
// keep an execution from ending. If the caller is not Active, it is go Outside(f).
func Go(f func()) {
	t := self()
	if t == nil {
		go outside(f, callers())
		return
	}
	t.spawn(f)
}

// GoUnless is Go. If over returns true while the thread has not begun, or sleeps, it has nothing left to do, and may
// end when there are too many threads.
func GoUnless(over func() bool, f func()) {
	t := self()
	if t == nil {
		go outside(f, callers())
		return
	}
	t.spawn(f).over = over
}

// Threads returns how many threads of the execution have not ended, timers apart, and 0 if the caller is
// not Active.
func Threads() (n int) {
	if !Active() {
		return 0
	}
	for m := the.alive; m != 0; m &= m - 1 {
		if the.threads[bits.TrailingZeros64(m)].over == nil {
			n++
		}
	}
	return n
}

// outsiders has the numbers of goroutines that objects started outside of any execution.
var outsiders sync.Map

// Outside calls f in a goroutine that was started outside of any execution. Its hooks do
// nothing, and Result.Foreign does not count them: it belongs to an object of its own.
func Outside(f func()) { outside(f, nil) }

// callers returns the stack of a go statement.
func callers() []uintptr {
	pcs := make([]uintptr, 16)
	return pcs[:runtime.Callers(3, pcs)]
}

func outside(f func(), started []uintptr) {
	id := routine()
	outsiders.Store(id, started)
	defer outsiders.Delete(id)
	f()
}

// Unfinished returns where goroutines were started that began outside of any execution and have not ended.
func Unfinished() (places []string) {
	outsiders.Range(func(_, started any) bool {
		places = append(places, position(started.([]uintptr)))
		return true
	})
	slices.Sort(places)
	return slices.Compact(places)
}

// Epoch is when each execution begins, in nanoseconds since 1970: 2009-11-10 23:00:00 UTC. It may be set before the first
// one.
var Epoch int64 = 1257894000e9

// Now returns the virtual time of the execution in nanoseconds. It advances by
// Limits.Tick with each reading, which wakes no sleeper.
func Now() int64 {
	t := self()
	if t == nil {
		return 0
	}
	the.mark(t, Clock)
	the.changed = true // see hangs
	the.result.Timed = true
	the.clock += the.step
	return the.clock
}

// Advance sets how much the clock advances with each reading, in the rest of the execution, and returns what it was.
func Advance(d int64) (before int64) {
	if self() == nil {
		return 0
	}
	before, the.step = the.step, d
	return before
}

// Collected notes that the program depends on the garbage collector, by a call of a function.
func Collected(function string) {
	if self() != nil && the.result.Collected == "" {
		the.result.Collected = function + " at " + position(callers())
	}
}

// Sleep blocks the caller for d nanoseconds. Unlike SleepUntil(Now() + d), it does not show the
// clock to the caller.
func Sleep(d int64, what string) {
	if self() != nil {
		SleepUntil(After(d), what)
	}
}

// After returns the virtual time after d nanoseconds, for a sleeper. Unlike that of Now, its
// result is not meant to be shown to the code under test.
func After(d int64) int64 {
	t := self()
	if t == nil {
		return 0
	}
	the.mark(t, Clock)
	if at := the.clock + max(d, 0); at >= the.clock {
		return at
	}
	return math.MaxInt64
}

// Pass lets d nanoseconds pass, as if the caller had been interrupted: unlike after Sleep,
// other threads need not have gone on.
func Pass(d int64) {
	if t := self(); t != nil {
		t.step(Write, 0, "")
		the.mark(t, Clock)
		the.passTo(the.clock + d)
	}
}

// SleepUntil blocks the caller until the virtual time is at, at least. The clock jumps there if
// no other thread can go on, or if the strategy decides so, up to Limits.Ticks times.
func SleepUntil(at int64, what string) {
	if t := self(); t != nil {
		t.wake = at
		the.sleeping |= t.bit
		the.result.Slept = the.result.Slept || !t.daemon
		if at <= the.clock {
			the.due |= t.bit
		}
		t.step(Yield, 0, what)
		Note(what)
	}
}

// Rest blocks the caller until nothing else happens: all that sleep have woken, but those that do so again and again, or
// later than in two weeks.
func Rest() {
	if self() != nil {
		the.resting = true
		SleepUntil(After(1<<50), "the end of all else")
	}
}

// Idle blocks the caller until no other thread can go on without time passing.
func Idle(what string) {
	if t := self(); t != nil {
		t.wake = the.clock
		the.sleeping |= t.bit
		t.step(Yield, 0, what)
		Note(what)
	}
}

// AtEnd calls r.Reset when the execution is over. What is kept in an object or in a global
// variable is of one execution. AtEnd does nothing if the caller is not Active.
func AtEnd(r interface{ Reset() }) {
	if Active() {
		the.atEnd = append(the.atEnd, r)
	}
}

// Self returns the number of the caller's thread, or -1 if it is not Active.
func Self() int {
	if t := self(); t != nil {
		return t.id
	}
	return -1
}

// Invocation marks the beginning of invocation index of a sequence and is a
// scheduling point, where a switch is free.
func Invocation(sequence, index int) {
	if t := self(); t != nil {
		t.step(Begin, 0, "")
		t.sequence, t.index = int16(sequence), int16(index)
		the.event(t, false)
	}
}

// Returned marks the end of the invocation that the caller began last.
func Returned() {
	if t := self(); t != nil {
		switch {
		case the.aborting: // the code under test may have recovered from that
			t.abort()
		case the.trying:
			t.moves()
		}
		the.event(t, true)
	}
}

// Ending reports whether the execution is over, and ends its threads: a deferred function has
// nothing to do then.
func Ending() bool { return self() != nil && the.aborting }
