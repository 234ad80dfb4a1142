package window_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/window"
)

var (
	repeatedRounds = flag.Int("repeatedrounds", 1500, "random histories of TestRun; more with -full")
)

// TestRun compares Run with the general search on small histories.
func TestRun(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 77))
	rounds := *repeatedRounds
	if *full {
		rounds = max(rounds, 20000)
	}
	s := lookup(t, "queue")
	count := map[string]int{}
	for range rounds {
		h := randomDuplicating(r).history(t, s)
		var v replay.Verdict
		v.Finding = window.Run(ops.New(h, s, 1<<30), nil)
		if h.Pending() > 0 {
			count["pending"]++
		}
		want := searched(t, h, s).Answer
		count[v.Answer.String()]++
		if hasSizes(h) {
			count[v.Answer.String()+" with sizes"]++
			if v.Cause == replay.Declined {
				continue
			}
		}
		if v.Answer != want {
			t.Fatalf("%v (%v), want %v:\n%s", v.Answer, v.Cause, want, show(h))
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, s, v.Witness, nil); err != nil {
				t.Fatalf("%v: %v:\n%s", v.Witness, err, show(h))
			}
		}
	}
	t.Log(count)
	if count["linearizable"] < rounds/4 || count["not-linearizable"] < rounds/4 ||
		count["linearizable with sizes"] < rounds/40 || count["not-linearizable with sizes"] < rounds/40 || count["unknown"] > rounds/10 {
		t.Error(count)
	}
}

// hasSizes reports whether a history has operations that count, so that Run may
// decline it.
func hasSizes(h *history.History) bool {
	return slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Method == "size" || op.Method == "isEmpty" })
}

// TestLostOperations does that with more pending operations, up to all.
func TestLostOperations(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 81))
	rounds := *repeatedRounds / 3
	if *full {
		rounds = max(rounds, 20000)
	}
	s := lookup(t, "queue")
	count := map[string]int{}
	for range rounds {
		d := randomDuplicating(r)
		d.n, d.values, d.lost = 6+r.IntN(9), 1+r.IntN(9), 20+r.IntN(150)
		h := d.history(t, s)
		f, want := window.Run(ops.New(h, s, 1<<30), nil), searched(t, h, s).Answer
		if want == replay.Undecided || f.Cause == replay.Declined && hasSizes(h) {
			count["left out"]++
			continue
		}
		if checkFinding(t, "window", h, s, f, want); t.Failed() {
			t.Fatal(show(h))
		}
		if h.Pending() > 0 {
			count[f.Answer.String()]++
		}
	}
	t.Log(count)
	if count["linearizable"] < rounds/4 || count["not-linearizable"] < rounds/8 || count["left out"] > rounds/20 {
		t.Error(count)
	}
}

// TestReached: a refuted queue with repeated values names the response that
// no search got past. Mostly it is the first one with which the history fails.
func TestReached(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 78))
	s := lookup(t, "queue")
	refuted, first := 0, 0
	for range 2000 {
		h := randomDuplicating(r).history(t, s)
		f := window.Run(ops.New(h, s, 1<<30), nil)
		if f.Answer != replay.NotLinearizable {
			continue
		}
		refuted++
		if !slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Return == f.Reached }) {
			t.Fatalf("no response is at %d:\n%s", f.Reached, show(h))
		}
		if searched(t, h.UpTo(f.Reached), s).Answer == replay.NotLinearizable &&
			searched(t, h.UpTo(f.Reached-1), s).Answer == replay.Linearizable {
			first++
		}
	}
	t.Logf("%d refuted, the first response that fails is named in %d", refuted, first)
	if refuted < 500 || first < refuted*9/10 {
		t.Errorf("%d refuted, the first response that fails is named in %d", refuted, first)
	}
}

// large draws a history of few values, and one that is the same up to where
// two values change places.
func large(t testing.TB, n, threads, values int, seed uint64) (right, wrong *history.History) {
	w := simulate.Workload{Model: "queue", Ops: n, Threads: threads, Seed: seed, Values: values}
	right, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	w.Faults = []simulate.Fault{{Kind: simulate.Swap, Percent: 50}}
	if wrong, err = w.History(); err != nil {
		t.Fatal(err)
	}
	return right, wrong
}

