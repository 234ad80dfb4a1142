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
