package spec

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A hashMap is the state of a ConcurrentHashMap from Integer to Integer.
type hashMap struct{ hashTable }

func (m *hashMap) clone() *hashMap { return &hashMap{m.hashTable.clone()} }

// appendText appends the entries in the order of iteration, as far as that is
// modelled. It does not show the size of the table.
func (m *hashMap) appendText(dst []byte) []byte {
	return append(dst, mapText(m, "{}", ", ", (*javaText).entry).Text()...)
}

// text is mapText for a method. It panics if the order is not modelled.
func (m *hashMap) text(brackets, sep string, add func(t *javaText, key, val int32)) value {
	if m.tree {
		panic(replay.Unmodelled("some order of the operations puts eight or more keys into one bin of the ConcurrentHashMap; JDK 17 makes " +
			"a tree of it, whose order of iteration is not modelled: leave out the operations that list keys, values or entries"))
	}
	return mapText(m, brackets, sep, add)
}

func (m *hashMap) length() int { return m.n }

func (m *hashMap) valueOf(key int32) *int32 {
	if node, _, _ := m.find(key); node != 0 {
		return &m.nodes[node].val
	}
	return nil
}

// keys and elements are Enumerations, which a recorder prints like arrays.
// contains searches for a value, as in java.util.Hashtable.
var concurrentHashMapTable = javaTable(concurrentMapMethods[*hashMap](), []method[*hashMap]{
	{"putAll(map: null|map)", func(m *hashMap, args []value) value {
		if !isNull(args[0]) {
			m.presize(len(args[0].List()) / 2)
		}
		return putAll(m, args)
	}, updates},
	{"contains(value: null|int) -> bool", containsValue[*hashMap], reads},
	{"mappingCount() -> int", func(m *hashMap, _ []value) value { return history.IntValue(int64(m.n)) }, reads},
	{"keys() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ",", keyText) }, reads},
	{"elements() -> string", func(m *hashMap, _ []value) value { return m.text("[]", ",", valText) }, reads},
})

var treeNote = []string{
	`Where JDK 17 makes a tree of a bin, because eight or more keys share it, the order of iteration is not modelled: a history that shows it is refused.`,
}

// maxInitial bounds the initial capacity: the table is allocated with the first
// entry, and again for every state.
const maxInitial = 1 << 16

var concurrentHashMapEntry = entry{"ConcurrentHashMap", "[:capacity]",
	"java.util.concurrent.ConcurrentHashMap of JDK 17, from ints to ints",
	&concurrentHashMapTable.signatures, newConcurrentHashMap, slices.Concat(putAllNote, treeNote)}

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
	return &specification[*hashMap]{name: name, args: args, table: concurrentHashMapTable, fresh: func() *hashMap {
		return &hashMap{hashTable{initial: initial}}
	}}, nil
}
