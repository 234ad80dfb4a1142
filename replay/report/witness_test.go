package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
)

// found returns a verdict with a witness and a schedule index.
func found(witness []int32, depth int, tuple ...int32) *replay.Verdict {
	v := &replay.Verdict{Finding: replay.Found(replay.FamiliesEngine, witness)}
	v.Depth, v.Index = depth, hitting.Index{Chain: 1, Tuple: tuple}
	return v
}

// TestExplainWitness: 0 is delayed, and 3 takes effect only in part of its time.
func TestExplainWitness(t *testing.T) {
	h, s := read(t, "queue", "A 0 enqueue(1)", "B 1 enqueue(2)", "1 = -", "B 2 dequeue()", "2 = 2", "0 = -", "C 3 dequeue()", "A 4 put(3)", "4 = -")
	same(t, text(t, func(b *strings.Builder) error {
		return Explain(b, h, s, found([]int32{1, 2, 0, 4, 3}, 2, 0), Options{})
	}), `
test.jsonl#h: 5 operations, 3 processes, 1 pending, queue
Linearizable: an order of the operations respects real time and gives the recorded results.
Its depth is 2: the operations of chain 1 take effect as late as they can, and 1 operation is
delayed further:
    0 enqueue(1) (process A, line 2) is delayed past 2 dequeue(): 2 and 1 other that it overlaps

        process  id
  ~  #3 A         0  |------------o------|                   enqueue(1)
     #4 A         4                              |o--|       put(3)
     #1 B         1      |o--|                               enqueue(2)
     #2 B         2              |o--|                       dequeue(): 2
     #5 C         3                          |----o------>   dequeue(): pending
   ~ delayed
   o where it takes effect, in the order of #
   > open until the end

                      (initially)         []
    #1  1  process B  enqueue(2)          [2]
    #2  2  process B  dequeue(): 2        []
~   #3  0  process A  enqueue(1)          [1]
    #4  4  process A  put(3)              [1, 3]
    #5  3  process C  dequeue(): pending  [3]
`)
}

// TestWitnessTaken: a pending operation that cannot take effect has not.
func TestWitnessTaken(t *testing.T) {
	h, s := read(t, "mutex", "A 0 lock()", "0 = -", "B 1 lock()")
	same(t, text(t, func(b *strings.Builder) error {
		return Witness(b, h, s, found([]int32{0, 1}, 1), Options{})
	}), `
    schedule index <1, ()>
                      (initially)      free
    #1  0  process A  lock()           held
    #2  1  process B  lock(): pending  has not taken effect
`)
}

// guess is a nondeterministic object: start(n) stores a number up to n, which read
// returns.
var guess = &replay.Model[int]{
	Label: "guess",
	Next: func(state int, inv replay.Invocation) []replay.Step[int] {
		if inv.Method == "read" {
			return []replay.Step[int]{{Result: history.IntValue(int64(state)), Next: state}}
		}
		var steps []replay.Step[int]
		for n := range int(inv.Args[0].Int()) {
			steps = append(steps, replay.Step[int]{Next: n})
		}
		return steps
	},
	Key: func(dst []byte, s int) []byte { return fmt.Appendf(dst, "%d,", s) },
}

// TestWitnessStates: all states of a nondeterministic object are shown, until a
// result rules some out. If they are too many, none is.
func TestWitnessStates(t *testing.T) {
	h, _ := read(t, "register", "A 0 start(3)", "0 = -", "A 1 read()", "1 = 2", "A 2 start(100)", "2 = -", "A 3 read()", "3 = 5")
	same(t, text(t, func(b *strings.Builder) error {
		return Witness(b, h, guess, found(allOf(4), 1), Options{})
	}), `
    schedule index <1, ()>
                      (initially)  0
    #1  0  process A  start(3)     0 or 1 or 2
    #2  1  process A  read(): 2    2
    #3  2  process A  start(100)
    #4  3  process A  read(): 5
`)
}

// TestLongWitness: the length of a report does not depend on that of the history.
// Delayed operations are among the steps shown, and the gaps add up.
func TestLongWitness(t *testing.T) {
	const n = 100_000
	b := history.NewBuilder(history.Header{})
	for i := range int64(n) {
		b.Add(&history.Event{Process: history.IntValue(i % 3), Method: "enqueue", Args: []history.Value{history.IntValue(i)}})
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(i % 3)})
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, s := read(t, "queue")
	v := found(allOf(n), 3, 50_000, 70_000)
	out := text(t, func(b *strings.Builder) error { return Witness(b, h, s, v, Options{}) })
	if lines := strings.Count(out, "\n"); lines > DefaultRows {
		t.Errorf("%d lines", lines)
	}
	for _, want := range []string{" #1 ", " #100,000 ", "~    #50,001 ", "~    #70,001 ", "\n    ... 49,988 operations ...\n", "..."} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	shown, left := 0, 0
	for line := range strings.Lines(out) {
		gap := 0
		if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", ""), "    ... %d operations ...", &gap); err == nil {
			left += gap
		} else if strings.Contains(line, "#") {
			shown++
		}
	}
	if shown+left != n {
		t.Errorf("%d steps shown and %d left out are not %d", shown, left, n)
	}
	if again := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{}) }); strings.Count(again, "\n") > 2*DefaultRows {
		t.Errorf("the explanation has %d lines", strings.Count(again, "\n"))
	}
}

