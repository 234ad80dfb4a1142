package java

import (
	"encoding/binary"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An intQueue is the state of a queue of java.util.concurrent that keeps its
// elements in insertion order, or of a deque.
type intQueue struct {
	container.Ring[int32]
	capacity int // 0: unbounded
}

func (q *intQueue) Clone() *intQueue { return &intQueue{q.Ring.Clone(), q.capacity} }

func (q *intQueue) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(q.Len()))
	for i := range q.Len() {
		dst = binary.AppendVarint(dst, int64(q.At(i)))
	}
	return dst
}

func (q *intQueue) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "[]", ", ", q.All(), appendInt)
}

func (q *intQueue) Element(i int) value { return javaInt(q.At(i)) }

func (q *intQueue) full() bool { return q.capacity > 0 && q.Len() >= q.capacity }

func (q *intQueue) offer(e int32) bool {
	if q.full() {
		return false
	}
	q.PushBack(e)
	return true
}

func (q *intQueue) offerFirst(e int32) bool {
	if q.full() {
		return false
	}
	q.PushFront(e)
	return true
}

// remainingCapacity of an unbounded queue is always the largest Java int.
func (q *intQueue) remainingCapacity() int {
	if q.capacity == 0 {
		return math.MaxInt32
	}
	return q.capacity - q.Len()
}

// unbounded returns the Entry.Make of a queue or deque that is never full.
func unbounded(t *table.Table[*intQueue], d replay.Discipline) func([]value) (table.Made, error) {
	return table.Plain(table.Specification[*intQueue]{Table: t, Discipline: d, Fresh: func() *intQueue { return &intQueue{} }})
}

// bounded returns the Entry.Make of a queue or deque whose first argument is its capacity.
// It has the discipline of a bounded collection if a history can fill it. A history has fewer
// operations than the largest Java int.
func bounded(t *table.Table[*intQueue], d replay.Discipline) func([]value) (table.Made, error) {
	return func(args []value) (table.Made, error) {
		capacity, err := capacityOf(args, "capacity")
		if err != nil {
			return nil, err
		}
		d := d
		switch fillable := capacity < math.MaxInt32; {
		case fillable && d == replay.FirstIn:
			d = replay.FirstInBounded
		case fillable:
			d = replay.NoDiscipline
		}
		return &table.Specification[*intQueue]{Table: t, Discipline: d, Capacity: capacity, Fresh: func() *intQueue {
			return &intQueue{capacity: capacity}
		}}, nil
	}
}

var notFound = no // result of remove(null) in most classes

// blockingQueueTable has the methods of ArrayBlockingQueue and LinkedBlockingQueue.
var blockingQueueTable = javaTable(
	javaQueueMethods(table.Updates, addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](table.Updates),
)

var arrayBlockingQueueEntry = table.Entry{Name: "ArrayBlockingQueue", Args: ":capacity[,fair]",
	Doc:     "java.util.concurrent.ArrayBlockingQueue of JDK 17, holding ints",
	Methods: &blockingQueueTable.Signatures,
	Make:    newArrayBlockingQueue,
}

// newArrayBlockingQueue takes the arguments of the constructors: a capacity,
// and whether waiting threads are served fairly, which is never visible.
func newArrayBlockingQueue(args []value) (table.Made, error) {
	if len(args) == 2 && args[1].Kind() != history.Bool {
		return nil, table.BadArgument("fairness", "true or false", args[1])
	}
	return bounded(blockingQueueTable, replay.FirstIn)(args)
}

var linkedBlockingQueueEntry = table.Entry{Name: "LinkedBlockingQueue", Args: "[:capacity]",
	Doc:     "java.util.concurrent.LinkedBlockingQueue of JDK 17, holding ints",
	Methods: &blockingQueueTable.Signatures,
	Make:    bounded(blockingQueueTable, replay.FirstIn),
}

var concurrentLinkedQueueTable = javaTable(
	javaQueueMethods(table.Updates, addAllAtOnce[*intQueue]),
	collectionMethods[*intQueue](notFound),
)

var concurrentLinkedQueueEntry = table.Entry{Name: "ConcurrentLinkedQueue",
	Doc:     "java.util.concurrent.ConcurrentLinkedQueue of JDK 17, holding ints",
	Methods: &concurrentLinkedQueueTable.Signatures,
	Make:    unbounded(concurrentLinkedQueueTable, replay.FirstIn),
}

// A consumer waits only during its take, and a take that waits has no
// transition, so in a sequential run there is never a waiting consumer.
// transfer would always wait and is left out.
var linkedTransferQueueTable = javaTable(
	javaQueueMethods(table.Updates, addAllInTurn[*intQueue]),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](table.Updates),
	[]table.Method[*intQueue]{
		table.Row("tryTransfer(e: null|int) -> bool", func(*intQueue, []value) value { return no }, table.FailsFalse).IfNull(nullPointer),
		table.Row("hasWaitingConsumer() -> bool", func(*intQueue, []value) value { return no }, table.Reads),
		table.Row("getWaitingConsumerCount() -> int", func(*intQueue, []value) value { return history.IntValue(0) }, table.Reads),
	},
)

var linkedTransferQueueEntry = table.Entry{Name: "LinkedTransferQueue",
	Doc:     "java.util.concurrent.LinkedTransferQueue of JDK 17, holding ints",
	Methods: &linkedTransferQueueTable.Signatures,
	Make:    unbounded(linkedTransferQueueTable, replay.FirstIn),
	Notes: []string{
		`In sequential runs no consumer waits: tryTransfer and hasWaitingConsumer return false, and getWaitingConsumerCount returns 0.`,
		`So a hand-over to a waiting consumer is not linearizable; leave it out of the history, with transfer.`,
	},
}
