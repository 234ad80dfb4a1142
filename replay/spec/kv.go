package spec

import (
	"encoding/binary"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A cellMap holds values under keys. It is the state of kv, and of multi-register.
type cellMap struct {
	container.Ordered[value, value]
	first func(key value) value // the value of a missing key
}

func (m *cellMap) Clone() *cellMap { return &cellMap{m.Ordered.Clone(), m.first} }

func (m *cellMap) lookup(key value) value {
	if p := m.Get(key); p != nil {
		return *p
	}
	return m.first(key)
}

func (m *cellMap) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Len()))
	for p := range m.All() {
		dst = p.Val.AppendKey(p.Key.AppendKey(dst))
	}
	return dst
}

func (m *cellMap) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "{}", ", ", m.All(), table.AppendEntry)
}

func (m *cellMap) set(key, v value) {
	p, _ := m.GetOrAdd(key)
	*p = v
}

// kvTable has the methods of a map from keys to values. For a missing key, get and remove
// return a fixed value; cas compares with it and append appends to it. By
// default it is null. For porcupine's key-value logs it is "", which is kv:""
// on the command line.
var kvTable = table.New([]table.Method[*cellMap]{
	table.Row("get|read(key) -> any", func(s *cellMap, args []value) value { return s.lookup(args[0]) }, table.Peeks|table.Keyed),
	table.Row("put|write|set(key, value)", func(s *cellMap, args []value) value {
		s.set(args[0], args[1])
		return history.NoValue
	}, table.Inserts|table.Keyed|table.Advances),
	table.Row("append(key, text: string)", kvAppend, table.Keyed|table.Appends|table.Waits|table.Advances),
	table.Row("remove(key) -> any", func(s *cellMap, args []value) value {
		old := s.lookup(args[0])
		s.Remove(args[0])
		return old
	}, table.Keyed|table.Resets),
	table.Row("delete(key)", func(s *cellMap, args []value) value {
		s.Remove(args[0])
		return history.NoValue
	}, table.Keyed|table.Resets),
	table.Row("contains|containsKey|has(key) -> bool", func(s *cellMap, args []value) value {
		return history.BoolValue(s.Get(args[0]) != nil)
	}, table.Reads|table.Keyed),
	table.Row("cas|compareAndSet(key, old, new) -> bool", func(s *cellMap, args []value) value {
		if !s.lookup(args[0]).Equal(args[1]) {
			return history.BoolValue(false)
		}
		s.set(args[0], args[2])
		return history.BoolValue(true)
	}, table.FailsFalse|table.Keyed|table.Swaps|table.Advances),
}, sizeMethods[*cellMap]())

// kvAppend appends to a string. A missing key counts as "" unless the value for
// missing keys is itself a string. Appending to any other value has no
// transition.
func kvAppend(s *cellMap, args []value) value {
	old := s.lookup(args[0])
	if old.Kind() != history.String && s.Get(args[0]) != nil {
		return table.NoTransition
	}
	s.set(args[0], history.StringValue(old.Text()+args[1].Text()))
	return history.NoValue
}

var kvEntry = table.Entry{Name: "kv", Args: "[:missing]",
	Doc:     "a map from keys to values; a missing key returns null or the argument",
	Methods: &kvTable.Signatures,
	Make:    newKV,
	Notes: []string{
		`append to a missing key stores the string, or appends it to the missing value if that is a string.`,
		`append to a value that is not a string never returns.`,
	},
}

func newKV(args []value) (table.Made, error) {
	missing, err := table.Optional(args, "value for a missing key", table.AnyValue, history.NullValue)
	if err != nil {
		return nil, err
	}
	return table.Cells[*cellMap]{Specification: &table.Specification[*cellMap]{Table: kvTable, Discipline: replay.OverwrittenByKey, Initial: missing, IsCell: true,
		Fresh: func() *cellMap { return &cellMap{first: func(value) value { return missing }} }}}, nil
}
