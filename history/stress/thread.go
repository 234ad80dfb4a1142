package stress

import (
	"context"
	"math/rand/v2"
	"time"
)

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
