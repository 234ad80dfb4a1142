package java

import (
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

// A descending is a sortedMap with another order of iteration.
type descending struct{ *sortedMap }

func (d descending) each(f func(key, val int32) bool) {
	for p := d.Last(); p != nil && f(int32(p.Key), p.Val); {
		p = d.Below(p.Key, false)
	}
}

// A bound is the begin or end of a part of a sortedMap; nil means unbounded.
type bound struct {
	key       value
	inclusive bool
}

// A part is the range between two bounds.
type part struct {
	*sortedMap
	from, to *bound
}

func (s part) each(f func(key, val int32) bool) {
	p := s.First()
	if s.from != nil {
		p = s.Above(sortedKey(s.from.key.Int()), s.from.inclusive)
	}
	for ; p != nil; p = s.Above(p.Key, false) {
		key := int64(p.Key)
		if to := s.to; to != nil && (key > to.key.Int() || key == to.key.Int() && !to.inclusive) {
			return
		}
		if !f(int32(key), p.Val) {
			return
		}
	}
}

// check returns the exception that Java throws for an invalid part, or None.
func (s part) check() value {
	switch {
	case s.from != nil && isNull(s.from.key) || s.to != nil && isNull(s.to.key):
		return nullPointer
	case s.from != nil && s.to != nil && s.from.key.Int() > s.to.key.Int():
		return illegalArgument
	}
	return history.NoValue
}

// partMethods are headMap, tailMap and subMap, or those of a set, with names
// that end in suffix. text is the toString of the part.
func partMethods(suffix string, text func(part) value) []table.Method[*sortedMap] {
	from, to, flag := "from: null|int", "to: null|int", "inclusive: bool"
	show := func(m *sortedMap, from, to *bound) value {
		p := part{m, from, to}
		if exception := p.check(); exception.Kind() == history.Exception {
			return exception
		}
		return text(p)
	}
	line := func(name string, do func(*sortedMap, []value) value, params ...string) table.Method[*sortedMap] {
		return table.Row(name+suffix+"("+strings.Join(params, ", ")+") -> string", do, table.Reads)
	}
	return []table.Method[*sortedMap]{
		line("head", func(m *sortedMap, args []value) value {
			return show(m, nil, &bound{args[0], false})
		}, to),
		line("head", func(m *sortedMap, args []value) value {
			return show(m, nil, &bound{args[0], args[1].Bool()})
		}, to, flag),
		line("tail", func(m *sortedMap, args []value) value {
			return show(m, &bound{args[0], true}, nil)
		}, from),
		line("tail", func(m *sortedMap, args []value) value {
			return show(m, &bound{args[0], args[1].Bool()}, nil)
		}, from, flag),
		line("sub", func(m *sortedMap, args []value) value {
			return show(m, &bound{args[0], true}, &bound{args[1], false})
		}, from, to),
		line("sub", func(m *sortedMap, args []value) value {
			return show(m, &bound{args[0], args[1].Bool()}, &bound{args[2], args[3].Bool()})
		}, from, flag, to, flag),
	}
}
