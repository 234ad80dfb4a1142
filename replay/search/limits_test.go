package search_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	workload "github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/window"
)

// openAtOnce returns a history of a queue or stack of 8 values with that many
// removals open at once. All insertions come before, one after another; two
// removals come after. If wrong is set, these two return their values in the
// wrong order.
func openAtOnce(t *testing.T, model string, open int, wrong bool) *history.History {
	insert, remove := "enqueue", "dequeue"
	values := make([]int64, 0, open+2)
	for i := range open {
		values = append(values, int64(i%8))
	}
	last := []int64{8, 9}
	all := append(values, last...)
	if model == "stack" {
		insert, remove = "push", "pop"
		all = append([]int64{9, 8}, values...)
	}
	var lines []line
	for i, v := range all {
		lines = append(lines, call(int64(i), insert, v), answer(int64(i), history.NoValue))
	}
	base := int64(len(all))
	for i := range values {
		lines = append(lines, call(base+int64(i), remove))
	}
	for i, v := range values {
		lines = append(lines, answer(base+int64(i), history.IntValue(v)))
	}
	if wrong {
		last[0], last[1] = last[1], last[0]
	}
	for i, v := range last {
		op := base + int64(open+i)
		lines = append(lines, call(op, remove), answer(op, history.IntValue(v)))
	}
	return smallHistory(t, lines, nil)
}

// TestOpenAtOnce tests the number of operations that a mask can hold at the
// limit, one below and one above. Above it, the search of a queue and
// that of a stack decline, and the search along chains decides.
func TestOpenAtOnce(t *testing.T) {
	for _, model := range []string{"queue", "stack"} {
		s := lookup(t, model)
		for _, open := range []int{1, 31, 32, 33, 63, 64, 65, 127, 128, 129} {
			for _, wrong := range []bool{false, true} {
				h := openAtOnce(t, model, open, wrong)
				want := replay.Linearizable
				if wrong {
					want = replay.NotLinearizable
				}
				for name, f := range map[string]replay.Finding{
					"search": search.Run(ops.New(h, s, 1<<28), nil),
					"window": window.Run(ops.New(h, s, 1<<28), nil),
				} {
					if name == "window" && (open > 64 || model == "stack") {
						if f.Cause != replay.Declined {
							t.Errorf("%s, %d open: %v (%v), want declined", model, open, f.Answer, f.Cause)
						}
						continue
					}
					checkFinding(t, name, h, s, f, want)
				}
			}
		}
	}
}

func checkFinding(t *testing.T, name string, h *history.History, s replay.Spec, f replay.Finding, want replay.Answer) {
	t.Helper()
	if f.Answer != want {
		t.Errorf("%s, %d operations of %s: %v (%v), want %v", name, len(h.Ops), s.Name(), f.Answer, f.Cause, want)
	}
	if f.Answer == replay.Linearizable {
		if err := replay.Verify(h, s, f.Witness, nil); err != nil {
			t.Errorf("%s, %d operations of %s: %v", name, len(h.Ops), s.Name(), err)
		}
	}
}

// TestWorkLimits has n concurrent additions to a set and a read that no order
// explains: 2^n configurations.
func TestWorkLimits(t *testing.T) {
	t.Parallel()
	set := lookup(t, "set")
	last := 14
	if *full {
		last = 17
	}
	for n := 14; n <= last; n++ {
		h := concurrentAdds(t, n, false)
		checkFinding(t, "search", h, set, search.RunPruned(ops.New(h, set, 1<<28), search.Pruning{NoParts: true}, nil), replay.NotLinearizable)
	}
}

// TestManyPending: from 64 operations on, a set of pending operations takes
// another word. Each pending increment may have happened or not.
func TestManyPending(t *testing.T) {
	counter := lookup(t, "counter")
	for _, n := range []int64{62, 63, 64, 65, 127, 128, 129} {
		for read := n - 1; read <= n+1; read++ {
			var lines []line
			for i := range n {
				lines = append(lines, call(i, "increment"))
			}
			lines = append(lines, call(n, "get"), answer(n, history.IntValue(read)))
			h := smallHistory(t, lines, nil)
			want := replay.Linearizable
			if read > n {
				want = replay.NotLinearizable
			}
			checkFinding(t, "search", h, counter, search.Run(ops.New(h, counter, 1<<28), nil), want)
		}
	}
}

// TestEdgesThroughParts: order that passes by edges through many operations of
// another key counts, however many there are.
func TestEdgesThroughParts(t *testing.T) {
	kv := lookup(t, "kv")
	for _, through := range []int64{1, 62, 63, 64, 65, 66, 130} {
		for _, read := range []history.Value{history.IntValue(1), history.NullValue} {
			lines := []line{call(0, "put", 0, 1)}
			edges := [][2]int64{}
			for i := range through {
				lines = append(lines, call(i+1, "put", 1, i%8))
				edges = append(edges, [2]int64{i, i + 1})
			}
			lines = append(lines, call(through+1, "get", 0))
			edges = append(edges, [2]int64{through, through + 1})
			for i := range through + 1 {
				lines = append(lines, answer(i, history.NoValue))
			}
			lines = append(lines, answer(through+1, read))
			want := replay.Linearizable
			if read.Kind() == history.Null {
				want = replay.NotLinearizable
			}
			h := smallHistory(t, lines, edges)
			checkFinding(t, "search", h, kv, search.Run(ops.New(h, kv, 1<<28), nil), want)
		}
	}
}

// TestPace: a search that is stuck gives up when it is behind its pace, and one that
// advances does not.
func TestPace(t *testing.T) {
	var lines []line
	for i := range int64(1000) {
		lines = append(lines, call(i, "enqueue", i), answer(i, history.NoValue))
	}
	for i := range int64(16) { // in any order
		lines = append(lines, call(1000+i, "enqueue", 1000+i))
	}
	for i := range int64(16) {
		lines = append(lines, answer(1000+i, history.NoValue))
	}
	lines = append(lines, call(5000, "dequeue"), answer(5000, history.IntValue(-1)))
	stuck := smallHistory(t, lines, nil)
	pace := search.Pace{Least: 2048, Each: 8}
	most := pace.Least + pace.Each*int64(len(stuck.Ops)) + 2*meter.AskEvery
	m := meter.New(nil)
	if f := search.RunAtPace(ops.New(stuck, lookup(t, "queue"), 1<<30), pace, m); f.Cause != replay.Time || m.Spent() > most {
		t.Errorf("%v (%v) after %d units", f.Answer, f.Cause, m.Spent())
	}
	m = meter.New(nil)
	if f := search.Run(ops.New(stuck, lookup(t, "queue"), 1<<30), m.Share(4*most)); f.Decided() || m.Spent() < 4*most {
		t.Errorf("without a pace %v after %d units", f.Answer, m.Spent())
	}
	right, err := workload.Workload{Model: "kv", Ops: 2000, Threads: 4, Values: 8, Seed: 1}.History()
	if err != nil {
		t.Fatal(err)
	}
	if f := search.RunAtPace(ops.New(right, lookup(t, "kv"), 1<<30), search.Pace{Least: 2048, Each: 64}, nil); f.Answer != replay.Linearizable {
		t.Errorf("a search that advances: %v (%v)", f.Answer, f.Cause)
	}
}
