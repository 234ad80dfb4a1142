package table

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/container"
)

// A State has the methods that the state of a sequential object needs in addition to its
// table of methods.
type State[S any] interface {
	Clone() S
	// AppendKey appends exactly what the object can show later. Two states of one
	// specification have the same key exactly if no sequence of invocations
	// distinguishes them, unless the type documents an exception.
	AppendKey(dst []byte) []byte
	// AppendText appends the state in words for people; see replay.StateText.
	// Where keys are exact, states with different keys have different texts.
	AppendText(dst []byte) []byte
}

// A Specification is a replay.Spec made of a table and an initial state.
type Specification[S State[S]] struct {
	Table *Table[S]
	Fresh func() S // returns the initial state
	// Discipline is the discipline of a collection, and Capacity the number of values that
	// a bounded one holds.
	Discipline replay.Discipline
	Capacity   int
	// Initial is the value of a register, or of a key of a map, before the first write.
	Initial value
	IsCell  bool // it holds one value, or one for each key
	// Order returns an error for values that the object would put in a wrong order. It is
	// nil if the object does not order values.
	Order func(op *history.Operation) error

	entry  *Entry
	args   []value
	traits replay.Traits
}

// finish implements Made: it reads the table and sets the traits.
func (s *Specification[S]) finish(e *Entry, args []value) {
	s.entry, s.args = e, args
	s.Table.Read()
	key := append([]byte(e.Name), 0)
	for _, a := range args {
		key = a.AppendKey(key)
	}
	isKeyed := func(m Signature) bool { return m.Has(Keyed) }
	s.traits = replay.Traits{Discipline: s.Discipline, Capacity: s.Capacity, Partitioned: slices.ContainsFunc(s.Table.List, isKeyed), Key: string(key)}
}

// Name returns the name of the specification, without arguments.
func (s *Specification[S]) Name() string { return s.entry.Name }

// Check returns an error if op is wrong; see replay.Spec.
func (s *Specification[S]) Check(op *history.Operation) error {
	if err := s.Table.check(s.entry.Name, op); err != nil || s.Order == nil {
		return err
	}
	return s.Order(op)
}

// impossible returns why no state gives the result of op, an operation of method i.
func (s *Specification[S]) impossible(i int, op *history.Operation) string {
	switch {
	case s.Table.List[i].Has(Lists) && op.Result.Kind() == history.List && !op.Result.HoldsUnknown() && !isSet(op.Result.List()):
		return op.Method + " returns each element once, in order"
	case s.Table.List[i].Has(Counts) && op.Result.Kind() == history.Int && op.Result.Int() < 0:
		return op.Method + " is never negative"
	case !s.Table.excludes(i, op.Result):
		return ""
	case op.Waits:
		return op.Method + " never waits"
	case op.Result.Kind() == history.Exception:
		return op.Method + " never throws an exception"
	default:
		return fmt.Sprintf("%s never returns null; it returns %s", op.Method, s.Table.List[i].Result)
	}
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

// New returns the object in its initial state.
func (s *Specification[S]) New() replay.Object { return Object(s.Table, s.Fresh()) }

// Object returns the object with the methods of a table, and a state, which it keeps.
func Object[S State[S]](t *Table[S], state S) replay.State { return object[S]{t, state} }

// Trusted exempts the specification from trials; see replay.Trusted.
func (s *Specification[S]) Trusted() {}

// String returns the specification in the form that Parse reads.
func (s *Specification[S]) String() string {
	var b strings.Builder
	b.WriteString(s.entry.Name)
	for i, a := range s.args {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(a.String())
	}
	return b.String()
}

// An object is a replay.State: a state with its methods.
type object[S State[S]] struct {
	table *Table[S]
	state S
}

func (o object[S]) Apply(inv replay.Invocation) (history.Value, bool) {
	i := o.table.find(inv.Method, len(inv.Args))
	if i < 0 {
		panic(fmt.Sprintf("spec: invocation of %s with %d arguments was not checked", inv.Method, len(inv.Args)))
	}
	result := o.table.do[i](o.state, inv.Args)
	if result.Kind() == history.Unknown {
		return history.Value{}, false
	}
	return result, true
}

func (o object[S]) Clone() replay.State { return object[S]{o.table, o.state.Clone()} }

func (o object[S]) AppendKey(dst []byte) []byte { return o.state.AppendKey(dst) }

// Number implements replay.Numbered, for states that do.
func (o object[S]) Number() int64 {
	if n, ok := any(o.state).(replay.Numbered); ok {
		return n.Number()
	}
	return -1
}

// String returns the state in words for people.
func (o object[S]) String() string { return string(o.state.AppendText(nil)) }

// AppendEach appends elements between brackets, with a separator. element appends one of
// them.
func AppendEach[E any](dst []byte, brackets, separator string, elements iter.Seq[E], element func([]byte, E) []byte) []byte {
	dst = append(dst, brackets[0])
	start := len(dst)
	for e := range elements {
		if len(dst) > start {
			dst = append(dst, separator...)
		}
		dst = element(dst, e)
	}
	return append(dst, brackets[1])
}

// AppendValue appends a value as people write it.
func AppendValue(dst []byte, v value) []byte { return append(dst, v.String()...) }

// AppendEntry appends an entry of a map.
func AppendEntry(dst []byte, p *container.Pair[value, value]) []byte {
	return AppendValue(append(AppendValue(dst, p.Key), '='), p.Val)
}

// AppendCounts appends each value as often as it occurs.
func AppendCounts(dst []byte, brackets string, counts iter.Seq[*container.Pair[value, int]]) []byte {
	return AppendEach(dst, brackets, ", ", func(yield func(value) bool) {
		for p := range counts {
			for range p.Val {
				if !yield(p.Key) {
					return
				}
			}
		}
	}, AppendValue)
}

// Sized has what SizeMethods need.
type Sized interface {
	Len() int
	Clear()
}

// SizeMethods are the methods of all containers: size and isEmpty with these names, see
// parseSignature, and clear.
func SizeMethods[S Sized](size, isEmpty string) []Method[S] {
	return []Method[S]{
		Row(size+"() -> int", func(s S, _ []value) value { return history.IntValue(int64(s.Len())) }, Measures),
		Row(isEmpty+"() -> bool", func(s S, _ []value) value { return history.BoolValue(s.Len() == 0) }, Measures),
		Row("clear()", func(s S, _ []value) value { s.Clear(); return history.NoValue }, Empties),
	}
}

// A Sequence has what TakeRow needs.
type Sequence interface {
	Len() int
	Element(i int) value
	RemoveAt(i int)
}

// TakeRow is the row of a method that returns the element with the index at, or none. If
// its facts say so, it also removes the element.
func TakeRow[S Sequence](signature string, at func(S) int, none value, facts Facts) Method[S] {
	return Row(signature, func(s S, _ []value) value {
		i := at(s)
		if i < 0 {
			return none
		}
		e := s.Element(i)
		if facts.Has(Removes) {
			s.RemoveAt(i)
		}
		return e
	}, facts)
}

// First and Last return the index of an element, or -1 if there is none.
func First[S Sequence](s S) int { return min(0, s.Len()-1) }
func Last[S Sequence](s S) int  { return s.Len() - 1 }
