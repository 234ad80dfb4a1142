package java

import (
	"iter"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// AppendText appends the entries in the order of iteration, as far as that is
// modelled. It does not show the size of the table.
func (m *hashMap) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "{}", ", ", m.each, appendEntry)
}

// inOrder is each. It panics if the order is not modelled.
func (m *hashMap) inOrder() iter.Seq[entry] {
	if m.tree {
		panic(replay.Unmodelled("some order of the operations puts eight or more keys into one bin of the ConcurrentHashMap; JDK 17 makes " +
			"a tree of it, whose order of iteration is not modelled: leave out the operations that list keys, values or entries"))
	}
	return m.each
}

// keys and elements are Enumerations, which a recorder prints like arrays.
// contains searches for a value, as in java.util.Hashtable.
var concurrentHashMapTable = javaTable(concurrentMapMethods[*hashMap](), table.IfNull(nullPointer,
	table.Row("putAll(map: null|map)", func(m *hashMap, args []value) value {
		m.presize(len(args[0].List()) / 2)
		return putAll(m, args)
	}, table.Updates),
	table.Row("contains(value: null|int) -> bool", containsValue[*hashMap], table.Reads),
), []table.Method[*hashMap]{
	table.Row("mappingCount() -> int", func(m *hashMap, _ []value) value { return history.IntValue(int64(m.Len())) }, table.Reads),
	viewRow("keys", (*hashMap).inOrder, "[]", ",", appendKey),
	viewRow("elements", (*hashMap).inOrder, "[]", ",", appendVal),
})

var treeNote = []string{
	`Where JDK 17 makes a tree of a bin, because eight or more keys share it, the order of iteration is not modelled: a history that shows it is refused.`,
}

// maxInitial bounds the initial capacity: the table is allocated with the first
// entry, and again for every state.
const maxInitial = 1 << 16

var concurrentHashMapEntry = table.Entry{Name: "ConcurrentHashMap", Args: "[:capacity]",
	Doc:     "java.util.concurrent.ConcurrentHashMap of JDK 17, from ints to ints",
	Methods: &concurrentHashMapTable.Signatures,
	Make:    newConcurrentHashMap,
	Notes:   slices.Concat(putAllNote, treeNote),
}

func newConcurrentHashMap(args []value) (table.Made, error) {
	const what = "initial capacity"
	capacity, err := table.Optional(args, what, table.KindOf(history.Int), history.NullValue)
	if err != nil {
		return nil, err
	}
	initial := 0
	if len(args) > 0 {
		if n := capacity.Int(); n < 0 || n > maxInitial {
			return nil, table.BadArgument(what, "an int from 0 to 65536", capacity)
		}
		initial = tableFor(int(1 + float64(float32(capacity.Int())/0.75)))
	}
	return &table.Specification[*hashMap]{Table: concurrentHashMapTable, Fresh: func() *hashMap {
		return &hashMap{initial: initial}
	}}, nil
}
