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
	// Time bounds the run, up to a batch; 0 means a second.
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

	histories []recorded
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
	// yields is how often it yields before it sleeps.
	spins  = 20000
	yields = 50
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

	objects []any
	results []history.Value // object by object, in the order of Program.All
	events  []int64         // while recording, the stamps of each invocation and its response
	clock   paddedInt64

	// Thread 0 writes these, between the second barrier of a batch and the
	// first of the next.
	recording bool
	ended     bool
	stride    int // index into strides
	pace      [len(strides)]pace
	began     time.Time // when the batch before began
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

// score returns the rate of executions that overlap.
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

// RunProgram runs a program of the class again and again, as o says, and
// counts the outcomes. Threads are locked, and pinned where the system supports
// it. RunProgram allocates nothing per execution but the objects themselves.
//
// It must not be called by two goroutines at once: they would compete for the
// processors. An invocation that never returns hangs it.
func RunProgram(ctx context.Context, c *Class, p *Program, o RunOptions) *Run {
	if o.Time == 0 {
		o.Time = time.Second
	}
	if o.Recorded == 0 {
		o.Recorded = len(strides)
	}
	r := &runner{class: c, program: p, options: o, calls: steps(p), start: time.Now(),
		objects: make([]any, batch), results: make([]history.Value, batch*p.Len()), events: make([]int64, 2*batch*p.Len())}
	r.addThreads()
	threads := len(r.threads)
	r.barrier.threads = int32(threads)
	if before := runtime.GOMAXPROCS(0); before < threads+1 {
		runtime.GOMAXPROCS(threads + 1)
		defer runtime.GOMAXPROCS(before)
	}
	var work sync.WaitGroup
	for _, t := range r.threads {
		work.Add(1)
		go func() {
			defer work.Done()
			runtime.LockOSThread() // and never unlock, so that a pinned thread ends here
			t.pinned = pin(t.number)
			t.run(ctx)
		}()
	}
	work.Wait()
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
	run := &Run{Elapsed: time.Since(r.start), Pinned: true}
	var seen tally
	var histories recordedTally
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
// After many iterations, that thread is probably waiting for a processor.
func relax(n int) {
	switch {
	case n < spins:
	case n < spins+yields:
		yield()
	default:
		time.Sleep(50 * time.Microsecond)
	}
}

// A barrier lets threads wait for one another, spinning.
type barrier struct {
	threads int32
	arrived paddedInt64
	passed  paddedInt64
}

func (b *barrier) wait() {
	passed := b.passed.Load()
	if b.arrived.Add(1) == int64(b.threads)*(passed+1) {
		b.passed.Store(passed + 1)
		return
	}
	for n := 0; b.passed.Load() == passed; n++ {
		relax(n)
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
	seen        tally
	histories   recordedTally
	executions  int64
	recorded    int64
	overlapping int64
	pinned      bool
}

func (t *thread) run(ctx context.Context) {
	for number := int64(0); ; number++ {
		t.prepare()
		if t.number == 0 {
			t.plan(ctx, number)
		}
		t.barrier.wait()
		if t.ended {
			break
		}
		recording := t.recording // thread 0 may change it after the next barrier
		if recording {
			t.recordBatch(number * batch)
		} else {
			t.runBatch(number * batch)
		}
		t.barrier.wait()
		t.count(recording)
	}
	for k := t.number; k < batch; k += len(t.threads) {
		t.class.close(t.objects[k])
	}
}

// prepare makes the thread's share of the objects.
func (t *thread) prepare() {
	n := len(t.calls)
	for k := t.number; k < batch; k += len(t.threads) {
		object := t.class.New()
		for i := range t.program.Initial {
			t.results[k*n+i] = t.calls[i].run(object)
		}
		t.objects[k] = object
	}
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
	t.ended = ctx.Err() != nil || number > 0 && time.Since(t.start) >= o.Time ||
		o.Executions > 0 && number*batch >= o.Executions || o.Stop != nil && number > 0 && t.sawUnexpected()
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
func (t *thread) runBatch(done int64) {
	n := len(t.calls)
	for k := range batch {
		t.keepUp(done+int64(k), k)
		object, results := t.objects[k], t.results[k*n+t.offset:]
		for i := range t.sequence {
			results[i] = t.sequence[i].run(object)
		}
		t.progress.Store(done + int64(k) + 1)
	}
}

// recordBatch is runBatch with stamps.
func (t *thread) recordBatch(done int64) {
	n := len(t.calls)
	for k := range batch {
		t.keepUp(done+int64(k), k)
		object, results, events := t.objects[k], t.results[k*n+t.offset:], t.events[2*(k*n+t.offset):]
		for i := range t.sequence {
			events[2*i] = t.clock.Add(1)
			results[i] = t.sequence[i].run(object)
			events[2*i+1] = t.clock.Add(1)
		}
		t.progress.Store(done + int64(k) + 1)
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
		relax(n)
	}
}

// count runs the final part on the thread's share of the objects and counts their
// outcomes.
func (t *thread) count(recording bool) {
	n := len(t.calls)
	final := n - len(t.program.Final)
	for k := t.number; k < batch; k += len(t.threads) {
		object, results := t.objects[k], t.results[k*n:(k+1)*n]
		for i := final; i < n; i++ {
			results[i] = t.calls[i].run(object)
		}
		t.class.close(object)
		t.seen.add(results, 1)
		t.executions++
		if recording {
			t.recorded++
			overlapped := t.histories.add(t.program, results, t.events[2*k*n:2*(k+1)*n])
			if overlapped {
				t.overlapping++
			}
			if t.number == 0 {
				t.pace[t.stride].add(overlapped)
			}
		}
	}
}
