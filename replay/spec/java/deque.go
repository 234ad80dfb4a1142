package java

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A dequeEnd is the end on which the methods xxxFirst or xxxLast of
// java.util.Deque operate.
type dequeEnd struct {
	name  string
	facts table.Facts // front or none
	offer func(q *intQueue, e int32) bool
	at    func(q *intQueue) int          // index of the element at this end; -1 if there is none
	find  func(q *intQueue, e value) int // index of the equal element nearest to this end, or -1
}

var dequeEnds = [2]dequeEnd{
	{"First", table.Front, (*intQueue).offerFirst, table.First[*intQueue], indexOf[*intQueue]},
	{"Last", table.Updates, (*intQueue).offer, table.Last[*intQueue], lastIndexOf},
}

func lastIndexOf(q *intQueue, e value) int {
	for i := q.Len() - 1; i >= 0; i-- {
		if int64(q.At(i)) == e.Int() {
			return i
		}
	}
	return -1
}

// javaDequeMethods are the methods that java.util.Deque adds to those of Queue.
// removeNull is the result of removeFirstOccurrence(null) and
// removeLastOccurrence(null).
func javaDequeMethods(removeNull value) []table.Method[*intQueue] {
	methods := []table.Method[*intQueue]{
		insertRow("push(e: null|int)", (*intQueue).offerFirst, history.NoValue, illegalState, table.Front),
		table.TakeRow("pop() -> int", table.First[*intQueue], noSuchElement, table.Removes|table.Throws|table.Front),
	}
	for _, end := range dequeEnds {
		methods = append(methods, []table.Method[*intQueue]{
			insertRow("add"+end.name+"(e: null|int)", end.offer, history.NoValue, illegalState, end.facts),
			insertRow("offer"+end.name+"(e: null|int) -> bool", end.offer, yes, no, table.FailsFalse|end.facts),
			table.TakeRow("poll"+end.name+"() -> null|int", end.at, history.NullValue, table.Removes|table.FailsNull|end.facts),
			table.TakeRow("peek"+end.name+"() -> null|int", end.at, history.NullValue, table.Peeks|end.facts),
			table.TakeRow("remove"+end.name+"() -> int", end.at, noSuchElement, table.Removes|table.Throws|end.facts),
			table.TakeRow("get"+end.name+"() -> int", end.at, noSuchElement, table.Peeks|table.Throws|end.facts),
			table.Row("remove"+end.name+"Occurrence(e: null|int) -> bool", func(q *intQueue, args []value) value {
				return removeFound(q, end.find(q, args[0]))
			}, table.FailsFalse).IfNull(removeNull),
		}...)
	}
	return methods
}

// blockingDequeMethods are the methods of java.util.concurrent.BlockingDeque
// that may wait.
func blockingDequeMethods() []table.Method[*intQueue] {
	var methods []table.Method[*intQueue]
	for _, end := range dequeEnds {
		methods = append(methods,
			insertRow("put"+end.name+"(e: null|int)", end.offer, history.NoValue, table.NoTransition, end.facts|table.Waits),
			table.TakeRow("take"+end.name+"() -> int", end.at, table.NoTransition, table.Removes|table.Waits|end.facts))
	}
	return methods
}

var concurrentLinkedDequeTable = javaTable(
	javaQueueMethods(table.Front, addAllAtOnce[*intQueue]),
	javaDequeMethods(nullPointer),
	collectionMethods[*intQueue](nullPointer),
)

var concurrentLinkedDequeEntry = table.Entry{Name: "ConcurrentLinkedDeque",
	Doc:     "java.util.concurrent.ConcurrentLinkedDeque of JDK 17, holding ints",
	Methods: &concurrentLinkedDequeTable.Signatures,
	Make:    unbounded(concurrentLinkedDequeTable, replay.BothEnds),
}

var linkedBlockingDequeTable = javaTable(
	javaQueueMethods(table.Front, addAllAtOnce[*intQueue]),
	javaDequeMethods(notFound),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](table.Front),
	blockingDequeMethods(),
)

var linkedBlockingDequeEntry = table.Entry{Name: "LinkedBlockingDeque", Args: "[:capacity]",
	Doc:     "java.util.concurrent.LinkedBlockingDeque of JDK 17, holding ints",
	Methods: &linkedBlockingDequeTable.Signatures,
	Make:    bounded(linkedBlockingDequeTable, replay.BothEnds),
}
