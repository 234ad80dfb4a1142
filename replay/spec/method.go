package spec

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/leadline/leadline/history"
)

type value = history.Value

// A kinds is a set of history.Kind.
type kinds uint16

const (
	nothing  = kinds(1) << history.None
	anyValue = kinds(1)<<history.Null | 1<<history.Bool | 1<<history.Int | 1<<history.Float |
		1<<history.String | 1<<history.List | 1<<history.Map
)

func (k kinds) has(kind history.Kind) bool { return k&(1<<kind) != 0 }

func (k kinds) String() string {
	if k == anyValue {
		return "any value"
	}
	var words []string
	for kind := history.None; kind <= history.Map; kind++ {
		if k.has(kind) {
			words = append(words, kindWord(kind))
		}
	}
	return strings.Join(words, " or ")
}

func kindWord(k history.Kind) string {
	if k == history.None {
		return "nothing"
	}
	return k.String()
}

func parseKinds(text string) kinds {
	if text == "any" {
		return anyValue
	}
	var set kinds
	for word := range strings.SplitSeq(text, "|") {
		found := false
		for kind := history.None; kind <= history.Map; kind++ {
			if kindWord(kind) == word {
				set, found = set|1<<kind, true
			}
		}
		if !found {
			panic("spec: unknown kind " + word)
		}
	}
	return set
}

type param struct {
	name  string
	kinds kinds
}

// A signature is how a method is called and what it can return.
type signature struct {
	text   string   // the row in the table of methods
	names  []string // the name first, then its synonyms
	params []param
	result kinds
	facts  facts
}

// parseSignature reads a line of a table of methods:
//
//	NAME{|SYNONYM}([PARAM{, PARAM}]) [-> KINDS]    PARAM = NAME[: KINDS]    KINDS = any or KIND{|KIND}
//
// A parameter without kinds takes any value, and a method without -> returns
// nothing. The tables are part of the program, so a mistake panics.
func parseSignature(text string) signature {
	head, rest, open := strings.Cut(text, "(")
	inside, tail, closed := strings.Cut(rest, ")")
	if !open || !closed {
		panic("spec: malformed signature " + text)
	}
	s := signature{text: text, names: strings.Split(head, "|"), result: nothing}
	if inside != "" {
		for p := range strings.SplitSeq(inside, ", ") {
			name, words, typed := strings.Cut(p, ": ")
			set := anyValue
			if typed {
				set = parseKinds(words)
			}
			s.params = append(s.params, param{name, set})
		}
	}
	if result, ok := strings.CutPrefix(tail, " -> "); ok {
		s.result = parseKinds(result)
	}
	return s
}

// maxParams bounds the number of parameters of a method.
const maxParams = 4

// overloads has the methods of one name. By number of arguments, it has 1 + the position
// of the method in the table, or 0 if there is none.
type overloads [maxParams + 1]uint8

// signatures are the methods of a specification without their implementations.
// A command needs few of the tables, so each is read when it is first needed.
type signatures struct {
	read   func()
	list   []signature
	byName map[string]overloads
	quick  [64]named // most of byName, by quickSlot: each operation needs a lookup
	java   bool      // ints have 32 bits, lists hold ints or null, maps go from int to int
}

func (t *signatures) add(s signature) {
	if p := s.facts.problem(&s); p != "" {
		panic("spec: the facts of " + s.text + ": " + p)
	}
	t.list = append(t.list, s)
	for _, name := range s.names {
		o := t.byName[name]
		if o[len(s.params)] != 0 {
			panic(fmt.Sprintf("spec: two methods %s with %d parameters", name, len(s.params)))
		}
		o[len(s.params)] = uint8(len(t.list))
		t.byName[name] = o
		if q := &t.quick[quickSlot(name)]; q.name == "" || q.name == name {
			*q = named{name, o}
		}
	}
}

type named struct {
	name string
	overloads
}

func quickSlot(name string) int {
	return (len(name) + 3*int(name[0]) + 17*int(name[len(name)-1])) & 63
}

// find returns the position of the method in the table, or -1.
func (t *signatures) find(name string, args int) int {
	if args > maxParams || name == "" {
		return -1
	}
	if q := &t.quick[quickSlot(name)]; q.name == name {
		return int(q.overloads[args]) - 1
	}
	return int(t.byName[name][args]) - 1
}

// check returns an error for a wrong operation of the specification called spec.
func (t *signatures) check(spec string, op *history.Operation) error {
	i := t.find(op.Method, len(op.Args))
	if i < 0 {
		return t.notFound(spec, op)
	}
	s := &t.list[i]
	for j, arg := range op.Args {
		if err := t.checkArg(s.params[j].kinds, arg); err != nil {
			return fmt.Errorf("argument %d of %s: %w", j+1, op.Method, err)
		}
	}
	switch k := op.Result.Kind(); {
	case k == history.Unknown || k == history.Exception || s.result.has(k):
		return nil
	case k == history.Null && s.result != nothing: // a violation
		return nil
	default:
		return fmt.Errorf("%s returns %s, recorded %s", op.Method, s.result, kindWord(k))
	}
}

// excludes reports whether no state gives the result of method i.
func (t *signatures) excludes(i int, result value) bool {
	switch result.Kind() {
	case history.Null:
		return !t.list[i].result.has(history.Null)
	case history.Exception:
		return !t.java // only objects of Java throw any
	}
	return false
}

func (t *signatures) notFound(spec string, op *history.Operation) error {
	o, ok := t.byName[op.Method]
	if !ok {
		return fmt.Errorf("%s has no method %s (it has %s)", spec, op.Method, strings.Join(t.methodNames(), ", "))
	}
	var arities []string
	for n, i := range o {
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

func (t *signatures) methodNames() []string {
	var names []string
	for _, s := range t.list {
		if !slices.Contains(names, s.names[0]) {
			names = append(names, s.names[0])
		}
	}
	return names
}

func (t *signatures) checkArg(want kinds, arg value) error {
	if !want.has(arg.Kind()) {
		return fmt.Errorf("want %s, got %s", want, kindWord(arg.Kind()))
	}
	if t.java {
		return checkJava(arg)
	}
	return nil
}

// A method is one row of a table: its signature, its implementation, and the
// facts that engines may use.
type method[S any] struct {
	signature string
	// do performs the method and returns its result, or noTransition.
	do func(S, []value) value
	facts
}

// noTransition is the result of a method where the object has no transition.
// The method must not change the object then. No method has the result Unknown
// otherwise.
var noTransition = history.UnknownValue

// A table has the methods of a specification whose state is an S.
type table[S any] struct {
	signatures
	do []func(S, []value) value
}

// newTable concatenates lists of methods. The table is empty until read is called.
func newTable[S any](lists ...[]method[S]) *table[S] {
	t := &table[S]{}
	t.read = sync.OnceFunc(func() {
		t.byName = map[string]overloads{}
		for _, m := range slices.Concat(lists...) {
			s := parseSignature(m.signature)
			s.facts = m.facts
			t.add(s)
			t.do = append(t.do, m.do)
		}
	})
	return t
}
