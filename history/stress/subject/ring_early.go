package subject

import (
	"sync"
	"sync/atomic"
)

// An earlyRing has a lock for each end. An enqueue takes a slot under the
// lock and fills it outside, then adds one to the number of filled slots. But
// of two enqueues the one that took the later slot may fill it first, and what
// is then dequeued is the earlier slot, with what was in it long ago: -1, or
// an old element.
type earlyRing struct {
	tailLock, headLock sync.Mutex
	slots              [ringSize]atomic.Int64
	head, tail, filled atomic.Int64 // ever
}

func newEarlyRing() *earlyRing {
	r := &earlyRing{}
	for i := range r.slots {
		r.slots[i].Store(-1)
	}
	return r
}

func (r *earlyRing) enqueue(v int) bool {
	r.tailLock.Lock()
	slot := r.tail.Load()
	if slot-r.head.Load() == ringSize {
		r.tailLock.Unlock()
		return false
	}
	r.tail.Store(slot + 1)
	r.tailLock.Unlock()
	linger()
	if v%2 != 0 {
		linger() // some elements take longer to make
	}
	r.slots[slot%ringSize].Store(int64(v))
	r.filled.Add(1)
	return true
}

func (r *earlyRing) dequeue() (int, bool) {
	r.headLock.Lock()
	defer r.headLock.Unlock()
	head := r.head.Load()
	if r.filled.Load() <= head {
		return 0, false
	}
	v := r.slots[head%ringSize].Load()
	r.head.Store(head + 1)
	return int(v), true
}

func (r *earlyRing) peek() (int, bool) {
	r.headLock.Lock()
	defer r.headLock.Unlock()
	head := r.head.Load()
	return int(r.slots[head%ringSize].Load()), r.filled.Load() > head
}

func (r *earlyRing) size() int {
	r.headLock.Lock()
	defer r.headLock.Unlock()
	return int(r.filled.Load() - r.head.Load())
}
