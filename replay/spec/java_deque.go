package spec

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A dequeEnd is the end on which the methods xxxFirst or xxxLast of
// java.util.Deque operate.
type dequeEnd struct {
	name  string
	facts facts // front or none
	offer func(q *intQueue, e int32) bool
	index func(q *intQueue) int          // index of the element at this end; -1 if there is none
	find  func(q *intQueue, e value) int // index of the equal element nearest to this end, or -1
}

var dequeEnds = [2]dequeEnd{
	{"First", front, (*intQueue).offerFirst, func(q *intQueue) int { return min(0, q.n-1) }, indexOf[*intQueue]},
	{"Last", updates, (*intQueue).offer, func(q *intQueue) int { return q.n - 1 }, lastIndexOf},
}

func lastIndexOf(q *intQueue, e value) int {
	for i := q.n - 1; i >= 0; i-- {
		if int64(q.at(i)) == e.Int() {
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
	e := javaInt(q.at(i))
	if remove {
		q.removeAt(i)
	}
	return e
}

// javaDequeMethods are the methods that java.util.Deque adds to those of Queue.
// removeNull is the result of removeFirstOccurrence(null) and
// removeLastOccurrence(null).
func javaDequeMethods(removeNull value) []method[*intQueue] {
	first := &dequeEnds[0]
	methods := []method[*intQueue]{
		{"push(e: null|int)", func(q *intQueue, args []value) value {
			return first.insert(q, args[0], history.NoValue, illegalState)
		}, inserts | front},
		{"pop() -> int", func(q *intQueue, _ []value) value { return first.element(q, true, noSuchElement) }, removes | throws | front},
	}
	for i := range dequeEnds {
		end := &dequeEnds[i]
		methods = append(methods, []method[*intQueue]{
			{"add" + end.name + "(e: null|int)", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.NoValue, illegalState)
			}, inserts | end.facts},
			{"offer" + end.name + "(e: null|int) -> bool", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.BoolValue(true), history.BoolValue(false))
			}, inserts | failsFalse | end.facts},
			{"poll" + end.name + "() -> null|int", func(q *intQueue, _ []value) value {
				return end.element(q, true, history.NullValue)
			}, removes | failsNull | end.facts},
			{"peek" + end.name + "() -> null|int", func(q *intQueue, _ []value) value {
				return end.element(q, false, history.NullValue)
			}, peeks | end.facts},
			{"remove" + end.name + "() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, true, noSuchElement)
			}, removes | throws | end.facts},
			{"get" + end.name + "() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, false, noSuchElement)
			}, peeks | throws | end.facts},
			{"remove" + end.name + "Occurrence(e: null|int) -> bool", func(q *intQueue, args []value) value {
				if isNull(args[0]) {
					return removeNull
				}
				return removeFound(q, end.find(q, args[0]))
			}, failsFalse},
		}...)
	}
	return methods
}

// blockingDequeMethods are the methods of java.util.concurrent.BlockingDeque
// that may wait.
func blockingDequeMethods() []method[*intQueue] {
	var methods []method[*intQueue]
	for i := range dequeEnds {
		end := &dequeEnds[i]
		methods = append(methods, []method[*intQueue]{
			{"put" + end.name + "(e: null|int)", func(q *intQueue, args []value) value {
				return end.insert(q, args[0], history.NoValue, noTransition)
			}, inserts | end.facts},
			{"take" + end.name + "() -> int", func(q *intQueue, _ []value) value {
				return end.element(q, true, noTransition)
			}, removes | waits | end.facts},
		}...)
	}
	return methods
}

var concurrentLinkedDequeTable = javaTable(
	javaQueueMethods(front, addAllAtOnce[*intQueue]),
	javaDequeMethods(nullPointer),
	collectionMethods[*intQueue](nullPointer),
)

var concurrentLinkedDequeEntry = entry{"ConcurrentLinkedDeque", "",
	"java.util.concurrent.ConcurrentLinkedDeque of JDK 17, holding ints",
	&concurrentLinkedDequeTable.signatures, newConcurrentLinkedDeque, nil}

func newConcurrentLinkedDeque(args []value) (replay.Spec, error) {
	const name = "ConcurrentLinkedDeque"
	if err := atMost(name, args, 0); err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, concurrentLinkedDequeTable, replay.BothEnds, 0), nil
}

var linkedBlockingDequeTable = javaTable(
	javaQueueMethods(front, addAllAtOnce[*intQueue]),
	javaDequeMethods(notFound),
	collectionMethods[*intQueue](notFound),
	blockingMethods[*intQueue](front),
	blockingDequeMethods(),
)

var linkedBlockingDequeEntry = entry{"LinkedBlockingDeque", "[:capacity]",
	"java.util.concurrent.LinkedBlockingDeque of JDK 17, holding ints",
	&linkedBlockingDequeTable.signatures, newLinkedBlockingDeque, nil}

func newLinkedBlockingDeque(args []value) (replay.Spec, error) {
	const name = "LinkedBlockingDeque"
	capacity, err := javaCapacity(name, "capacity", args)
	if err != nil {
		return nil, err
	}
	return intQueueSpec(name, args, linkedBlockingDequeTable, replay.BothEnds, capacity), nil
}
