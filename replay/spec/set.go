package spec

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A setOf holds values without repetition. Updates return whether they changed
// it.
type setOf struct{ ordered[value, struct{}] }

func (s *setOf) clone() *setOf { return &setOf{s.ordered.clone()} }

func (s *setOf) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.n))
	for p := range s.all() {
		dst = p.key.AppendKey(dst)
	}
	return dst
}

func (s *setOf) appendText(dst []byte) []byte {
	return appendEach(dst, "{}", s.all(), func(dst []byte, p *pair[value, struct{}]) []byte { return appendValue(dst, p.key) })
}

var setTable = newTable([]method[*setOf]{
	{"add|insert(value) -> bool", func(s *setOf, args []value) value {
		_, added := s.getOrAdd(args[0])
		return history.BoolValue(added)
	}, inserts | failsFalse | keyed},
	{"remove|delete(value) -> bool", func(s *setOf, args []value) value {
		return history.BoolValue(s.remove(args[0]))
	}, removes | failsFalse | keyed},
	{"contains|has(value) -> bool", func(s *setOf, args []value) value {
		return history.BoolValue(s.get(args[0]) != nil)
	}, peeks | keyed},
	// Sorted: ints in numeric order, strings in byte order.
	{"elements|read() -> list", func(s *setOf, _ []value) value {
		list := make([]value, 0, s.n)
		for p := range s.all() {
			list = append(list, p.key)
		}
		return history.ListValue(list...)
	}, reads},
}, sizeMethods[*setOf]())

var setEntry = entry{"set", "",
	"a set of values; add and remove return whether they changed it",
	&setTable.signatures, newSet, []string{
		`elements lists the elements sorted by kind (null, bool, int, float, string, list, map), then by value;`,
		`strings are sorted by their bytes. A recorded result has to be in that order.`,
	}}

func newSet(args []value) (replay.Spec, error) {
	if err := atMost("set", args, 0); err != nil {
		return nil, err
	}
	return &specification[*setOf]{name: "set", args: args, table: setTable, discipline: replay.Named, order: sortedElements, fresh: func() *setOf { return &setOf{} }}, nil
}

// sortedElements reports a list that may be sorted as numbers, while the set sorts
// strings.
func sortedElements(op *history.Operation) error {
	list := op.Result.List()
	if i := slices.IndexFunc(list, isLongNumber); i >= 0 && !slices.IsSortedFunc(list, value.Compare) {
		return fmt.Errorf("result of %s: %v is a number, but not a 64-bit integer, and the list is not sorted as strings are", op.Method, list[i])
	}
	return nil
}
