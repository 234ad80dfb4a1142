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
	// Batch is the number of objects that are made before the sequences run on them; 0 means 256.
	Batch int
	// Wait is how long no thread may move until a call counts as one that may wait for ever; 0
	// means two seconds.
	Wait time.Duration
	// Stop ends the run early at an outcome that Stop does not contain.
	Stop *Expected

	// least executions are made even if Time is over, up to ten times as long: the
	// machine may be busy.
	least int64

	memory int64 // ends the run when the process has this many bytes, if not 0
}

// A Run is what was seen of a program.
type Run struct {
	Executions int64
	// Recorded is how many of them were recorded, and Overlapping how many of
	// these had two invocations of different sequences open at one time.
	Recorded    int64
	Overlapping int64
	Outcomes    []Count // of all executions, in the order of the outcomes
	Elapsed     time.Duration
	Pinned      bool // to a processor for each thread
	// Waits are methods with a call that did not return within seconds: it may wait for
	// ever, as only schedules can tell. The run has ended there, and has no outcomes.
	Waits []string
	// Leaves means that the run has ended early, as calls leave goroutines.
	Leaves bool

	histories []Execution
}

// Overlap returns the share of recorded executions that overlapped.
func (r *Run) Overlap() float64 {
	if r.Recorded == 0 {
		return 0
	}
	return float64(r.Overlapping) / float64(r.Recorded)
}

