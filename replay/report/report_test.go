package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// read returns the history that lines of the native format after a header denote:
// "p op method(args)" invokes, and "op = result" responds.
func read(t *testing.T, model string, lines ...string) (*history.History, replay.Spec) {
	t.Helper()
	s, err := spec.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	b := history.NewBuilder(history.Header{File: "test.jsonl", ID: "h", Model: s.Name()})
	for i, line := range lines {
		ev := &history.Event{Line: i + 2}
		parse := func(text string) history.Value {
			v, err := history.ParseValue(text)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if op, result, ok := strings.Cut(line, " = "); ok {
			ev.Type, ev.Op = history.OK, parse(op)
			if result != "-" {
				ev.Result = parse(result)
			}
		} else {
			words := strings.SplitN(line, " ", 3)
			method, args, _ := strings.Cut(strings.TrimSuffix(words[2], ")"), "(")
			ev.Process, ev.Op, ev.Method = history.StringValue(words[0]), parse(words[1]), method
			ev.Args = parse("[" + args + "]").List()
		}
		b.Add(ev)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h, s
}

// queueHistory loses the order of a queue.
func queueHistory(t *testing.T) (*history.History, replay.Spec) {
	return read(t, "queue", "A 0 enqueue(1)", "0 = -", "B 1 enqueue(2)", "A 2 dequeue()", "2 = 2", "1 = -", "A 3 dequeue()", "3 = 1", "B 4 size()")
}

func queueVerdict() *replay.Verdict {
	v := &replay.Verdict{Finding: replay.Refuted(replay.MonitorEngine)}
	one, two := history.IntValue(1), history.IntValue(2)
	v.Explanation = &replay.Explanation{
		Prefix: 5, Unexplained: 2, States: []string{"[1]", "[1, 2]", "[2]"}, Returns: [][]history.Value{{one}, {one}, nil}, Earlier: []history.Value{one},
		Core: []int32{0, 1, 2},
		Free: [][]replay.FreedResult{{{Op: 2, Allowed: []history.Value{history.NullValue, one}}}, {{Op: 2, Allowed: []history.Value{one}}, {Op: 3, Allowed: []history.Value{two}}}},
	}
	return v
}

func text(t *testing.T, write func(b *strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTimeline(t *testing.T) {
	h, _ := queueHistory(t)
	same(t, text(t, func(b *strings.Builder) error { return Timeline(b, h, nil, Options{}) }), `
    process  id
    A         0  |---|                                   enqueue(1)
    A         2              |---|                       dequeue(): 2
    A         3                          |---|           dequeue(): 1
    B         1          |-----------|                   enqueue(2)
    B         4                                  |--->   size(): pending
 > open until the end
`)
}

func TestExplain(t *testing.T) {
	h, s := queueHistory(t)
	same(t, text(t, func(b *strings.Builder) error { return Explain(b, h, s, queueVerdict(), Options{}) }), `
test.jsonl#h: 5 operations, 2 processes, 1 pending, queue
Not linearizable: no order of the operations that respects real time gives the recorded results.

Up to event 4 of 9, some order explains all results. None explains event 5, the response of
    2 dequeue(): 2 (process A, line 5)
It overlaps 1 operation:
    1 enqueue(2), still open then
Just before that response the object can be in one of 3 states:
    [1]      dequeue() returns 1
    [1, 2]   dequeue() returns 1
    [2]      dequeue() has taken effect earlier
If dequeue() took effect earlier, it returned 1.
But it returned 2.

These 3 of its 5 operations are not linearizable by themselves:
      process  id
      A         0  |---|                   enqueue(1)
  !*  A         2              |---|       dequeue(): 2
      B         1          |----------->   enqueue(2): open
   ! no order explains its response
   * with another result, the history would be linearizable
   > open until the end

It would be linearizable with other results:
    if 2 dequeue() (process A, line 5) had returned null or 1 instead of 2
 or if 2 dequeue() (process A, line 5) had returned 1 instead of 2
and if 3 dequeue() (process A, line 8) had returned 2 instead of 1
`)
}

func TestShort(t *testing.T) {
	h, _ := queueHistory(t)
	v := queueVerdict()
	v.Explanation.Missing = []replay.MissingPart{{Part: "states", Cause: "memory"}}
	same(t, text(t, func(b *strings.Builder) error { return Short(b, h, v, Options{Hint: "leadline explain x"}) }), `
    no order explains the response of 2 dequeue(): 2 (process A, line 5)
    linearizable if 2 dequeue(): 2 (process A, line 5) had returned null or 1
    linearizable if 2 dequeue(): 2 (process A, line 5) had returned 1 and 3 dequeue(): 1 (process A, line 8) had returned 2
    not linearizable by themselves: the first 5 of 9 events; 3 of 5 operations
    not complete: the states before the response: the memory is used up (a larger --memory may help)
    more: leadline explain x
`)
}

// TestWidth: no line is wider than the options say, whatever the history holds.
func TestWidth(t *testing.T) {
	for _, letter := range []string{"x", "\u4e2d"} {
		checkWidth(t, letter)
	}
}

// checkWidth is TestWidth for values and names made of a letter.
func checkWidth(t *testing.T, letter string) {
	long := `"` + strings.Repeat(letter, 300) + `"`
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("%s%d %d enqueue([%s, %d])", strings.Repeat(letter, i), i, i, long, i))
	}
	for i := range 45 {
		lines = append(lines, fmt.Sprintf("%d = -", 49-i))
	}
	h, s := read(t, "queue", lines...)
	refuted, undecided := queueVerdict(), &replay.Verdict{Finding: replay.GaveUp(replay.Memory)}
	refuted.Explanation.States = []string{long + long, "[1]", ""}
	witness := &replay.Verdict{Finding: replay.Found(replay.SearchEngine, allOf(50))}
	witness.Depth = 3
	witness.Index.Tuple = []int32{20, 30}
	for _, width := range []int{60, 80, 100, 133} {
		for _, v := range []*replay.Verdict{refuted, undecided, witness} {
			o := Options{Width: width}
			all := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, o) }) +
				text(t, func(b *strings.Builder) error { return Timeline(b, h, v, o) }) +
				text(t, func(b *strings.Builder) error { return Timeline(b, h, v, Options{Width: o.Width, Rows: 50}) }) +
				text(t, func(b *strings.Builder) error { return Witness(b, h, s, v, o) })
			for line := range strings.Lines(all) {
				if n := columns(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("width %d: %d columns: %s", width, n, line)
				}
			}
		}
	}
}

