package codec

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// decodeMappedText returns the warnings of a text that is read by a mapping, or its faults.
func decodeMappedText(text, mapping string) (warning, faults string) {
	for _, err := range Decode(strings.NewReader(text), "in", Options{Map: mapping, Warn: func(e *SyntaxError) { warning += e.Msg }}) {
		if err != nil {
			faults += err.Error()
		}
	}
	return warning, faults
}

// table returns n operations of some processes that begin each step, and last so long.
func table(n, processes, step, length int) string {
	text := "p,t,d\n"
	for i := range n {
		text += fmt.Sprintf("%d,%d,%d\n", i%processes, i*step, length)
	}
	return text
}

// TestOverlapDoubts: stamps of a wrong unit get one warning with the expressions, at and above
// the limits, and are read all the same.
func TestOverlapDoubts(t *testing.T) {
	const mapping = `f="f",call=t,return=t + d`
	for _, test := range []struct {
		text, want string
	}{
		{table(2, 2, 1, 100), ""},
		{table(3, 3, 1, 100), "all 3 operations overlap at one moment"},
		{table(3, 3, 10, 15), ""},
		{table(20, 20, 10, 100), ""},
		{table(21, 21, 10, 101), "11 of 21 operations overlap at one moment"},
		{table(21, 21, 10, 99), ""},
		{table(22, 22, 10, 101), ""},
		{table(20, 3, 10, 1), ""},
		{table(21, 2, 10, 1), ""},
		{table(21, 3, 10, 1), "no two of the 21 operations of 3 processes overlap"},
		{table(20, 3, 10, 1) + "1,200,11\n2,205,1\n", ""},
	} {
		processes := ",process=p"
		if strings.Contains(test.want, "overlap at") {
			processes = ""
		}
		warning, faults := decodeMappedText(test.text, mapping+processes)
		if test.want == "" && strings.Contains(warning, "overlap") || !strings.Contains(warning, test.want) || faults != "" {
			t.Errorf("%q: warning %q (%s), want %q", test.text[:20], warning, faults, test.want)
		}
		if test.want != "" && (!strings.Contains(warning, "call = t and return = t + d") || strings.Contains(warning, "\n")) {
			t.Errorf("%q does not name the expressions in one line", warning)
		}
	}
}

// TestFailureDoubts: an operation that counts as done, but has a field that says that it failed.
func TestFailureDoubts(t *testing.T) {
	for _, test := range []struct{ record, entries, want string }{
		{`"err":"i/o timeout"`, "", `line 2 has err = "i/o timeout"`},
		{`"timedOut":true`, "", "timedOut = true"},
		{`"time_out":true`, "", "time_out = true"},
		{`"lastError":{"code":1}`, "", "lastError"},
		{`"status":"TIMEOUT"`, "", "status"}, {`"state":"timeout"`, "", "state"}, {`"errno":110`, "", "errno = 110"},
		{`"err":"x","t":1`, `,outcome="ok"`, ""},
		{`"err":"x"`, `,args=err`, ""},
		{`"err":null,"error":"","timeout":500,"timed_out":false,"errors":[],"status":"ok","errno":0,"server":"x"`, "", ""},
	} {
		text := "{\"a\":1,\"b\":2,\"r\":{\"v\":1}}\n{\"a\":1,\"b\":2," + test.record + "}\n"
		warning, faults := decodeMappedText(text, `f="f",call=a,return=b,result=r?.v`+test.entries)
		if faults != "" || test.want == "" && warning != "" || !strings.Contains(warning, test.want) {
			t.Errorf("%s: warning %q (%s), want %q", test.record, warning, faults, test.want)
		}
	}
	text := `{"p":1,"k":"invoke"}` + "\n" + `{"p":1,"k":"ok","exception":"Timeout"}`
	if warning, faults := decodeMappedText(text, `process=p,type=k,f="f"`); !strings.Contains(warning, "exception") || faults != "" {
		t.Errorf("of events: warning %q (%s)", warning, faults)
	}
}

// TestRecordFaults: faults of one kind are reported once, with their number, and a field that no
// record has asks for a similar one.
func TestRecordFaults(t *testing.T) {
	rows := "startedAt,ms,key\n"
	for range 119 {
		rows += "2026-11-28T12:00:00,x,k\n"
	}
	for _, test := range []struct{ text, mapping, want string }{
		{rows, `call=startedAt,return=startedAt + 5`, "and 118 more like it"},
		{rows, `call=startedAt,return=startedAt + 5`, `has no time zone; add it, as in ns(FIELD + "Z")`},
		{rows, `call=statredAt,return=5`, `lacks the column "statredAt", which call names (did you mean startedAt?)`},
		{`{"started_at":1} {"started_at":2}`, `call=startedAt,return=5`, "(did you mean started_at?)"},
		{`{"client_id":"a","t":1}`, `process=client,call=t,return=t`, "(did you mean client_id?)"},
		{`{"a":{"key":1},"t":1}`, `args=a.kye,call=t,return=t`, "(did you mean a.key?)"},
		{`{"t":1}`, `args=zebra,call=t,return=t`, "no record has the field zebra, which args names; if"},
		{`{"s":"2026-11-28T12:00:00Z","e":"2026-11-28T12:00:01Z"}`, `call=e - s,return=e`, "invalid operation: string - string; ns(FIELD)"},
		{"ms=1 t=abc\n", `call=ms,return=t`, `"abc" is not a stamp`},
	} {
		if _, faults := decodeMappedText(test.text, `f="f",`+test.mapping); !strings.Contains(faults, test.want) {
			t.Errorf("%s: %s, want %q", test.mapping, faults, test.want)
		}
	}
}

