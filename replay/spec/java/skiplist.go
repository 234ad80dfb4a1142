package java

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

var concurrentSkipListMapTable = javaTable(concurrentMapMethods[*sortedMap](), table.IfNull(nullPointer,
	table.Row("putAll(map: null|map)", putAll[*sortedMap], table.Updates),
), []table.Method[*sortedMap]{
	endMethod("firstKey() -> int", (*sortedMap).First, false, showKey, noSuchElement),
	endMethod("lastKey() -> int", (*sortedMap).Last, false, showKey, noSuchElement),
	endMethod("firstEntry() -> null|string", (*sortedMap).First, false, showEntry, history.NullValue),
	endMethod("lastEntry() -> null|string", (*sortedMap).Last, false, showEntry, history.NullValue),
	endMethod("pollFirstEntry() -> null|string", (*sortedMap).First, true, showEntry, history.NullValue),
	endMethod("pollLastEntry() -> null|string", (*sortedMap).Last, true, showEntry, history.NullValue),
	viewRow("navigableKeySet", (*sortedMap).inOrder, "[]", ", ", appendKey),
	viewRow("descendingKeySet", (*sortedMap).descending, "[]", ", ", appendKey),
	viewRow("descendingMap", (*sortedMap).descending, "{}", ", ", appendEntry),
}, nearMethods("Key", "int", showKey), nearMethods("Entry", "string", showEntry),
	partMethods("Map", "{}", appendEntry))

var concurrentSkipListMapEntry = table.Entry{Name: "ConcurrentSkipListMap",
	Doc:     "java.util.concurrent.ConcurrentSkipListMap of JDK 17, from ints to ints",
	Methods: &concurrentSkipListMapTable.Signatures,
	Make:    table.Plain(table.Specification[*sortedMap]{Table: concurrentSkipListMapTable, Fresh: func() *sortedMap { return &sortedMap{} }}),
	Notes:   putAllNote,
}

// ifElement returns a method that is f for an int, and throws a NullPointerException for
// null.
func ifElement(f func(m *sortedMap, e int32) bool) func(*sortedMap, value) value {
	return func(m *sortedMap, e value) value {
		if isNull(e) {
			return nullPointer
		}
		return history.BoolValue(f(m, int32(e.Int())))
	}
}

var (
	setAdd = ifElement(func(m *sortedMap, e int32) bool {
		_, was := m.put(e, 0, true)
		return !was
	})
	setContains = ifElement(func(m *sortedMap, e int32) bool { return m.valueOf(e) != nil })
	setRemove   = ifElement(func(m *sortedMap, e int32) bool { return m.Ordered.Remove(sortedKey(e)) })
)

// setMethods are the methods of java.util.Set. Unlike the methods of the queues, they
// handle the elements of a list in turn and fail at the first null.
var setMethods = slices.Concat(table.IfNull(nullPointer,
	table.Row("add(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setAdd(m, args[0]) }, table.Inserts|table.FailsFalse|table.Keyed),
	table.Row("addAll(c: null|list) -> bool", func(m *sortedMap, args []value) value { return anyOf(m, args[0], setAdd) }, table.FailsFalse),
	table.Row("contains(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setContains(m, args[0]) }, table.Peeks|table.Keyed),
	table.Row("containsAll(c: null|list) -> bool", func(m *sortedMap, args []value) value {
		for _, e := range args[0].List() {
			if r := setContains(m, e); !r.Bool() {
				return r
			}
		}
		return history.BoolValue(true)
	}, table.Reads),
	table.Row("remove(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setRemove(m, args[0]) }, table.Removes|table.FailsFalse|table.Keyed),
	table.Row("removeAll(c: null|list) -> bool", func(m *sortedMap, args []value) value { return anyOf(m, args[0], setRemove) }, table.FailsFalse),
	table.Row("retainAll(c: null|list) -> bool", retainElements, table.FailsFalse),
), []table.Method[*sortedMap]{
	viewRow("toArray", (*sortedMap).inOrder, "[]", ",", appendKey),
	viewRow("toString", (*sortedMap).inOrder, "[]", ", ", appendKey),
}, table.SizeMethods[*sortedMap]("size", "isEmpty"))

// anyOf applies f to every element of c and returns whether any call returned
// true.
func anyOf(m *sortedMap, c value, f func(*sortedMap, value) value) value {
	changed := false
	for _, e := range c.List() {
		r := f(m, e)
		if r.Kind() == history.Exception {
			return r
		}
		changed = changed || r.Bool()
	}
	return history.BoolValue(changed)
}

// retainElements looks up the elements of the set in the list, so a null in the
// list does not matter.
func retainElements(m *sortedMap, args []value) value {
	n := m.Len()
	for _, e := range slices.Collect(m.each) {
		if !listHas(args[0], e.key) {
			m.remove(e.key)
		}
	}
	return history.BoolValue(m.Len() < n)
}

var concurrentSkipListSetTable = javaTable(setMethods, []table.Method[*sortedMap]{
	endMethod("first() -> int", (*sortedMap).First, false, showKey, noSuchElement),
	endMethod("last() -> int", (*sortedMap).Last, false, showKey, noSuchElement),
	endMethod("pollFirst() -> null|int", (*sortedMap).First, true, showKey, history.NullValue),
	endMethod("pollLast() -> null|int", (*sortedMap).Last, true, showKey, history.NullValue),
	viewRow("descendingSet", (*sortedMap).descending, "[]", ", ", appendKey),
}, nearMethods("", "int", showKey),
	partMethods("Set", "[]", appendKey))

var concurrentSkipListSetEntry = table.Entry{Name: "ConcurrentSkipListSet",
	Doc:     "java.util.concurrent.ConcurrentSkipListSet of JDK 17, holding ints",
	Methods: &concurrentSkipListSetTable.Signatures,
	Make:    table.Plain(table.Specification[*sortedMap]{Table: concurrentSkipListSetTable, Fresh: func() *sortedMap { return &sortedMap{isSet: true} }}),
}