// TestUndecided: every cause of an unknown verdict has an explanation of its own.
func TestUndecided(t *testing.T) {
	h, s := queueHistory(t)
	seen := map[string]bool{}
	for cause := replay.NoCause; cause <= replay.Declined; cause++ {
		v := &replay.Verdict{Finding: replay.GaveUp(cause)}
		v.Reason = "edges"
		out := text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{}) })
		if !strings.Contains(out, "\nUnknown: ") || seen[out] {
			t.Errorf("%v:\n%s", cause, out)
		}
		seen[out] = true
	}
	if out := text(t, func(b *strings.Builder) error { return Short(b, h, &replay.Verdict{}, Options{Hint: "x"}) }); out != "" {
		t.Errorf("short: %s", out)
	}
}

// TestRelaxed: without real time, only the order within each process is drawn.
func TestRelaxed(t *testing.T) {
	h, s := read(t, "register:0", "A 0 write(1)", "0 = -", "B 2 read()", "2 = 2", "A 1 write(2)", "1 = -", "B 3 read()", "3 = 1")
	h = h.ProgramOrder()
	v := &replay.Verdict{Finding: replay.Refuted(replay.SearchEngine)}
	v.Explanation = &replay.Explanation{Unexplained: replay.NoOperation, Core: allOf(4),
		Missing: []replay.MissingPart{{Part: "prefix", Cause: "processes have no prefixes"}}}
	same(t, text(t, func(b *strings.Builder) error { return Explain(b, h, s, v, Options{}) }), `
test.jsonl#h: 4 operations, 2 processes, register:0
Not sequentially consistent: no order of the operations that respects the order within each process
gives the recorded results.

Its operations:
      process  id
      A         0  |---|               write(1)
      A         1          |---|       write(2)
      B         2  |---|               read(): 2
      B         3          |---|       read(): 1
     only the order within each process counts, not time

No change of up to three results would make it sequentially consistent.

Not computed: the shortest prefix that fails: processes have no prefixes
`)
}

// TestEscapes: what files name does not reach the terminal as control characters.
func TestEscapes(t *testing.T) {
	const evil = "\x1b[31m\nx\u202e\xff"
	b := history.NewBuilder(history.Header{File: evil, ID: evil})
	b.Add(&history.Event{Process: history.StringValue(evil), Op: history.StringValue(evil), Method: evil, Args: []history.Value{history.StringValue(evil)}})
	b.Add(&history.Event{Type: history.OK, Op: history.StringValue(evil), Result: history.ExceptionValue(evil)})
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	refuted := &replay.Verdict{Finding: replay.Refuted(replay.SearchEngine)}
	refuted.Explanation = &replay.Explanation{States: []string{evil}, Free: [][]replay.FreedResult{{{Allowed: []history.Value{history.StringValue(evil)}}}},
		Missing: []replay.MissingPart{{Part: "core", Cause: "time"}}}
	for _, v := range []*replay.Verdict{refuted, found([]int32{0}, 1)} {
		out := text(t, func(b *strings.Builder) error { return Explain(b, h, nil, v, Options{}) }) +
			text(t, func(b *strings.Builder) error { return Timeline(b, h, v, Options{}) }) +
			text(t, func(b *strings.Builder) error { return Short(b, h, v, Options{}) }) +
			text(t, func(b *strings.Builder) error { return Witness(b, h, nil, v, Options{}) })
		if strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, "\xff") || strings.Contains(out, "\nx") {
			t.Errorf("%q", out)
		}
		colored := text(t, func(b *strings.Builder) error { return Explain(b, h, nil, v, Options{Color: true}) })
		if !strings.Contains(colored, reset) {
			t.Errorf("without colours: %q", colored)
		}
	}
}

// TestAxis: a timeline keeps the real-time order. Operations that overlap do so in
// the drawing, and others do not, unless the width is too small for that.
func TestAxis(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exact, inexact := 0, 0
	for range 500 {
		n := 1 + r.IntN(30)
		at := r.Perm(3 * n)
		rows := make([]row, n)
		for i := range rows {
			a, b := int32(at[2*i]), int32(at[2*i+1])
			rows[i] = row{call: min(a, b), ret: max(a, b), open: r.IntN(5) == 0, point: -1}
		}
		width := 10 + r.IntN(60)
		x := newAxis(rows, width)
		if x.last >= width {
			t.Fatalf("%d columns of %d", x.last+1, width)
		}
		if !x.exact {
			inexact++
		}
		for i := range rows {
			a := &rows[i]
			for j := range rows {
				b := &rows[j]
				before := !a.open && a.ret < b.call
				drawn := !a.open && x.at(a.ret) < x.at(b.call)
				if drawn && !before {
					t.Fatalf("%v is drawn before %v, but is not", a, b)
				}
				if x.exact && before {
					exact++
					if !drawn {
						t.Fatalf("%v is before %v, but is not drawn so in %d columns", a, b, width)
					}
				}
			}
		}
	}
	if exact == 0 || inexact == 0 {
		t.Errorf("%d pairs in exact drawings, %d other drawings", exact, inexact)
	}
}
