package spec

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An intQueue is the state of a queue of java.util.concurrent that keeps its
// elements in insertion order, or of a deque.
type intQueue struct {
	ring[int32]
	capacity int // 0: unbounded
}

func (q *intQueue) clone() *intQueue { return &intQueue{q.ring.clone(), q.capacity} }

func (q *intQueue) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(q.n))
	for i := range q.n {
		dst = binary.AppendVarint(dst, int64(q.at(i)))
	}
	return dst
}

func (q *intQueue) appendText(dst []byte) []byte {
	return append(dst, collectionText(q, ", ").Text()...)
}

func (q *intQueue) full() bool { return q.capacity > 0 && q.n >= q.capacity }

func (q *intQueue) offer(e int32) bool {
	if q.full() {
		return false
	}
	q.pushBack(e)
	return true
}

func (q *intQueue) offerFirst(e int32) bool {
	if q.full() {
		return false
	}
	q.pushFront(e)
	return true
}

// remainingCapacity of an unbounded queue is always the largest Java int.
func (q *intQueue) remainingCapacity() int {
	if q.capacity == 0 {
		return math.MaxInt32
	}
	return q.capacity - q.n
}

// intQueueSpec returns a specification with the discipline, or with the discipline of a
// bounded collection if a history can fill it. A history has fewer operations than the
// largest Java int.
func intQueueSpec(name string, args []value, t *table[*intQueue], d replay.Discipline, capacity int) replay.Spec {
	switch bounded := capacity > 0 && capacity < math.MaxInt32; {
	case bounded && d == replay.FirstIn:
		d = replay.FirstInBounded
	case bounded:
		d = replay.NoDiscipline
	}
	return &specification[*intQueue]{name: name, args: args, table: t, discipline: d, capacity: capacity, fresh: func() *intQueue {
		return &intQueue{capacity: capacity}
	}}
}

var notFound = history.BoolValue(false) // result of remove(null) in most classes

var arrayBlockingQueueTable = javaTable(
	javaQueueMethods(updates, addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](updates),
)

var arrayBlockingQueueEntry = entry{"ArrayBlockingQueue", ":capacity[,fair]",
	"java.util.concurrent.ArrayBlockingQueue of JDK 17, holding ints",
	&arrayBlockingQueueTable.signatures, newArrayBlockingQueue, nil}

// newArrayBlockingQueue takes the arguments of the constructors: a capacity,
// and whether waiting threads are served fairly, which is never visible.
func newArrayBlockingQueue(args []value) (replay.Spec, error) {
	const name = "ArrayBlockingQueue"
	if len(args) == 0 {
		return nil, fmt.Errorf("%s needs a capacity, as in %s:20", name, name)
	}
	if err := atMost(name, args, 2); err != nil {
		return nil, err
	}
	if len(args) == 2 && args[1].Kind() != history.Bool {
		return nil, badArgument(name, "fairness", "true or false", args[1])
	}
	capacity, err := javaCapacity(name, "capacity", args[:1])
	if err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, arrayBlockingQueueTable, replay.FirstIn, capacity), nil
}

var linkedBlockingQueueTable = javaTable(
	javaQueueMethods(updates, addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](updates),
)

var linkedBlockingQueueEntry = entry{"LinkedBlockingQueue", "[:capacity]",
	"java.util.concurrent.LinkedBlockingQueue of JDK 17, holding ints",
	&linkedBlockingQueueTable.signatures, newLinkedBlockingQueue, nil}

func newLinkedBlockingQueue(args []value) (replay.Spec, error) {
	const name = "LinkedBlockingQueue"
	capacity, err := javaCapacity(name, "capacity", args)
	if err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, linkedBlockingQueueTable, replay.FirstIn, capacity), nil
}

var concurrentLinkedQueueTable = javaTable(
	javaQueueMethods(updates, addAllAtOnce[*intQueue]),
	collectionMethods[*intQueue](notFound),
)

var concurrentLinkedQueueEntry = entry{"ConcurrentLinkedQueue", "",
	"java.util.concurrent.ConcurrentLinkedQueue of JDK 17, holding ints",
	&concurrentLinkedQueueTable.signatures, newConcurrentLinkedQueue, nil}

func newConcurrentLinkedQueue(args []value) (replay.Spec, error) {
	const name = "ConcurrentLinkedQueue"
	if err := atMost(name, args, 0); err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, concurrentLinkedQueueTable, replay.FirstIn, 0), nil
}

// A consumer waits only during its take, and a take that waits has no
// transition, so in a sequential run there is never a waiting consumer.
// transfer would always wait and is left out.
var linkedTransferQueueTable = javaTable(
	javaQueueMethods(updates, addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](updates),
	[]method[*intQueue]{
		{"tryTransfer(e: null|int) -> bool", func(_ *intQueue, args []value) value {
			if isNull(args[0]) {
				return nullPointer
			}
			return history.BoolValue(false)
		}, failsFalse},
		{"hasWaitingConsumer() -> bool", func(*intQueue, []value) value { return history.BoolValue(false) }, reads},
		{"getWaitingConsumerCount() -> int", func(*intQueue, []value) value { return history.IntValue(0) }, reads},
	},
)

var linkedTransferQueueEntry = entry{"LinkedTransferQueue", "",
	"java.util.concurrent.LinkedTransferQueue of JDK 17, holding ints",
	&linkedTransferQueueTable.signatures, newLinkedTransferQueue, []string{
		`In sequential runs no consumer waits: tryTransfer and hasWaitingConsumer return false, and getWaitingConsumerCount returns 0.`,
		`So a hand-over to a waiting consumer is not linearizable; leave it out of the history, with transfer.`,
	}}

func newLinkedTransferQueue(args []value) (replay.Spec, error) {
	const name = "LinkedTransferQueue"
	if err := atMost(name, args, 0); err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, linkedTransferQueueTable, replay.FirstIn, 0), nil
}
