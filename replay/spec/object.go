package spec

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A state has the methods that the state of a sequential object needs in addition to its
// table of methods.
type state[S any] interface {
	clone() S
	// appendKey appends exactly what the object can show later. Two states of one
	// specification have the same key exactly if no sequence of invocations
	// distinguishes them, unless the type documents an exception.
	appendKey(dst []byte) []byte
	// appendText appends the state in words for people; see replay.StateText.
	// Where keys are exact, states with different keys have different texts.
	appendText(dst []byte) []byte
}

// A specification is a replay.Spec made of a table and an initial state.
type specification[S state[S]] struct {
	name  string
	args  []value
	table *table[S]
	fresh func() S
	// discipline is the discipline of a collection. initial is the value of a register,
	// or of a key of a map, before the first write.
	discipline replay.Discipline
	capacity   int // of a bounded collection
	initial    value
	isCell     bool // it holds one value, or one for each key
	// order returns an error for values that the object would put in a wrong order. It is
	// nil if the object does not order values.
	order  func(op *history.Operation) error
	traits replay.Traits // see complete
}

// complete reads the table and sets the traits.
func (s *specification[S]) complete() {
	s.table.read()
	key := append([]byte(s.name), 0)
	for _, a := range s.args {
		key = a.AppendKey(key)
	}
	isKeyed := func(m signature) bool { return m.facts.has(keyed) }
	s.traits = replay.Traits{Discipline: s.discipline, Capacity: s.capacity, Partitioned: slices.ContainsFunc(s.table.list, isKeyed), Key: string(key)}
}

// Name returns the name of the specification, without arguments.
func (s *specification[S]) Name() string { return s.name }

// Check returns an error if op is wrong; see replay.Spec.
func (s *specification[S]) Check(op *history.Operation) error {
	if err := s.table.check(s.name, op); err != nil || s.order == nil {
		return err
	}
	return s.order(op)
}

// Impossible returns why no state gives the result of op; see replay.Excluding.
func (s *specification[S]) Impossible(op *history.Operation) string {
	switch i := s.table.find(op.Method, len(op.Args)); {
	case s.table.list[i].facts.has(counts) && op.Result.Kind() == history.Int && op.Result.Int() < 0:
		return op.Method + " is never negative"
	case !s.table.excludes(i, op.Result):
		return ""
	case op.Result.Kind() == history.Exception:
		return op.Method + " never throws an exception"
	default:
		return fmt.Sprintf("%s never returns null; it returns %s", op.Method, s.table.list[i].result)
	}
}

// New returns the object in its initial state.
func (s *specification[S]) New() replay.Object { return object[S]{s.table, s.fresh()} }

// Trusted exempts the specification from replay.Probe.
func (s *specification[S]) Trusted() {}

// String returns the specification in the form that Parse reads.
func (s *specification[S]) String() string {
	var b strings.Builder
	b.WriteString(s.name)
	for i, a := range s.args {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(a.String())
	}
	return b.String()
}

// An object is a replay.State: a state with its methods.
type object[S state[S]] struct {
	table *table[S]
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

func (o object[S]) Clone() replay.State { return object[S]{o.table, o.state.clone()} }

func (o object[S]) AppendKey(dst []byte) []byte { return o.state.appendKey(dst) }

// String returns the state in words for people.
func (o object[S]) String() string { return string(o.state.appendText(nil)) }

// appendEach appends elements between brackets, separated by commas. element
// appends one of them.
func appendEach[E any](dst []byte, brackets string, elements iter.Seq[E], element func([]byte, E) []byte) []byte {
	dst = append(dst, brackets[0])
	start := len(dst)
	for e := range elements {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = element(dst, e)
	}
	return append(dst, brackets[1])
}

func appendValue(dst []byte, v value) []byte { return append(dst, v.String()...) }

func appendEntry(dst []byte, p *pair[value, value]) []byte {
	return appendValue(append(appendValue(dst, p.key), '='), p.val)
}

// appendCounts appends each value as often as it occurs.
func appendCounts(dst []byte, brackets string, counts iter.Seq[*pair[value, int]]) []byte {
	return appendEach(dst, brackets, func(yield func(value) bool) {
		for p := range counts {
			for range p.val {
				if !yield(p.key) {
					return
				}
			}
		}
	}, appendValue)
}

// sizeMethods are the methods of all containers.
func sizeMethods[S interface {
	length() int
	clear()
}]() []method[S] {
	return []method[S]{
		{"size|len|length() -> int", func(s S, _ []value) value { return history.IntValue(int64(s.length())) }, measures},
		{"isEmpty|is_empty|empty() -> bool", func(s S, _ []value) value { return history.BoolValue(s.length() == 0) }, measures},
		{"clear()", func(s S, _ []value) value { s.clear(); return history.NoValue }, empties},
	}
}
