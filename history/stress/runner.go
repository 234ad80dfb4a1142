package stress

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
)

// RunOptions say how long and how a program is run.
type RunOptions struct {
	// Time bounds the run, up to a batch, or to twice the time if invocations are slow; 0
	// means a second.
	Time time.Duration
	// Executions bounds their number, up to a batch, if it is not 0.
	Executions int64
	// Seed fixes the delays, but not the interleavings.
	Seed uint64
	// Recorded is how many in 64 batches are recorded; 0 means 3, and a
	// negative number none.
	Recorded int
	// Stop ends the run early at an outcome that Stop does not contain.
	Stop *Expected
	// Waits bounds the executions that wait forever; 0 means 2. Each takes
	// milliseconds and leaves goroutines behind.
	Waits int
	// Blocking is for programs whose invocations wait for one another. Their
	// threads share processors, as waking one that is locked takes long, and
	// batches are small.
	Blocking bool

	// least executions are made even if Time is over, up to ten times as long: the
	// machine may be busy.
	least int64

	batch  int   // objects between two barriers; 0: the usual number
	memory int64 // ends the run when the process has this many bytes, if not 0
}

// A Run is what was seen of a program.
type Run struct {
	Executions int64
	// Recorded is how many of them were recorded, and Overlapping how many of
	// these had two invocations of different sequences open at one time.
	Recorded    int64
	Overlapping int64
	// Waited is how many executions wait forever. Unclear is how many may wait
	// forever; these are not among the Executions.
	Waited, Unclear int64
	Outcomes        []Count // of all executions, in the order of the outcomes
	Elapsed         time.Duration
	Pinned          bool // to a processor for each thread

	histories []recorded
	stuck     []*stuck
}

// Overlap returns the share of recorded executions that overlapped.
func (r *Run) Overlap() float64 {
	if r.Recorded == 0 {
		return 0
	}
	return float64(r.Overlapping) / float64(r.Recorded)
}

const (
	// batch is how many objects the threads go through between two barriers,
	// and blockingBatch how many with RunOptions.Blocking.
	batch         = 256
	blockingBatch = 16
	// spins is how often a thread polls at a barrier before it yields, and
	// yields is how often it yields before it sleeps. After a yield that takes
	// longer than lateYield, it sleeps instead of yielding for crowded times.
	spins     = 20000
	yields    = 50
	lateYield = 500 * time.Microsecond
	crowded   = 1024
	napTime   = 50 * time.Microsecond
	// skews bounds the iterations of the loop that delays a thread.
	skews = 64
)

// strides are the numbers of objects after which threads wait for one another.
// Waiting at each object makes most executions overlap, but takes long; if
// threads keep pace by themselves, it only costs time. Which stride is best
// depends on the object.
var strides = [...]int{1, 4, 16}

// A runner runs a program on batches of fresh objects. Each sequence has a
// thread of its own, which goes through the objects of a batch. It waits for
// the others at both ends of the batch, and after each stride.
type runner struct {
	class   *Class
	program *Program
	options RunOptions
	calls   []step
	threads []*thread
	barrier barrier
	start   time.Time
	batch   int
	ran     sync.WaitGroup // the threads

	objects []any
	dead    []bool // an invocation of the object waits forever
	clock   paddedInt64

	// Thread 0 writes these, between the second barrier of a batch and the
	// first of the next.
	recording bool
	ended     bool
	stride    int // index into strides
	pace      [len(strides)]pace
	began     time.Time // when the batch before began

	// The watchdog writes these.
	enough                atomic.Bool  // the run ends
	cut                   atomic.Int64 // objects from here on are not run, or do not count
	waited                tally
	recorded, overlapping int64
	histories             recordedTally
	stuck                 []*stuck
	unclear               int64
}

// A pace is what a stride has achieved.
type pace struct {
	time                  time.Duration
	batches               int64
	recorded, overlapping int64
}

func (p *pace) add(overlapped bool) {
	p.recorded++
	if overlapped {
		p.overlapping++
	}
}

// score returns the rate of overlapping executions.
func (p *pace) score() float64 {
	if p.batches == 0 || p.recorded == 0 {
		return 0
	}
	return float64(p.batches) / p.time.Seconds() * float64(p.overlapping) / float64(p.recorded)
}

type paddedInt64 struct {
	_ [56]byte
	atomic.Int64
	_ [56]byte
}

