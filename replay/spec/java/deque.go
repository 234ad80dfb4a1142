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
	index func(q *intQueue) int          // index of the element at this end; -1 if there is none
	find  func(q *intQueue, e value) int // index of the equal element nearest to this end, or -1
}

var dequeEnds = [2]dequeEnd{
	{"First", table.Front, (*intQueue).offerFirst, func(q *intQueue) int { return min(0, q.Len()-1) }, indexOf[*intQueue]},
	{"Last", table.Updates, (*intQueue).offer, func(q *intQueue) int { return q.Len() - 1 }, lastIndexOf},
}

func lastIndexOf(q *intQueue, e value) int {
	for i := q.Len() - 1; i >= 0; i-- {
		if int64(q.At(i)) == e.Int() {
			return i
		}
	}
	return -1
}

// insert adds e and returns done, or full if there is no room.
func (end *dequeEnd) insert(q *intQueue, e, done, full value) value {
	switch {
	case isNull(e):
		return nullPointer
	case !end.offer(q, int32(e.Int())):
		return full
	}
	return done
}

// element returns the element at this end, or none. If remove is set, it also
// removes the element.
func (end *dequeEnd) element(q *intQueue, remove bool, none value) value {
	i := end.index(q)
	if i < 0 {
		return none
	}
	e := javaInt(q.At(i))
	if remove {
		q.RemoveAt(i)
	}
	return e
}

// javaDequeMethods are the methods that java.util.Deque adds to those of Queue.
// removeNull is the result of removeFirstOccurrence(null) and
// removeLastOccurrence(null).
func javaDequeMethods(removeNull value) []table.Method[*intQueue] {
	first := &dequeEnds[0]
	methods := []table.Method[*intQueue]{
		table.Row("push(e: null|int)", func(q *intQueue, args []value) value {
			return first.insert(q, args[0], history.NoValue, illegalState)
		}, table.Inserts|table.Front),
		table.Row("pop() -> int", func(q *intQueue, _ []value) value { return first.element(q, true, noSuchElement) }, table.Removes|table.Throws|table.Front),
	}
	for i := range dequeEnds {
		end := &dequeEnds[i]
		methods = append(methods, []table.Method[*intQueue]{
			table.Row("add"+end.name+"(e: null|int)", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.NoValue, illegalState)
			}, table.Inserts|end.facts),
			table.Row("offer"+end.name+"(e: null|int) -> bool", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.BoolValue(true), history.BoolValue(false))
			}, table.Inserts|table.FailsFalse|end.facts),
			table.Row("poll"+end.name+"() -> null|int", func(q *intQueue, _ []value) value {
				return end.element(q, true, history.NullValue)
			}, table.Removes|table.FailsNull|end.facts),
			table.Row("peek"+end.name+"() -> null|int", func(q *intQueue, _ []value) value {
				return end.element(q, false, history.NullValue)
			}, table.Peeks|end.facts),
			table.Row("remove"+end.name+"() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, true, noSuchElement)
			}, table.Removes|table.Throws|end.facts),
			table.Row("get"+end.name+"() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, false, noSuchElement)
			}, table.Peeks|table.Throws|end.facts),
			table.Row("remove"+end.name+"Occurrence(e: null|int) -> bool", func(q *intQueue, args []value) value {
				if isNull(args[0]) {
					return removeNull
				}
				return removeFound(q, end.find(q, args[0]))
			}, table.FailsFalse),
		}...)
	}
	return methods
}

// blockingDequeMethods are the methods of java.util.concurrent.BlockingDeque
// that may wait.
func blockingDequeMethods() []table.Method[*intQueue] {
	var methods []table.Method[*intQueue]
	for i := range dequeEnds {
		end := &dequeEnds[i]
		methods = append(methods, []table.Method[*intQueue]{
			table.Row("put"+end.name+"(e: null|int)", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.NoValue, table.NoTransition)
			}, table.Inserts|end.facts),
			table.Row("take"+end.name+"() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, true, table.NoTransition)
			}, table.Removes|table.Waits|end.facts),
		}...)
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
