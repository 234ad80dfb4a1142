package jepsen

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
	"github.com/leadline/leadline/history/files"
)

var ednTests = []struct {
	text, want, fault string // fault is one of syntax, or a problem
}{
	{text: "nil", want: "null"},
	{text: " , true ; comment\n", want: "true"},
	{text: "-0", want: "0"},
	{text: "+7", want: "7"},
	{text: "9223372036854775807N", want: "9223372036854775807"},
	{text: "9223372036854775808", fault: "integer 9223372036854775808 does not fit 64 bits"},
	{text: "017", want: "15"},
	{text: "-00N", want: "0"},
	{text: "08", fault: "08 is not a number"},
	{text: "01.5", want: "1.5"},
	{text: "0x3e9b1010", want: "1050349584"},
	{text: "-0X8000000000000000N", want: "-9223372036854775808"},
	{text: "0x8000000000000000", fault: "integer 0x8000000000000000 does not fit 64 bits"},
	{text: "0x", fault: "0x is not a number"},
	{text: "0x+1", fault: "0x+1 is not a number"},
	{text: "0x1_0", fault: "0x1_0 is not a number"},
	{text: "1x1", fault: "1x1 is not a number"},
	{text: "+2r101", want: "5"},
	{text: "36RzN", want: "1283"},
	{text: "2r102", fault: "2r102 is not a number"},
	{text: "1r0", fault: "1r0 is not a number"},
	{text: "37r1", fault: "37r1 is not a number"},
	{text: "0r1", fault: "0r1 is not a number"},
	{text: "2r+1", fault: "2r+1 is not a number"},
	{text: "1e3r", fault: "1e3r is not a number"},
	{text: "[+-1 1x 2", fault: "line 1: column 10: unexpected end, ']' expected"},
	{text: "1x", fault: "1x is not a number"},
	{text: "4/2", want: "2"},
	{text: "-6/4", want: `"-3/2"`},
	{text: "1/0", fault: "1/0 is not a number"},
	{text: "1/x", fault: "1/x is not a number"},
	{text: "1.5", want: "1.5"},
	{text: "1e3", want: "1000.0"},
	{text: "1.", want: "1.0"},
	{text: "1e", fault: "1e is not a number"},
	{text: "1e400", fault: "number 1e400 does not fit a 64-bit float"},
	{text: "1e-400", fault: "number 1e-400 does not fit a 64-bit float"},
	{text: "0.10M", want: "0.1"},
	{text: "0.1000000000000000000001M", fault: "decimal 0.1000000000000000000001M has more digits than a 64-bit float"},
	{text: "##Inf", want: "+Inf"},
	{text: "##-Inf", want: "-Inf"},
	{text: "##NaN", want: "NaN"},
	{text: "##nan", fault: "line 1: column 6: ##nan is neither ##Inf, ##-Inf nor ##NaN"},
	{text: ":a/b", want: `":a/b"`},
	{text: ":", fault: `line 1: column 2: ":" is not a keyword`},
	{text: "::a", fault: `line 1: column 4: "::a" is not a keyword`},
	{text: "foo", fault: `"foo" is a symbol, which is not a value`},
	{text: `\a`, want: `"a"`},
	{text: `\(`, want: `"("`},
	{text: `\newline`, want: `"\n"`},
	{text: `\u0041`, want: `"A"`},
	{text: `\o101`, want: `"A"`},
	{text: `\uZ`, fault: `line 1: column 4: no character is called \uZ`},
	{text: `"a\tb\\\"\u00e9\101\ud83d\ude00"`, want: `"a\tb\\\"éA😀"`},
	{text: `"\x"`, fault: `line 1: column 3: unknown escape \x`},
	{text: `"\ud800"`, fault: "line 1: column 8: unpaired surrogate in a string"},
	{text: "\"\xff\"", fault: "line 1: column 4: invalid UTF-8 in a string"},
	{text: "\"a\nb", fault: `line 2: column 2: unexpected end, '"' expected`},
	{text: "[1 (2 #{3}) {:k [4]}]", want: `[1, [2, [3]], {":k": [4]}]`},
	{text: "#{3 1 2}", want: "[1, 2, 3]"},
	{text: "#{1 1}", fault: "an element occurs twice in one set"},
	{text: "{1 2 1 3}", fault: "a key occurs twice in one map"},
	{text: "{1}", fault: "line 1: column 4: a map has a key without a value"},
	{text: "#:n{:a 1 :_/b 2 :m/c 3 4 5}", want: `{4: 5, ":b": 2, ":m/c": 3, ":n/a": 1}`},
	{text: "#my/tag [1]", want: "[1]"},
	{text: "#a #b #c 1", want: "1"},
	{text: "[1 #_ 2 #_ #_ 3 4 5 #_ 6]", want: "[1, 5]"},
	{text: "#_ foo 1", want: "1"},
	{text: "[1}", fault: "line 1: column 3: unexpected '}', ']' expected"},
	{text: "[1", fault: "line 1: column 3: unexpected end, ']' expected"},
	{text: "[#_]", fault: "line 1: column 4: unexpected ']', a value expected"},
	{text: "'a", fault: `line 1: column 1: unexpected '\'', a value expected`},
	{text: "#", fault: "line 1: column 2: unexpected end, a tag expected"},
	{text: "", fault: "line 1: column 1: unexpected end, a value expected"},
	{text: "(\v", fault: "line 1: column 3: unexpected end, ')' expected"},
	{text: "\x01", fault: `line 1: column 1: unexpected '\x01', a value expected`},
	{text: "\x00", fault: `line 1: column 1: unexpected '\x00', a value expected`},
	{text: strings.Repeat("[", 1000) + strings.Repeat("]", 1000), want: strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
	{text: strings.Repeat("[", 1001), fault: "line 1: column 1001: nested more than 1000 deep"},
	{text: strings.Repeat("#_", 1001), fault: "line 1: column 2003: nested more than 1000 deep"},
	{text: strings.Repeat("#a ", 1001), fault: "line 1: column 3003: nested more than 1000 deep"},
}

func TestEDN(t *testing.T) {
	for _, test := range ednTests {
		e := newEDNReader(decode.NewWindow(iotest.OneByteReader(strings.NewReader(test.text))), 1<<20, new(scan.Pool))
		v := e.value()
		got := e.problem
		if e.failed() {
			got = "line " + history.IntValue(int64(e.faultLine)).String() + ": " + e.fault
		}
		name := test.text[:min(len(test.text), 40)]
		if got != test.fault {
			t.Errorf("%s: fault %q, want %q", name, got, test.fault)
		}
		if test.fault == "" && v.String() != test.want {
			t.Errorf("%s: got %v, want %s", name, v, test.want)
		}
	}
}

// TestEDNFlood: megabytes of brackets are a fault.
func TestEDNFlood(t *testing.T) {
	for _, piece := range []string{"[", "{", "(", "#{", "#_", "#a ", "#_[", `"`, `\`, "#:a{"} {
		in := strings.Repeat(piece, 1<<20)
		errs := 0
		for _, err := range EDN.Decode(strings.NewReader(in), "in", decode.Limits{}) {
			if err != nil {
				errs++
			}
		}
		if errs == 0 {
			t.Errorf("%q: no error", piece)
		}
	}
}

// TestEDNLimits: the sizes of tokens and of histories are bounded.
// TestLongForms: a form is not read to its end if it is larger than a history may be.
func TestLongForms(t *testing.T) {
	for _, lim := range []decode.Limits{{History: 1 << 20}, {Memory: 8 << 20}} {
		text := &counted{r: io.MultiReader(strings.NewReader("[{:process 0, :type :invoke, :f :write, :value ["), strings.NewReader(strings.Repeat("1 ", 16<<20)))}
		var last error
		for _, err := range EDN.Decode(text, "in", lim) {
			last = err
		}
		if !errors.Is(last, files.ErrLimit) || text.n > 8<<20 {
			t.Errorf("%+v: %v after %d bytes", lim, last, text.n)
		}
	}
}

// counted counts what is read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestEDNLimits(t *testing.T) {
	long := `[{:process 0, :type :invoke, :f :write, :value "` + strings.Repeat("x", 1000) + `"}]`
	for _, lim := range []decode.Limits{{Line: 100}, {History: 500}} {
		errs := 0
		for _, err := range EDN.Decode(strings.NewReader(long), "in", lim) {
			if err != nil {
				errs++
			}
		}
		if errs == 0 {
			t.Errorf("%+v: no error", lim)
		}
	}
}
