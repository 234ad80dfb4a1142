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

// A setSpec is the specification of a set. It rejects impossible lists of elements, and
// is a replay.Appending.
type setSpec struct{ *specification[*setOf] }

// Impossible returns why no state gives the result of op; see replay.Excluding.
func (s setSpec) Impossible(op *history.Operation) string {
	if op.Result.Kind() == history.List && !op.Result.HoldsUnknown() && !isSet(op.Result.List()) {
		return op.Method + " returns each element once, in order"
	}
	return s.specification.Impossible(op)
}

// isSet reports whether the values are sorted, each once.
func isSet(list []value) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1].Compare(list[i]) >= 0 {
			return false
		}
	}
	return true
}

// AppendListSteps appends what op does to the set; see replay.Appending.
func (s setSpec) AppendListSteps(dst []replay.ListStep, op *history.Operation) ([]replay.ListStep, bool) {
	f := s.table.list[s.table.find(op.Method, len(op.Args))].facts
	isUnknown := op.Result.Kind() == history.Unknown
	step := replay.ListStep{Kind: replay.SetOther}
	switch {
	case f.has(reads) && isUnknown:
		return dst, true
	case len(op.Args) == 0:
		step.Kind, step.Value = replay.SetRead, op.Result
		return append(dst, step), op.Result.Kind() == history.List && !op.Result.HoldsUnknown() && isSet(op.Result.List())
	case f.has(inserts) && (isUnknown || op.Result.Equal(history.BoolValue(true))):
		step.Kind = replay.SetAdd
	}
	step.Value = op.Args[0]
	return append(dst, step), true
}

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
	return setSpec{&specification[*setOf]{name: "set", args: args, table: setTable, discipline: replay.Named, order: sortedElements, fresh: func() *setOf { return &setOf{} }}}, nil
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
