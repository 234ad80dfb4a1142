package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// verbs say how values get into objects.
var verbs = map[replay.Discipline]string{
	replay.FirstIn: "enqueued", replay.FirstInBounded: "enqueued", replay.LastIn: "pushed", replay.BothEnds: "pushed",
	replay.Smallest: "inserted", replay.Largest: "inserted", replay.Named: "added", replay.Counted: "added",
	replay.Overwritten: "written", replay.OverwrittenByKey: "put", replay.NoDiscipline: "put",
}

// AppendHeld appends the values that op puts into the object or finds there, according to
// the facts about its method; see replay.Holder.
func (s *Specification[S]) AppendHeld(dst []replay.Held, op *history.Operation) []replay.Held {
	m := &s.Table.List[s.Table.find(op.Method, len(op.Args))]
	f, r, last := m.Facts, op.Result, history.NoValue
	if n := len(op.Args); n > 0 {
		last = op.Args[n-1]
	}
	part := history.NoValue
	if s.IsCell && f.Has(Keyed) {
		part = op.Args[0]
	}
	add := func(v value, puts bool) {
		if puts || !s.IsCell || !v.Equal(s.Initial) {
			dst = append(dst, replay.Held{Value: v, Part: part, Puts: puts, Verb: verbs[s.Discipline]})
		}
	}
	switch {
	case f.unchanged(r):
	case f.Has(Appends):
		add(history.UnknownValue, true)
	case f&(Inserts|Swaps) != 0:
		add(last, true)
	case f&(Removes|Resets|Empties) == 0:
		for _, a := range op.Args { // of a class of Java
			for _, v := range append(a.List(), a) {
				add(v, true)
			}
			if a.Kind() == history.Map {
				add(history.UnknownValue, true) // its keys may be strings
			}
		}
	}
	for _, v := range s.found(m, op, last) {
		add(v, false)
	}
	return dst
}

// found returns the values that op, an operation of method m, found in the object.
func (s *Specification[S]) found(m *Signature, op *history.Operation, last value) []value {
	f, r := m.Facts, op.Result
	isJava := s.Table.CheckArg != nil
	switch r.Kind() {
	case history.Unknown, history.Exception, history.None:
		return nil
	case history.Bool:
		switch isName := f.Has(Keyed) && !s.IsCell; {
		case isName && f&(Removes|Finds) != 0 && r.Bool(), isName && f.Has(Inserts) && !r.Bool():
			return []value{last}
		case f.Has(Swaps) && r.Bool():
			return []value{op.Args[len(op.Args)-2]}
		case !s.IsCell:
			return nil
		}
	case history.Int:
		switch {
		case s.Discipline == replay.Counted && f.Has(Keyed): // how often the multiset has it
			return []value{last}[:min(1, max(0, r.Int()))]
		case isJava && f.Has(Keyed) && !last.Equal(r):
			return []value{r}
		}
	case history.List:
		if f.Has(Lists) {
			return r.List()
		}
	case history.String:
		if isJava {
			return numbersIn(r.Text())
		}
	case history.Null:
		if !s.IsCell && !f.Has(Waits) {
			return nil
		}
	}
	if f&(Removes|Finds|Resets) != 0 {
		return []value{r}
	}
	return nil
}

// numbersIn returns the numbers in the text of a collection, a map or an entry.
func numbersIn(text string) (all []value) {
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return c != '-' && (c < '0' || c > '9') }) {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil {
			all = append(all, history.IntValue(n))
		}
	}
	return all
}

// AppendParts appends the elements of a set that op is about or lists; see
// replay.Projectable. Other objects have no projections.
func (s Cells[S]) AppendParts(parts, elements []value, op *history.Operation) (p, e []value, ok bool) {
	m := &s.Table.List[s.Table.find(op.Method, len(op.Args))]
	if m.Has(Keyed) {
		parts = append(parts, op.Args[0])
	}
	if m.Has(Lists) {
		parts = append(parts, op.Result.List()...)
	}
	return parts, elements, s.Discipline == replay.Named
}

// Project returns op without the other elements. An operation that found the set empty, or
// empties it, is about all elements; one that found any other size is left out.
func (s Cells[S]) Project(op *history.Operation, hasPart, _ func(value) bool) (history.Operation, bool) {
	m := &s.Table.List[s.Table.find(op.Method, len(op.Args))]
	r := op.Result
	switch p := *op; {
	case m.Has(Lists) && r.Kind() == history.List:
		p.Result = history.ListValue(slices.DeleteFunc(slices.Clone(r.List()), func(v value) bool { return !hasPart(v) })...)
		return p, true
	case m.Has(Counts):
		return p, op.Pending() || r.Bool() || r.Equal(history.IntValue(0))
	default:
		return p, !m.Has(Keyed) || hasPart(op.Args[0])
	}
}