// TestLargeLostQueues bounds the work on queues of distinct values in which some
// operations never respond.
func TestLargeLostQueues(t *testing.T) {
	t.Parallel()
	const most = 2_000_000
	s := lookup(t, "queue")
	seeds := []uint64{1}
	if *full {
		seeds = []uint64{1, 2, 3}
	}
	for _, seed := range seeds {
		w := simulate.Workload{Model: "queue", Ops: 3000, Threads: 16, Seed: seed, Lost: 3}
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		m := meter.New(nil)
		f := window.Run(ops.New(h, s, 1<<30), m.Share(2*most))
		checkFinding(t, "queue search", h, s, f, replay.Linearizable)
		t.Logf("seed %d: %d pending, %d units of work", seed, h.Pending(), m.Spent())
		if m.Spent() > most {
			t.Errorf("seed %d: %d units of work", seed, m.Spent())
		}
	}
}

// TestLargeQueues decides long histories of queues, and verifies witnesses.
func TestLargeQueues(t *testing.T) {
	t.Parallel()
	sizes := []int{300, 1000}
	if *full {
		sizes = append(sizes, 10000)
	}
	queue := lookup(t, "queue")
	for _, n := range sizes {
		for _, threads := range []int{3, 4, 16} {
			for _, values := range []int{2, 3, 8, 30} {
				if n > 300 && values%8 > 0 && !*full {
					continue
				}
				right, wrong := large(t, n, threads, values, uint64(n+threads))
				start := time.Now()
				var v replay.Verdict
				v.Finding = window.Run(ops.New(right, queue, 1<<30), nil)
				if v.Answer != replay.Linearizable {
					t.Fatalf("n=%d T=%d values=%d: %v (%v)", n, threads, values, v.Answer, v.Cause)
				}
				if err := replay.Verify(right, queue, v.Witness, nil); err != nil {
					t.Fatalf("n=%d T=%d values=%d: %v", n, threads, values, err)
				}
				took := time.Since(start)
				var bad replay.Verdict
				bad.Finding = window.Run(ops.New(wrong, queue, 1<<30), nil)
				if bad.Answer != replay.NotLinearizable {
					t.Errorf("n=%d T=%d values=%d, swapped: %v (%v)", n, threads, values, bad.Answer, bad.Cause)
				}
				t.Logf("n=%d T=%d values=%d: %v, swapped %v", n, threads, values, took, time.Since(start)-took)
			}
		}
	}
}

