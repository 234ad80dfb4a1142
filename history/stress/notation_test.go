package stress

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// notationClass has a method for each kind of parameter. Its methods cannot
// be called.
func notationClass() *Class {
	return &Class{Name: "Sample", Methods: []*Method{
		{Name: "put", Params: []Param{Int, Int}, Core: true},
		{Name: "get", Params: []Param{Int}, Core: true, ReadOnly: true},
		{Name: "contains", Params: []Param{Int}, Core: true, ReadOnly: true},
		{Name: "remove", Params: []Param{Int}, Core: true},
		{Name: "clear"},
		{Name: "size", ReadOnly: true},
		{Name: "name", Params: []Param{Text}, Core: true},
		{Name: "flag", Params: []Param{Bool}, Core: true},
		{Name: "addAll", Params: []Param{List}},
		{Name: "names", Params: []Param{Texts}},
		{Name: "putAll", Params: []Param{Map}},
		{Name: "estimate", ReadOnly: true, Weak: true},
	}}
}

// objectClass also has methods with objects as parameters.
func objectClass() *Class {
	c := notationClass()
	own, made := reflect.TypeFor[*Class](), reflect.TypeFor[*Program]()
	c.Methods = append(c.Methods, &Method{Name: "join", Params: []Param{values.Of(own, values.Object{Type: own})}},
		&Method{Name: "append", Params: []Param{values.Of(made, values.Object{Makers: []any{newTestProgram}})}})
	return c
}

func newTestProgram() *Program { return &Program{} }

const writtenObjects = "{ join(self); append(newTestProgram) } || { join(new) }"

