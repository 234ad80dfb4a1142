package stress

import "runtime"

// alone is set if there is only one processor. Invocations then overlap only if the
// system takes the processor from a thread within one.
//
// It does so when a thread wakes that has slept, and then often lets the thread run that
// has waited longer. So a thread that naps all the time interrupts the others thousands of
// times a second. For that to happen within an invocation, threads have to spend their time
// there: they wait for one another only at the ends of a batch, and do not spin. Yielding
// does not help: Linux then lets the others run for a millisecond.
var alone = runtime.NumCPU() == 1

// aloneRecorded is how many in 64 batches are recorded on one processor, as few
// executions overlap.
const aloneRecorded = 32

// interrupt takes the processor from the threads again and again, until they have ended.
func (r *runner) interrupt(ended <-chan struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case <-ended:
			return
		default:
			nap()
		}
	}
}

// mingle is called before each invocation of an object but the first one, with the place
// where the thread has begun with the object. If another thread is at the same object, it
// was interrupted there, which is rare, and mingle lets it go on, or not, at random.
func (t *thread) mingle(at int64) {
	for _, other := range t.threads {
		if n := other.at.Load(); other != t && n>>12 == at>>12 && n != at && t.random.Uint64()%2 == 0 {
			nap()
			return
		}
	}
}