// TestDateArithmetic: a date is a stamp beside a number, a duration or another date.
func TestDateArithmetic(t *testing.T) {
	const record = `{"s":"2026-11-28T12:00:00Z","e":"2026-11-28 13:00:00.000000001 +01","n":5,"d":"4ms"}`
	for _, test := range []struct{ expression, want string }{
		{`s + ns(n, "ms")`, "1795867200005000000"}, {"date(s) - n", "1795867199999999995"}, {"n + s", "1795867200000000005"}, {"s - n", "1795867199999999995"},
		{`ns(e) - s`, "1"}, {`s + d`, `"2026-11-28T12:00:00Z4ms"`}, {`s + duration(d)`, "1795867200004000000"}, {`date(s) - duration(d) + n`, "1795867199996000005"},
		{`ns(date("28/Nov/2026:12:00:00 +0000", "02/Jan/2006:15:04:05 -0700"))`, "1795867200000000000"}, {`s + "x"`, `"2026-11-28T12:00:00Zx"`},
	} {
		for h, err := range Decode(strings.NewReader(record), "in", Options{Map: `f="f",call=s,return=e,args=` + test.expression}) {
			if err != nil || h.Ops[0].Args[0].String() != test.want {
				t.Errorf("%s: %v (%v), want %s", test.expression, h, err, test.want)
			}
		}
	}
}

// TestPlainMessages: no message about a value names a package or a type of Go.
func TestPlainMessages(t *testing.T) {
	internal := regexp.MustCompile(`reflect|interface|runtime|map\[|\[\]any|float64|github|codec|history\.|time\.(Time|Duration)|panic`)
	const record = `{"i":1,"f":1.5,"s":"a","l":[1,"b"],"o":{"k":1},"n":null,"b":true,"d":"2026-11-28T12:00:00Z"}`
	values := []string{"i", "s", "l", "o", "n", "date(d)", "unknown()"}
	for _, form := range []string{"len(X)", "X.k", "X[0]", "X[1:2]", `X["k"]`, "upper(X)", "X + Y", "X - Y", "X * Y", "X % Y", "X < Y", "X in Y", "-X", "not X", "X ? 1 : 2",
		"X && Y", "X matches Y", "X contains Y", "split(X, Y)", "map(X, # + 1)", "filter(X, #)", "int(X)", "float(X)", "keys(X)", "ns(X)", "ns(X, Y)", "X..Y", "sum(X)", "max(X, Y)",
		"join(X)", "fromJSON(X)", "date(X)", "duration(X)", "first(X)", "sort(X)", "replace(X, Y, Y)", "string(X)", "X * 2", "X ** Y", "trim(X)", "get(X, Y)", "concat(X, Y)", "exception(X)", "reduce(X, #acc + #)"} {
		for _, x := range values {
			for _, y := range values[1:] {
				mapping := `op=1,type="invoke",f="f",args=[` + strings.NewReplacer("X", x, "Y", y).Replace(form) + "]"
				if _, faults := decodeMappedText(record, mapping); internal.MatchString(faults) {
					t.Errorf("%s: %s", mapping, faults)
				}
				if !strings.Contains(form, "Y") {
					break
				}
			}
		}
	}
}

// TestClock: the one field that looks like a stamp must agree with the order of the lines. If
// several look like stamps, the mapping says which one is.
func TestClock(t *testing.T) {
	for _, test := range []struct{ first, second, at, want string }{
		{`"ts":1`, `"ts":2`, "", ""},
		{`"ts":2`, `"ts":1`, "", "ts decreases at line 2: give at=ts, or at=$line"},
		{`"ts":2`, `"ts":1`, "$line", ""},
		{`"ts":1,"time":5`, `"ts":2,"time":6`, "", "time and ts look like stamps: give at=FIELD"},
		{`"ts":1,"time":5`, `"ts":2,"time":4`, "ts", ""},
		{`"ts":1,"time":5`, `"ts":2,"time":4`, "time", "no open operation"},
		{`"ts":1,"time":5`, `"ts":2,"time":6`, "$line", ""},
		{`"ts":1,"@t":"2026-11-28T12:00:00Z"`, `"ts":2`, "", `$env["@t"] and ts look like stamps`},
		{`"x":1700000001`, `"x":1700000000`, "", "x decreases at line 2"},
		{`"x":1700000000`, `"x":7`, "", ""}, // too small for a stamp
		{`"ts":1,"took_ns":1700000000,"duration":7,"timeout":9,"call_dur":1`, `"ts":2,"took_ns":1500000000,"duration":5`, "", ""},
		{`"ts":1,"id":17,"size":5000000000000,"note":"at noon"`, `"ts":2,"id":9,"size":1`, "", ""},
	} {
		text := `{"p":1,"k":"invoke",` + test.first + "}\n" + `{"p":1,"k":"ok",` + test.second + "}"
		mapping := `process=p,type=k,f="f"`
		if test.at != "" {
			mapping += ",at=" + test.at
		}
		_, faults := decodeMappedText(text, mapping)
		if test.want == "" && faults != "" || !strings.Contains(faults, test.want) {
			t.Errorf("%s by %s: %s, want %q", text, mapping, faults, test.want)
		}
	}
}
