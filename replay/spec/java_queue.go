package spec

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An intQueue is the state of a first-in first-out queue of
// java.util.concurrent.
type intQueue struct {
	ring[int32]
	capacity int
}

func (q *intQueue) clone() *intQueue { return &intQueue{q.ring.clone(), q.capacity} }

func (q *intQueue) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(q.n))
	for i := range q.n {
		dst = binary.AppendVarint(dst, int64(q.at(i)))
	}
	return dst
}

func (q *intQueue) offer(e int32) bool {
	if q.n >= q.capacity {
		return false
	}
	q.pushBack(e)
	return true
}

func (q *intQueue) remainingCapacity() int { return q.capacity - q.n }

var arrayBlockingQueueTable = javaTable(
	javaQueueMethods(addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](),
	blockingMethods[*intQueue](),
)

// newArrayBlockingQueue takes the arguments of the constructors: a capacity
// and whether waiting threads are served fairly, which shows nowhere.
func newArrayBlockingQueue(args []value) (replay.Spec, error) {
	const name = "ArrayBlockingQueue"
	if len(args) == 0 {
		return nil, fmt.Errorf("%s needs a capacity, as in %s:20", name, name)
	}
	if err := atMost(name, args, 2); err != nil {
		return nil, err
	}
	if err := positive(name, "capacity", args[0]); err != nil {
		return nil, err
	}
	if !fitsInt(args[0]) {
		return nil, badArgument(name, "capacity", "an int of Java", args[0])
	}
	if len(args) == 2 && args[1].Kind() != history.Bool {
		return nil, badArgument(name, "fairness", "true or false", args[1])
	}
	capacity := int(args[0].Int())
	return &specification[*intQueue]{name, args, arrayBlockingQueueTable, func() *intQueue {
		return &intQueue{capacity: capacity}
	}}, nil
}

var concurrentLinkedQueueTable = javaTable(
	javaQueueMethods(addAllAtOnce[*intQueue]),
	collectionMethods[*intQueue](),
)

func newConcurrentLinkedQueue(args []value) (replay.Spec, error) {
	const name = "ConcurrentLinkedQueue"
	if err := atMost(name, args, 0); err != nil {
		return nil, err
	}
	return &specification[*intQueue]{name, args, concurrentLinkedQueueTable, func() *intQueue {
		return &intQueue{capacity: math.MaxInt}
	}}, nil
}
