package java

import (
	"cmp"
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// An intMap is the state of a java.util.concurrent.ConcurrentMap from Integer
// to Integer.
type intMap interface {
	Len() int
	// valueOf returns a pointer to the value of key, or nil. It is valid until
	// the keys change.
	valueOf(key int32) *int32
	// put sets the value of key and returns the old value. If onlyIfAbsent is
	// set, it does not replace a value.
	put(key, val int32, onlyIfAbsent bool) (old int32, was bool)
	remove(key int32)
	each(yield func(entry) bool)
	inOrder() iter.Seq[entry] // each, in the order of iteration of the class
	Clear()
}

type entry struct{ key, val int32 }

func appendKey(dst []byte, e entry) []byte   { return appendInt(dst, e.key) }
func appendVal(dst []byte, e entry) []byte   { return appendInt(dst, e.val) }
func appendEntry(dst []byte, e entry) []byte { return appendVal(append(appendKey(dst, e), '='), e) }

// viewRow is the row of a method that lists the entries, each formatted by element.
func viewRow[S any](name string, entries func(S) iter.Seq[entry], brackets, separator string, element func([]byte, entry) []byte) table.Method[S] {
	return table.Row(name+"() -> string", func(s S, _ []value) value {
		return text(brackets, separator, entries(s), element)
	}, table.Reads)
}

// lookup returns the value of key, or none.
func lookup[S intMap](s S, key, none value) value {
	if p := s.valueOf(int32(key.Int())); p != nil {
		return javaInt(*p)
	}
	return none
}

// replaceValue returns the value of key, or null. It replaces the value by val
// if there is one, and it equals old or old is null.
func replaceValue[S intMap](s S, key, old, val value) value {
	p := s.valueOf(int32(key.Int()))
	if p == nil {
		return history.NullValue
	}
	was := javaInt(*p)
	if isNull(old) || old.Equal(was) {
		*p = int32(val.Int())
	}
	return was
}

func containsValue[S intMap](s S, args []value) value {
	for e := range s.each {
		if int64(e.val) == args[0].Int() {
			return yes
		}
	}
	return no
}

func putValue[S intMap](s S, key, val value, onlyIfAbsent bool) value {
	if isNull(val) {
		return nullPointer
	}
	if old, was := s.put(int32(key.Int()), int32(val.Int()), onlyIfAbsent); was {
		return javaInt(old)
	}
	return history.NullValue
}

// removeKey returns the value of key, or null. It removes key if there is a
// value, and it equals val or val is None.
func removeKey[S intMap](s S, key, val value) value {
	old := lookup(s, key, history.NullValue)
	if old.Kind() == history.Int && (val.Kind() == history.None || old.Equal(val)) {
		s.remove(int32(key.Int()))
	}
	return old
}

// concurrentMapMethods are the methods of ConcurrentMap. In Java the views
// (keySet, values, entrySet) are live; a history has the strings that they printed
// immediately.
func concurrentMapMethods[S intMap]() []table.Method[S] {
	return slices.Concat(table.IfNull(nullPointer,
		table.Row("get(key: null|int) -> null|int", func(s S, args []value) value {
			return lookup(s, args[0], history.NullValue)
		}, table.Reads|table.Keyed),
		table.Row("getOrDefault(key: null|int, value: null|int) -> null|int", func(s S, args []value) value {
			return lookup(s, args[0], args[1])
		}, table.Reads|table.Keyed),
		table.Row("containsKey(key: null|int) -> bool", func(s S, args []value) value {
			return history.BoolValue(s.valueOf(int32(args[0].Int())) != nil)
		}, table.Reads|table.Keyed),
		table.Row("containsValue(value: null|int) -> bool", containsValue[S], table.Reads),
		table.Row("put(key: null|int, value: null|int) -> null|int", func(s S, args []value) value {
			return putValue(s, args[0], args[1], false)
		}, table.Keyed),
		table.Row("putIfAbsent(key: null|int, value: null|int) -> null|int", func(s S, args []value) value {
			return putValue(s, args[0], args[1], true)
		}, table.Keyed),
		table.Row("remove(key: null|int) -> null|int", func(s S, args []value) value {
			return removeKey(s, args[0], history.NoValue)
		}, table.FailsNull|table.Keyed),
		table.Row("remove(key: null|int, value: null|int) -> bool", func(s S, args []value) value {
			old := removeKey(s, args[0], args[1])
			return history.BoolValue(!isNull(old) && old.Equal(args[1]))
		}, table.FailsFalse|table.Keyed),
		table.Row("replace(key: null|int, value: null|int) -> null|int", func(s S, args []value) value {
			if isNull(args[1]) {
				return nullPointer
			}
			return replaceValue(s, args[0], history.NullValue, args[1])
		}, table.FailsNull|table.Keyed),
		table.Row("replace(key: null|int, old: null|int, new: null|int) -> bool", func(s S, args []value) value {
			if slices.ContainsFunc(args, isNull) {
				return nullPointer
			}
			return history.BoolValue(replaceValue(s, args[0], args[1], args[2]).Equal(args[1]))
		}, table.FailsFalse|table.Keyed),
	), []table.Method[S]{
		viewRow("keySet", S.inOrder, "[]", ", ", appendKey),
		viewRow("values", S.inOrder, "[]", ", ", appendVal),
		viewRow("entrySet", S.inOrder, "[]", ", ", appendEntry),
		viewRow("toString", S.inOrder, "{}", ", ", appendEntry),
	}, table.SizeMethods[S]("size", "isEmpty"))
}

// putAllNote is a note about the order that a history does not record.
var putAllNote = []string{
	`putAll adds entries in the order of their keys, as from a TreeMap: a history does not record the order of another map.`,
	`It shows if a value is null, after which no entry is added, and in the order of new keys that share a bin of a hash map.`,
}

// putAll adds the entries in the order of their keys and stops at a null value.
// The history does not record the order in which its map was iterated. The
// order is visible only after such a stop, and in a hash map where two new keys
// share a bin.
func putAll[S intMap](s S, args []value) value {
	type keyed struct {
		key int32
		val value
	}
	pairs := args[0].List()
	var entries []keyed
	for i := 0; i < len(pairs); i += 2 {
		key, _ := mapKey(pairs[i])
		entries = append(entries, keyed{key, pairs[i+1]})
	}
	slices.SortStableFunc(entries, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for _, e := range entries {
		if putValue(s, javaInt(e.key), e.val, false).Kind() == history.Exception {
			return nullPointer
		}
	}
	return history.NoValue
}
