package schedule

import (
	"iter"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"
)

// A thread is a coroutine that runs one body after another, one an execution.
type thread struct {
	id     int
	bit    uint64
	daemon bool
	resume func() (struct{}, bool)
	leave  func(struct{}) bool // to the loop of the scheduler
	body   func()

	pend   Access         // the step before which the thread is
	waiter Waiter         // what the pending step needs, or nil
	wake   int64          // when a sleeper goes on
	over   func() bool    // see GoUnless
	vain   int            // how often it woke since a thread of the program took a step
	what   string         // names the pending step
	place  unsafe.Pointer // for which it waits
	call   int32          // odd in an invocation; it counts their beginnings and ends

	fresh     bool // no step yet: the first one needs no decision
	begun     bool // the last step was a Begin: the next one needs no decision
	polls     bool // before a step that yields
	atMap     bool // before an access of a map; see stepOfMap
	exited    bool // by runtime.Goexit: the coroutine is lost
	abandoned bool // it could not be ended
	started   bool // it ran in this execution
	spun      bool // it was tried whether it spins forever
	aborts    int  // panics that were to end it

	quiet, same int     // steps since the last write or switch; reads of one address in a row
	last        uintptr // the address of those
	run         int     // steps since the last switch

	sequence, index int16     // the last invocation
	stack, from     []uintptr // where it is, and the go statement

	routine   uint64 // the number of its goroutine
	low, span atomic.Uintptr
}

// Limits of spin loops: a thread that makes this many steps seems to poll.
const (
	spinSame  = 12  // reads of the same address in a row
	spinReads = 150 // steps without a write
	spinSteps = 500 // steps of any kind
)

// An aborted is the panic that ends a thread when its execution is over.
type aborted struct{}

func (aborted) Error() string { return "schedule: the execution is over" }

// Aborted reports whether p, a recovered panic, is the one that ends a thread
// when its execution is over. Code that recovers it should return or panic again.
func Aborted(p any) bool { _, ok := p.(aborted); return ok }

func newThread(id int) *thread {
	t := &thread{id: id, bit: 1 << id}
	t.start()
	return t
}

func (t *thread) start() {
	t.low.Store(0)
	t.span.Store(0)
	t.exited = false
	the.result.Made++
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.routine, t.leave = routine(), yield
		yield(struct{}{})
		defer func() {
			if t.exited { // the loop below is being unwound
				the.ended(t)
				yield(struct{}{})
			}
		}()
		for {
			t.runBody()
			the.ended(t)
			yield(struct{}{})
		}
	})
	t.resume()
}

func (t *thread) runBody() {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		if p == nil {
			t.exited = true
			return
		}
		if !Aborted(p) {
			the.crash(t, p)
		}
	}()
	t.body()
	returned = true
}

// renew replaces the coroutine of a thread that ended by runtime.Goexit, which iter.Pull
// hands on to the goroutine that resumes it.
func (t *thread) renew() {
	old := t.resume
	t.start()
	the.result.Made++
	go old()
}

// reset prepares a thread for a new body.
func (t *thread) reset(body func(), daemon bool) {
	t.body, t.daemon = body, daemon
	t.pend = Access{Thread: int8(t.id), Kind: Begin, Node: -1}
	t.waiter, t.what, t.fresh, t.begun, t.aborts, t.vain, t.over = nil, "", true, false, 0, 0, nil
	t.polls, t.started, t.spun, t.atMap = false, false, false, false
	t.quiet, t.same, t.last, t.run = 0, 0, 0, 0
	t.sequence, t.index, t.call, t.from = -1, -1, 0, nil
}

// owns reports whether at, an address in the stack of the calling goroutine, belongs to
// this thread. It caches the range of addresses. A stack may move; then one call is slow.
//
// The size of a stack is a power of two of at least 2 KiB, and stacks are aligned to it.
func (t *thread) owns(at uintptr) bool {
	if id := routine(); id != t.routine {
		if _, ok := outsiders.Load(id); !ok {
			the.foreign.Add(1)
		}
		return false
	}
	low, high := at&^2047, at|2047
	if l, s := t.low.Load(), t.span.Load(); s > 0 && at+1<<15 > l && at < l+s+1<<15 {
		low, high = min(low, l), max(high, l+s-1)
	}
	t.span.Store(0)
	t.low.Store(low)
	t.span.Store(high - low + 1)
	return true
}

// routine returns the number of the calling goroutine.
func routine() uint64 {
	var buf [40]byte
	var n uint64
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + uint64(c-'0')
	}
	return n
}

// step is called by the thread itself.
func (t *thread) step(k Kind, addr uintptr, what string) {
	s := &the
	switch {
	case s.aborting:
		t.abort()
	case s.trying:
		t.try(k, addr)
		return
	}
	sleeps := s.sleeping&t.bit != 0
	polls := k == Yield || k != Begin && t.spins(addr)
	if sleeps {
		s.mark(t, Clock)
	} else if polls { // when it goes on depends on when it arrived, and on all other steps
		s.mark(t, Global)
	}
	t.pend.Kind, t.pend.Addr, t.what = k, addr, what
	t.flag()
	if polls {
		t.pend.Flags = Global | Waits
		if t.polls = !sleeps; sleeps {
			t.pend.Flags = Clock | Waits
		} else {
			s.yielded |= t.bit
		}
	}
	if polls || k == Begin {
		t.quiet, t.same, t.run = 0, 0, 0
	}
	if s.steps >= s.limit {
		s.result.Cut, s.doubtful = !s.quiescing, !s.quiescing
		s.next = nil
		t.suspend()
	} else if next := s.decide(t); next != t {
		t.quiet, t.same, t.run = 0, 0, 0
		s.next = next
		t.suspend()
	}
	t.waiter, t.place, t.polls = nil, nil, false
	s.waiting &^= t.bit
	s.wakes(t)
	s.yielded &^= t.bit
	if s.trying {
		s.wrote = k == Write
		return
	}
	s.executed(t)
}

