package search_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	workload "github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
	"github.com/leadline/leadline/replay/search"
)

var dequeRounds = flag.Int("dequerounds", 4000, "random histories of TestDeque; more with -full")

// distinctDeque draws a history of a deque into which each value is inserted once. Some
// results are wrong, some operations are lost, and some events have changed places.
func distinctDeque(t testing.TB, r *rand.Rand, s replay.Spec) *history.History {
	type running struct {
		event  history.Event
		result history.Value
		taken  bool
	}
	methods := []string{"pushFront", "pushBack", "popFront", "popBack", "pushFront", "pushBack", "popFront", "popBack", "peekFront", "peekBack"}
	if r.IntN(3) == 0 {
		methods = append(methods, "isEmpty", "size", "clear")
	}
	n, processes, lost, wrong := 4+r.IntN(14), 2+r.IntN(3), r.IntN(3)/2*20, r.IntN(3)/2*25
	if r.IntN(2) == 0 {
		methods = methods[:8]
	}
	object := s.New()
	var events []history.Event
	open, name := make([]*running, processes), make([]int64, processes)
	for busy, begun := 0, 0; busy > 0 || begun < n; {
		p := r.IntN(processes)
		switch o := open[p]; {
		case o == nil && begun == n:
		case o == nil:
			e := history.Event{Process: history.IntValue(name[p]*10 + int64(p)), Op: history.IntValue(int64(begun)), Method: methods[r.IntN(len(methods))]}
			if e.Method[:3] == "pus" {
				e.Args = []history.Value{history.IntValue(int64(begun))}
			}
			events = append(events, e)
			open[p] = &running{event: e}
			begun++
			busy++
		case r.IntN(300) < lost:
			open[p] = nil
			name[p]++
			busy--
		case !o.taken:
			o.result, _ = object.Apply(replay.Invocation{Method: o.event.Method, Args: o.event.Args})
			o.taken = true
		default:
			if m := o.event.Method; m[:2] == "po" || m[:2] == "pe" {
				if r.IntN(100) < wrong {
					o.result = history.IntValue(int64(r.IntN(n)))
				}
			}
			events = append(events, history.Event{Type: history.OK, Process: o.event.Process, Op: o.event.Op, Result: o.result})
			open[p] = nil
			busy--
		}
	}
	return moved(t, r, events, r.IntN(2)*r.IntN(len(events)))
}

// TestDeque compares Deque with the general search.
func TestDeque(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 91))
	rounds := *dequeRounds
	if *full {
		rounds = max(rounds, 40_000)
	}
	s, count := lookup(t, "deque"), map[string]int{}
	for range rounds {
		h := distinctDeque(t, r, s)
		f := search.Deque(h, s, 1<<30, nil)
		if f.Cause == replay.Declined {
			count["declined"]++
			continue
		}
		count[f.Answer.String()]++
		if h.Pending() > 0 {
			count["pending"]++
		}
		if checkFinding(t, "deque search", h, s, f, run(t, h, s, search.Pruning{}).Answer); t.Failed() {
			t.Fatal(show(h))
		}
		if len(f.Conflict) > 0 {
			count["conflicts"]++
			ops := slices.Clone(f.Conflict)
			slices.Sort(ops)
			if part := engine.Restrict(h, ops); run(t, part, s, search.Pruning{}).Answer != replay.NotLinearizable {
				t.Fatalf("%v has a witness:\n%s", ops, show(h))
			}
		}
	}
	t.Log(count)
	for _, what := range []string{"linearizable", "not-linearizable", "conflicts", "pending"} {
		if count[what] < rounds/50 {
			t.Errorf("%s: %d of %d", what, count[what], rounds)
		}
	}
}

// TestDequeDeclines gives Deque what it does not decide.
func TestDequeDeclines(t *testing.T) {
	deque := lookup(t, "deque")
	for _, calls := range [][][3]string{
		{{"pushFront", "1", ""}, {"pushBack", "1", ""}, {"popFront", "", "1"}},       // not distinct
		{{"pushFront", "null", ""}, {"pushBack", "1", ""}, {"popFront", "", "null"}}, // null may be nothing
	} {
		h := concurrently(t, calls)
		if f := search.Deque(h, deque, 1<<30, nil); f.Cause != replay.Declined {
			t.Errorf("%v: %v (%v)", calls, f.Answer, f.Cause)
		}
	}
	h := concurrently(t, [][3]string{{"enqueue", "1", ""}, {"enqueue", "2", ""}, {"dequeue", "", "1"}})
	if f := search.Deque(h, lookup(t, "queue"), 1<<30, nil); f.Cause != replay.Declined {
		t.Errorf("a queue: %v (%v)", f.Answer, f.Cause)
	}
}

// concurrently returns a history of calls that all overlap.
func concurrently(t *testing.T, calls [][3]string) *history.History {
	value := func(text string) history.Value {
		v, err := history.ParseValue(text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var events []history.Event
	for i, c := range calls {
		e := history.Event{Process: history.IntValue(int64(i)), Method: c[0]}
		if c[1] != "" {
			e.Args = []history.Value{value(c[1])}
		}
		events = append(events, e)
	}
	for i, c := range calls {
		e := history.Event{Type: history.OK, Process: history.IntValue(int64(i))}
		if c[2] != "" {
			e.Result = value(c[2])
		}
		events = append(events, e)
	}
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLongDeques: long deques of distinct values, and faults in them, are decided with
// little work. A search that tries the orders of insertions needs more for 500
// operations of two threads.
func TestLongDeques(t *testing.T) {
	s := lookup(t, "deque")
	for _, threads := range []int{2, 4, 8} {
		for _, faulty := range []bool{false, true} {
			w := workload.Workload{Model: "deque", Threads: threads, Ops: 2000, Fill: 32, Seed: 3}
			want := replay.Linearizable
			if faulty {
				want, w.Faults = replay.NotLinearizable, []workload.Fault{{Kind: workload.Swap, Percent: 50}}
			}
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			f := search.Deque(h, s, 1<<30, meter.New(func() bool { asked++; return asked > 1<<19/meter.AskEvery }))
			if checkFinding(t, fmt.Sprintf("%d threads, faulty %v", threads, faulty), h, s, f, want); t.Failed() {
				t.Fatalf("%v (%v) after %d questions", f.Answer, f.Cause, asked)
			}
		}
	}
}
