package stress

import (
	"strings"
	"testing"
)

func TestBounds(t *testing.T) {
	for _, e := range [][2]Bounds{
		{{}, {MinInvocations: 3, MaxInvocations: 6, Initial: 2, Final: 2, Sequences: 2, Values: 2}},
		{{MaxInvocations: 2, Initial: -1}, {MinInvocations: 2, MaxInvocations: 2, Initial: -1, Final: 2, Sequences: 2, Values: 2}},
		{{MinInvocations: 8, Final: 9}, {MinInvocations: 8, MaxInvocations: 8, Initial: 2, Final: 9, Sequences: 2, Values: 2}},
		{{Sequences: 8, Values: 1}, {MinInvocations: 3, MaxInvocations: 8, Initial: 2, Final: 2, Sequences: 8, Values: 1}},
		{{MaxInvocations: 1000}, {MinInvocations: 3, MaxInvocations: 1000, Initial: 2, Final: 2, Sequences: 2, Values: 2}},
	} {
		if got := e[0].fill(); got != e[1] {
			t.Errorf("%+v means %+v, want %+v", e[0], got, e[1])
		}
		if err := e[0].Validate(); err != nil {
			t.Errorf("%+v: %v", e[0], err)
		}
	}
	for _, b := range []Bounds{{MinInvocations: -1}, {MaxInvocations: -1}, {Sequences: -1}, {Values: -1}, {Values: 65}, {MaxInvocations: 1},
		{MinInvocations: 3, MaxInvocations: 2}, {Sequences: 9}, {MaxInvocations: 1001}} {
		if b.Validate() == nil {
			t.Errorf("%+v is valid", b)
		}
	}
}

func TestRank(t *testing.T) {
	c := notationClass()
	for _, e := range []struct {
		text string
		want [3]int
	}{
		{"{ clear() } || { size() }", [3]int{2, 2, 0}},
		{"[ put(0,1) ] { get(0) } || { clear() } || { size() } [ get(5) ]", [3]int{5, 3, 3}},
		{"[ put(0,0) ] { put(1,0); put(0,1) } || { size() } [ size() ]", [3]int{5, 2, 2}},
		{`{ name("0") } || { get(0) }`, [3]int{2, 2, 1}},
		{`{ name("a"); names(["b","0"]) } || { flag(true); addAll(null) }`, [3]int{4, 2, 3}},
		{"{ putAll({0=3,1=2}) } || { addAll([]) }", [3]int{2, 2, 4}},
	} {
		p, err := Parse(e.text, c)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := rank(p); got != e.want {
			t.Errorf("%v has rank %v, want %v", p, got, e.want)
		}
	}
}

func TestSmaller(t *testing.T) {
	c := notationClass()
	for text, want := range map[string]string{
		"{ put(0,0) } || { clear() }": "",
		"[ put(0,0) ] { get(1) } || { clear() } [ size() ]": `{ get(1) } || { clear() } [ size() ]
[ put(0,0) ] { get(1) } || { clear() }
[ put(0,0) ] { get(0) } || { clear() } [ size() ]`,
		"{ clear(); size() } || { clear() } || { size() } order 0<1, 1<2": `{ size() } || { clear() } || { size() } order 0<1, 1<2
{ clear() } || { clear() } || { size() } order 0<1, 1<2
{ clear(); size() } || { size() }
{ clear(); size() } || { clear() } order 0<1
{ clear(); size() } || { clear() } || { size() } order 1<2
{ clear(); size() } || { clear() } || { size() } order 0<1`,
		`{ addAll([1,0]) } || { name("2") }`: `{ addAll([0]) } || { name("2") }
{ addAll([1]) } || { name("2") }
{ addAll([1,0]) } || { name("1") }`,
		`{ putAll({0=1,1=1}) } || { name("a") }`: `{ putAll({1=1}) } || { name("a") }
{ putAll({0=1}) } || { name("a") }`,
	} {
		p, err := Parse(text, c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range smaller(p) {
			got = append(got, q.String())
		}
		if joined := strings.Join(got, "\n"); joined != want {
			t.Errorf("smaller than %s:\n%s\nwant\n%s", text, joined, want)
		}
		if p.String() != text {
			t.Errorf("%s has become %v", text, p)
		}
	}
}
