package spec

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A hashMap is the state of a ConcurrentHashMap from Integer to Integer.
type hashMap struct{ hashTable }

func (m *hashMap) clone() *hashMap { return &hashMap{m.hashTable.clone()} }

// lookup returns the value of key, or none.
func (m *hashMap) lookup(key, none value) value {
	if isNull(key) {
		return nullPointer
	}
	if node, _, _ := m.find(int32(key.Int())); node != 0 {
		return javaInt(m.nodes[node].val)
	}
	return none
}

// change gives key a new value where it has one, and old if that is not null,
// and returns the value there was. Unlike put it never touches the table.
func (m *hashMap) change(key, old, val value) value {
	node, _, _ := m.find(int32(key.Int()))
	if node == 0 {
		return history.NullValue
	}
	was := javaInt(m.nodes[node].val)
	if isNull(old) || old.Equal(was) {
		m.nodes[node].val = int32(val.Int())
	}
	return was
}

func (m *hashMap) hasValue(v value) value {
	if isNull(v) {
		return nullPointer
	}
	found := false
	m.each(func(_, val int32) bool {
		found = int64(val) == v.Int()
		return !found
	})
	return history.BoolValue(found)
}

func (m *hashMap) putValue(key, val value, onlyIfAbsent bool) value {
	if isNull(key) || isNull(val) {
		return nullPointer
	}
	if old, was := m.put(int32(key.Int()), int32(val.Int()), onlyIfAbsent); was {
		return javaInt(old)
	}
	return history.NullValue
}

// text lists the entries in the order of iteration, as add writes them.
func (m *hashMap) text(brackets, sep string, add func(t *javaText, key, val int32)) value {
	t := newJavaText(brackets[0], sep)
	m.each(func(key, val int32) bool {
		add(t, key, val)
		return true
	})
	return t.end(brackets[1])
}

func keyText(t *javaText, key, _ int32) { t.element(key) }
func valText(t *javaText, _, val int32) { t.element(val) }

// The views (keySet, values, entrySet) are live in Java; a history has what
// they printed at once. keys and elements are Enumerations, which a recorder
// prints as it does arrays.
var concurrentHashMapTable = javaTable([]method[*hashMap]{
	{"get(key: null|int) -> null|int", func(m *hashMap, args []value) value {
		return m.lookup(args[0], history.NullValue)
	}},
	{"getOrDefault(key: null|int, value: null|int) -> null|int", func(m *hashMap, args []value) value {
		return m.lookup(args[0], args[1])
	}},
	{"containsKey(key: null|int) -> bool", func(m *hashMap, args []value) value {
		r := m.lookup(args[0], history.NullValue)
		if r.Kind() == history.Exception {
			return r
		}
		return history.BoolValue(!isNull(r))
	}},
	{"containsValue(value: null|int) -> bool", func(m *hashMap, args []value) value { return m.hasValue(args[0]) }},
	{"contains(value: null|int) -> bool", func(m *hashMap, args []value) value { return m.hasValue(args[0]) }},
	{"put(key: null|int, value: null|int) -> null|int", func(m *hashMap, args []value) value {
		return m.putValue(args[0], args[1], false)
	}},
	{"putIfAbsent(key: null|int, value: null|int) -> null|int", func(m *hashMap, args []value) value {
		return m.putValue(args[0], args[1], true)
	}},
	{"putAll(map: null|map)", putAll},
	{"replace(key: null|int, value: null|int) -> null|int", func(m *hashMap, args []value) value {
		if isNull(args[0]) || isNull(args[1]) {
			return nullPointer
		}
		return m.change(args[0], history.NullValue, args[1])
	}},
	{"replace(key: null|int, old: null|int, new: null|int) -> bool", func(m *hashMap, args []value) value {
		if slices.ContainsFunc(args, isNull) {
			return nullPointer
		}
		return history.BoolValue(m.change(args[0], args[1], args[2]).Equal(args[1]))
	}},
	{"remove(key: null|int) -> null|int", func(m *hashMap, args []value) value {
		old := m.lookup(args[0], history.NullValue)
		if old.Kind() == history.Int {
			m.remove(int32(args[0].Int()))
		}
		return old
	}},
	{"remove(key: null|int, value: null|int) -> bool", func(m *hashMap, args []value) value {
		old := m.lookup(args[0], history.NullValue)
		if old.Kind() == history.Exception {
			return old
		}
		ok := !isNull(old) && old.Equal(args[1])
		if ok {
			m.remove(int32(args[0].Int()))
		}
		return history.BoolValue(ok)
	}},
	{"size() -> int", func(m *hashMap, _ []value) value { return history.IntValue(int64(m.n)) }},
	{"mappingCount() -> int", func(m *hashMap, _ []value) value { return history.IntValue(int64(m.n)) }},
	{"isEmpty() -> bool", func(m *hashMap, _ []value) value { return history.BoolValue(m.n == 0) }},
	{"clear()", func(m *hashMap, _ []value) value { m.clear(); return history.NoValue }},
	{"keySet() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ", ", keyText) }},
	{"values() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ", ", valText) }},
	{"entrySet() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ", ", (*javaText).entry) }},
	{"keys() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ",", keyText) }},
	{"elements() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ",", valText) }},
	{"toString() -> string", func(m *hashMap, _ []value) value { return m.text("{}", ", ", (*javaText).entry) }},
})

// putAll adds the entries in the order of their keys. A history does not say
// in which order its map was iterated; the order shows only where two new
// keys share a bin.
func putAll(m *hashMap, args []value) value {
	if isNull(args[0]) {
		return nullPointer
	}
	pairs := args[0].List()
	m.presize(len(pairs) / 2)
	type entry struct {
		key int32
		val value
	}
	entries := make([]entry, 0, 8)
	for i := 0; i < len(pairs); i += 2 {
		key, _ := mapKey(pairs[i])
		entries = append(entries, entry{key, pairs[i+1]})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	for _, e := range entries {
		if m.putValue(javaInt(e.key), e.val, false).Kind() == history.Exception {
			return nullPointer
		}
	}
	return history.NoValue
}

// maxInitial bounds the initial capacity: the table is made at the first
// entry, and once for every state.
const maxInitial = 1 << 16

func newConcurrentHashMap(args []value) (replay.Spec, error) {
	const name, what, ints = "ConcurrentHashMap", "initial capacity", kinds(1) << history.Int
	capacity, err := optional(name, args, what, ints, history.NullValue)
	if err != nil {
		return nil, err
	}
	initial := 0
	if len(args) > 0 {
		if n := capacity.Int(); n < 0 || n > maxInitial {
			return nil, badArgument(name, what, "an int from 0 to 65536", capacity)
		}
		initial = tableFor(int(1 + float64(float32(capacity.Int())/0.75)))
	}
	return &specification[*hashMap]{name, args, concurrentHashMapTable, func() *hashMap {
		return &hashMap{hashTable{initial: initial}}
	}}, nil
}
