package spec

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

var concurrentSkipListMapTable = javaTable(concurrentMapMethods[*sortedMap](), []method[*sortedMap]{
	{"putAll(map: null|map)", putAll[*sortedMap], updates},
	endMethod("firstKey() -> int", (*sortedMap).first, false, showKey, noSuchElement),
	endMethod("lastKey() -> int", (*sortedMap).last, false, showKey, noSuchElement),
	endMethod("firstEntry() -> null|string", (*sortedMap).first, false, showEntry, history.NullValue),
	endMethod("lastEntry() -> null|string", (*sortedMap).last, false, showEntry, history.NullValue),
	endMethod("pollFirstEntry() -> null|string", (*sortedMap).first, true, showEntry, history.NullValue),
	endMethod("pollLastEntry() -> null|string", (*sortedMap).last, true, showEntry, history.NullValue),
	{"navigableKeySet() -> string", func(m *sortedMap, _ []value) value { return mapText(m, "[]", ", ", keyText) }, reads},
	{"descendingKeySet() -> string", func(m *sortedMap, _ []value) value {
		return mapText(descending{m}, "[]", ", ", keyText)
	}, reads},
	{"descendingMap() -> string", func(m *sortedMap, _ []value) value {
		return mapText(descending{m}, "{}", ", ", (*javaText).entry)
	}, reads},
}, nearMethods("Key", "int", showKey), nearMethods("Entry", "string", showEntry),
	partMethods("Map", func(p part) value { return mapText(p, "{}", ", ", (*javaText).entry) }))

var concurrentSkipListMapEntry = entry{"ConcurrentSkipListMap", "",
	"java.util.concurrent.ConcurrentSkipListMap of JDK 17, from ints to ints",
	&concurrentSkipListMapTable.signatures, newConcurrentSkipListMap, putAllNote}

func newConcurrentSkipListMap(args []value) (replay.Spec, error) {
	return newSorted("ConcurrentSkipListMap", args, concurrentSkipListMapTable, false)
}

func newSorted(name string, args []value, t *table[*sortedMap], isSet bool) (replay.Spec, error) {
	if err := atMost(name, args, 0); err != nil {
		return nil, err
	}
	return &specification[*sortedMap]{name: name, args: args, table: t, fresh: func() *sortedMap { return &sortedMap{isSet: isSet} }}, nil
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
	setRemove   = ifElement(func(m *sortedMap, e int32) bool { return m.ordered.remove(sortedKey(e)) })
)

// setMethods are the methods of java.util.Set. Unlike the methods of the queues, they
// handle the elements of a list in turn and fail at the first null.
var setMethods = slices.Concat([]method[*sortedMap]{
	{"add(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setAdd(m, args[0]) }, failsFalse | keyed},
	{"addAll(c: null|list) -> bool", func(m *sortedMap, args []value) value { return anyOf(m, args[0], setAdd) }, failsFalse},
	{"contains(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setContains(m, args[0]) }, reads | keyed},
	{"containsAll(c: null|list) -> bool", func(m *sortedMap, args []value) value {
		if isNull(args[0]) {
			return nullPointer
		}
		for _, e := range args[0].List() {
			if r := setContains(m, e); !r.Bool() {
				return r
			}
		}
		return history.BoolValue(true)
	}, reads},
	{"remove(e: null|int) -> bool", func(m *sortedMap, args []value) value { return setRemove(m, args[0]) }, failsFalse | keyed},
	{"removeAll(c: null|list) -> bool", func(m *sortedMap, args []value) value { return anyOf(m, args[0], setRemove) }, failsFalse},
	{"retainAll(c: null|list) -> bool", retainElements, failsFalse},
	{"toArray() -> string", func(m *sortedMap, _ []value) value { return mapText(m, "[]", ",", keyText) }, reads},
	{"toString() -> string", func(m *sortedMap, _ []value) value { return mapText(m, "[]", ", ", keyText) }, reads},
}, javaSizeMethods[*sortedMap]())

// anyOf applies f to every element of c and returns whether any call returned
// true.
func anyOf(m *sortedMap, c value, f func(*sortedMap, value) value) value {
	if isNull(c) {
		return nullPointer
	}
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
	if isNull(args[0]) {
		return nullPointer
	}
	var gone []int32
	m.each(func(e, _ int32) bool {
		if !listHas(args[0], e) {
			gone = append(gone, e)
		}
		return true
	})
	for _, e := range gone {
		m.remove(e)
	}
	return history.BoolValue(len(gone) > 0)
}

var concurrentSkipListSetTable = javaTable(setMethods, []method[*sortedMap]{
	endMethod("first() -> int", (*sortedMap).first, false, showKey, noSuchElement),
	endMethod("last() -> int", (*sortedMap).last, false, showKey, noSuchElement),
	endMethod("pollFirst() -> null|int", (*sortedMap).first, true, showKey, history.NullValue),
	endMethod("pollLast() -> null|int", (*sortedMap).last, true, showKey, history.NullValue),
	{"descendingSet() -> string", func(m *sortedMap, _ []value) value {
		return mapText(descending{m}, "[]", ", ", keyText)
	}, reads},
}, nearMethods("", "int", showKey),
	partMethods("Set", func(p part) value { return mapText(p, "[]", ", ", keyText) }))

var concurrentSkipListSetEntry = entry{"ConcurrentSkipListSet", "",
	"java.util.concurrent.ConcurrentSkipListSet of JDK 17, holding ints",
	&concurrentSkipListSetTable.signatures, newConcurrentSkipListSet, nil}

func newConcurrentSkipListSet(args []value) (replay.Spec, error) {
	return newSorted("ConcurrentSkipListSet", args, concurrentSkipListSetTable, true)
}
