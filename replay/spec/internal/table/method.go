package table

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/leadline/leadline/history"
)

type value = history.Value

// A Param is a parameter of a method.
type Param struct {
	name  string
	Kinds Kinds
}

// A Signature is how a method is called, what it can return, and the facts about it.
type Signature struct {
	Text   string   // the row in the table of methods
	Names  []string // the name first, then its synonyms
	Params []Param
	Result Kinds
	Facts
}

// parseSignature reads a line of a table of methods:
//
//	NAME{|SYNONYM}([PARAM{, PARAM}]) [-> KINDS]    PARAM = NAME[: KINDS]    KINDS = any or KIND{|KIND}
//
// A parameter without kinds takes any value, and a method without -> returns
// nothing. The tables are part of the program, so a mistake panics.
func parseSignature(text string) Signature {
	head, rest, open := strings.Cut(text, "(")
	inside, tail, closed := strings.Cut(rest, ")")
	if !open || !closed {
		panic("spec: malformed signature " + text)
	}
	s := Signature{Text: text, Names: strings.Split(head, "|"), Result: nothing}
	if inside != "" {
		for p := range strings.SplitSeq(inside, ", ") {
			name, words, typed := strings.Cut(p, ": ")
			set := AnyValue
			if typed {
				set = parseKinds(words)
			}
			s.Params = append(s.Params, Param{name, set})
		}
	}
	if result, ok := strings.CutPrefix(tail, " -> "); ok {
		s.Result = parseKinds(result)
	}
	return s
}

// maxParams bounds the number of parameters of a method.
const maxParams = 4

// overloads has the methods of one name. By number of arguments, it has 1 + the position
// of the method in the table, or 0 if there is none.
type overloads [maxParams + 1]uint8

// named is a slot of the hash table of names.
type named struct {
	name string
	overloads
}

// Signatures are the methods of a specification without their implementations.
// A command needs few of the tables, so each is read when it is first needed: Read has
// to be called before List is used.
type Signatures struct {
	Read  func()
	List  []Signature
	names [256]named // by hash; at least one is free
	taken int        // at most so many slots have a name
	// CheckArg, if it is not nil, returns an error for an argument that the objects cannot
	// hold. Such objects may throw exceptions.
	CheckArg func(value) error
}

func (t *Signatures) add(s Signature) {
	t.List = append(t.List, s)
	for _, name := range s.Names {
		if t.taken++; t.taken == len(t.names) {
			panic("spec: too many names of methods")
		}
		o := t.named(name)
		if o.overloads[len(s.Params)] != 0 {
			panic(fmt.Sprintf("spec: two methods %s with %d parameters", name, len(s.Params)))
		}
		o.name, o.overloads[len(s.Params)] = name, uint8(len(t.List))
	}
}

// named returns the slot of a name, or a free slot, which has no methods. Each operation
// needs three lookups, and a map takes twice as long.
func (t *Signatures) named(name string) *named {
	h := uint(len(name))
	if h > 0 {
		h += 3*uint(name[0]) + 17*uint(name[h-1])
	}
	for ; ; h++ {
		if s := &t.names[h%uint(len(t.names))]; s.name == name || s.name == "" {
			return s
		}
	}
}

// find returns the position of the method in the table, or -1.
func (t *Signatures) find(name string, args int) int {
	if args > maxParams {
		return -1
	}
	return int(t.named(name).overloads[args]) - 1
}

// check returns an error for a wrong operation of the specification called spec.
func (t *Signatures) check(spec string, op *history.Operation) error {
	i := t.find(op.Method, len(op.Args))
	if i < 0 {
		return t.notFound(spec, op)
	}
	s := &t.List[i]
	for j, arg := range op.Args {
		if err := t.checkArg(s.Params[j].Kinds, arg); err != nil {
			return fmt.Errorf("argument %d of %s: %w", j+1, op.Method, err)
		}
	}
	switch k := op.Result.Kind(); {
	case op.Waits && s.Has(Waits):
		return fmt.Errorf("%s of a %s may have to wait, and whether it has to wait for ever is not decided", op.Method, spec)
	case k == history.Unknown || k == history.Exception || s.Result.Has(k):
		return nil
	case k == history.Null && s.Result != nothing: // a violation
		return nil
	default:
		return fmt.Errorf("%s returns %s, recorded %s", op.Method, s.Result, kindWord(k))
	}
}

// excludes reports whether no state gives the result of method i.
func (t *Signatures) excludes(i int, result value) bool {
	switch result.Kind() {
	case history.Null:
		return !t.List[i].Result.Has(history.Null)
	case history.Exception:
		return t.CheckArg == nil // only objects of Java throw any
	}
	return false
}

func (t *Signatures) notFound(spec string, op *history.Operation) error {
	o := t.named(op.Method)
	if o.name == "" {
		return fmt.Errorf("%s has no method %s (it has %s)", spec, op.Method, strings.Join(t.methodNames(), ", "))
	}
	var arities []string
	for n, i := range o.overloads {
		if i != 0 {
			arities = append(arities, fmt.Sprint(n))
		}
	}
	noun := "arguments"
	if len(arities) == 1 && arities[0] == "1" {
		noun = "argument"
	}
	return fmt.Errorf("%s takes %s %s, got %d", op.Method, strings.Join(arities, " or "), noun, len(op.Args))
}

func (t *Signatures) methodNames() []string {
	var names []string
	for _, s := range t.List {
		if !slices.Contains(names, s.Names[0]) {
			names = append(names, s.Names[0])
		}
	}
	return names
}

func (t *Signatures) checkArg(want Kinds, arg value) error {
	if !want.Has(arg.Kind()) {
		return fmt.Errorf("want %s, got %s", want, kindWord(arg.Kind()))
	}
	if t.CheckArg == nil {
		return nil
	}
	return t.CheckArg(arg)
}

// A Method is one row of a table; see Row.
type Method[S any] struct {
	signature string
	do        func(S, []value) value
	facts     Facts
}

// Row returns a row of a table: the signature of a method (see parseSignature), its effect,
// and the facts that engines may use. The effect returns the result, or NoTransition.
func Row[S any](signature string, effect func(S, []value) value, facts Facts) Method[S] {
	return Method[S]{signature, effect, facts}
}

// IfNull returns the row of a method that returns a result if its first argument is null.
func (m Method[S]) IfNull(result value) Method[S] {
	do := m.do
	m.do = func(s S, args []value) value {
		if args[0].Kind() == history.Null {
			return result
		}
		return do(s, args)
	}
	return m
}

// IfNull is Method.IfNull for several rows.
func IfNull[S any](result value, rows ...Method[S]) []Method[S] {
	for i := range rows {
		rows[i] = rows[i].IfNull(result)
	}
	return rows
}

// NoTransition is the result of a method where the object has no transition.
// The method must not change the object then. No method has the result Unknown
// otherwise.
var NoTransition = history.UnknownValue

// A Table has the methods of a specification whose state is an S.
type Table[S any] struct {
	Signatures
	do []func(S, []value) value
}

// New concatenates lists of methods. The table is empty until Read is called.
func New[S any](lists ...[]Method[S]) *Table[S] {
	t := &Table[S]{}
	t.Read = sync.OnceFunc(func() {
		for _, m := range slices.Concat(lists...) {
			s := parseSignature(m.signature)
			s.Facts = m.facts
			t.add(s)
			t.do = append(t.do, m.do)
		}
	})
	return t
}
