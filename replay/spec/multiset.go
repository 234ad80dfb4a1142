package spec

import (
	"encoding/binary"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A multiset holds values with their multiplicities.
type multiset struct {
	counts ordered[value, int]
	n      int
}

func (m *multiset) clone() *multiset { return &multiset{m.counts.clone(), m.n} }

func (m *multiset) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.counts.length()))
	for p := range m.counts.all() {
		dst = binary.AppendUvarint(p.key.AppendKey(dst), uint64(p.val))
	}
	return dst
}

func (m *multiset) appendText(dst []byte) []byte { return appendCounts(dst, "{}", m.counts.all()) }

func (m *multiset) length() int { return m.n }

func (m *multiset) clear() {
	m.counts.clear()
	m.n = 0
}

func (m *multiset) count(v value) int {
	if c := m.counts.get(v); c != nil {
		return *c
	}
	return 0
}

var multisetTable = newTable([]method[*multiset]{
	{"add|insert(value)", func(m *multiset, args []value) value {
		c, _ := m.counts.getOrAdd(args[0])
		*c++
		m.n++
		return history.NoValue
	}, inserts | keyed},
	{"remove|delete(value) -> bool", func(m *multiset, args []value) value {
		c := m.counts.get(args[0])
		if c == nil {
			return history.BoolValue(false)
		}
		m.n--
		if *c--; *c == 0 {
			m.counts.remove(args[0])
		}
		return history.BoolValue(true)
	}, removes | failsFalse | keyed},
	{"contains|has(value) -> bool", func(m *multiset, args []value) value {
		return history.BoolValue(m.count(args[0]) > 0)
	}, peeks | keyed},
	{"count(value) -> int", func(m *multiset, args []value) value {
		return history.IntValue(int64(m.count(args[0])))
	}, peeks | keyed},
}, sizeMethods[*multiset]())

var multisetEntry = entry{"multiset", "",
	"a set that holds a value as often as it is added; remove returns whether there was one",
	&multisetTable.signatures, newMultiset, nil}

func newMultiset(args []value) (replay.Spec, error) {
	if err := atMost("multiset", args, 0); err != nil {
		return nil, err
	}
	return &specification[*multiset]{name: "multiset", args: args, table: multisetTable, discipline: replay.Counted, fresh: func() *multiset { return &multiset{} }}, nil
}
