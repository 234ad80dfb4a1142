package porcupine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
)

type hidden struct {
	a any
	m map[string][]int
}

type celsius int

type nested []nested

func deep(n int) nested {
	var x nested
	for range n {
		x = nested{x}
	}
	return x
}

// TestContents: values have the same content if and only if they are of the same
// row.
func TestContents(t *testing.T) {
	p, q := new(int), new(int)
	ch := make(chan int)
	rows := [][]any{
		{nil},
		{0, 0}, {int8(0)}, {celsius(0)}, {uint(0)}, {false, false}, {true},
		{0.0, 0.0}, {math.Copysign(0, -1)}, {math.NaN(), math.NaN()}, {float32(0)}, {complex(0, 1)}, {complex(1, 0)},
		{"", ""}, {"ab", "a" + "b"}, {"a"},
		{[]string{"ab", ""}, []string{"ab", ""}}, {[]string{"a", "b"}}, {[]string(nil), []string(nil)}, {[]string{}}, {[2]string{"a", "b"}},
		{[]any{1, "a"}, []any{1, "a"}}, {[]any{int8(1), "a"}}, {[]any{nil}},
		{map[string]int{"a": 1, "b": 2}, map[string]int{"b": 2, "a": 1}}, {map[string]int{"a": 2, "b": 1}}, {map[string]int{}}, {map[string]int(nil)},
		{hidden{a: 1, m: map[string][]int{"x": {1}}}, hidden{a: 1, m: map[string][]int{"x": {1}}}}, {hidden{a: 1, m: map[string][]int{"x": nil}}}, {hidden{a: "1"}},
		{p, p}, {q}, {(*int)(nil), (*int)(nil)}, {ch, ch}, {(chan int)(nil)},
		{(func())(nil), (func())(nil)}, {func() {}},
		{deep(999), deep(999)}, {deep(998)},
	}
	var c contents
	row := map[string]int{}
	for i, values := range rows {
		for k, v := range values {
			key := c.key(v)
			before, known := row[key]
			if known && before != i || !known && k > 0 {
				t.Errorf("row %d, %T %v: the content is that of row %d: %v", i, v, v, before, known)
			}
			row[key] = i
		}
	}
	// What has no content to compare equals nothing, not even itself.
	loop := nested{nil}
	loop[0] = loop
	for _, v := range []any{func() int { return 1 }, loop, strings.Repeat("a", mostContent)} {
		if first := c.key(v); first == c.key(v) {
			t.Errorf("%T equals itself", v)
		}
	}
}

type ring struct {
	value int
	next  *ring
}

func newRing(values ...int) *ring {
	first := &ring{value: values[0]}
	last := first
	for _, v := range values[1:] {
		last.next = &ring{value: v}
		last = last.next
	}
	last.next = first
	return first
}

// TestSum: values of one row have the same sum, and values of two rows have two.
func TestSum(t *testing.T) {
	large := func() map[string]int {
		m := map[string]int{}
		for i := range 20_000 {
			m[fmt.Sprint(i)] = i
		}
		return m
	}
	f := func() {}
	ch := make(chan int)
	rows := [][]any{
		{nil}, {0, 0}, {"0"}, {false}, {1.5, 1.5}, {0.0}, {celsius(0)}, {"", ""}, {complex(1, 2), complex(1, 2)},
		{[]int(nil), []int{}}, {[]int{1, 2}, append(make([]int, 0, 9), 1, 2)}, {[]int{2, 1}}, {[2]int{1, 2}}, {[]byte{1, 2}},
		{map[string]int(nil), map[string]int{}}, {map[string]int{"a": 1, "b": 2}, map[string]int{"b": 2, "a": 1}}, {map[string]int{"a": 2, "b": 1}},
		{newRing(1, 2), newRing(1, 2)}, {newRing(2, 1)}, {(*ring)(nil)},
		{&hidden{a: 1, m: map[string][]int{"x": {1}}}, &hidden{a: 1, m: map[string][]int{"x": {1}}}}, {hidden{a: 1}}, {hidden{a: "1"}},
		{f, f}, {ch, ch}, {make(chan int)}, {large(), large()}, {deep(2 * mostContent), deep(3 * mostContent)},
		{strings.Repeat("a", 2*mostContent)}, {[]string{strings.Repeat("a", 2*mostContent), "b"}, []string{strings.Repeat("a", 2*mostContent), "c"}},
	}
	var c contents
	row := map[uint64]int{}
	for i, values := range rows {
		for k, v := range values {
			sum, _ := c.sum(v)
			if before, known := row[sum]; known && before != i || !known && k > 0 {
				t.Errorf("row %d, %T: the sum is that of row %d: %v", i, v, before, known)
			}
			row[sum] = i
		}
	}
	for v, want := range map[any]bool{1: false, "a": false, [1]int{}: false, &ring{}: true, new(int): true} {
		if _, changes := c.sum(v); changes != want {
			t.Errorf("that something in %T can change: %v", v, changes)
		}
	}
}

