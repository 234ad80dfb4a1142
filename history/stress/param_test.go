package stress

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// TestParams: the arguments of each kind differ, and the parameter accepts them, also in
// programs. The same holds for the values below them.
func TestParams(t *testing.T) {
	wide := values.Struct(Bool, Int)
	for p, count := range map[Param]int{Int: 2, Text: 2, Bool: 2, List: 7, Texts: 7, Map: 9, Any: 4, pointParam: 8, wide: 4, values.Struct(): 1} {
		c := &Class{Name: "c", Methods: []*Method{{Name: "m", Params: []Param{p}}}}
		all := p.All(2)
		if len(all) != count {
			t.Errorf("%v: %d arguments, want %d", p, len(all), count)
		}
		different := map[string]bool{}
		for n := range 3 {
			all = append(all, p.Some(n))
		}
		for len(all) > 0 {
			a := all[0]
			all = append(all[1:], p.Lesser(a)...)
			different[fmt.Sprint(a.Kind(), a)] = true
			text := (&Program{Sequences: [][]Invocation{{{c.Methods[0], []history.Value{a}}}}}).String()
			if q, err := Parse(text, c); err != nil || !q.Sequences[0][0].Args[0].Equal(a) || !p.Takes(a) {
				t.Errorf("%v: %s becomes %v, %v", p, text, q, err)
			}
		}
		if len(different) < count {
			t.Errorf("%v: only %v", p, different)
		}
	}
	c := wideClass()
	for text, want := range map[string]string{
		"{ store(true) }":          `column 9: found "true", want an integer or a string (argument 1 of store)`,
		`{ move([0,"0"]) }`:        "column 8: found `[0,\"0\"]`, want struct(int, text, bool), such as [2,\"2\",false] (argument 1 of move)",
		`{ move([0,0,false]) }`:    `column 8: found "[0,0,false]", want struct(int, text, bool), such as [2,"2",false] (argument 1 of move)`,
		`{ move([0,"0",true]; 1) `: `column 20: found ";", want ")", since move takes 1 argument (struct(int, text, bool))`,
	} {
		if _, err := Parse(text, c); err == nil || err.Error() != "program: "+want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// TestAnyArguments: in most programs an argument of kind Any is an Int, but Strings
// occur.
func TestAnyArguments(t *testing.T) {
	c := &Class{Name: "c", Methods: []*Method{{Name: "store", Params: []Param{Any}}}}
	programs, err := Generate(c, GeneratorOptions{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	n, mixed := 0, 0
	for p := range programs {
		if n++; n > 400 {
			break
		}
		kinds := map[history.Kind]bool{}
		for _, inv := range p.All() {
			kinds[inv.Args[0].Kind()] = true
		}
		if kinds[history.String] {
			mixed++
		}
	}
	if mixed < 50 || mixed > 150 {
		t.Errorf("%d of 400 programs have strings", mixed)
	}
}
