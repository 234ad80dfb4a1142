package java

import (
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A collection is the state of a java.util.Collection of Integers. No class of
// java.util.concurrent holds null.
type collection interface {
	table.Sequence
	At(i int) int32 // in the order of iteration
	All() iter.Seq[int32]
	// offer adds e and reports whether it did.
	offer(e int32) bool
	// filter removes the elements for which keep returns false, and reports
	// whether there were any.
	Filter(keep func(int32) bool) bool
	Clear()
}

func indexOf[S collection](s S, e value) int {
	if !isNull(e) {
		for i := range s.Len() {
			if int64(s.At(i)) == e.Int() {
				return i
			}
		}
	}
	return -1
}

// collectionMethods are the methods of java.util.Collection that read and
// remove. removeNull is the result of remove(null).
func collectionMethods[S collection](removeNull value) []table.Method[S] {
	return slices.Concat([]table.Method[S]{
		table.Row("contains(e: null|int) -> bool", func(s S, args []value) value {
			return history.BoolValue(indexOf(s, args[0]) >= 0)
		}, table.Reads),
		table.Row("remove(e: null|int) -> bool", func(s S, args []value) value {
			return removeFound(s, indexOf(s, args[0]))
		}, table.FailsFalse).IfNull(removeNull),
	}, table.IfNull(nullPointer,
		table.Row("containsAll(c: null|list) -> bool", containsAll[S], table.Reads),
		table.Row("removeAll(c: null|list) -> bool", func(s S, args []value) value { return bulkRemove(s, args[0], false) }, table.FailsFalse),
		table.Row("retainAll(c: null|list) -> bool", func(s S, args []value) value { return bulkRemove(s, args[0], true) }, table.FailsFalse),
	), table.SizeMethods[S]("size", "isEmpty"), []table.Method[S]{
		table.Row("toArray() -> string", func(s S, _ []value) value { return text("[]", ",", s.All(), appendInt) }, table.Reads),
		table.Row("toString() -> string", func(s S, _ []value) value { return text("[]", ", ", s.All(), appendInt) }, table.Reads),
	})
}

// removeFound removes element i, unless i is -1 (not found).
func removeFound[S collection](s S, i int) value {
	if i >= 0 {
		s.RemoveAt(i)
	}
	return history.BoolValue(i >= 0)
}

func containsAll[S collection](s S, args []value) value {
	for _, e := range args[0].List() {
		if indexOf(s, e) < 0 {
			return history.BoolValue(false)
		}
	}
	return history.BoolValue(true)
}

// bulkRemove keeps either the elements in c or those not in c.
func bulkRemove[S collection](s S, c value, keep bool) value {
	return history.BoolValue(s.Filter(func(e int32) bool { return listHas(c, e) == keep }))
}

func listHas(c value, e int32) bool { return slices.ContainsFunc(c.List(), javaInt(e).Equal) }

// insertRow is the row of a method that inserts its argument: offer does that. The method
// returns the value done, or the value full if there is no room.
func insertRow[S collection](signature string, offer func(S, int32) bool, done, full value, facts table.Facts) table.Method[S] {
	return table.Row(signature, func(s S, args []value) value {
		if !offer(s, int32(args[0].Int())) {
			return full
		}
		return done
	}, table.Inserts|facts).IfNull(nullPointer)
}

var yes, no = history.BoolValue(true), history.BoolValue(false)

// javaQueueMethods are the methods of java.util.Queue. addAll differs between
// classes: addAllInTurn or addAllAtOnce. end is front in a deque, where they remove at
// the front and insert at the back.
func javaQueueMethods[S collection](end table.Facts, addAll func(S, []value) value) []table.Method[S] {
	return []table.Method[S]{
		insertRow("add(e: null|int) -> bool", S.offer, yes, illegalState, table.FailsFalse|table.Throws),
		table.Row("addAll(c: null|list) -> bool", addAll, table.FailsFalse).IfNull(nullPointer),
		insertRow("offer(e: null|int) -> bool", S.offer, yes, no, table.FailsFalse),
		table.TakeRow("poll() -> null|int", table.First[S], history.NullValue, table.Removes|table.FailsNull|end),
		table.TakeRow("peek() -> null|int", table.First[S], history.NullValue, table.Peeks|end),
		table.TakeRow("remove() -> int", table.First[S], noSuchElement, table.Removes|table.Throws|end),
		table.TakeRow("element() -> int", table.First[S], noSuchElement, table.Peeks|table.Throws|end),
	}
}

// blockingMethods are the methods of java.util.concurrent.BlockingQueue that
// may wait, and then have no transition. Its timed methods are left out: the
// history does not record how long they wait. end is as in javaQueueMethods.
func blockingMethods[S interface {
	collection
	remainingCapacity() int
}](end table.Facts) []table.Method[S] {
	return []table.Method[S]{
		insertRow("put(e: null|int)", S.offer, history.NoValue, table.NoTransition, table.Waits),
		table.TakeRow("take() -> int", table.First[S], table.NoTransition, table.Removes|table.Waits|end),
		table.Row("remainingCapacity() -> int", func(s S, _ []value) value {
			return history.IntValue(int64(s.remainingCapacity()))
		}, table.Reads),
	}
}

// addAllInTurn is java.util.AbstractQueue.addAll: if an element is rejected,
// the elements before it stay in the queue.
func addAllInTurn[S collection](s S, args []value) value {
	list := args[0].List()
	for _, e := range list {
		switch {
		case isNull(e):
			return nullPointer
		case !s.offer(int32(e.Int())):
			return illegalState
		}
	}
	return history.BoolValue(len(list) > 0)
}

// addAllAtOnce adds nothing if one of the elements is null, because the linked
// classes build their nodes first.
func addAllAtOnce[S collection](s S, args []value) value {
	if slices.ContainsFunc(args[0].List(), isNull) {
		return nullPointer
	}
	return addAllInTurn(s, args)
}
