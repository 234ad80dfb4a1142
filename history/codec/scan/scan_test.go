package scan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// scanAll reads text as one JSON value.
func scanAll(text []byte) (history.Value, string) {
	s := Scanner{Pool: new(Pool)}
	s.Reset(text)
	v := s.Value(false)
	s.End()
	return v, s.Fault
}

var scanTests = []struct {
	text, want, fault string
}{
	{text: ` 1 `, want: "1"},
	{text: `-0`, want: "0"},
	{text: `9223372036854775807`, want: "9223372036854775807"},
	{text: `-9223372036854775808`, want: "-9223372036854775808"},
	{text: `9223372036854775808`, fault: "integer 9223372036854775808 does not fit 64 bits"},
	{text: `-9223372036854775809`, fault: "integer -9223372036854775809 does not fit 64 bits"},
	{text: `18446744073709551616`, fault: "integer 18446744073709551616 does not fit 64 bits"},
	{text: `99999999999999999999999999999999999999999999`, fault: "integer 9999999999999999999999999999999999999999... does not fit 64 bits"},
	{text: `1.0`, want: "1.0"},
	{text: `1e400`, fault: "number 1e400 does not fit a 64-bit float"},
	{text: `-`, fault: "unexpected end, a digit expected"},
	{text: `01`, fault: "a number must not begin with 0"},
	{text: `-01`, fault: "a number must not begin with 0"},
	{text: `1.`, fault: "unexpected end, a digit expected"},
	{text: `1.e1`, fault: "unexpected 'e', a digit expected"},
	{text: `1e`, fault: "unexpected end, a digit expected"},
	{text: `1e+x`, fault: "unexpected 'x', a digit expected"},
	{text: `+1`, fault: "unexpected '+', a value expected"},
	{text: `.5`, fault: "unexpected '.', a value expected"},
	{text: `NaN`, fault: "unexpected 'N', a value expected"},
	{text: `tru`, fault: "unexpected end, true expected"},
	{text: `trux`, fault: "unexpected 'x', true expected"},
	{text: `nulll`, fault: "unexpected 'l', the end of the line expected"},
	{text: ``, fault: "unexpected end, a value expected"},
	{text: `"a`, fault: `unexpected end, '"' expected`},
	{text: `"aaaaaaaaaaaaaaaaaaaa\`, fault: "unexpected end, an escape expected"},
	{text: `"\u12`, fault: "unexpected end, a hexadecimal digit expected"},
	{text: `"\u12g4"`, fault: "unexpected 'g', a hexadecimal digit expected"},
	{text: `"\x"`, fault: `unknown escape \x`},
	{text: `"\ud800"`, fault: `unpaired surrogate \ud800`},
	{text: `"\udc00\ud800"`, fault: `unpaired surrogate \udc00`},
	{text: `"\ud800\u0041"`, fault: `unpaired surrogate \ud800`},
	{text: `"\ud83d\ude00"`, want: `"😀"`},
	{text: "\"12345678\n\"", fault: `control character '\n' in a string; it must be escaped`},
	{text: "\"\\n\x01\"", fault: `control character '\x01' in a string; it must be escaped`},
	{text: "\"1234567\xff\"", fault: "invalid UTF-8"},
	{text: "\"\\n\xff\"", fault: "invalid UTF-8"},
	{text: "\"\xed\xa0\x80\"", fault: "invalid UTF-8"},
	{text: "\"\xc3", fault: "invalid UTF-8"},
	{text: `[1,]`, fault: "unexpected ']', a value expected"},
	{text: `[1 2]`, fault: "unexpected '2', ',' or ']' expected"},
	{text: `{"a" 1}`, fault: "unexpected '1', ':' expected"},
	{text: `{a:1}`, fault: "unexpected 'a', a key in quotes expected"},
	{text: `{"a":1,}`, fault: "unexpected '}', a key in quotes expected"},
	{text: `{"a":1,"a":1}`, fault: "a key occurs twice in one object"},
	{text: `{"b":1,"a":[true,null]}`, want: `{"a": [true, null], "b": 1}`},
	{text: strings.Repeat("[", 1000) + strings.Repeat("]", 1000), want: strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
	{text: strings.Repeat("[", 1001), fault: "nested more than 1000 deep"},
	{text: strings.Repeat(`{"a":`, 1001), fault: "nested more than 1000 deep"},
	{text: "1e-400", fault: "number 1e-400 does not fit a 64-bit float"},
	{text: "0.00e-400", want: "0.0"},
	{text: "-0.0", want: "-0.0"},
	{text: "\x00", fault: `unexpected '\x00', a value expected`},
}

func TestScan(t *testing.T) {
	for _, test := range scanTests {
		v, fault := scanAll([]byte(test.text))
		if fault != test.fault {
			t.Errorf("%.60q: fault %q, want %q", test.text, fault, test.fault)
		} else if fault == "" && v.String() != test.want {
			t.Errorf("%.60q: got %v, want %s", test.text, v, test.want)
		}
	}
}

// TestSpecials tries every byte at every place of a word.
func TestSpecials(t *testing.T) {
	for c := range 256 {
		for at := range 9 {
			for _, filler := range []byte{' ', '!', '#', '[', ']', 'a', 0x7f} {
				text := bytes.Repeat([]byte{filler}, 12)
				text[at] = byte(c)
				quoted := append(append([]byte{'"'}, text...), '"')
				s := Scanner{Data: quoted, Pool: new(Pool)}
				got := s.Text()
				plain := c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\'
				if plain != (!s.Failed() && bytes.Equal(got, text)) {
					t.Fatalf("%q: got %q, fault %q", quoted, got, s.Fault)
				}
			}
		}
	}
}

// FuzzScan compares the scanner with encoding/json: what it accepts has the same meaning
// there, and what it refuses is refused there too, unless the scanner is stricter.
func FuzzScan(f *testing.F) {
	for _, test := range scanTests {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, fault := scanAll(text)
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		err := d.Decode(&want)
		valid := err == nil && json.Valid(text)
		if fault == "" && !valid {
			t.Fatalf("%q: accepted as %v, but encoding/json says %v", text, v, err)
		}
		if fault != "" && valid && !stricter(text, fault) {
			t.Fatalf("%q: refused (%s), but encoding/json reads %v", text, fault, want)
		}
		if fault == "" && !same(v, want) {
			t.Fatalf("%q: got %v, encoding/json reads %v", text, v, want)
		}
		s := Scanner{Pool: new(Pool)}
		s.Reset(text)
		s.Skip()
		if s.End(); valid && s.Failed() && !stricter(text, s.Fault) {
			t.Fatalf("%q: skip refuses it (%s)", text, s.Fault)
		} else if !valid && !s.Failed() {
			t.Fatalf("%q: skip accepts it", text)
		}
	})
}

// stricter reports whether a fault is none for encoding/json.
func stricter(text []byte, fault string) bool {
	for _, known := range []string{"does not fit", "unpaired surrogate", "nested more", "occurs twice"} {
		if strings.Contains(fault, known) {
			return true
		}
	}
	return fault == "invalid UTF-8" && !utf8.Valid(text)
}

// same compares v with the result of encoding/json.
func same(v history.Value, want any) bool {
	switch want := want.(type) {
	case nil:
		return v.Kind() == history.Null
	case bool:
		return v.Equal(history.BoolValue(want))
	case string:
		return v.Equal(history.StringValue(want))
	case json.Number:
		if v.Kind() == history.Int {
			n, err := want.Int64()
			return err == nil && n == v.Int()
		}
		f, err := want.Float64()
		return err == nil && v.Kind() == history.Float && math.Float64bits(f) == math.Float64bits(v.Float())
	case []any:
		if v.Kind() != history.List || len(v.List()) != len(want) {
			return false
		}
		for i, e := range v.List() {
			if !same(e, want[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		pairs := v.List()
		if v.Kind() != history.Map || len(pairs) != 2*len(want) {
			return false
		}
		for i := 0; i < len(pairs); i += 2 {
			e, ok := want[pairs[i].Text()]
			if !ok || !same(pairs[i+1], e) {
				return false
			}
		}
		return true
	}
	panic(fmt.Sprintf("%T", want))
}
