package history

import (
	"bytes"
	"math"
	"testing"
	"unsafe"
)

func mapOf(t testing.TB, pairs ...Value) Value {
	m, ok := MapValue(pairs...)
	if !ok {
		t.Fatalf("no map of %v", pairs)
	}
	return m
}

// samples are different values with their strings.
func samples(t testing.TB) ([]Value, []string) {
	i, s := IntValue, StringValue
	list := []struct {
		v    Value
		text string
	}{
		{NoValue, ""}, {NullValue, "null"}, {UnknownValue, "?"}, {BoolValue(true), "true"}, {BoolValue(false), "false"},
		{i(0), "0"}, {i(1), "1"}, {i(-1), "-1"}, {i(math.MaxInt64), "9223372036854775807"}, {i(math.MinInt64), "-9223372036854775808"},
		{FloatValue(0), "0.0"}, {FloatValue(math.Copysign(0, -1)), "-0.0"}, {FloatValue(1), "1.0"}, {FloatValue(1e21), "1e+21"}, {FloatValue(math.NaN()), "NaN"}, {FloatValue(math.Inf(-1)), "-Inf"},
		{s(""), `""`}, {s("a"), `"a"`}, {s("ab"), `"ab"`}, {s("\xff"), `"\xff"`}, {ExceptionValue(""), "!"}, {ExceptionValue("a"), "!a"},
		{ExceptionValue("a, b"), `!"a, b"`}, {ListValue(ExceptionValue("a"), s("b")), `[!a, "b"]`}, {ListValue(UnknownValue), "[?]"},
		{ListValue(), "[]"}, {ListValue(i(1)), "[1]"}, {ListValue(i(1), i(2)), "[1, 2]"}, {ListValue(ListValue()), "[[]]"}, {ListValue(s("a")), `["a"]`},
		{ListValue(NoValue), "[none]"}, {mapOf(t), "{}"}, {mapOf(t, i(2), s("b"), i(1), s("a")), `{1: "a", 2: "b"}`}, {mapOf(t, i(1), i(1)), "{1: 1}"}, {mapOf(t, i(1), i(2)), "{1: 2}"},
		{ListValue(i(1), i(1)), "[1, 1]"}, {mapOf(t, NullValue, mapOf(t, s("k"), ListValue())), `{null: {"k": []}}`},
	}
	var values []Value
	var texts []string
	for _, e := range list {
		values, texts = append(values, e.v), append(texts, e.text)
	}
	return values, texts
}

func TestValues(t *testing.T) {
	values, texts := samples(t)
	again, _ := samples(t)
	for i, v := range values {
		if v.String() != texts[i] {
			t.Errorf("%d: prints %q, want %q", i, v.String(), texts[i])
		}
		if back, err := ParseValue(texts[i]); err != nil || !back.Equal(v) {
			t.Errorf("%d: %q is read as %v (%v), %v", i, texts[i], back, back.Kind(), err)
		}
		for k, w := range again {
			if (v.String() == w.String()) != (i == k) {
				t.Errorf("%v (%v) prints as %v (%v)", v, v.Kind(), w, w.Kind())
			}
			if got := v.Equal(w); got != (i == k) {
				t.Errorf("%v (%v) equal to %v (%v): %v", v, v.Kind(), w, w.Kind(), got)
			}
			if c := v.Compare(w); (c == 0) != (i == k) || (c < 0) != (w.Compare(v) > 0) {
				t.Errorf("%v compared to %v: %d and %d", v, w, c, w.Compare(v))
			}
			a, b := v.AppendKey(nil), w.AppendKey(nil)
			if bytes.Equal(a, b) != (i == k) || i != k && bytes.HasPrefix(a, b) {
				t.Errorf("keys of %v and %v: %x, %x", v, w, a, b)
			}
			for _, x := range values { // a total order
				if v.Compare(w) < 0 && w.Compare(x) < 0 && v.Compare(x) >= 0 {
					t.Errorf("%v < %v < %v, but not %v < %v", v, w, x, v, x)
				}
			}
		}
	}
}

