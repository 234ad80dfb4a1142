package schedule

import (
	"cmp"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// MaxThreads bounds the threads of an execution that are alive at the same time: those of the
// program, one for Before and After, and daemons. MostSpawned bounds all daemons. Each one with
// the number of another adds spawnSteps to the steps that the execution may take.
const (
	MaxThreads  = 64
	MostSpawned = 1 << 12
	spawnSteps  = 16
)

// fewLoops is how often threads may yield, as in a spin lock, before that is taken for polling.
const fewLoops = 1000

// A Program is what Run executes. Threads have the numbers 0 to n-1, Before
// and After run as thread n, daemons have the numbers after it. When these are used up, a daemon
// has the number of one that has ended.
type Program struct {
	Before  func()   // makes the object and runs the initial part, then daemons run until they block
	Threads []func() // each calls Invocation before each invocation, and Returned after it
	After   func()   // the final part: when the threads have ended and daemons block
}

// A Strategy makes the decisions of executions.
type Strategy interface {
	Begin()               // of an execution
	Pick(d *Decision) int // a thread of d.Enabled, or -1 to end the execution: Result.Pruned
	Choose(n int) int     // a number below n
	Next(r *Result) bool  // after an execution; false if no schedule is left
}

// A Decision asks which thread goes on. There is one only if two or more threads can go
// on, while the program's threads run and then while daemons run until they block.
type Decision struct {
	Current int    // the thread that ran last, or -1 if it ended, blocks or yields
	Polls   int    // a thread that begins to wait since it polls, or -1: picking it is a preemption
	Enabled uint64 // the threads that can go on, one bit each
	Daemons uint64 // the threads that are goroutines of the object
	Before  uint64 // the fingerprint of the steps taken so far: see Result
	Free    bool   // going on with another than Current is not a preemption
	Tick    int    // an enabled thread that sleeps, or -1: picking it lets time pass until it wakes
	End     bool   // the threads have ended: Current is the thread of After, and there is a Tick
}

// Pending returns the next step of a thread. For an invocation or a thread that is
// about to begin, it has kind Begin and no address.
func (d *Decision) Pending(thread int) Access { return the.threads[thread].pend }

// Trace returns the steps executed so far.
func (d *Decision) Trace() []Access { return the.trace }

// Limits bound an execution.
type Limits struct {
	Steps int   // of Before, of the threads, and of After; 5,000 if zero
	Tick  int64 // how much the clock advances when it is read, in nanoseconds; 1,000 if zero
	Spin  int   // steps that each thread takes in vain before that is a hang; as Steps, if zero
	Ticks int   // how often the strategy may let time pass although a thread can go on; -1 means never, 0 means the constant Ticks
	// Test says that the program is a test as it is, and not calls of an object:
	//   - it is Cut, and not in a Deadlock, if goroutines only sleep and wake
	//   - sleepers wake in the order of their times, also if others have woken in vain
	//   - threads that yield go on fewLoops times before time passes
	//   - a thread that starts too many goroutines waits until one has ended
	//   - random numbers are drawn, and not chosen
	//   - a goroutine that receives from a nil channel waits forever
	Test bool

	forever uint64 // the threads that may wait forever; see Forever
}

// Ticks is Limits.Ticks by default.
const Ticks = 2

type scheduler struct {
	mu      sync.Mutex
	threads []*thread // the pool
	foreign atomic.Int64
	execution
}

// execution is the state of one execution.
type execution struct {
	strategy Strategy
	decision Decision
	live     int // threads in use
	spawned  int // daemons

	alive, waiting, sleeping, yielded uint64
	clocked                           // which sleepers go on

	next        *thread // who runs after the present one; nil ends the phase
	remaining   int     // threads that keep the phase from ending
	print       uint64  // the fingerprint of the trace without its last step
	parallel    bool    // the strategy decides
	quiescing   bool    // daemons run until they block
	stopped     bool    // by a panic
	aborting    bool
	reporting   bool
	traced      bool
	test        bool // see Limits
	after       int  // the thread of Before and After
	forever     uint64
	kept        []any                  // see Keep
	atEnd       []interface{ Reset() } // see AtEnd
	most        int                    // steps of a part
	limit       int                    // the step that ends this part
	steps       int
	clock, step int64 // the step is that of a reading
	rounds      int   // times that all threads yielded since the last write
	loops       int   // the same, since time has passed, with Limits.Test
	node        int32 // the decision before the next step, or -1
	woken       uint64
	quiet, same int // of the thread, before the last write

	result  Result
	trace   []Access
	pending []Access
	events  []Event
	details []Detail

	addresses map[unsafe.Pointer]int // see pointerName

	spinning // whether threads that are left spin forever
}

var the scheduler

// Run executes the program once under the strategy. The result is valid until
// the next Run. Executions of several goroutines run one after another.
func Run(p *Program, s Strategy, l Limits) *Result { return the.execute(p, s, l, false) }

func (s *scheduler) execute(p *Program, st Strategy, l Limits, traced bool) *Result {
	if self() != nil {
		panic("schedule: Run is called in a scheduled execution")
	}
	if len(p.Threads) >= MaxThreads {
		panic("schedule: too many threads")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l.Steps = cmp.Or(l.Steps, 5000)
	restoreGlobals()
	s.foreign.Store(0)
	s.execution = execution{
		strategy: st, traced: traced, after: len(p.Threads), forever: l.forever, most: l.Steps, step: cmp.Or(l.Tick, 1000), node: -1,
		clocked: clocked{ticks: cmp.Or(l.Ticks, Ticks)}, test: l.Test,
		spinning: spinning{patience: cmp.Or(l.Spin, l.Steps), used: s.used},
		result:   Result{Schedule: s.result.Schedule[:0], Blocked: s.result.Blocked[:0]},
		trace:    s.trace[:0], pending: s.pending[:0], events: s.events[:0], details: s.details[:0], atEnd: s.atEnd,
	}
	randomness = random{list: randomness.list[:0], again: randomness.again}
	st.Begin()
	for range p.Threads {
		s.add(nil, false)
	}
	s.add(nil, false)
	_ = s.main(p, p.Before) && s.together(p) && s.main(p, p.After)
	if s.doubtful {
		s.result.Spins = s.hangs()
		s.result.Cut = !s.result.Spins
	}
	s.finish()
	s.result.Spawned, s.result.Elapsed = s.spawned, s.clock
	s.result.Steps, s.result.Trace, s.result.Pending, s.result.Events, s.result.Details = s.steps, s.trace, s.pending, s.events, s.details
	if r, ok := st.(interface{ left() bool }); ok && r.left() {
		s.result.Diverged = true
	}
	s.result.Fingerprint = s.fingerprint()
	s.result.Foreign = int(s.foreign.Load())
	return &s.result
}

// add takes a thread of the pool for a body.
func (s *scheduler) add(body func(), daemon bool) *thread {
	id := s.live
	if s.live == MaxThreads {
		id = bits.TrailingZeros64(s.free())
		s.result.Reused = true
	} else if s.live++; id == len(s.threads) {
		s.threads = append(s.threads, newThread(id))
	}
	t := s.threads[id]
	t.reset(body, daemon)
	if daemon {
		s.spawned++
		t.call = int32(2 * s.spawned) // it holds no lock of a former thread with its number
		s.alive |= t.bit
		s.decision.Daemons |= t.bit
	}
	return t
}

// free returns the daemons that have ended.
func (s *scheduler) free() uint64 { return ^s.alive & (^uint64(0) << (s.after + 1)) }

// main runs Before or After, and reports whether the execution goes on.
func (s *scheduler) main(p *Program, body func()) bool {
	if body == nil {
		return true
	}
	t := s.threads[len(p.Threads)]
	t.reset(body, false)
	t.call = int32(2 * len(s.events)) // After does not call what Before called
	s.alive |= t.bit
	s.remaining, s.limit = 1, s.steps+s.most
	return s.loop(t) && s.quiesce()
}

// together runs the threads of the program.
func (s *scheduler) together(p *Program) bool {
	for i, body := range p.Threads {
		t := s.threads[i]
		t.reset(body, false)
		s.alive |= t.bit
	}
	if s.remaining = len(p.Threads); s.remaining == 0 {
		return true
	}
	s.parallel, s.limit = true, s.steps+s.most
	s.yielded = 0 // those that polled when Before had ended
	s.result.From = len(s.trace)
	ok := s.loop(s.decide(nil)) && s.quiesce()
	s.parallel = false
	s.result.To = len(s.trace)
	for m := s.alive; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; t.waiter != nil || s.sleeping&t.bit != 0 {
			s.pending = append(s.pending, t.pend)
		}
	}
	return ok
}

// quiesce runs daemons until they block, or for 1,000 steps.
func (s *scheduler) quiesce() bool {
	s.quiescing, s.remaining, s.limit = true, 1, s.steps+1000
	s.loop(s.decide(nil))
	s.quiescing, s.remaining = false, 0
	return !s.stopped && !s.result.Cut && !s.result.Pruned
}

// loop resumes one thread after another until the phase is over, and reports whether it is
// complete.
func (s *scheduler) loop(next *thread) bool {
	for next != nil {
		s.next = nil
		current.Store(next)
		next.started = true
		next.resume()
		if next.exited {
			next.renew()
		}
		next = s.next
	}
	current.Store(nil)
	return s.remaining == 0 && !s.stopped
}

// ended is called by a thread when its body has ended.
func (s *scheduler) ended(t *thread) {
	s.alive &^= t.bit
	s.waiting &^= t.bit
	s.wakes(t)
	s.yielded &^= t.bit
	s.node, t.body = -1, nil // which need not outlive it

	if s.trying {
		s.changed = true
		return
	}
	if s.aborting || s.stopped {
		return
	}
	if !t.daemon {
		s.remaining--
	}
	if s.remaining > 0 {
		s.next = s.decide(nil)
	}
}

// decide returns the thread that goes on. t is the thread that ran, or nil if it has ended.
func (s *scheduler) decide(t *thread) *thread {
	mask := s.enabled()
	if sleeper := s.sleeper(); mask == 0 && s.quiescing && sleeper != nil {
		if s.asksAtEnd(sleeper) {
			return sleeper
		}
		return nil
	}
	if mask == 0 {
		s.result.Withheld = s.result.Withheld || s.quiescing && t != nil && t.polls && t.pend.Kind != Yield
		return nil
	}
	follows := false
	if t != nil {
		begun := t.begun && t.pend.Kind != Begin
		if follows = mask&t.bit != 0 && (begun && !t.polls || t.fresh); follows && begun {
			t.pend.Flags |= Follows
		}
		t.begun, t.fresh = false, false
	}
	if follows {
		return t
	}
	s.node = -1 // the thread that it chose took no step: it waits before its first one
	polls := -1
	if t != nil && t.polls && mask&t.bit == 0 && (t.waiter == nil || t.waiter.Ready()) {
		polls = t.id
	}
	tick := -1
	if sleeper := s.sleeper(); sleeper != nil {
		tick = sleeper.id
		mask |= sleeper.bit
	}
	switch {
	case mask&(mask-1) == 0 && (polls < 0 || !s.parallel):
		return s.threads[bits.TrailingZeros64(mask)]
	case !s.parallel:
		if t != nil && mask&t.bit != 0 {
			return t
		}
		return s.threads[bits.TrailingZeros64(mask)]
	}
	d := &s.decision
	d.Current, d.Polls, d.Tick, d.Enabled, d.Free, d.End, d.Before = -1, polls, tick, mask, true, false, s.fingerprint()
	if t != nil && mask&t.bit != 0 && !t.polls && t.id != tick {
		d.Current, d.Free = t.id, t.pend.Kind == Begin
	}
	n := s.strategy.Pick(d)
	if n < 0 {
		s.result.Pruned = true
		return nil
	}
	if n == polls { // it does not wait: what follows is decided as for others
		s.result.Preemptions++
		s.record(n)
		s.yielded &^= t.bit
		t.polls = false
		t.flag()
		return s.decide(t)
	}
	if n >= MaxThreads || mask>>n&1 == 0 {
		s.result.Diverged = true
		n = bits.TrailingZeros64(mask)
	}
	if !d.Free && n != d.Current {
		s.result.Preemptions++
	}
	s.record(n)
	if n == tick {
		s.ticksFor(s.threads[n])
	}
	return s.threads[n]
}

func (s *scheduler) record(n int) {
	s.node = int32(len(s.result.Schedule))
	s.result.Schedule = append(s.result.Schedule, int16(n))
}

// enabled returns the threads that can go on. A thread that polls can do so only if no
// other thread can.
func (s *scheduler) enabled() uint64 {
	mask := s.alive &^ (s.waiting | s.sleeping)
	if s.due != 0 {
		mask |= s.earliest(s.due).bit
	}
	for m := s.waiting; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); s.threads[i].waiter.Ready() {
			mask |= 1 << i
		}
	}
	if fresh := mask &^ s.yielded; fresh != 0 {
		return fresh
	}
	if s.quiescing {
		return 0
	}
	if s.test && mask != 0 && s.loops < fewLoops {
		s.loops++
		s.yielded = 0
		return mask
	}
	if s.wakeNext() {
		s.yielded, s.loops = 0, 0
		return s.enabled()
	}
	if mask != 0 {
		// All threads poll: time passes faster and faster.
		s.passTo(s.clock + 1e6<<min(s.rounds, 20))
		s.yielded = 0
		if s.rounds++; s.rounds > 60 {
			s.result.Cut, s.doubtful = true, true
			return 0
		}
	}
	return mask
}