// TestLongName: the name of a history is not broken, so that it can be copied.
func TestLongName(t *testing.T) {
	h, s := read(t, "queue", "A 0 dequeue()", "0 = null")
	h.ID = strings.Repeat("store[string, int] ", 10)
	v := &replay.Verdict{Finding: replay.Found(replay.SearchEngine, allOf(1))}
	got := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{}) })
	if want := "test.jsonl#" + h.ID + ":\n1 operation, 1 process, queue\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestManyOperations: of a large sub-history or history, those operations are drawn
// that are at fault. The others are counted.
func TestManyOperations(t *testing.T) {
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("A %d enqueue(%d)", i, i), fmt.Sprintf("%d = -", i))
	}
	h, s := read(t, "queue", lines...)
	for _, core := range [][]int32{allOf(100), allOf(100)[20:80], allOf(100)[50:60], nil} {
		v := &replay.Verdict{Finding: replay.Refuted(replay.SearchEngine)}
		v.Explanation = &replay.Explanation{Unexplained: 79, Core: core}
		if core != nil {
			v.Explanation.Unexplained = core[len(core)-1]
		}
		out := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{Rows: 20}) })
		drawn, left := strings.Count(out, "  |"), 0
		if _, after, ok := strings.Cut(out, "  and "); ok {
			if _, err := fmt.Sscanf(after, "%d operations that are not shown", &left); err != nil {
				t.Fatal(err)
			}
		}
		if _, after, ok := strings.Cut(out, "  ... "); ok {
			if _, err := fmt.Sscanf(after, "%d earlier operations ...", &left); err != nil {
				t.Fatal(err)
			}
			if last := core[len(core)-2]; !strings.Contains(out, fmt.Sprintf("enqueue(%d)", last)) || strings.Contains(out, fmt.Sprintf("enqueue(%d)\n", core[0])) {
				t.Errorf("of operations %d to %d, the first are drawn:\n%s", core[0], last, out)
			}
		}
		want := len(core)
		if want == 0 {
			want = 100
		}
		if drawn > 20 || drawn+left != want || !strings.Contains(out, "\n  !   A") {
			t.Errorf("%d drawn and %d not, of %d:\n%s", drawn, left, want, out)
		}
	}
}

// TestConflictOfLargeCore: if a sub-history is too large to draw, a conflict that an engine
// found is drawn.
func TestConflictOfLargeCore(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("A %d add(%d)", i, i), fmt.Sprintf("%d = true", i))
	}
	h, s := read(t, "set", append(lines, "A 30 elements()", "30 = [1]")...)
	v := &replay.Verdict{Finding: replay.Refuted(replay.MonitorEngine)}
	v.Conflict = []int32{7, 30}
	for n, want := range map[int]string{31: "These 2 of its 31 operations", 15: "These 15 of its 31 operations"} {
		v.Explanation = &replay.Explanation{Unexplained: 30, Core: allOf(31)[31-n:]}
		out := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{Rows: 20}) })
		if !strings.Contains(out, want) || n == 31 && strings.Count(out, "  |") != 2 {
			t.Errorf("%d operations, want %q:\n%s", n, want, out)
		}
	}
}

// TestFaultyExplanation: an explanation that does not fit the history costs the rest of the
// report, not the program.
func TestFaultyExplanation(t *testing.T) {
	h, err := history.New(history.Header{}, []history.Event{
		{Type: history.Invoke, Process: history.IntValue(0), Method: "read"},
		{Type: history.OK, Process: history.IntValue(0), Result: history.IntValue(7)},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := &replay.Verdict{Finding: replay.Finding{Answer: replay.NotLinearizable}, Explanation: &replay.Explanation{Unexplained: 99}}
	for name, write := range map[string]func(io.Writer) error{
		"Explain": func(w io.Writer) error { return Explain(w, h, nil, v, Options{}) },
		"Short":   func(w io.Writer) error { return Short(w, h, v, Options{}) },
	} {
		var text strings.Builder
		if err := write(&text); err != nil || !strings.Contains(text.String(), "The report ends here: internal error: ") {
			t.Errorf("%s: %v\n%s", name, err, &text)
		}
	}
}