func TestNotationObjects(t *testing.T) {
	p, err := Parse(writtenObjects, objectClass())
	if err != nil || p.String() != writtenObjects {
		t.Fatalf("%v, %v", p, err)
	}
	for text, want := range map[string]string{
		"{ join(other) }":        "column 8: found \"other\", want one of new, self",
		"{ append(newProgram) }": "column 10: found \"newProgram\", want one of newTestProgram",
	} {
		if _, err := Parse(text, objectClass()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// wideClass also has methods with the other parameters.
func wideClass() *Class {
	c := notationClass()
	c.Methods = append(c.Methods, &Method{Name: "store", Params: []Param{Any}}, &Method{Name: "move", Params: []Param{pointParam}})
	return c
}

// written are programs as they are printed.
var written = []string{
	"{ put(0,0); remove(1) } || { put(1,0); contains(0) }",
	"[ put(0,1) ] { get(0) } || { clear() } || { size() } [ size() ]",
	"[ put(0,1); put(1,1) ] { get(0) } || { clear() } || { size() } order 0<2, 1<2",
	"{ get(0) } || { clear() } || { size() } order 0<1, 0<2, 1<2 [ size(); get(1) ]",
	"{ clear() }",
	"{ put(-1,9223372036854775807) } || { put(-9223372036854775808,0) }",
	`{ name("a"); name("") } || { name("\n\"]}\\ ü") }`,
	"{ flag(true) } || { flag(false) }",
	"{ addAll([]); addAll([0]) } || { addAll([0,1,-1]); addAll(null) }",
	`{ names([]); names(["0"]) } || { names(["0",",]"]); names(null) }`,
	"{ putAll({}); putAll({0=1}) } || { putAll({0=1,1=0}); putAll(null) }",
}

// variants are programs that are printed in another way than they are written.
var variants = [][2]string{
	{"{clear()}||{size()}", "{ clear() } || { size() }"},
	{" \t{ put ( 0 , 1 ) ;\nsize()}order", ""},
	{"[clear()]{put( 0,\t1 );size ( )}\r\n||{clear()}order 0 < 1,0<1[size()]\n", "[ clear() ] { put(0,1); size() } || { clear() } order 0<1 [ size() ]"},
	{"{ size() } || { size() } || { size() } order 1<2, 0<2, 0<1", "{ size() } || { size() } || { size() } order 0<1, 0<2, 1<2"},
	{"{ putAll({ 1 = 0 , 0 = 1 }) } || { addAll( [ 0 , 007 ] ) }", "{ putAll({0=1,1=0}) } || { addAll([0,7]) }"},
	{`{ name("\u00fc") }`, `{ name("ü") }`},
}

// wrong are texts with what is wrong with them.
var wrong = [][2]string{
	{"", `column 1: the text ends, want a sequence, such as "{ get(0) }"`},
	{"[ size() ]", `column 11: the text ends, want a sequence, such as "{ get(0) }"`},
	{"{ }", `column 3: found "}", want an invocation, such as get(0)`},
	{"{ size(); }", `column 11: found "}", want an invocation, such as get(0)`},
	{"{ put(0,0)", `column 11: the text ends, want ";" or "}"`},
	{"[ put(0,0) }", `column 12: found "}", want ";" or "]"`},
	{"{ put(0,0", `column 10: the text ends, want ")"`},
	{"{ put(0,", `column 9: the text ends, want an integer of 64 bits (argument 2 of put)`},
	{"{ put", `column 6: the text ends, want "(" after put`},
	{"{ size() } ||", `column 14: the text ends, want a sequence, such as "{ get(0) }"`},
	{"{ size() } | { size() }", `column 12: found "|", want "||", "order", "[" or the end`},
	{"{ size() } order 0<0 x", `column 17: the order has a cycle that sequence 0 is on or comes after`},
	{"{ size() } [ size() ] { size() }", `column 23: found "{", want the end`},
	{"{ size() } || { size() } order 0<1 ü", `column 36: found "ü", want ",", "[" or the end`},
	{"{ ütt(0) }", `column 3: unknown method "ütt"; Sample has put, get, contains, remove, clear, size, name, flag, addAll, names, putAll, estimate`},
	{`{ name("üü"); putt(0) }`, `column 15: unknown method "putt"; Sample has put, get, contains, remove, clear, size, name, flag, addAll, names, putAll, estimate`},
	{"{ put() }", `column 7: 0 given, but put takes 2 arguments (int, int)`},
	{"{ put(0) }", `column 8: 1 given, but put takes 2 arguments (int, int)`},
	{"{ put(0,1,2) }", `column 10: found ",", want ")", since put takes 2 arguments (int, int)`},
	{"{ get() }", `column 7: 0 given, but get takes 1 argument (int)`},
	{"{ size(0) }", `column 8: found "0", want ")", since size takes no arguments`},
	{`{ get("0") }`, "column 7: found `\"0\"`, want an integer of 64 bits (argument 1 of get)"},
	{"{ put(0,[0]) }", `column 9: found "[0]", want an integer of 64 bits (argument 2 of put)`},
	{"{ get(null) }", `column 7: found "null", want an integer of 64 bits (argument 1 of get)`},
	{"{ get(9223372036854775808) }", `column 7: "9223372036854775808" is not an integer of 64 bits (argument 1 of get)`},
	{"{ name(0) }", `column 8: found "0", want a string in double quotes (argument 1 of name)`},
	{`{ name("a) }`, `column 8: the string "\"a) }" does not end or is not as in Go (argument 1 of name)`},
	{`{ name("\z") }`, `column 8: the string "\"\\z\") }" does not end or is not as in Go (argument 1 of name)`},
	{"{ flag(1) }", `column 8: found "1", want true or false (argument 1 of flag)`},
	{"{ addAll(0) }", `column 10: found "0", want list(int), such as [2,0] (argument 1 of addAll)`},
	{"{ addAll([0 1]) }", `column 13: unexpected "1]) }", "," or "]" expected (argument 1 of addAll)`},
	{`{ addAll([0,"1"]) }`, "column 10: found `[0,\"1\"]`, want list(int), such as [2,0] (argument 1 of addAll)"},
	{`{ names(["1",0]) }`, "column 9: found `[\"1\",0]`, want list(text), such as [\"2\",\"0\"] (argument 1 of names)"},
	{"{ names({}) }", `column 9: found "{}", want list(text), such as ["2","0"] (argument 1 of names)`},
	{"{ putAll([]) }", `column 10: found "[]", want map(int, int), such as {0=2,2=0} (argument 1 of putAll)`},
	{"{ putAll({0}) }", `column 12: unexpected "}) }" after a key, ":" or "=" expected (argument 1 of putAll)`},
	{"{ putAll({0=1;}) }", `column 13: "1;" is not a value; a string needs double quotes (argument 1 of putAll)`},
	{"{ putAll({0=1,0=2}) }", `column 11: a key occurs twice in one map (argument 1 of putAll)`},
	{"{ size() } order", `column 17: the text ends, want the number of a sequence`},
	{"{ size() } order a<b", `column 18: found "a", want the number of a sequence`},
	{"{ size() } || { size() } order 0>1", `column 32: found "0>1", want the number of a sequence`},
	{"{ size() } || { size() } order 0 1", `column 34: found "1", want "<"`},
	{"{ size() } || { size() } order 0<2", `column 34: no sequence 2; they are 0 to 1`},
	{"{ size() } || { size() } order -1<0", `column 32: no sequence -1; they are 0 to 1`},
	{"{ size() } || { size() } || { size() } order 1<2, 2<1", `column 45: the order has a cycle that sequence 1 is on or comes after`},
}

func TestNotation(t *testing.T) {
	c := notationClass()
	cases := slices.Clone(variants)
	for _, text := range written {
		cases = append(cases, [2]string{text, text})
	}
	for _, e := range cases {
		p, err := Parse(e[0], c)
		if e[1] == "" {
			if err == nil {
				t.Errorf("%q: got %v, want an error", e[0], p)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", e[0], err)
		} else if p.String() != e[1] {
			t.Errorf("%q: prints %q, want %q", e[0], p.String(), e[1])
		}
	}
}

func TestParseErrors(t *testing.T) {
	c := notationClass()
	for _, e := range wrong {
		p, err := Parse(e[0], c)
		var s *SyntaxError
		if !errors.As(err, &s) {
			t.Errorf("%q: got %v, %v, want a SyntaxError", e[0], p, err)
		} else if err.Error() != "program: "+e[1] {
			t.Errorf("%q:\n got %v\nwant program: %s", e[0], err, e[1])
		}
	}
}

// TestParseCutOff: each prefix of a program is a program, too, or its error is
// that the text ends, or is at the symbol that was cut.
func TestParseCutOff(t *testing.T) {
	c := notationClass()
	for _, text := range written {
		for n := range len(text) {
			_, err := Parse(text[:n], c)
			var s *SyntaxError
			if err == nil || errors.As(err, &s) && strings.Contains(s.Msg, "the text ends") {
				continue
			}
			word := strings.TrimRight(text[:n], "abcdefghijklmnopqrstuvwxyzA0123456789-|") // cut in the middle
			if s == nil || s.Column <= len([]rune(word)) && !strings.Contains(s.Msg, "does not end") {
				t.Errorf("%q: %v", text[:n], err)
			}
		}
	}
}

// TestNotationRandom: random programs of any form print and parse to
// themselves.
func TestNotationRandom(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	c := wideClass()
	for range 2000 {
		p := randomText(r, c)
		q, err := Parse(p.String(), c)
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, p, err)
		}
		if !samePrograms(p, q) {
			t.Fatalf("seed %d: %q is parsed as %q", seed, p, q)
		}
	}
}

func samePrograms(p, q *Program) bool {
	same := func(a, b Invocation) bool {
		return a.Method == b.Method && slices.EqualFunc(a.Args, b.Args, history.Value.Equal)
	}
	return slices.EqualFunc(p.Initial, q.Initial, same) && slices.EqualFunc(p.Final, q.Final, same) && slices.Equal(p.Order, q.Order) &&
		slices.EqualFunc(p.Sequences, q.Sequences, func(a, b []Invocation) bool { return slices.EqualFunc(a, b, same) })
}

var pointParam = values.Struct(Int, Text, Bool)

// randomText returns a program with any values, an order and both parts.
func randomText(r *rand.Rand, c *Class) *Program {
	number := func() history.Value { return history.IntValue(int64(r.Uint64()) >> r.IntN(64)) }
	text := func() history.Value {
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return history.StringValue(string(b))
	}
	list := func(element func() history.Value) history.Value {
		all := make([]history.Value, r.IntN(4))
		for i := range all {
			all[i] = element()
		}
		return history.ListValue(all...)
	}
	part := func(least int) (all []Invocation) {
		for range least + r.IntN(3) {
			inv := Invocation{Method: c.Methods[r.IntN(len(c.Methods))]}
			for _, p := range inv.Method.Params {
				a := history.BoolValue(r.IntN(2) == 0)
				switch p {
				case Int:
					a = number()
				case Text:
					a = text()
				case List:
					a = list(number)
				case Texts:
					a = list(text)
				case Any:
					if a = number(); r.IntN(2) == 0 {
						a = text()
					}
				case pointParam:
					a = history.ListValue(number(), text(), a)
				case Map:
					a, _ = history.MapValue(history.IntValue(1), number(), history.IntValue(0), number())
				}
				inv.Args = append(inv.Args, a)
			}
			all = append(all, inv)
		}
		return all
	}
	p := &Program{Initial: part(0), Final: part(0)}
	for range 1 + r.IntN(3) {
		p.Sequences = append(p.Sequences, part(1))
	}
	for i := range p.Sequences {
		for j := i + 1; j < len(p.Sequences); j++ {
			if r.IntN(3) == 0 {
				p.Order = append(p.Order, [2]int{i, j})
			}
		}
	}
	return p
}

func FuzzParse(f *testing.F) {
	f.Add(writtenObjects)
	for _, text := range written {
		f.Add(text)
	}
	for _, table := range [][][2]string{variants, wrong} {
		for _, e := range table {
			f.Add(e[0])
		}
	}
	c := objectClass()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text, c)
		var s *SyntaxError
		switch {
		case err == nil:
		case !errors.As(err, &s) || s.Column < 1 || s.Column > len(text)+1:
			t.Fatalf("%q: the error has no column within the text: %v", text, err)
		default:
			return
		}
		q, err := Parse(p.String(), c)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, p, err)
		}
		if !samePrograms(p, q) || p.String() != q.String() {
			t.Fatalf("%q prints as %q, which prints as %q", text, p, q)
		}
	})
}

func ExampleParse() {
	class := &Class{Name: "Map", Methods: []*Method{
		{Name: "put", Params: []Param{Int, Int}, Core: true},
		{Name: "size", ReadOnly: true},
	}}
	p, err := Parse("[put(0,0)] {put(1,0); put(0,1)} || {size()} [size()]", class)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)

	_, err = Parse("{ put(0) } || { size() }", class)
	fmt.Println(err)
	// Output:
	// [ put(0,0) ] { put(1,0); put(0,1) } || { size() } [ size() ]
	// program: column 8: 1 given, but put takes 2 arguments (int, int)
}
