package history

import (
	"math"
	"strings"
	"testing"
)

// TestParseValue parses notations that String does not print.
func TestParseValue(t *testing.T) {
	for text, want := range map[string]Value{
		" ":                    NoValue,
		"none":                 NoValue,
		" 3 ":                  IntValue(3),
		"007":                  IntValue(7),
		"1E3":                  FloatValue(1000),
		"0e-400":               FloatValue(0),
		"-0":                   IntValue(0),
		"5e-324":               FloatValue(math.SmallestNonzeroFloat64),
		"[1,2]":                ListValue(IntValue(1), IntValue(2)),
		"{0=1,1=1}":            mapOf(t, IntValue(0), IntValue(1), IntValue(1), IntValue(1)),
		"{ \"b\" : [ ], 1=? }": mapOf(t, IntValue(1), UnknownValue, StringValue("b"), ListValue()),
		`"\u00e9\n"`:           StringValue("é\n"),
		"[!a.B$c,!,!\"x y\"]":  ListValue(ExceptionValue("a.B$c"), ExceptionValue(""), ExceptionValue("x y")),
	} {
		if v, err := ParseValue(text); err != nil || !v.Equal(want) {
			t.Errorf("%q is read as %v (%v), %v; want %v", text, v, v.Kind(), err, want)
		}
	}
	for text, want := range map[string]string{
		"1 2":                    `unexpected " 2" after the value 1`,
		"abc":                    `"abc" is not a value; a string needs double quotes`,
		"[1":                     `unexpected the end, "," or "]" expected`,
		"[1,]":                   `unexpected "]", a value expected`,
		"{1}":                    `unexpected "}" after a key, ":" or "=" expected`,
		"{1=2, 1=3}":             "a key occurs twice in one map",
		"9223372036854775808":    `"9223372036854775808" is not an integer of 64 bits`,
		"1e400":                  `"1e400" is not a 64-bit float`,
		"1e-400":                 `"1e-400" is not a 64-bit float`,
		"1-2":                    `"1-2" is not an integer of 64 bits`,
		"0x10":                   `"0x10" is not a value; a string needs double quotes`,
		`"a`:                     "the string \"\\\"a\" does not end or is not as in Go",
		"'a'":                    `"'a'" is not a value; a string needs double quotes`,
		strings.Repeat("[", 1e6): "nested more than 1000 deep",
	} {
		if v, err := ParseValue(text); err == nil || err.Error() != want {
			t.Errorf("%.40q is read as %v, %v; want %s", text, v, err, want)
		}
	}
	if v, rest, err := CutValue(`{1=2}); pop()`); err != nil || rest != "); pop()" || v.String() != "{1: 2}" {
		t.Errorf("cut %v and %q, %v", v, rest, err)
	}
}

// FuzzParseValue: a parsed value prints as a string that parses to the same value
// and prints the same.
func FuzzParseValue(f *testing.F) {
	_, texts := samples(f)
	for _, text := range append(texts, "{0=1,1=1}", "[!a b]", "1e-400", `"\xff"`, "!\"\\u0000\"", "[none, ?]") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseValue(text)
		if err != nil {
			return
		}
		printed := v.String()
		back, err := ParseValue(printed)
		if err != nil || !back.Equal(v) || back.String() != printed {
			t.Fatalf("%q is %s, which is read as %v, %v", text, printed, back, err)
		}
	})
}