// RunProgram runs a program of the class repeatedly, as the options say, and counts the
// outcomes. Its goroutines are locked to threads, which are pinned where the system
// supports it, unless the options are Blocking. Per execution, RunProgram allocates
// nothing except the objects.
//
// It must not be called by two goroutines at once: they would compete for the
// processors. Executions that wait forever are abandoned with their goroutines; see
// watch. RunProgram hangs if an invocation neither returns nor waits.
func RunProgram(ctx context.Context, c *Class, p *Program, o RunOptions) *Run {
	if o.Time == 0 {
		o.Time = time.Second
	}
	if o.Recorded == 0 {
		o.Recorded = len(strides)
		if alone {
			o.Recorded = aloneRecorded
		}
	}
	if o.Waits == 0 {
		o.Waits = 2
	}
	r := &runner{class: c, program: p, options: o, calls: steps(p), start: time.Now(), batch: batch}
	if o.batch > 0 {
		r.batch = o.batch
	}
	if o.Blocking {
		r.batch = min(r.batch, blockingBatch)
	}
	r.batch = min(r.batch, c.spare())
	r.objects, r.dead = make([]any, r.batch), make([]bool, r.batch)
	r.cut.Store(int64(r.batch))
	r.addThreads()
	threads := len(r.threads)
	r.barrier.threads = int32(threads)
	needed := threads + 1
	if alone {
		needed++ // for interrupt
	}
	if before := runtime.GOMAXPROCS(0); before < needed {
		runtime.GOMAXPROCS(needed)
		defer runtime.GOMAXPROCS(before)
	}
	for _, t := range r.threads {
		r.ran.Add(1)
		t.begin(ctx, place{phase: preparing, object: t.number}, &life{
			initial: make([]history.Value, r.batch*len(p.Initial)),
			results: make([]history.Value, r.batch*len(t.sequence)),
			events:  make([]int64, 2*r.batch*len(t.sequence)),
		})
	}
	if alone {
		ended := make(chan struct{})
		defer close(ended)
		go r.interrupt(ended)
	}
	r.watch(ctx)
	return r.merge()
}

func (r *runner) addThreads() {
	offset := len(r.program.Initial)
	for i, sequence := range r.program.Sequences {
		r.threads = append(r.threads, &thread{runner: r, number: i, offset: offset, sequence: r.calls[offset : offset+len(sequence)],
			random: rand.NewPCG(r.options.Seed, uint64(i))})
		offset += len(sequence)
	}
	for _, o := range r.program.Order {
		r.threads[o[1]].waitFor = append(r.threads[o[1]].waitFor, o[0])
	}
}

func (r *runner) merge() *Run {
	run := &Run{Elapsed: time.Since(r.start), Pinned: true, Waited: int64(len(r.stuck)), Unclear: r.unclear, stuck: r.stuck}
	run.Executions = run.Waited
	run.Recorded, run.Overlapping = r.recorded, r.overlapping
	seen, histories := &r.waited, &r.histories
	for _, t := range r.threads {
		run.Executions += t.executions
		run.Recorded += t.recorded
		run.Overlapping += t.overlapping
		run.Pinned = run.Pinned && t.pinned
		for _, c := range t.seen.counts() {
			seen.add(c.Outcome, c.Times)
		}
		histories.merge(&t.histories)
	}
	run.Outcomes, run.histories = seen.counts(), histories.list()
	return run
}

// relax is called in the n-th iteration of a loop that waits for another thread.
// After many iterations, that thread is probably waiting for a processor. It gets
// one from a yield that returns soon. If a yield returns late, other processes have
// taken the processor. A thread that sleeps instead gets it back when it wakes.
func (t *thread) relax(n int) {
	switch {
	case n < spins && !alone:
	case n < spins+yields && t.naps == 0 && !alone:
		start := time.Now()
		if yield(); time.Since(start) > lateYield {
			t.naps = crowded
		}
	default:
		t.naps = max(t.naps-1, 0)
		nap()
	}
}

// A barrier lets threads wait for one another, spinning, or sleeping on one processor.
type barrier struct {
	threads int32
	arrived paddedInt64
	passed  paddedInt64
	gate    atomic.Uint32 // on one processor, how many times the threads have passed
}

func (b *barrier) wait(t *thread) {
	passed := b.passed.Load()
	if b.arrived.Add(1) == int64(b.threads)*(passed+1) {
		b.passed.Store(passed + 1)
		if alone {
			b.gate.Add(1)
			wake(&b.gate)
		}
		return
	}
	for alone {
		gate := b.gate.Load()
		if b.passed.Load() != passed {
			return
		}
		sleepOn(&b.gate, gate)
	}
	for n := 0; b.passed.Load() == passed; n++ {
		t.relax(n)
	}
}