// executed adds the pending step of t to the trace.
func (s *scheduler) executed(t *thread) {
	s.steps++
	if !t.daemon {
		s.works()
	}
	s.print = s.fingerprint()
	t.pend.Node, s.node = s.node, -1
	s.trace = append(s.trace, t.pend)
	s.woken = 0
	if t.begun = t.pend.Kind == Begin; t.pend.Kind == Write {
		s.woken, s.quiet, s.same = s.yielded, t.quiet, t.same
		s.yielded, s.rounds, s.loops = 0, 0, 0
		t.quiet, t.same = 0, 0
	}
	if s.traced {
		var pcs [32]uintptr
		s.details = append(s.details, Detail{stack: append([]uintptr(nil), pcs[:runtime.Callers(2, pcs[:])]...)})
	}
}

// unasked executes a step of t without a decision, since it conflicts with nothing.
func (s *scheduler) unasked(t *thread) {
	t.pend.Kind, t.pend.Addr, t.pend.Flags = Start, 0, Follows
	if t.fresh {
		t.pend.Flags, t.fresh = 0, false
	}
	s.executed(t)
}

// mark adds a flag to the last step of t.
func (s *scheduler) mark(t *thread, f Flags) {
	if s.aborting || s.trying {
		return
	}
	if t.fresh {
		s.unasked(t)
	}
	s.trace[len(s.trace)-1].Flags |= f
}

// fingerprint returns the fingerprint of the trace. The last step may still turn out to be a read.
func (s *scheduler) fingerprint() uint64 {
	if len(s.trace) == 0 {
		return 0
	}
	a := &s.trace[len(s.trace)-1]
	h := (s.print ^ uint64(a.Thread)<<8 ^ uint64(a.Kind) ^ uint64(a.Flags&Waits)<<16 + 1) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// event notes the beginning or end of an invocation.
func (s *scheduler) event(t *thread, isReturn bool) {
	if n := len(s.trace); n > 0 && isReturn {
		s.trace[n-1].Flags |= Returns
	}
	t.call++
	s.events = append(s.events, Event{int32(s.steps), int8(t.id), t.sequence, t.index, isReturn})
}