// TestAccessors: an accessor returns zero for a value of another kind.
func TestAccessors(t *testing.T) {
	values, _ := samples(t)
	for _, v := range values {
		k := v.Kind()
		if v.Int() != 0 && k != Int || v.Float() != 0 && k != Float || v.Bool() && k != Bool ||
			v.Text() != "" && k != String && k != Exception || v.List() != nil && k != List && k != Map {
			t.Errorf("%v (%v) answers for another kind", v, k)
		}
	}
	if IntValue(3).Int() != 3 || FloatValue(3).Float() != 3 || !BoolValue(true).Bool() || StringValue("x").Text() != "x" ||
		ExceptionValue("x").Text() != "x" || len(ListValue(NullValue).List()) != 1 {
		t.Error("an accessor lost its value")
	}
	if !FloatValue(math.Float64frombits(0x7ff8000000000007)).Equal(FloatValue(math.NaN())) {
		t.Error("two kinds of NaN")
	}
}

func TestMapValue(t *testing.T) {
	if _, ok := MapValue(IntValue(1)); ok {
		t.Error("a key without a value is accepted")
	}
	if _, ok := MapValue(IntValue(1), NullValue, IntValue(2), NullValue, IntValue(1), NullValue); ok {
		t.Error("a key that occurs twice is accepted")
	}
	if m, ok := MapValue(StringValue("b"), IntValue(2), StringValue("a"), IntValue(1)); !ok || m.String() != `{"a": 1, "b": 2}` {
		t.Errorf("got %v", m)
	}
}

func TestNames(t *testing.T) {
	if Map.String() != "map" || Kind(77).String() != "kind 77" || Info.String() != "info" || EventType(9).String() != "event type 9" ||
		HalfOpen.String()+Closed.String()+StampOrder.String()+FileOrder.String() != "half-openclosedstampfile" {
		t.Error("a name is wrong")
	}
}

// TestSize: a value stays as small as its comment says.
func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(Value{}); size != 16 {
		t.Errorf("a value has %d bytes", size)
	}
}

func TestFloatsCompareAsNumbers(t *testing.T) {
	ascending := []float64{math.Inf(-1), -2.5, -1, math.Copysign(0, -1), 0, 1, 2.5, math.Inf(1)}
	for i := 1; i < len(ascending); i++ {
		if a, b := FloatValue(ascending[i-1]), FloatValue(ascending[i]); a.Compare(b) >= 0 || b.Compare(a) <= 0 {
			t.Errorf("%v is not smaller than %v", a, b)
		}
	}
}

// TestHash: equal values have equal hashes, however they were made, and values
// that differ in one place do not.
func TestHash(t *testing.T) {
	pairs := func(a, b int64) Value {
		m, _ := MapValue(IntValue(b), NullValue, IntValue(a), StringValue("x"))
		return m
	}
	groups := [][2]Value{
		{NoValue, {}}, {NullValue, NullValue}, {UnknownValue, UnknownValue}, {BoolValue(true), BoolValue(true)},
		{BoolValue(false), BoolValue(false)}, {IntValue(1), IntValue(1)}, {IntValue(-1), IntValue(-1)}, {FloatValue(1), FloatValue(1)},
		{StringValue("ab"), StringValue("a" + string('b'))}, {StringValue("ba"), StringValue("ba")}, {StringValue(""), StringValue("")},
		{ExceptionValue("ab"), ExceptionValue("ab")}, {ListValue(), ListValue()}, {ListValue(IntValue(1), IntValue(2)), ListValue(IntValue(1), IntValue(2))},
		{ListValue(IntValue(2), IntValue(1)), ListValue(IntValue(2), IntValue(1))}, {pairs(1, 2), pairs(1, 2)}, {pairs(2, 1), pairs(2, 1)},
	}
	seen := map[uint64]Value{}
	for _, g := range groups {
		h := g[0].Hash(7)
		if h != g[1].Hash(7) {
			t.Errorf("%v has two hashes", g[0])
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%v and %v have the same hash", other, g[0])
		}
		seen[h] = g[0]
	}
}