// A thread runs a sequence. It also makes and counts its share of the objects.
type thread struct {
	*runner
	number      int
	sequence    []step
	offset      int // of its first result
	waitFor     []int
	progress    paddedInt64 // objects done, of all batches
	random      *rand.PCG
	naps        int // how many more times to sleep instead of yielding
	seen        tally
	histories   recordedTally
	executions  int64
	recorded    int64
	overlapping int64
	pinned      bool

	at   paddedInt64 // the place of the goroutine that runs the thread
	life atomic.Pointer[life]
}

// A life is a goroutine that runs a thread. If it waits forever, another one replaces
// it. Nobody else reads what it writes after it has last published its place.
type life struct {
	*thread
	id        int64
	place     int64           // packed, as it was last published
	initial   []history.Value // object by object, of the initial part
	results   []history.Value // of the sequence
	events    []int64         // while recording, the stamps of each invocation and its response
	outcome   Outcome         // of the object that is counted
	stamps    []int64
	recording bool
	left      atomic.Bool // it has ended, though another took its place
}

// A place is where a thread is: in its call-th invocation of an object if call
// is at least 1, else before it.
type place struct {
	batch  int64
	phase  phase
	object int
	call   int
}

// A phase is what a thread does with its share of the objects, or with all.
type phase uint8

const (
	preparing phase = iota
	running
	counting
	phases
)

func (p place) pack() int64 {
	return p.batch<<24 | int64(p.phase)<<22 | int64(p.object)<<12 | int64(p.call)
}

func unpack(n int64) place {
	return place{n >> 24, phase(n >> 22 & 3), int(n >> 12 & 1023), int(n & 4095)}
}

// begin starts a goroutine that runs the thread from a place on.
func (t *thread) begin(ctx context.Context, from place, l *life) {
	l.thread, l.place = t, from.pack()
	l.outcome, l.stamps = make(Outcome, len(t.calls)), make([]int64, 2*len(t.calls))
	t.life.Store(l)
	t.at.Store(l.place) // unless the watchdog has
	go func() {
		l.id = goroutineID()
		if !t.options.Blocking {
			runtime.LockOSThread() // and never unlock, so that a pinned thread ends here
			t.pinned = pin(t.number)
		}
		l.run(ctx, from)
		t.ran.Done()
	}()
}

// moved publishes that the goroutine has moved to a place. It ends the goroutine
// if another has taken its thread.
func (l *life) moved(place int64) {
	if !l.at.CompareAndSwap(l.place, place) {
		l.left.Store(true)
		runtime.Goexit()
	}
	l.place = place
}

func (l *life) run(ctx context.Context, from place) {
	for {
		switch from.phase {
		case preparing:
			l.prepare(from)
			if l.number == 0 {
				l.plan(ctx, from.batch)
			}
			l.barrier.wait(l.thread)
			if l.thread.ended {
				for k := l.number; k < l.batch; k += len(l.threads) {
					if !l.dead[k] {
						l.class.close(l.objects[k])
					}
				}
				return
			}
			l.recording = l.thread.recording // thread 0 may change it after the next barrier
			from.object = 0
		case running:
			l.runBatch(from)
			l.barrier.wait(l.thread)
			from.object = l.number
		case counting:
			l.count(from)
			from.batch++
			from.object = l.number
		}
		from.phase = (from.phase + 1) % phases
	}
}

// prepare makes the thread's share of the objects.
func (l *life) prepare(from place) {
	n := len(l.program.Initial)
	for k := from.object; k < l.batch; k += len(l.threads) {
		at := place{from.batch, preparing, k, 0}.pack()
		object := l.class.New()
		l.dead[k], l.objects[k] = false, object
		for i := range l.program.Initial {
			l.moved(at + int64(i) + 1)
			l.initial[k*n+i] = l.calls[i].run(object)
		}
	}
	l.moved(place{from.batch, preparing, l.batch, 0}.pack())
}

// plan sets what the threads do next.
func (t *thread) plan(ctx context.Context, number int64) {
	o := &t.options
	now := time.Now()
	if p := &t.pace[t.stride]; number > 0 && !t.recording {
		p.time += now.Sub(t.began)
		p.batches++
	}
	t.began = now
	t.choose(number)
	spent := now.Sub(t.start)
	t.ended = ctx.Err() != nil || number > 0 && spent >= o.Time && (number*int64(t.batch) >= o.least || spent >= 10*o.Time) ||
		o.Executions > 0 && number*int64(t.batch) >= o.Executions || t.enough.Load() || number > 0 && t.class.crowded() || o.Stop != nil && number > 0 && t.sawUnexpected()
}

