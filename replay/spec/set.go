package spec

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A setOf holds values without repetition. Updates return whether they changed
// it.
type setOf struct {
	container.Ordered[value, struct{}]
}

func (s *setOf) Clone() *setOf { return &setOf{s.Ordered.Clone()} }

func (s *setOf) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Len()))
	for p := range s.All() {
		dst = p.Key.AppendKey(dst)
	}
	return dst
}

func (s *setOf) AppendText(dst []byte) []byte {
	return table.AppendEach(dst, "{}", ", ", s.All(), func(dst []byte, p *container.Pair[value, struct{}]) []byte { return table.AppendValue(dst, p.Key) })
}

var setTable = table.New([]table.Method[*setOf]{
	table.Row("add|insert(value) -> bool", func(s *setOf, args []value) value {
		_, added := s.GetOrAdd(args[0])
		return history.BoolValue(added)
	}, table.Inserts|table.FailsFalse|table.Keyed),
	table.Row("remove|delete(value) -> bool", func(s *setOf, args []value) value {
		return history.BoolValue(s.Remove(args[0]))
	}, table.Removes|table.FailsFalse|table.Keyed),
	table.Row("contains|has(value) -> bool", func(s *setOf, args []value) value {
		return history.BoolValue(s.Get(args[0]) != nil)
	}, table.Peeks|table.Keyed),
	// Sorted: ints in numeric order, strings in byte order.
	table.Row("elements|read() -> list", func(s *setOf, _ []value) value {
		list := make([]value, 0, s.Len())
		for p := range s.All() {
			list = append(list, p.Key)
		}
		return history.ListValue(list...)
	}, table.Reads|table.Lists),
}, sizeMethods[*setOf]())

var setEntry = table.Entry{Name: "set",
	Doc:     "a set of values; add and remove return whether they changed it",
	Methods: &setTable.Signatures,
	Make: func([]value) (table.Made, error) {
		return table.Cells[*setOf]{Specification: &table.Specification[*setOf]{Table: setTable, Discipline: replay.Named, Order: sortedElements,
			Fresh: func() *setOf { return &setOf{} }}}, nil
	},
	Notes: []string{
		`elements lists the elements sorted by kind (null, bool, int, float, string, list, map), then by value;`,
		`strings are sorted by their bytes. A recorded result has to be in that order.`,
	},
}

// sortedElements returns an error for a list that may be sorted as numbers, while the set
// sorts them as strings.
func sortedElements(op *history.Operation) error {
	list := op.Result.List()
	if i := slices.IndexFunc(list, isLongNumber); i >= 0 && !slices.IsSortedFunc(list, value.Compare) {
		return fmt.Errorf("result of %s: %v is a number, but not a 64-bit integer, and the list is not sorted as strings are", op.Method, list[i])
	}
	return nil
}
