package subject

import (
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A ring is a bounded queue.
type ring interface {
	enqueue(v int) bool
	dequeue() (int, bool)
	peek() (int, bool)
	size() int
}

// ringSize is the capacity, as in the model below.
const ringSize = 4

func rings() []*Subject {
	return subjects(model{"queue", []history.Value{history.IntValue(ringSize)}}, []*stress.Method{
		unary("enqueue", 0, func(r ring, v int) history.Value { return history.BoolValue(r.enqueue(v)) }),
		nullary("dequeue", 0, func(r ring) history.Value { return orNull(r.dequeue()) }),
		nullary("peek", readOnly, func(r ring) history.Value { return orNull(r.peek()) }),
		nullary("size", readOnly, func(r ring) history.Value { return intValue(r.size()) }),
	}, variant{
		name: "ring", doc: "a queue of capacity 4 under a lock",
		new: func() any { return &lockedRing{} },
	}, variant{
		name: "ring-out-of-order", doc: "a queue with a lock for each end that counts elements which are not there yet",
		new: func() any { return newEarlyRing() }, twin: "ring",
	})
}

type lockedRing struct {
	mu         sync.Mutex
	slots      [ringSize]int
	head, tail int
}

func (r *lockedRing) enqueue(v int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tail-r.head == ringSize {
		return false
	}
	r.slots[r.tail%ringSize] = v
	r.tail++
	return true
}

func (r *lockedRing) dequeue() (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.head == r.tail {
		return 0, false
	}
	r.head++
	return r.slots[(r.head-1)%ringSize], true
}

func (r *lockedRing) peek() (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slots[r.head%ringSize], r.head != r.tail
}

func (r *lockedRing) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tail - r.head
}