// watched returns h with a process more, which sees after each hundred events that the
// collection is not empty, or, at last, that it is.
func watched(t *testing.T, h *history.History, last bool) *history.History {
	type event struct {
		position int32
		history.Event
	}
	var events []event
	for i := range h.Ops {
		op := &h.Ops[i]
		events = append(events, event{op.Call, history.Event{Process: h.Processes[op.Process], Op: op.ID(), Method: op.Method, Args: op.Args}})
		if !op.Pending() {
			events = append(events, event{op.Return, history.Event{Type: history.OK, Process: h.Processes[op.Process], Op: op.ID(), Result: op.Result}})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return int(a.position) - int(b.position) })
	b := history.NewBuilder(h.Header)
	watcher, looks := history.StringValue("watcher"), 0
	for k := range events {
		switch id := history.StringValue(fmt.Sprint("look ", looks)); {
		case k < len(events)/2: // it may still be empty
		case k%100 == 0:
			b.Add(&history.Event{Process: watcher, Op: id, Method: "isEmpty"})
			looks++
		case k%100 == 50 && looks > 0:
			b.Add(&history.Event{Type: history.OK, Process: watcher, Result: history.BoolValue(last && k+100 >= len(events))})
		}
		b.Add(&events[k].Event)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestWatched: long queues of few values, of which it is seen that they are
// not empty, are decided with little work and memory.
func TestWatched(t *testing.T) {
	t.Parallel()
	s := lookup(t, "queue")
	h, err := simulate.Workload{Model: "queue", Threads: 4, Ops: 3000, Values: 8, Fill: 300, Seed: 1}.History()
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []bool{false, true} {
		h := watched(t, h, last)
		asked := 0
		f := window.Run(ops.New(h, s, 1<<28), meter.New(func() bool { asked++; return asked > 1<<22/meter.AskEvery }))
		if want := map[bool]replay.Answer{false: replay.Linearizable, true: replay.NotLinearizable}[last]; f.Answer != want {
			t.Fatalf("empty %v: %v (%v) after %d questions", last, f.Answer, f.Cause, asked)
		} else if want == replay.Linearizable {
			if err := replay.Verify(h, s, f.Witness, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLongStates: the general search takes little memory for the states of a queue or a
// stack with many values, and for sizes.
func TestLongStates(t *testing.T) {
	for _, methods := range [][2]string{{"enqueue", "dequeue"}, {"push", "pop"}} {
		b := history.NewBuilder(history.Header{})
		call := func(method string, args []history.Value, result history.Value) {
			b.Add(&history.Event{Process: history.IntValue(0), Method: method, Args: args})
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(0), Result: result})
		}
		for k := range 4000 {
			call(methods[0], []history.Value{history.IntValue(int64(k % 8))}, history.NoValue)
			call("size", nil, history.IntValue(int64(k+1)))
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		s := lookup(t, map[string]string{"enqueue": "queue", "push": "stack"}[methods[0]])
		if f := search.Run(ops.New(h, s, 8<<20), nil); f.Answer != replay.Linearizable {
			t.Errorf("%s: %v (%v)", s.Name(), f.Answer, f.Cause)
		}
	}
}

// TestBounds gives Run too little time and memory.
func TestBounds(t *testing.T) {
	right, _ := large(t, 1000, 16, 8, 1)
	queue := lookup(t, "queue")
	var v replay.Verdict
	v.Finding = window.Run(ops.New(right, queue, 1<<18), nil)
	if v.Answer != replay.Undecided || v.Cause != replay.Memory {
		t.Errorf("%v (%v) within 256 KiB", v.Answer, v.Cause)
	}
	asked := 0
	v = replay.Verdict{}
	v.Finding = window.Run(ops.New(right, queue, 1<<30), meter.New(func() bool { asked++; return asked > 3 }))
	if v.Answer != replay.Undecided || v.Cause != replay.Time || asked > 5 {
		t.Errorf("%v (%v) after %d questions", v.Answer, v.Cause, asked)
	}
}

// TestDeclines gives Run what it does not decide.
func TestDeclines(t *testing.T) {
	for _, model := range []string{"stack", "kv", "register", "set", "multiset", "priority-queue", "deque", "counter", "cas-register"} {
		h, err := simulate.Workload{Model: model, Threads: 3, Ops: 20, Seed: 1}.History()
		if err != nil {
			t.Fatal(err)
		}
		if f := window.Run(ops.New(h, lookup(t, model), 1<<30), nil); f.Answer != replay.Undecided || f.Cause != replay.Declined {
			t.Errorf("%s: %v (%v)", model, f.Answer, f.Cause)
		}
	}
}

// BenchmarkRun decides histories of queues of 8 values, and such in
// which two values come out in the wrong order.
func BenchmarkRun(b *testing.B) {
	for _, threads := range []int{4, 16} {
		for _, n := range []int{1000, 10000} {
			right, wrong := large(b, n, threads, 8, 1)
			for k, h := range []*history.History{right, wrong} {
				b.Run(fmt.Sprintf("spec=queue/swaps=%d/n=%d/T=%d", k, n, threads), func(b *testing.B) {
					s := lookup(b, "queue")
					for b.Loop() {
						start := time.Now()
						v := window.Run(ops.New(h, s, 1<<30), meter.New(func() bool { return time.Since(start) > 5*time.Second }))
						if v.Answer == replay.Undecided {
							b.Skipf("%v (%v)", v.Answer, v.Cause)
						}
					}
				})
			}
		}
	}
}
