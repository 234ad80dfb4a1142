package subject

import (
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
// The garbage collector does away with their counters.
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
