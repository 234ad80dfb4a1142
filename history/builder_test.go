package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// parse turns one line per event into a history, by a notation for tests:
// "process op type stamp", such as "A 1 invoke 5", where "-" leaves a field
// out; "edge op op"; "mark op happened|not".
func parse(h Header, text string) (*History, error) {
	b := NewBuilder(h)
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		switch {
		case f[0] == "edge":
			b.AddEdge(name(f[1]), name(f[2]), i+1)
		case f[0] == "mark":
			b.Mark(name(f[1]), f[2] == "happened", i+1)
		default:
			ev := Event{Process: name(f[0]), Op: name(f[1]), Line: i + 1}
			ev.Type = EventType(slices.Index(eventNames[:], f[2]))
			if ev.Type == Invoke {
				ev.Method = "m"
			}
			if len(f) > 3 {
				ev.At, _ = strconv.ParseInt(f[3], 10, 64)
			}
			b.Add(&ev)
		}
	}
	return b.Build()
}

func name(s string) Value {
	if s == "-" {
		return NoValue
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return IntValue(n)
	}
	return StringValue(s)
}

var faultTests = []struct {
	name  string
	order Order
	tie   Tie
	text  string
	want  string
}{
	{"overlap", FileOrder, Closed, "A - invoke\nA - invoke", `2: process "A" invokes an operation while its m (line 1) is still open`},
	{"overlap with names", FileOrder, Closed, "A 1 invoke\nA 2 invoke", `2: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"lost response is one fault", FileOrder, Closed, "A - invoke\nA - invoke\nA - ok\nA - invoke\nA - ok", `2: process "A" invokes an operation while its m (line 1) is still open`},
	{"late response is no further fault", FileOrder, Closed, "A 1 invoke\nA 2 invoke\n- 1 ok\nA - ok", `2: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"successor", FileOrder, Closed, "A - invoke\nA - info\nA - invoke\nA - invoke", `4: process "A" invokes an operation while its m (line 3) is still open`},
	{"retired answers", FileOrder, Closed, "A - invoke\nA - info\nA - ok", `3: response of process "A", which has no open operation`},
	{"retired answers by name", FileOrder, Closed, "A 1 invoke\nA 1 info\nA 1 ok", `3: duplicate response of operation 1 (invoked at line 1)`},
	{"response first", FileOrder, Closed, "A 1 ok\nA 1 invoke", `1: response of operation 1, which was not invoked before`},
	{"response of nobody", FileOrder, Closed, "A - invoke\n- - ok", `2: response names neither process nor operation`},
	{"stranger", FileOrder, Closed, "A - invoke\nB - ok", `2: response of process "B", which has no open operation`},
	{"twice", FileOrder, Closed, "A 1 invoke\nA 1 ok\nA 1 ok", `3: duplicate response of operation 1 (invoked at line 1)`},
	{"wrong process", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nA 2 ok", `3: response of process "A" names operation 2, but its open operation is 1 (line 1)`},
	{"name again", FileOrder, Closed, "A x invoke\nA x ok\nB x invoke", `3: operation "x" is invoked again (first at line 1)`},
	{"name again, then response", FileOrder, Closed, "A 1 invoke\nA 1 ok\nB 1 invoke\nB - ok", "3: operation 1 is invoked again (first at line 1)\n4: response of process \"B\", which has no open operation"},
	{"some names", FileOrder, Closed, "A 1 invoke\nB - invoke", `2: invocation of m: either every operation of a history has an identifier or none`},
	{"no process", FileOrder, Closed, "- 1 invoke", `1: invocation of m without a process`},
	{"no names with stamps", StampOrder, Closed, "A - invoke 1", `1: invocation of m without an operation identifier; a history ordered by stamps needs them`},
	{"no name in a response with stamps", StampOrder, Closed, "A 1 invoke 1\nA - ok 2", `2: response without an operation identifier; a history ordered by stamps needs them`},
	{"stamps: overlap", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 5\nA 2 invoke 4\nA 2 ok 9", `3: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"stamps: overlap with pending", StampOrder, HalfOpen, "A 1 invoke 1\nA 2 invoke 4", `2: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"stamps: before the unknown end", StampOrder, Closed, "A 1 invoke 1\nA 1 info 5\nA 2 invoke 4", `3: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"stamps: successor", StampOrder, Closed, "A 1 invoke 1\nA 1 info 2\nA 2 invoke 4\nA 3 invoke 5", `4: process "A" invokes operation 3 while its m (line 3) is still open`},
	{"stamps: same start", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 2\nA 2 invoke 1\nA 2 ok 2", `3: process "A" invokes operation 2 while its m (line 1) is still open`},
	{"stamps: early response", StampOrder, Closed, "A 1 invoke 5\nA 1 ok 4", `2: response of operation 1 at 4, not after its invocation at 5 (line 1)`},
	{"stamps: no length half-open", StampOrder, HalfOpen, "A 1 invoke 5\nA 1 ok 5", `2: response of operation 1 at 5, not after its invocation at 5 (line 1)`},
	{"stamps: twice", StampOrder, Closed, "A 1 invoke 5\nA 1 ok 6\nA 1 fail 6", `3: duplicate response of operation 1 (first at line 2)`},
	{"stamps: other process", StampOrder, Closed, "A 1 invoke 5\nB 1 ok 6", `2: response of process "B" to operation 1, which process "A" invoked (line 1)`},
	{"stamps: never invoked", StampOrder, Closed, "A 1 invoke 5\nB 2 ok 6", `2: response of operation 2, which is never invoked`},
	{"edge to nowhere", FileOrder, Closed, "A 1 invoke\nedge 1 2\nedge 2 1\nedge 1 1", "2: edge to operation 2, which is never invoked\n3: edge from operation 2, which is never invoked\n4: edge from operation 1 to itself"},
	{"edge against time", FileOrder, Closed, "A 1 invoke\nA 1 ok\nA 2 invoke\nedge 2 1", `4: the edge from operation 2 to 1 closes a cycle with real time or other edges`},
	{"edge against time through others", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nA 1 ok\nC 3 invoke\nedge 3 2\nedge 2 1", "5: the edge from operation 3 to 2 closes a cycle with real time or other edges\n6: the edge from operation 2 to 1 closes a cycle with real time or other edges"},
	{"cycle of edges, and one behind it", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nC 3 invoke\nedge 1 2\nedge 2 3\nedge 2 1", "4: the edge from operation 1 to 2 closes a cycle with real time or other edges\n6: the edge from operation 2 to 1 closes a cycle with real time or other edges"},
	{"edge against a tie", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 2\nA 2 invoke 2\nA 2 ok 3\nedge 2 1", `5: the edge from operation 2 to 1 closes a cycle with real time or other edges`},
	{"cycle through a dropped operation", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nB 2 fail\nedge 1 2\nedge 2 1", "4: the edge from operation 1 to 2 closes a cycle with real time or other edges\n5: the edge from operation 2 to 1 closes a cycle with real time or other edges"},
	{"mark on nothing", FileOrder, Closed, "A 1 invoke\nmark 2 happened", `2: mark on operation 2, which is never invoked`},
	{"mark against ok", FileOrder, Closed, "A 1 invoke\nA 1 ok\nmark 1 not", `3: operation 1 is marked as not happened but did (line 1)`},
	{"mark against fail", FileOrder, Closed, "A 1 invoke\nA 1 fail\nmark 1 happened", `3: operation 1 is marked as happened but did not (line 1)`},
	{"marks against each other", FileOrder, Closed, "A 1 invoke\nmark 1 happened\nmark 1 not", `3: operation 1 is marked as not happened but did (line 1)`},
	{"marks the other way round", FileOrder, Closed, "A 1 invoke\nmark 1 not\nmark 1 happened", `3: operation 1 is marked as happened but did not (line 1)`},
	{"marks and edges without names", FileOrder, Closed, "A - invoke\nmark 0 happened\nedge 0 0", "2: mark on operation 0, which is never invoked\n3: edge from operation 0, which is never invoked"},
}

// TestSuccessors: what a process does after an unknown outcome belongs to a new process.
func TestSuccessors(t *testing.T) {
	for _, test := range []struct {
		name  string
		order Order
		text  string
		want  string // the processes of the operations, by invocation
	}{
		{"in the file", FileOrder, "A - invoke\nA - info\nB - invoke\nA - invoke\nA - ok\nA - invoke\nA - info\nA - invoke\nB - ok\nA - ok\nB - invoke",
			`"A" "B" "A#2" "A#2" "A#3" "B"`},
		{"by identifier", FileOrder, "7 1 invoke\n- 1 info\n7 2 invoke\n- 2 ok\n7 3 invoke", `7 "7#2" "7#2"`},
		{"a name that is taken", FileOrder, "A - invoke\nA - info\nA - invoke\nA#2 - invoke\nA#2 - ok\nA - ok", `"A" "A#3" "A#2"`},
		{"a number and a string", FileOrder, "7 - invoke\n7 - info\n7 - invoke\n7#3 - invoke\n7 - info\n7 - invoke", `7 "7#2" "7#3" "7#4"`},
		{"by stamps", StampOrder, "A 3 invoke 9\nA 3 ok 9\nA 2 invoke 5\nA 2 ok 6\nA 1 info 2\nA 1 invoke 1", `"A" "A#2" "A#2"`},
		{"at the same stamp", StampOrder, "A 1 invoke 5\nA 1 info 5\nA 2 invoke 5\nA 2 ok 9\nA 3 invoke 9", `"A" "A#2" "A#2"`},
		{"twice at the same stamp", StampOrder, "A 1 invoke 5\nA 1 info 5\nA 2 invoke 5\nA 2 info 5\nA 3 invoke 5", `"A" "A#2" "A#3"`},
		{"an operation that did not happen", FileOrder, "A 1 invoke\nA 1 info\nA 2 invoke\nA 2 fail\nA 3 invoke\nmark 1 not", `"A#2"`},
	} {
		h, err := parse(Header{Order: test.order}, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for i := range h.Ops {
			got = append(got, h.Processes[h.Ops[i].Process].String())
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s, want %s", test.name, strings.Join(got, " "), test.want)
		}
		for i := range h.Ops { // no process has two operations at once
			for k := range i {
				x, y := &h.Ops[k], &h.Ops[i]
				if x.Process == y.Process && x.Return > y.Call {
					t.Errorf("%s: %v and %v overlap in one process", test.name, x, y)
				}
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for _, test := range faultTests {
		h, err := parse(Header{Order: test.order, Tie: test.tie}, test.text)
		var errs *Errors
		if h != nil || !errors.As(err, &errs) {
			t.Errorf("%s: got %v, %v", test.name, h, err)
			continue
		}
		var got []string
		for _, e := range errs.List {
			got = append(got, fmt.Sprintf("%d: %s", e.Line, e.Msg))
		}
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), test.want)
		}
	}
}

// TestIdentifiers: only integers and strings are identifiers.
func TestIdentifiers(t *testing.T) {
	for _, ev := range []Event{
		{Type: Invoke, Method: "m", Process: FloatValue(1)},
		{Type: Invoke, Method: "m", Process: IntValue(1), Op: BoolValue(true)},
		{Type: Invoke, Process: IntValue(1)},
		{Type: OK, Process: BoolValue(false)},
		{Type: OK, Op: NullValue},
	} {
		if _, err := New(Header{}, []Event{ev}); err == nil {
			t.Errorf("%+v: no error", ev)
		}
	}
}

// TestMisuse: misuse of exported functions is an error, not a panic.
func TestMisuse(t *testing.T) {
	call := &Event{Type: Invoke, Process: IntValue(1), Op: IntValue(1), Method: "m", Line: 1}
	for want, use := range map[string]func(b *Builder){
		"f: an event is nil":                                 func(b *Builder) { b.Add(nil) },
		"f:2: event type 9 is unknown":                       func(b *Builder) { b.Add(&Event{Type: 9, Process: IntValue(1), Line: 2}) },
		"f:3: edge from operation 7, which is never invoked": func(b *Builder) { b.AddEdge(IntValue(7), IntValue(1), 3) },
		"f:3: edge to operation , which is never invoked":    func(b *Builder) { b.AddEdge(IntValue(1), NoValue, 3) },
		"f:3: mark on operation [], which is never invoked":  func(b *Builder) { b.Mark(ListValue(), true, 3) },
	} {
		for _, order := range []Order{FileOrder, StampOrder} {
			b := NewBuilder(Header{File: "f", Order: order})
			b.Expect(-1)
			b.Add(call)
			use(b)
			if _, err := b.Build(); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	for want, h := range map[string]Header{
		"f:5: order of events 2 is unknown": {File: "f", Line: 5, Order: 2},
		"f:5: tie rule 2 is unknown":        {File: "f", Line: 5, Order: StampOrder, Tie: 2},
	} {
		answer := Event{Type: OK, Op: call.Op, Process: call.Process}
		for _, events := range [][]Event{{*call}, {*call, answer}} {
			if _, err := New(h, events); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	var b Builder // ready for use
	b.Add(call)
	h, err := b.Build()
	if err != nil || len(h.Ops) != 1 {
		t.Fatalf("the zero Builder: %v, %v", h, err)
	}
	b.Add(&Event{Type: OK, Op: IntValue(1)})
	if _, err := b.Build(); err == nil || h.Ops[0].Return != NoReturn {
		t.Errorf("a second Build: %v, history %+v", err, h)
	}
}

// TestExpect: the reserved memory depends on the events so far, however many are
// expected.
func TestExpect(t *testing.T) {
	b := NewBuilder(Header{})
	b.Expect(1 << 24)
	for i := range int64(9000) {
		b.Add(&Event{Type: Invoke, Process: IntValue(i), Method: "m"})
		if most := max(16, mostExpected(len(b.ops))); cap(b.ops) > most || len(b.ops) < 128 && cap(b.ops) > 1<<13 {
			t.Fatalf("memory for %d operations after %d", cap(b.ops), len(b.ops))
		}
	}
	if cap(b.ops) < 1<<20 {
		t.Errorf("memory for %d operations where many more are expected", cap(b.ops))
	}
}

// TestTooMany: ten faults are kept, in the order of their lines, and the
// eleventh is reported.
func TestTooMany(t *testing.T) {
	for n := 9; n <= 12; n++ {
		b := NewBuilder(Header{File: "f", ID: "h"})
		for i := range n {
			if b.Failed() != (i > MaxErrors) || b.Faults() != min(i, MaxErrors) {
				t.Errorf("after %d faults: failed %v, %d kept", i, b.Failed(), b.Faults())
			}
			b.Errorf(100-i, "fault %d", i)
		}
		_, err := b.Build()
		var errs *Errors
		if !errors.As(err, &errs) || len(errs.List) != min(n, MaxErrors) || errs.More != (n > MaxErrors) || errs.ID != "h" {
			t.Fatalf("%d faults: %v", n, err)
		}
		lines := strings.Split(err.Error(), "\n")
		if first := fmt.Sprintf("f:%d: fault %d", 101-min(n, MaxErrors), min(n, MaxErrors)-1); lines[0] != first {
			t.Errorf("%d faults: first line %q, want %q", n, lines[0], first)
		}
		if last := lines[len(lines)-1]; (last == "too many errors") != (n > MaxErrors) {
			t.Errorf("%d faults: last line %q", n, last)
		}
		var one *Error
		if !errors.As(err, &one) || one != errs.List[0] {
			t.Error("the first fault cannot be found by errors.As")
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		"f:3: m": {File: "f", Line: 3, Msg: "m"}, "f: m": {File: "f", Msg: "m"}, "m": {Msg: "m"}, "line 3: m": {Line: 3, Msg: "m"},
	} {
		if e.Error() != want {
			t.Errorf("got %q, want %q", e.Error(), want)
		}
	}
}

// TestNestedUnknown: only a whole result can be unknown; inside another value, an
// unknown one would match no result.
func TestNestedUnknown(t *testing.T) {
	nested := ListValue(IntValue(1), ListValue(UnknownValue))
	for _, c := range []struct {
		args   []Value
		result Value
		want   string
	}{
		{nil, UnknownValue, ""},
		{nil, nested, "2: a result with an unknown value inside"},
		{[]Value{IntValue(1), UnknownValue}, NoValue, "1: invocation of m with an unknown value in its arguments"},
		{[]Value{nested}, NoValue, "1: invocation of m with an unknown value in its arguments"},
	} {
		b := NewBuilder(Header{})
		b.Add(&Event{Process: IntValue(0), Type: Invoke, Method: "m", Args: c.args, Line: 1})
		b.Add(&Event{Process: IntValue(0), Type: OK, Result: c.result, Line: 2})
		_, err := b.Build()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, %v: error %v, want %q", c.args, c.result, err, c.want)
		}
	}
}

// TestNoLines: a message about events that are not from a file names no line 0.
func TestNoLines(t *testing.T) {
	one := IntValue(1)
	invoke, ok := Event{Type: Invoke, Process: one, Op: one, Method: "m"}, Event{Type: OK, Process: one, Op: one}
	for want, events := range map[string][]Event{
		"operation 1 is invoked again":      {invoke, ok, invoke},
		"duplicate response of operation 1": {invoke, ok, ok},
	} {
		for _, order := range []Order{FileOrder, StampOrder} {
			_, err := New(Header{Order: order}, events)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "line") {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// TestSizeBeforeGrowth: Size counts the room for operations before it is made.
func TestSizeBeforeGrowth(t *testing.T) {
	b := NewBuilder(Header{})
	add := func() {
		b.Add(&Event{Type: Invoke, Process: IntValue(1), Method: "m"})
		b.Add(&Event{Type: OK, Process: IntValue(1)})
	}
	grown := 0
	for range 10_000 {
		size, room := b.Size(), cap(b.ops)
		if add(); cap(b.ops) > room && room >= 1024 {
			if grown++; b.Size() > size {
				t.Errorf("with %d operations, the size grows from %d to %d", len(b.ops), size, b.Size())
			}
		}
	}
	if grown == 0 {
		t.Error("no growth")
	}
}
