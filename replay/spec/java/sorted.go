package java

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/container"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A sortedMap is the state of a ConcurrentSkipListMap from Integer to Integer.
// With 0 for every value, it is the state of a ConcurrentSkipListSet. The levels of
// the skip list, which Java chooses at random, are never visible.
type sortedMap struct {
	container.Ordered[sortedKey, int32]
	isSet bool // for AppendText
}

type sortedKey int32

// Compare compares as cmp.Compare does.
func (k sortedKey) Compare(other sortedKey) int { return cmp.Compare(k, other) }

type sortedPair = container.Pair[sortedKey, int32]

func (m *sortedMap) Clone() *sortedMap { return &sortedMap{m.Ordered.Clone(), m.isSet} }

func (m *sortedMap) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.Len()))
	for p := range m.All() {
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(p.Key)), int64(p.Val))
	}
	return dst
}

func (m *sortedMap) AppendText(dst []byte) []byte {
	element := appendEntry
	if m.isSet {
		element = appendKey
	}
	return table.AppendEach(dst, "{}", ", ", m.each, element)
}

func (m *sortedMap) inOrder() iter.Seq[entry] { return m.each }

func (m *sortedMap) valueOf(key int32) *int32 { return m.Get(sortedKey(key)) }

func (m *sortedMap) put(key, val int32, onlyIfAbsent bool) (old int32, was bool) {
	p, added := m.GetOrAdd(sortedKey(key))
	old = *p
	if added || !onlyIfAbsent {
		*p = val
	}
	return old, !added
}

func (m *sortedMap) remove(key int32) { m.Ordered.Remove(sortedKey(key)) }

func entryOf(p *sortedPair) entry { return entry{int32(p.Key), p.Val} }

func (m *sortedMap) each(yield func(entry) bool) {
	for p := range m.All() {
		if !yield(entryOf(p)) {
			return
		}
	}
}

// descending yields the entries from the largest key down.
func (m *sortedMap) descending() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for p := range m.Backward() {
			if !yield(entryOf(p)) {
				return
			}
		}
	}
}

// between yields the entries whose keys are from lo to hi.
func (m *sortedMap) between(lo, hi int64) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if lo > hi || lo > math.MaxInt32 {
			return
		}
		for p := m.Above(sortedKey(lo), true); p != nil && int64(p.Key) <= hi && yield(entryOf(p)); {
			p = m.Above(p.Key, false)
		}
	}
}

// A shower returns the result of a method for the pair that it found.
type shower func(*sortedPair) value

func showKey(p *sortedPair) value { return javaInt(int32(p.Key)) }

func showEntry(p *sortedPair) value { return history.StringValue(string(appendEntry(nil, entryOf(p)))) }

// endMethod returns the result for the first or last pair, or none. If remove
// is set, it also removes the pair.
func endMethod(signature string, end func(*sortedMap) *sortedPair, remove bool, show shower, none value) table.Method[*sortedMap] {
	known := table.Reads
	if remove {
		known = table.FailsNull
	}
	return table.Row(signature, func(m *sortedMap, _ []value) value {
		p := end(m)
		if p == nil {
			return none
		}
		shown := show(p)
		if remove {
			m.remove(int32(p.Key))
		}
		return shown
	}, known)
}

// nearMethods are lower, floor, ceiling and higher, whose names end in suffix.
// result is the type of a result that is not null.
func nearMethods(suffix, result string, show shower) []table.Method[*sortedMap] {
	var methods []table.Method[*sortedMap]
	for _, near := range []struct {
		name    string
		find    func(m *sortedMap, key sortedKey, orEqual bool) *sortedPair
		orEqual bool
	}{
		{"lower", (*sortedMap).Below, false},
		{"floor", (*sortedMap).Below, true},
		{"ceiling", (*sortedMap).Above, true},
		{"higher", (*sortedMap).Above, false},
	} {
		signature := near.name + suffix + "(key: null|int) -> null|" + result
		methods = append(methods, table.Row(signature, func(m *sortedMap, args []value) value {
			if p := near.find(m, sortedKey(args[0].Int()), near.orEqual); p != nil {
				return show(p)
			}
			return history.NullValue
		}, table.Reads))
	}
	return table.IfNull(nullPointer, methods...)
}

// partMethods are headMap, tailMap and subMap, or those of a set, with names that end in
// suffix. They list the part between two bounds.
func partMethods(suffix, brackets string, element func([]byte, entry) []byte) []table.Method[*sortedMap] {
	const lowest, highest = math.MinInt32, math.MaxInt32
	from := func(bound value, inclusive bool) int64 {
		if inclusive {
			return bound.Int()
		}
		return bound.Int() + 1
	}
	to := func(bound value, inclusive bool) int64 { return from(bound, !inclusive) - 1 }
	var methods []table.Method[*sortedMap]
	for _, part := range []struct {
		name, params string
		bounds       func(args []value) (lo, hi int64)
	}{
		{"head", "to: null|int", func(a []value) (lo, hi int64) { return lowest, to(a[0], false) }},
		{"head", "to: null|int, inclusive: bool", func(a []value) (lo, hi int64) { return lowest, to(a[0], a[1].Bool()) }},
		{"tail", "from: null|int", func(a []value) (lo, hi int64) { return from(a[0], true), highest }},
		{"tail", "from: null|int, inclusive: bool", func(a []value) (lo, hi int64) { return from(a[0], a[1].Bool()), highest }},
		{"sub", "from: null|int, to: null|int", func(a []value) (lo, hi int64) { return from(a[0], true), to(a[1], false) }},
		{"sub", "from: null|int, inclusive: bool, to: null|int, inclusive: bool", func(a []value) (lo, hi int64) {
			return from(a[0], a[1].Bool()), to(a[2], a[3].Bool())
		}},
	} {
		methods = append(methods, table.Row(part.name+suffix+"("+part.params+") -> string", func(m *sortedMap, args []value) value {
			switch {
			case slices.ContainsFunc(args, isNull):
				return nullPointer
			case part.name == "sub" && args[0].Int() > args[len(args)/2].Int():
				return illegalArgument
			}
			return text(brackets, ", ", m.between(part.bounds(args)), element)
		}, table.Reads))
	}
	return methods
}