// TestStateTable: equal states of one hash have one number, and a number never has two
// states.
func TestStateTable(t *testing.T) {
	for _, hash := range []func(any) uint64{nil, func(any) uint64 { return 7 }} {
		table := stateTable{hash: hash, equal: func(a, b any) bool { return slices.Equal(a.([]int)[1:], b.([]int)[1:]) }}
		number := func(state ...int) int64 { n, _ := table.number(state); return n }
		first := number(0, 7)
		if number(0, 7) != first {
			t.Error("a state has a new number")
		}
		if (number(1, 7) == first) != (hash != nil) {
			t.Error("states of one hash have several numbers, or the table compares without a hash")
		}
		first = number(0, 8)
		for i := range 300 {
			if n := number(0, 100+i); n != first+int64(i)+1 {
				t.Fatalf("the number of another state is %d after %d", n, first+int64(i))
			}
		}
		if number(0, 8) != first {
			t.Error("a state has another number later")
		}
	}
}

func TestParseName(t *testing.T) {
	for text, want := range map[string]string{
		`get('x') -> 'y'`:         `get("x"): "y"`,
		`put('x', 'a, b)')`:       `put("x", "a, b)")`,
		`read() -> null`:          `read(): null`,
		`cas(1, 2) -> true`:       `cas(1, 2): true`,
		`push([1, 2], {"a": 1})`:  `push([1, 2], {"a": 1})`,
		`size() = 3`:              `step("size() = 3")`,
		`f("a\")", x)`:            `f("\"a\\\")\", x")`,
		`get(k) -> ?`:             `get("k"): "?"`,
		`get(k) -> !err`:          `get("k"): "!err"`,
		`get-all() -> [1 2]`:      `get-all(): "[1 2]"`,
		`read x -> 5`:             `step("read x"): 5`,
		`{1 [1 2]} -> [2]`:        `step("{1 [1 2]}"): [2]`,
		`<invalid>`:               `step("<invalid>")`,
		`open(`:                   `step("open(")`,
		`f(x) and then g(y) -> 1`: `f("x) and then g(y"): 1`,
		`put('x', '->')`:          `put("x", "->")`,
		`get('x') -> f(1)`:        `get("x"): "f(1)"`,
		`(x) -> 1`:                `step("(x)"): 1`,
		`f('a' -> 2`:              `step("f('a'"): 2`,
	} {
		n := parseName(text)
		op := history.Operation{Method: n.method, Args: n.args, Result: n.result}
		if got := op.String(); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
}

// TestNamer: different things get different names, at a cost per thing that does not
// grow with their number.
func TestNamer(t *testing.T) {
	n := newNamer()
	named, tried := map[string]string{}, 0
	keyOf := func(name string) string {
		tried++
		return name
	}
	for i := range 2000 {
		thing := fmt.Sprint(i % 1000)
		got := n.pick(thing, "name", keyOf)
		if before, known := named[thing]; known && before != got {
			t.Fatalf("%s is called %s and %s", thing, before, got)
		}
		named[thing] = got
	}
	names := map[string]bool{}
	for _, name := range named {
		names[name] = true
	}
	if got := n.pick("another", "name#2", keyOf); names[got] {
		t.Errorf("a thing whose first choice is the second one of others is called %s", got)
	}
	if len(names) != 1000 || tried > 3*2000 {
		t.Errorf("1000 things have %d names, after %d tries", len(names), tried)
	}
}
