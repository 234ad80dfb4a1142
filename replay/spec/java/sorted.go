package java

import (
	"cmp"
	"encoding/binary"

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
	show := (*javaText).entry
	if m.isSet {
		show = keyText
	}
	return append(dst, mapText(m, "{}", ", ", show).Text()...)
}

func (m *sortedMap) text(brackets, sep string, add func(t *javaText, key, val int32)) value {
	return mapText(m, brackets, sep, add)
}

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

func (m *sortedMap) each(f func(key, val int32) bool) {
	for p := range m.All() {
		if !f(int32(p.Key), p.Val) {
			return
		}
	}
}

// A shower returns the result of a method for the pair that it found.
type shower func(*sortedPair) value

func showKey(p *sortedPair) value { return javaInt(int32(p.Key)) }

func showEntry(p *sortedPair) value {
	t := &javaText{}
	t.entry(int32(p.Key), p.Val)
	return history.StringValue(string(t.buf))
}

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
			if isNull(args[0]) {
				return nullPointer
			}
			if p := near.find(m, sortedKey(args[0].Int()), near.orEqual); p != nil {
				return show(p)
			}
			return history.NullValue
		}, table.Reads))
	}
	return methods
}
