package subject

import (
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A blocking queue holds up to blockingSize values. put waits while it is full,
// get while it is empty.
type blocking interface {
	put(v int)
	get() int
}

// blockingSize is the capacity of the blocking queues. Few threads fill it.
const blockingSize = 1

func blockingQueues() []*Subject {
	return subjects(model{}, []*stress.Method{
		unary("put", core, func(q blocking, v int) history.Value { q.put(v); return history.NoValue }),
		nullary("get", core, func(q blocking) history.Value { return intValue(q.get()) }),
	}, variant{
		name: "blocking-queue", doc: "a bounded queue with a condition variable; put and get wait",
		new: func() any { return newCondQueue(&condQueue{wake: (*sync.Cond).Broadcast}) },
	}, variant{
		name: "blocking-channel", doc: "a channel with a buffer of 1; put sends and get receives",
		new: func() any { return make(channelQueue, blockingSize) },
	}, variant{
		name: "blocking-queue-signal", doc: "a bounded queue that wakes one waiting thread, which may be of the wrong kind",
		new: func() any { return newCondQueue(&condQueue{wake: (*sync.Cond).Signal}) }, twin: "blocking-queue",
	}, variant{
		name: "blocking-queue-silent", doc: "a bounded queue whose get does not wake those that wait to put",
		new: func() any { return newCondQueue(&condQueue{wake: (*sync.Cond).Broadcast, silentGet: true}) }, twin: "blocking-queue",
	}, variant{
		name: "blocking-queue-hasty", doc: "a bounded queue whose get does not look again when it was woken",
		new: func() any { return newCondQueue(&condQueue{wake: (*sync.Cond).Broadcast, hastyGet: true}) }, twin: "blocking-queue",
	})
}

// A condQueue is a bounded queue with one condition variable for all that wait.
type condQueue struct {
	mu     sync.Mutex
	cond   sync.Cond
	values []int

	wake                func(*sync.Cond)
	silentGet, hastyGet bool
}

func newCondQueue(q *condQueue) *condQueue {
	q.cond.L = &q.mu
	return q
}

func (q *condQueue) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == blockingSize {
		q.cond.Wait()
	}
	q.values = append(q.values, v)
	q.wake(&q.cond)
}

func (q *condQueue) get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for woken := false; len(q.values) == 0; woken = true {
		if woken && q.hastyGet {
			break
		}
		q.cond.Wait()
	}
	v := q.values[0]
	q.values = q.values[1:]
	if !q.silentGet {
		q.wake(&q.cond)
	}
	return v
}

type channelQueue chan int

func (c channelQueue) put(v int) { c <- v }
func (c channelQueue) get() int  { return <-c }
