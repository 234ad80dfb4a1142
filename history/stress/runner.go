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
	// Time bounds the run; 0 is a second. It may be exceeded by a batch.
	Time time.Duration
	// Executions bounds their number, if it is not 0, up to a batch.
	Executions int64
	// Seed is of the delays; it does not fix the interleavings.
	Seed uint64
	// Recorded is how many in 64 batches record histories; 0 is 3, and
	// less than 0 none.
	Recorded int
	// Stop ends the run early when an outcome is seen that Stop has as not
	// expected.
	Stop *Expected
}

// A Run is what was seen of a program.
type Run struct {
	Executions int64
	// Recorded of them were recorded, and are among Histories. Overlapping of
	// these had two invocations of different sequences at work at one time.
	Recorded    int64
	Overlapping int64
	Outcomes    []Count // of all executions, in the order of the outcomes
	Histories   []Recorded
	Elapsed     time.Duration
	Pinned      bool // to a processor for each thread
}

// Overlap is the share of executions that truly overlapped, among those that
// were recorded.
func (r *Run) Overlap() float64 {
	if r.Recorded == 0 {
		return 0
	}
	return float64(r.Overlapping) / float64(r.Recorded)
}

const (
	// batch is how many objects the threads stride over between two barriers.
	batch = 256
	// spins is how long a thread spins at a barrier before it lets others run,
	// and yields how often it does so before it sleeps.
	spins  = 20000
	yields = 50
	// skews is how many turns of an empty loop a thread may be late.
	skews = 64
)

// strides are after how many objects threads that are ahead may wait. Waiting
// at each makes most executions overlap, and takes long; where threads keep
// pace by themselves it only costs. Which is best depends on the object.
var strides = [...]int{1, 4, 16}

// A runner runs a program on batches of fresh objects. Each sequence has a
// thread of its own, which strides over the objects of a batch; it waits for
// the others at the batch's ends, and now and then if it is ahead, but not at
// each object.
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
	events  []int64         // while recording, the stamps of invocation and response of each
	clock   paddedInt64

	// These are thread 0's to write between the second barrier of a batch and
	// the first of the next.
	recording bool
	ended     bool
	stride    int // index into strides
	pace      [len(strides)]pace
	began     time.Time // the batch before
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

// score is the rate of executions that overlap.
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

// A thread runs a sequence, and makes and counts its share of the objects.
type thread struct {
	*runner
	number      int
	sequence    []step
	offset      int // of its first result
	waitFor     []int
	progress    paddedInt64 // objects done, of all batches
	random      *rand.PCG
	seen        tally
	histories   historyTally
	executions  int64
	recorded    int64
	overlapping int64
	pinned      bool
}

// RunProgram runs a program of the class again and again, as o says, and
// counts what its executions answered. Threads are locked, and pinned where
// the system can do that; nothing is allocated but the objects themselves.
//
// It must not be called by two goroutines at once: they would fight for the
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
			runtime.LockOSThread() // and never unlocked, so that a pinned thread ends here
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

func (t *thread) run(ctx context.Context) {
	for number := int64(0); ; number++ {
		t.prepare()
		if t.number == 0 {
			t.direct(ctx, number)
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

// direct says what the threads do next.
func (t *thread) direct(ctx context.Context, number int64) {
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

// choose chooses how the next batch is run. Each stride has its turns, and half
// of all batches have the one that does best.
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

// sawUnexpected looks at what thread 0 has counted, which is one of several
// shares.
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

// keepUp waits for the sequences that come before this one, and every few
// objects for those that are behind; then it delays a little, at random.
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

// count counts the thread's share of what was seen.
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

func (r *runner) merge() *Run {
	run := &Run{Elapsed: time.Since(r.start), Pinned: true}
	var seen tally
	var histories historyTally
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
	run.Outcomes, run.Histories = seen.counts(), histories.list()
	return run
}

// relax is called in the n-th turn of a loop that waits for another thread.
// One that does not come for long is waiting for a processor itself.
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
