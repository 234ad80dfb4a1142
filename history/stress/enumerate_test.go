package stress

import (
	"fmt"
	"slices"
	"testing"
)

// tinyClass has few invocations: put and get are core, the others are not.
func tinyClass() *Class {
	return &Class{Name: "Tiny", Methods: []*Method{
		{Name: "put", Params: []Param{Int}, Core: true},
		{Name: "get", Params: []Param{Int}, Core: true, ReadOnly: true},
		{Name: "clear"},
		{Name: "size", ReadOnly: true},
		{Name: "swap", Params: []Param{Int, Int}},
	}}
}

// TestEnumerateNaive compares with an enumerator that tries all words, all
// ways to cut them, and then sorts out.
func TestEnumerateNaive(t *testing.T) {
	c := tinyClass()
	for _, e := range []struct {
		target string
		bounds Bounds
	}{
		{"clear", Bounds{MinInvocations: 1, MaxInvocations: 4}},
		{"size", Bounds{MinInvocations: 1, MaxInvocations: 4}},
		{"", Bounds{MinInvocations: 1, MaxInvocations: 4}},
		{"put", Bounds{MinInvocations: 2, MaxInvocations: 4}},
		{"swap", Bounds{MinInvocations: 2, MaxInvocations: 3, Sequences: 3, Values: 3}},
		{"clear", Bounds{MinInvocations: 3, MaxInvocations: 5, Sequences: 5, Values: 1}},
		{"clear", Bounds{MaxInvocations: 3, Sequences: 1}},
		{"clear", Bounds{MinInvocations: 2, MaxInvocations: 4, Sequences: 3, Values: 1}},
		{"size", Bounds{MinInvocations: 2, MaxInvocations: 3, Sequences: 3}},
		{"", Bounds{MinInvocations: 3, MaxInvocations: 4, Sequences: 3, Values: 1}},
		{"size", Bounds{MinInvocations: 4, MaxInvocations: 4, Sequences: 4, Values: 1}},
	} {
		want := naive(e.target, e.bounds.fill())
		got := map[string]int{}
		for p := range enumerate(c, c.Method(e.target), e.bounds) {
			got[normal(p)]++
		}
		for key, n := range got {
			if n > 1 {
				t.Errorf("%s %+v: %d programs are %s", e.target, e.bounds, n, key)
			}
			if !want[key] {
				t.Errorf("%s %+v: surplus %s", e.target, e.bounds, key)
			}
		}
		for key := range want {
			if got[key] == 0 {
				t.Errorf("%s %+v: %s is missing", e.target, e.bounds, key)
			}
		}
		t.Logf("%s %+v: %d programs", e.target, e.bounds, len(got))
		if len(want) == 0 {
			t.Errorf("%s %+v: no programs", e.target, e.bounds)
		}
	}
}

// TestEnumerateRanks: ranks do not fall, and programs parse.
func TestEnumerateRanks(t *testing.T) {
	c := notationClass()
	for _, name := range []string{"clear", "size", "addAll", "names", "putAll"} {
		var before []int
		n := 0
		for p := range enumerate(c, c.Method(name), Bounds{MinInvocations: 2, MaxInvocations: 3, Sequences: 3}) {
			r := rank(p)
			if slices.Compare(before, r[:]) > 0 {
				t.Fatalf("%v after rank %v", p, before)
			}
			before = r[:]
			if n++; n%100 == 0 {
				if q, err := Parse(p.String(), c); err != nil || !samePrograms(p, q) {
					t.Fatalf("%v is parsed as %v: %v", p, q, err)
				}
			}
		}
		if !slices.Equal(before, []int{3, 3, 2}) {
			t.Errorf("%s: the last rank is %v", name, before)
		}
	}
}

// TestEnumeratePaper: the harnesses of figure 8 of "Exposing Non-Atomic
// Methods of Concurrent Objects" are those of their rank.
func TestEnumeratePaper(t *testing.T) {
	c := &Class{Name: "ConcurrentSkipListMap", Methods: []*Method{
		{Name: "put", Params: []Param{Int, Int}, Core: true},
		{Name: "remove", Params: []Param{Int}, Core: true},
		{Name: "get", Params: []Param{Int}, Core: true, ReadOnly: true},
		{Name: "containsKey", Params: []Param{Int}, Core: true, ReadOnly: true},
		{Name: "clear"},
	}}
	found := map[string]bool{}
	for p := range enumerate(c, c.Method("clear"), Bounds{MinInvocations: 4, MaxInvocations: 4}) {
		found[normal(p)] = true
	}
	for i := range 16 {
		a, x, b, y := i&1, i>>1&1, i>>2&1, i>>3&1
		p, err := Parse(fmt.Sprintf("{ put(%d,%d) } || { clear(); put(%d,%d); containsKey(%d) }", a, x, b, y, b), c)
		if err != nil {
			t.Fatal(err)
		}
		// Programs of the value 1 alone are those of the value 0 alone.
		if found[normal(p)] != (rank(p)[2] == 2 || a+x+b+y == 0) {
			t.Errorf("%v is found: %v", p, found[normal(p)])
		}
	}
}

func TestEnumerateEnds(t *testing.T) {
	c := tinyClass()
	n := 0
	for range enumerate(c, c.Method("clear"), Bounds{Sequences: 3}) {
		if n++; n == 5000 {
			break
		}
	}
	onlyLooks := &Class{Methods: []*Method{{Name: "get", Core: true, ReadOnly: true}, {Name: "size", ReadOnly: true}}}
	for p := range enumerate(onlyLooks, onlyLooks.Methods[1], Bounds{}) {
		t.Errorf("read-only invocations alone: %v", p)
	}
}
