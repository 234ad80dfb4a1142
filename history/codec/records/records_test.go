package records

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec/decode"
)

// TestNanoseconds: stamps and durations are read exactly, or refused.
func TestNanoseconds(t *testing.T) {
	for _, test := range []struct {
		x    any
		unit string
		want string
	}{
		{12, "ns", "12"}, {12, "us", "12000"}, {12, "ms", "12000000"}, {12, "s", "12000000000"}, {-3, "ms", "-3000000"},
		{decimal("1.25"), "s", "1250000000"}, {decimal("1795731406.938284397"), "s", "1795731406938284397"},
		{decimal("1795731406938.284"), "ms", "1795731406938284000"}, {decimal("1.5"), "ns", "finer than a nanosecond"},
		{decimal("1e3"), "ns", "1000"}, {decimal("1.2345E2"), "us", "123450"}, {decimal("125e-2"), "s", "1250000000"}, {decimal("120e-1"), "ns", "12"},
		{decimal("1e-9"), "s", "1"}, {decimal("1e-10"), "s", "finer than"}, {decimal("0.000000000000"), "ns", "0"}, {decimal("1e401"), "ns", "is not a stamp"},
		{decimal("9.3e18"), "ns", "does not fit"}, {decimal("-0.5"), "us", "-500"}, {9300000000, "s", "does not fit"},
		{1.0, "ms", "1000000"}, {0.5, "s", "rounded to a float"}, {1e17, "ns", "rounded to a float"}, {nil, "ns", "ns of nil"}, {true, "ns", "not a stamp"},
		{"12", "us", "12000"}, {" 1.5 ", "us", "1500"}, {"4.5ms", "ns", "4500000"}, {"1h2m0.000000001s", "ns", "3720000000001"}, {"-2us", "s", "-2000"},
		{"1970-01-01T00:00:01Z", "ns", "1000000000"}, {"1969-12-31T23:59:59.25Z", "ns", "-750000000"}, {"1970-01-01 01:00:00,5+01:00", "ns", "500000000"},
		{"1970-01-01t00:00:00.123456789z", "ns", "123456789"}, {"1970-01-01 02:00:00,5+0200", "ns", "500000000"}, {"1970-01-01T00:00:00.1234567891Z", "ns", "finer than"},
		{"1970-01-01T00:00:00.1234567890Z", "ns", "123456789"}, {"1970-01-01T00:00:00", "ns", "no time zone"}, {"1970-13-01T00:00:00Z", "ns", "not a date"},
		{"1200-01-01T00:00:00Z", "ns", "does not fit"}, {"", "ns", "is not a stamp"}, {"-", "ns", "is not a stamp"}, {"1x", "ns", "is not a stamp"}, {"0x10", "ns", "is not a stamp"},
		{"1_000", "ns", "is not a stamp"}, {"+1", "ns", "is not a stamp"}, {"NaN", "ns", "is not a stamp"}, {"1.2.3", "ns", "is not a stamp"}, {12, "h", "ns takes"},
	} {
		got, err := nanosecondsOf(test.x, test.unit)
		text := fmt.Sprint(got)
		if err != nil {
			text = err.Error()
		}
		if err == nil && text != test.want || err != nil && !strings.Contains(text, test.want) {
			t.Errorf("ns(%v, %q) = %s, want %s", test.x, test.unit, text, test.want)
		}
	}
}

// TestSplitEntries: a comma ends an entry only where another one begins.
func TestSplitEntries(t *testing.T) {
	for text, want := range map[string][]string{
		"process=a,f=b": {"process=a", "f=b"}, "args=[a,f],f=f": {"args=[a,f]", "f=f"}, `f="a,f=b",op=c`: {`f="a,f=b"`, "op=c"},
		"f=a, f==b": {"f=a, f==b"}, `f='a\',f=',op=1`: {`f='a\',f='`, "op=1"}, "args=(a,b),x=1": {"args=(a,b),x=1"}, "f={a:1, f:2},at=t": {"f={a:1, f:2}", "at=t"},
	} {
		if got := splitEntries(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestDates: dates with their zones, and durations, are read exactly.
func TestDates(t *testing.T) {
	const noon = 1795867200000000000 // 2026-11-28T12:00:00Z
	for text, want := range map[string]int{
		"2026-11-28T12:00:00Z": noon, "2026-11-28 12:00:00.000 UTC": noon, "2026-11-28 12:00:00GMT": noon, "2026-11-28 14:00:00+02": noon,
		"2026-11-28T13:30:00,000000007+0130": noon + 7, "2026-11-28 10:00:00.5 -0200": noon + 5e8, "2026-11-28 12:00:00 +0000 UTC": noon,
		"2026-11-28t12:00:00.25z": noon + 25e7, "2026-11-28T13:00:00+01:00": noon,
		"4.5ms": 4500000, "0.440 ms": 440000, "1m 0.5s": 60500000000,
	} {
		if got, err := nanosecondsOf(text, "ns"); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"2026-11-28 12:00:00", "2026-11-28 12:00:00 CET", "2026-11-28 12:00:00 +2", "2026-11-28", "2026-11-28 25:00:00Z",
		"2026-11-28 12:00:00.0000000001Z", "28/Nov/2026:12:00:00 +0000", "4.5 apples"} {
		if got, err := nanosecondsOf(text, "ns"); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// TestLogfmtWords: words that are not pairs are skipped without copying the rest of the
// line.
func TestLogfmtWords(t *testing.T) {
	line := []byte(strings.Repeat("word\t=x ", 2000) + "k=v")
	allocs := testing.AllocsPerRun(1, func() {
		if pairs, fault := logfmtPairs(line, nil); len(pairs) != 1 || fault != "" {
			t.Errorf("%d pairs, fault %q", len(pairs), fault)
		}
	})
	if allocs > 10 {
		t.Errorf("%v allocations for a line of 4,001 words", allocs)
	}
}

// TestFieldNames: the text of a field is an expression for it, also inside of an object.
func TestFieldNames(t *testing.T) {
	for _, name := range append([]string{"x", "é", "a b", "@t", "7", "a-b", `q"`, "type", "len", "ns", "stamp", "keys", "exact t", "null"}, languageWords...) {
		key, _ := json.Marshal(name)
		for in, text := range map[string]string{"{" + string(key) + ":7}": fieldText(name), `{"o":{` + string(key) + ":7}}": "o" + memberText(name)} {
			format, err := Format(`op=1,type="invoke",f="f",args=` + text)
			if err != nil {
				t.Fatal(err)
			}
			for h, err := range format.Decode(strings.NewReader(in), "in", decode.Limits{}) {
				if err != nil || len(h.Ops[0].Args) != 1 || h.Ops[0].Args[0].Int() != 7 {
					t.Errorf("%s: args=%s: %v", in, text, err)
				}
			}
		}
	}
}
