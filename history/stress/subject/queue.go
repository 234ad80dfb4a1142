package subject

import (
	"sync"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A queue is an unbounded queue.
type queue interface {
	enqueue(v int)
	dequeue() (int, bool)
	isEmpty() bool
}

func queues() []*Subject {
	return subjects(model{name: "queue"}, []*stress.Method{
		unary("enqueue", core, func(q queue, v int) history.Value { q.enqueue(v); return history.NoValue }),
		nullary("dequeue", core, func(q queue) history.Value { return orNull(q.dequeue()) }),
		nullary("isEmpty", core|readOnly, func(q queue) history.Value { return history.BoolValue(q.isEmpty()) }),
	}, variant{
		name: "queue", doc: "the queue of Michael and Scott",
		new: func() any { return newLinkedQueue(&linkedQueue{}) },
	}, variant{
		name: "queue-double-delivery", doc: "a linked queue whose dequeue reads the head, then moves it",
		new: func() any { return &carelessQueue{newLinkedQueue(&linkedQueue{})} }, twin: "queue",
	})
}

// A linkedQueue is the non-blocking queue of Michael and Scott ("Simple, Fast,
// and Practical Non-Blocking and Blocking Concurrent Queue Algorithms", 1996).
// With a garbage collector it needs no counters.
type linkedQueue struct{ head, tail atomic.Pointer[queueNode] }

type queueNode struct {
	v    int
	next atomic.Pointer[queueNode]
}

func newLinkedQueue(q *linkedQueue) *linkedQueue {
	dummy := &queueNode{}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *linkedQueue) enqueue(v int) {
	node := &queueNode{v: v}
	for {
		tail := q.tail.Load()
		if next := tail.next.Load(); next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, node) {
			q.tail.CompareAndSwap(tail, node)
			return
		}
	}
}

func (q *linkedQueue) dequeue() (int, bool) {
	for {
		head, tail := q.head.Load(), q.tail.Load()
		next := head.next.Load()
		switch {
		case next == nil:
			return 0, false
		case head == tail:
			q.tail.CompareAndSwap(tail, next)
		case q.head.CompareAndSwap(head, next):
			return next.v, true
		}
	}
}

func (q *linkedQueue) isEmpty() bool { return q.head.Load().next.Load() == nil }

// A carelessQueue returns one element from all calls that read the same head. A
// slow call moves the head back, so that elements come once more.
type carelessQueue struct{ *linkedQueue }

func (q *carelessQueue) dequeue() (int, bool) {
	next := q.head.Load().next.Load()
	if next == nil {
		return 0, false
	}
	linger()
	q.head.Store(next)
	return next.v, true
}

// channels is a buffered channel as a bounded queue whose methods do not wait.
func channels() []*Subject {
	return subjects(model{"queue", []history.Value{history.IntValue(2)}}, []*stress.Method{
		unary("enqueue", core, func(c chan int, v int) history.Value {
			select {
			case c <- v:
				return history.BoolValue(true)
			default:
				return history.BoolValue(false)
			}
		}),
		nullary("dequeue", core, func(c chan int) history.Value {
			select {
			case v := <-c:
				return intValue(v)
			default:
				return history.NullValue
			}
		}),
		// By the language specification, len is the number of queued elements.
		// It has no order with sends and receives.
		nullary("size", readOnly|weak, func(c chan int) history.Value { return intValue(len(c)) }),
	}, variant{
		name: "channel", doc: "a channel with a buffer of 2; tries to send and to receive are enqueue and dequeue",
		new: func() any { return make(chan int, 2) },
	})
}

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

// An earlyRing has a lock for each end. An enqueue takes a slot under the lock,
// fills it outside, and then adds one to the number of filled slots. But an enqueue
// with a later slot may fill it first. A dequeue then returns the old content of the
// earlier slot: -1, or an old element.
type earlyRing struct {
	tailLock, headLock sync.Mutex
	slots              [ringSize]atomic.Int64
	head, tail, filled atomic.Int64 // they only grow
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

// A stack is an unbounded stack.
type stack interface {
	push(v int)
	pop() (int, bool)
	peek() (int, bool)
}

func stacks() []*Subject {
	return subjects(model{name: "stack"}, []*stress.Method{
		unary("push", core, func(s stack, v int) history.Value { s.push(v); return history.NoValue }),
		nullary("pop", core, func(s stack) history.Value { return orNull(s.pop()) }),
		nullary("peek", core|readOnly, func(s stack) history.Value { return orNull(s.peek()) }),
	}, variant{
		name: "stack", doc: "the stack of Treiber",
		new: func() any { return &linkedStack{} },
	}, variant{
		name: "stack-stale-pop", doc: "a stack whose pop, when it has to try again, still answers what it read first",
		new: func() any { return &staleStack{} }, twin: "stack",
	})
}

// A linkedStack is the stack of Treiber ("Systems Programming: Coping with
// Parallelism", 1986).
type linkedStack struct{ top atomic.Pointer[stackNode] }

type stackNode struct {
	v    int
	next *stackNode
}

func (s *linkedStack) push(v int) {
	node := &stackNode{v: v}
	for {
		node.next = s.top.Load()
		if s.top.CompareAndSwap(node.next, node) {
			return
		}
	}
}

func (s *linkedStack) pop() (int, bool) {
	for {
		top := s.top.Load()
		if top == nil {
			return 0, false
		}
		if s.top.CompareAndSwap(top, top.next) {
			return top.v, true
		}
	}
}

func (s *linkedStack) peek() (int, bool) {
	if top := s.top.Load(); top != nil {
		return top.v, true
	}
	return 0, false
}

// A staleStack returns, from a pop that has to try again, the value that it read
// first.
type staleStack struct{ linkedStack }

func (s *staleStack) pop() (int, bool) {
	top := s.top.Load()
	if top == nil {
		return 0, false
	}
	v := top.v
	linger()
	for !s.top.CompareAndSwap(top, top.next) {
		if top = s.top.Load(); top == nil {
			return 0, false
		}
	}
	return v, true
}
