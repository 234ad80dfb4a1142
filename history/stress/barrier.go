package stress

import (
	"runtime"
	"time"
)

// relax is called in the n-th iteration of a loop that waits for another thread.
// After many iterations, that thread is probably waiting for a processor. It gets
// one from a yield that returns soon. If a yield returns late, other processes have
// taken the processor. A thread that sleeps instead gets it back when it wakes.
func (t *thread) relax(n int) {
	switch {
	case n%64 == 63 && t.left.Load():
		runtime.Goexit()
	case n < spins:
	case n < spins+yields && t.naps == 0:
		start := time.Now()
		if yield(); time.Since(start) > lateYield {
			t.naps = crowded
		}
	default:
		t.naps = max(t.naps-1, 0)
		nap()
	}
}

// A barrier lets threads wait for one another, spinning.
type barrier struct {
	threads int32
	arrived paddedInt64
	passed  paddedInt64
}

func (b *barrier) wait(t *thread) {
	passed := b.passed.Load()
	if b.arrived.Add(1) == int64(b.threads)*(passed+1) {
		b.passed.Store(passed + 1)
		return
	}
	for n := 0; b.passed.Load() == passed; n++ {
		t.relax(n)
	}
}
