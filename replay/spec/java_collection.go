package spec

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// A collection is the state of a java.util.Collection of Integers. No class of
// java.util.concurrent holds null.
type collection interface {
	length() int
	at(i int) int32 // in the order of iteration
	// offer adds e and reports whether it did.
	offer(e int32) bool
	removeAt(i int)
	// filter removes the elements for which keep returns false, and reports
	// whether there were any.
	filter(keep func(int32) bool) bool
	clear()
}

func indexOf[S collection](s S, e value) int {
	if !isNull(e) {
		for i := range s.length() {
			if int64(s.at(i)) == e.Int() {
				return i
			}
		}
	}
	return -1
}

func collectionText[S collection](s S, sep string) value {
	t := newJavaText('[', sep)
	for i := range s.length() {
		t.element(s.at(i))
	}
	return t.end(']')
}

// collectionMethods are the methods of java.util.Collection that read and
// remove. removeNull is the result of remove(null).
func collectionMethods[S collection](removeNull value) []method[S] {
	return slices.Concat([]method[S]{
		{"contains(e: null|int) -> bool", func(s S, args []value) value {
			return history.BoolValue(indexOf(s, args[0]) >= 0)
		}, reads},
		{"containsAll(c: null|list) -> bool", containsAll[S], reads},
		{"remove(e: null|int) -> bool", func(s S, args []value) value {
			if isNull(args[0]) {
				return removeNull
			}
			return removeFound(s, indexOf(s, args[0]))
		}, failsFalse},
		{"removeAll(c: null|list) -> bool", func(s S, args []value) value { return bulkRemove(s, args[0], false) }, failsFalse},
		{"retainAll(c: null|list) -> bool", func(s S, args []value) value { return bulkRemove(s, args[0], true) }, failsFalse},
	}, javaSizeMethods[S](), []method[S]{
		{"toArray() -> string", func(s S, _ []value) value { return collectionText(s, ",") }, reads},
		{"toString() -> string", func(s S, _ []value) value { return collectionText(s, ", ") }, reads},
	})
}

// javaSizeMethods are the methods that Collection and Map share.
func javaSizeMethods[S interface {
	length() int
	clear()
}]() []method[S] {
	return []method[S]{
		{"size() -> int", func(s S, _ []value) value { return history.IntValue(int64(s.length())) }, measures},
		{"isEmpty() -> bool", func(s S, _ []value) value { return history.BoolValue(s.length() == 0) }, measures},
		{"clear()", func(s S, _ []value) value { s.clear(); return history.NoValue }, empties},
	}
}

// removeFound removes element i, unless i is -1 (not found).
func removeFound[S collection](s S, i int) value {
	if i >= 0 {
		s.removeAt(i)
	}
	return history.BoolValue(i >= 0)
}

func containsAll[S collection](s S, args []value) value {
	if isNull(args[0]) {
		return nullPointer
	}
	for _, e := range args[0].List() {
		if indexOf(s, e) < 0 {
			return history.BoolValue(false)
		}
	}
	return history.BoolValue(true)
}

// bulkRemove keeps either the elements in c or those not in c.
func bulkRemove[S collection](s S, c value, keep bool) value {
	if isNull(c) {
		return nullPointer
	}
	return history.BoolValue(s.filter(func(e int32) bool { return listHas(c, e) == keep }))
}

func listHas(c value, e int32) bool { return slices.ContainsFunc(c.List(), javaInt(e).Equal) }

// javaQueueMethods are the methods of java.util.Queue. addAll differs between
// classes: addAllInTurn or addAllAtOnce. end is front in a deque, where they remove at
// the front and insert at the back.
func javaQueueMethods[S collection](end facts, addAll func(S, []value) value) []method[S] {
	return []method[S]{
		{"add(e: null|int) -> bool", func(s S, args []value) value { return addOrThrow(s, args[0]) }, inserts | failsFalse | throws},
		{"addAll(c: null|list) -> bool", addAll, failsFalse},
		{"offer(e: null|int) -> bool", func(s S, args []value) value {
			if isNull(args[0]) {
				return nullPointer
			}
			return history.BoolValue(s.offer(int32(args[0].Int())))
		}, inserts | failsFalse},
		{"poll() -> null|int", func(s S, _ []value) value { return head(s, true, history.NullValue) }, removes | failsNull | end},
		{"peek() -> null|int", func(s S, _ []value) value { return head(s, false, history.NullValue) }, peeks | end},
		{"remove() -> int", func(s S, _ []value) value { return head(s, true, noSuchElement) }, removes | throws | end},
		{"element() -> int", func(s S, _ []value) value { return head(s, false, noSuchElement) }, peeks | throws | end},
	}
}

// blockingMethods are the methods of java.util.concurrent.BlockingQueue that
// may wait, and then have no transition. Its timed methods are left out: the
// history does not record how long they wait. end is as in javaQueueMethods.
func blockingMethods[S interface {
	collection
	remainingCapacity() int
}](end facts) []method[S] {
	return []method[S]{
		{"put(e: null|int)", func(s S, args []value) value {
			if isNull(args[0]) {
				return nullPointer
			}
			if !s.offer(int32(args[0].Int())) {
				return noTransition
			}
			return history.NoValue
		}, inserts},
		{"take() -> int", func(s S, _ []value) value { return head(s, true, noTransition) }, removes | waits | end},
		{"remainingCapacity() -> int", func(s S, _ []value) value {
			return history.IntValue(int64(s.remainingCapacity()))
		}, reads},
	}
}

// head returns the first element, or none. If remove is set, it also removes
// the element.
func head[S collection](s S, remove bool, none value) value {
	if s.length() == 0 {
		return none
	}
	e := javaInt(s.at(0))
	if remove {
		s.removeAt(0)
	}
	return e
}

// addOrThrow is java.util.AbstractQueue.add.
func addOrThrow[S collection](s S, e value) value {
	switch {
	case isNull(e):
		return nullPointer
	case !s.offer(int32(e.Int())):
		return illegalState
	}
	return history.BoolValue(true)
}

// addAllInTurn is java.util.AbstractQueue.addAll: if an element is rejected,
// the elements before it stay in the queue.
func addAllInTurn[S collection](s S, args []value) value {
	if isNull(args[0]) {
		return nullPointer
	}
	for _, e := range args[0].List() {
		if r := addOrThrow(s, e); r.Kind() == history.Exception {
			return r
		}
	}
	return history.BoolValue(len(args[0].List()) > 0)
}

// addAllAtOnce adds nothing if one of the elements is null, because the linked
// classes build their nodes first.
func addAllAtOnce[S collection](s S, args []value) value {
	if isNull(args[0]) || slices.ContainsFunc(args[0].List(), isNull) {
		return nullPointer
	}
	return addAllInTurn(s, args)
}