const (
	// batch is how many objects the threads go through between two barriers.
	batch = 256
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
	calls   []prepared
	threads []*thread
	barrier barrier
	start   time.Time
	batch   int
	ran     sync.WaitGroup // the threads
	before  int            // goroutines of the process

	objects []any
	clock   paddedInt64

	// Thread 0 writes these, between the second barrier of a batch and the
	// first of the next.
	leaves    bool
	recording bool
	ended     bool
	stride    int // index into strides
	pace      [len(strides)]pace
	began     time.Time // when the batch before began

	// The watchdog writes these.
	enough atomic.Bool  // the run ends
	cut    atomic.Int64 // objects from here on are not run, or do not count
	left   atomic.Bool  // nobody waits for the threads any more
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
// supports it. Per execution, RunProgram allocates nothing except the objects.
//
// It must not be called by two goroutines at once: they would compete for the
// processors. If a call does not return within seconds, the run ends, and its goroutines
// stay until the call returns.
func RunProgram(ctx context.Context, c *Class, p *Program, o RunOptions) *Run {
	if o.Time == 0 {
		o.Time = time.Second
	}
	if o.Recorded == 0 {
		o.Recorded = len(strides)
	}
	r := &runner{class: c, program: p, options: o, calls: p.prepared(), start: time.Now(), batch: batch, before: runtime.NumGoroutine()}
	if o.Batch > 0 {
		r.batch = o.Batch
	}
	r.objects = make([]any, r.batch)
	r.cut.Store(int64(r.batch))
	r.addThreads()
	threads := len(r.threads)
	r.barrier.threads = int32(threads)
	if before := runtime.GOMAXPROCS(0); before < threads+1 {
		runtime.GOMAXPROCS(threads + 1)
		defer runtime.GOMAXPROCS(before)
	}
	for _, t := range r.threads {
		r.ran.Add(1)
		go t.run(ctx)
	}
	if waits := r.watch(); waits != nil {
		return &Run{Waits: waits, Elapsed: time.Since(r.start)}
	}
	return r.merge()
}

func (r *runner) addThreads() {
	offset := len(r.program.Initial)
	for i, sequence := range r.program.Sequences {
		r.threads = append(r.threads, &thread{runner: r, number: i, offset: offset, sequence: r.calls[offset : offset+len(sequence)],
			random:  rand.NewPCG(r.options.Seed, uint64(i)),
			initial: make([]history.Value, r.batch*len(r.program.Initial)), results: make([]history.Value, r.batch*len(sequence)),
			events: make([]int64, 2*r.batch*len(sequence)), outcome: make(Outcome, len(r.calls)), stamps: make([]int64, 2*len(r.calls))})
		offset += len(sequence)
	}
	for _, o := range r.program.Order {
		r.threads[o[1]].waitFor = append(r.threads[o[1]].waitFor, o[0])
	}
}

func (r *runner) merge() *Run {
	run := &Run{Elapsed: time.Since(r.start), Pinned: true, Leaves: r.leaves}
	var seen tally
	var histories Executions
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
	run.Outcomes, run.histories = seen.counts(), histories.List()
	return run
}

// A thread runs a sequence. It also makes and counts its share of the objects.
type thread struct {
	*runner
	number      int
	sequence    []prepared
	offset      int // of its first result
	waitFor     []int
	progress    paddedInt64 // objects done, of all batches
	random      *rand.PCG
	naps        int // how many more times to sleep instead of yielding
	seen        tally
	histories   Executions
	executions  int64
	recorded    int64
	overlapping int64
	pinned      bool

	at      paddedInt64     // its place
	initial []history.Value // object by object, of the initial part
	results []history.Value // of the sequence
	events  []int64         // while recording, the stamps of each invocation and its response
	outcome Outcome         // of the object that is counted
	stamps  []int64
	stamped bool // the batch is recorded
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

// moved publishes that the thread has moved to a place. It ends the goroutine if nobody waits
// for it any more.
func (t *thread) moved(place int64) {
	if t.at.Store(place); t.left.Load() {
		runtime.Goexit()
	}
}

// run runs the thread.
func (t *thread) run(ctx context.Context) {
	runtime.LockOSThread() // and never unlock, so that a pinned thread ends here
	t.pinned = pin(t.number)
	for number := int64(0); ; number++ {
		t.prepare(number)
		if t.number == 0 {
			t.plan(ctx, number)
		}
		t.barrier.wait(t)
		if t.ended {
			break
		}
		t.stamped = t.recording // thread 0 may change it after the next barrier
		t.runBatch(number)
		t.barrier.wait(t)
		t.count(number)
	}
	for k := t.number; k < t.batch; k += len(t.threads) {
		t.class.Release(t.objects[k])
	}
	t.ran.Done()
}

// prepare makes the thread's share of the objects.
func (t *thread) prepare(number int64) {
	n := len(t.program.Initial)
	for k := t.number; k < t.batch; k += len(t.threads) {
		at := place{number, preparing, k, 0}.pack()
		t.moved(at)
		object := t.class.New()
		t.objects[k] = object
		for i := range t.program.Initial {
			t.moved(at + int64(i) + 1)
			t.initial[k*n+i] = t.calls[i].run(object)
		}
	}
	t.moved(place{number, preparing, t.batch, 0}.pack())
}

// leavingBatches is how many batches of goroutines may be left before a run ends.
const leavingBatches = 4

// plan sets what the threads do next.
func (t *thread) plan(ctx context.Context, number int64) {
	o := &t.options
	now := time.Now()
	if p := &t.pace[t.stride]; number > 0 && !t.recording {
		p.time += now.Sub(t.began)
		p.batches++
	}
	t.began = now
	t.leaves = t.leaves || stays(t.before+len(t.threads)+leavingBatches*t.batch)
	t.choose(number)
	spent := now.Sub(t.start)
	t.ended = ctx.Err() != nil || number > 0 && spent >= o.Time && (number*int64(t.batch) >= o.least || spent >= 10*o.Time) ||
		o.Executions > 0 && number*int64(t.batch) >= o.Executions || t.leaves || t.enough.Load() || o.Stop != nil && number > 0 && t.sawUnexpected()
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
func (t *thread) runBatch(number int64) {
	n, done := len(t.sequence), number*int64(t.batch)
	for k := range t.batch {
		t.keepUp(done+int64(k), k)
		if int64(k) < t.cut.Load() {
			object, at := t.objects[k], place{number, running, k, 0}.pack()
			if t.stamped {
				t.record(object, k, at)
			} else {
				results := t.results[k*n:]
				for i := range t.sequence {
					t.moved(at + int64(i) + 1)
					results[i] = t.sequence[i].run(object)
				}
			}
		}
		t.moved(place{number, running, k + 1, 0}.pack())
		t.progress.Store(done + int64(k) + 1)
	}
}

// record runs the sequence on an object, with stamps.
func (t *thread) record(object any, k int, at int64) {
	n := len(t.sequence)
	results, events := t.results[k*n:], t.events[2*k*n:]
	for i := range t.sequence {
		events[2*i] = t.clock.Add(1)
		t.moved(at + int64(i) + 1)
		results[i] = t.sequence[i].run(object)
		events[2*i+1] = t.clock.Add(1)
	}
}

// keepUp waits for the sequences ordered before this one, and after each stride
// for all others. Then it delays the thread a little, at random.
func (t *thread) keepUp(done int64, k int) {
	for _, other := range t.waitFor {
		t.await(t.threads[other], done+1)
	}
	if k%strides[t.stride] != 0 {
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
func (t *thread) gather(k int) {
	n := len(t.program.Initial)
	copy(t.outcome, t.threads[k%len(t.threads)].initial[k*n:(k+1)*n])
	for _, other := range t.threads {
		n := len(other.sequence)
		copy(t.outcome[other.offset:], other.results[k*n:(k+1)*n])
		copy(t.stamps[2*other.offset:], other.events[2*k*n:2*(k+1)*n])
	}
}

// count runs the final part on the thread's share of the objects and counts their
// outcomes.
func (t *thread) count(number int64) {
	final := len(t.calls) - len(t.program.Final)
	for k := t.number; k < t.batch; k += len(t.threads) {
		if int64(k) >= t.cut.Load() {
			t.class.Release(t.objects[k])
			continue
		}
		t.gather(k)
		object, at := t.objects[k], place{number, counting, k, 0}.pack()
		for i := range t.program.Final {
			t.moved(at + int64(i) + 1)
			t.outcome[final+i] = t.calls[final+i].run(object)
		}
		t.class.Release(object)
		t.seen.add(t.outcome, 1)
		t.executions++
		if t.stamped {
			t.recorded++
			overlapped := t.histories.add(t.program, t.outcome, t.stamps)
			if overlapped {
				t.overlapping++
			}
			if t.number == 0 {
				t.pace[t.stride].add(overlapped)
			}
		}
	}
	t.moved(place{number, counting, t.batch, 0}.pack())
}