// choose chooses how the next batch is run. The strides take turns, and half of
// all batches use the best one.
func (t *thread) choose(number int64) {
	o := &t.options
	t.recording = number%64 < int64(o.Recorded)
	t.stride = int(number) % len(strides)
	if number%2 == 0 && number > 64 && !t.recording {
		for i := range t.pace {
			if t.pace[i].score() > t.pace[t.stride].score() {
				t.stride = i
			}
		}
	}
}

// sawUnexpected reports whether thread 0 has counted an unexpected outcome in
// its share of the objects.
func (t *thread) sawUnexpected() bool {
	for i := range t.seen.slots {
		if s := &t.seen.slots[i]; s.hash != 0 && !t.options.Stop.Contains(s.Outcome) {
			return true
		}
	}
	return false
}

// runBatch runs the sequence on each object of the batch.
func (l *life) runBatch(from place) {
	n, done := len(l.sequence), from.batch*int64(l.batch)
	for k := from.object; k < l.batch; k++ {
		l.keepUp(done+int64(k), k)
		if !l.dead[k] && int64(k) < l.cut.Load() {
			object, at := l.objects[k], place{from.batch, running, k, 0}.pack()
			if l.recording {
				l.record(object, k, at)
			} else {
				results := l.results[k*n:]
				for i := range l.sequence {
					if alone && i > 0 {
						l.mingle(at)
					}
					l.moved(at + int64(i) + 1)
					results[i] = l.sequence[i].run(object)
				}
			}
		}
		l.moved(place{from.batch, running, k + 1, 0}.pack())
		l.progress.Store(done + int64(k) + 1)
	}
}

// record runs the sequence on an object, with stamps.
func (l *life) record(object any, k int, at int64) {
	n := len(l.sequence)
	results, events := l.results[k*n:], l.events[2*k*n:]
	for i := range l.sequence {
		if alone && i > 0 {
			l.mingle(at)
		}
		events[2*i] = l.clock.Add(1)
		l.moved(at + int64(i) + 1)
		results[i] = l.sequence[i].run(object)
		events[2*i+1] = l.clock.Add(1)
	}
}

// keepUp waits for the sequences ordered before this one, and after each stride
// for all others. Then it delays the thread a little, at random.
func (t *thread) keepUp(done int64, k int) {
	for _, other := range t.waitFor {
		t.await(t.threads[other], done+1)
	}
	if alone || k%strides[t.stride] != 0 {
		return
	}
	if t.program.Order == nil {
		t.progress.Store(done)
		for _, other := range t.threads {
			t.await(other, done)
		}
	}
	for range t.random.Uint64() % skews {
		t.progress.Load()
	}
}

func (t *thread) await(other *thread, done int64) {
	for n := 0; other.progress.Load() < done; n++ {
		t.relax(n)
	}
}

// gather fills in the outcome of the object in the batch apart from the final
// part, and the stamps of its invocations.
func (l *life) gather(k int) {
	n := len(l.program.Initial)
	copy(l.outcome, l.threads[k%len(l.threads)].life.Load().initial[k*n:(k+1)*n])
	for _, t := range l.threads {
		n, other := len(t.sequence), t.life.Load()
		copy(l.outcome[t.offset:], other.results[k*n:(k+1)*n])
		copy(l.stamps[2*t.offset:], other.events[2*k*n:2*(k+1)*n])
	}
}

// count runs the final part on the thread's share of the objects and counts their
// outcomes.
func (l *life) count(from place) {
	final := len(l.calls) - len(l.program.Final)
	for k := from.object; k < l.batch; k += len(l.threads) {
		if l.dead[k] {
			continue
		}
		if int64(k) >= l.cut.Load() {
			l.class.close(l.objects[k])
			continue
		}
		l.gather(k)
		object, at := l.objects[k], place{from.batch, counting, k, 0}.pack()
		for i := range l.program.Final {
			l.moved(at + int64(i) + 1)
			l.outcome[final+i] = l.calls[final+i].run(object)
		}
		l.class.close(object)
		t := l.thread
		t.seen.add(l.outcome, 1)
		t.executions++
		if l.recording {
			t.recorded++
			overlapped := t.histories.add(t.program, l.outcome, l.stamps)
			if overlapped {
				t.overlapping++
			}
			if t.number == 0 {
				t.pace[t.stride].add(overlapped)
			}
		}
	}
	l.moved(place{from.batch, counting, l.batch, 0}.pack())
}
