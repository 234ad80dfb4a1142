package spec

import (
	"encoding/binary"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A multiset holds values with their multiplicities.
type multiset struct {
	counts container.Ordered[value, int]
	n      int
}

func (m *multiset) Clone() *multiset { return &multiset{m.counts.Clone(), m.n} }

func (m *multiset) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.counts.Len()))
	for p := range m.counts.All() {
		dst = binary.AppendUvarint(p.Key.AppendKey(dst), uint64(p.Val))
	}
	return dst
}

func (m *multiset) AppendText(dst []byte) []byte {
	return table.AppendCounts(dst, "{}", m.counts.All())
}

func (m *multiset) Len() int { return m.n }

func (m *multiset) Clear() {
	m.counts.Clear()
	m.n = 0
}

func (m *multiset) add(v value) {
	c, _ := m.counts.GetOrAdd(v)
	*c++
	m.n++
}

// removeOne removes one v, whose count is *c.
func (m *multiset) removeOne(v value, c *int) {
	m.n--
	if *c--; *c == 0 {
		m.counts.Remove(v)
	}
}

func (m *multiset) count(v value) int {
	if c := m.counts.Get(v); c != nil {
		return *c
	}
	return 0
}

var multisetTable = table.New([]table.Method[*multiset]{
	table.Row("add|insert(value)", func(m *multiset, args []value) value {
		m.add(args[0])
		return history.NoValue
	}, table.Inserts|table.Keyed),
	table.Row("remove|delete(value) -> bool", func(m *multiset, args []value) value {
		c := m.counts.Get(args[0])
		if c == nil {
			return history.BoolValue(false)
		}
		m.removeOne(args[0], c)
		return history.BoolValue(true)
	}, table.Removes|table.FailsFalse|table.Keyed),
	table.Row("contains|has(value) -> bool", func(m *multiset, args []value) value {
		return history.BoolValue(m.count(args[0]) > 0)
	}, table.Peeks|table.Keyed),
	table.Row("count(value) -> int", func(m *multiset, args []value) value {
		return history.IntValue(int64(m.count(args[0])))
	}, table.Peeks|table.Keyed),
}, sizeMethods[*multiset]())

var multisetEntry = table.Entry{Name: "multiset",
	Doc:     "a set that holds a value as often as it is added; remove returns whether there was one",
	Methods: &multisetTable.Signatures,
	Make:    table.Plain(table.Specification[*multiset]{Table: multisetTable, Discipline: replay.Counted, Fresh: func() *multiset { return &multiset{} }}),
}