// flag sets the flags of the pending step of a thread that does not poll.
func (t *thread) flag() {
	t.pend.Flags = 0
	if t.pend.Addr == 0 && t.pend.Kind <= Write {
		t.pend.Flags = Global
	}
	if t.waiter != nil {
		t.pend.Flags |= Waits
	}
}

// spins counts the step and reports whether the thread seems to spin.
func (t *thread) spins(addr uintptr) bool {
	t.quiet++
	t.run++
	if addr == t.last {
		t.same++
	} else {
		t.same, t.last = 0, addr
	}
	if the.test && the.alive == t.bit { // there is nobody to wait for
		return false
	}
	return t.same >= spinSame || t.quiet >= spinReads || t.run >= spinSteps
}

// suspend lets the scheduler go on with another thread.
func (t *thread) suspend() {
	t.leave(struct{}{})
	for the.reporting {
		var pcs [32]uintptr
		t.stack = append(t.stack[:0], pcs[:runtime.Callers(3, pcs[:])]...)
		t.leave(struct{}{})
	}
	if the.aborting {
		t.abort()
	}
}

// abort ends the thread by a panic. If the program keeps recovering, runtime.Goexit ends
// it, and if that fails, the thread stays where it is.
func (t *thread) abort() {
	t.aborts++
	switch {
	case t.aborts > 100:
		the.lost(t)
		t.leave(struct{}{})
		select {} // nothing resumes it
	case t.aborts > 8:
		runtime.Goexit()
	}
	panic(aborted{})
}

// choose asks the strategy for a number below n.
func (t *thread) choose(n int) int {
	s := &the
	if s.trying {
		t.moves()
	}
	if len(s.result.Schedule) >= 4*s.limit { // a loop without steps
		s.result.Cut = true
		s.next = nil
		t.suspend()
	}
	s.result.Choices++
	c := s.strategy.Choose(n)
	if c < 0 || c >= n {
		s.result.Diverged = true
		c = 0
	}
	node := s.node
	s.record(c)
	s.node = node // it is about the next step
	return c
}

// failed makes a read of the last step, with its effect on spinning threads.
func (t *thread) failed() {
	s := &the
	if s.trying {
		s.wrote = false
		return
	}
	if n := len(s.trace); n > 0 && !s.aborting {
		s.trace[n-1].Kind = Read
		s.yielded |= s.woken
		t.quiet, t.same, s.woken = s.quiet, s.same, 0
	}
}

// A vacancy is what a thread waits for that starts too many goroutines.
type vacancy struct{}

func (vacancy) Ready() bool { return the.free() != 0 }

func (t *thread) spawn(f func()) *thread {
	s := &the
	switch {
	case s.aborting:
		t.abort()
	case s.trying:
		t.moves()
	}
	if s.test && s.live == MaxThreads && s.free() == 0 {
		if s.dismiss(); s.free() == 0 {
			Wait(Read, nil, vacancy{}, "the end of a goroutine, as there are too many")
		}
	}
	s.unasked(t)
	if s.live == MaxThreads {
		s.limit += spawnSteps
	}
	if s.live == MaxThreads && s.free() == 0 {
		s.dismiss()
	}
	if s.live == MaxThreads && s.free() == 0 || s.spawned == MostSpawned {
		s.result.Cut, s.result.Crowded = true, true
		s.next = nil
		t.suspend()
	}
	d := s.add(f, true)
	if t.daemon || t.call%2 == 1 {
		d.sequence, d.index = t.sequence, t.index
	}
	if d.index >= 0 {
		s.result.Started |= 1 << d.index
	}
	if s.traced {
		var pcs [32]uintptr
		d.from = append([]uintptr(nil), pcs[:runtime.Callers(2, pcs[:])]...)
	}
	return d
}

// A Crash is a panic that the program did not recover.
type Crash struct {
	Thread int
	Daemon bool
	Value  any
	Stack  string
}

func (c *Crash) Error() string {
	kind := "thread "
	if c.Daemon {
		kind = "goroutine "
	}
	return "panic in " + kind + strconv.Itoa(c.Thread)
}

// Trace returns the stack from the panic, if it was one, to the code of this package.
func (c *Crash) Trace() string {
	trace := c.Stack[max(strings.LastIndex(c.Stack, "\npanic("), 0):]
	trace, _, _ = strings.Cut(trace, "\n"+room+"schedule.(*thread).runBody")
	return strings.TrimSpace(trace)
}

func (s *scheduler) crash(t *thread, p any) {
	if !s.aborting && !s.trying {
		s.result.Panic = p
		s.result.Crash = &Crash{t.id, t.daemon, p, string(debug.Stack())}
		s.stopped = true
	}
}
