package decide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestConcurrency compares Concurrency with the poset, for histories with
// pending operations and with positions that belong to no operation any more.
func TestConcurrency(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for k := range 500 {
		b := history.NewBuilder(history.Header{})
		open := map[int]bool{}
		n := 1 + r.IntN(200)
		for begun := 0; begun < n; {
			p := r.IntN(1 + k%20)
			switch {
			case !open[p]:
				b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(int64(p)), Method: "read"})
				open[p] = true
				begun++
			case r.IntN(10) == 0:
				b.Add(&history.Event{Type: history.Fail, Process: history.IntValue(int64(p))})
				open[p] = false
			default:
				b.Add(&history.Event{Type: history.OK, Process: history.IntValue(int64(p)), Result: history.NullValue})
				open[p] = false
			}
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		in, err := replay.NewInstance(h, true, replay.ProcessChains, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, cp := decide.Concurrency(h, register(t))
		if wantC, wantCP := in.Poset.Concurrency(); c != wantC || cp != wantCP {
			t.Fatalf("c=%d cp=%d, the poset has c=%d cp=%d", c, cp, wantC, wantCP)
		}
	}
}

// randomStamped returns a history with few stamps, so that processes have
// operations that touch. Some histories have edges. It returns nil if these
// close a cycle.
func randomStamped(r *rand.Rand, tie history.Tie) *history.History {
	b := history.NewBuilder(history.Header{Order: history.StampOrder, Tie: tie})
	n := int64(0)
	for p := range 1 + r.Int64N(4) {
		now := r.Int64N(3)
		for range 1 + r.IntN(5) {
			id := history.IntValue(n)
			n++
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(p), Op: id, Method: "m", At: now})
			now += r.Int64N(3)
			end := []history.EventType{history.OK, history.OK, history.OK, history.OK, history.Fail, history.Info}[r.IntN(6)]
			b.Add(&history.Event{Type: end, Op: id, At: now})
			if now += r.Int64N(2); end == history.Info {
				break
			}
		}
	}
	for range r.IntN(8) - 5 {
		if from, to := r.Int64N(n), r.Int64N(n); from != to {
			b.AddEdge(history.IntValue(from), history.IntValue(to), 1)
		}
	}
	h, err := b.Build()
	if err != nil {
		return nil
	}
	return h
}

// TestConcurrencyWithEdges: c and cp are those of the poset, or unknown.
// Unknown requires an edge between two processes or of an operation that did
// not happen.
func TestConcurrencyWithEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	unknown, touching := 0, 0
	for k := range 5000 {
		h := randomStamped(r, history.Closed)
		if h == nil || len(h.Ops) == 0 {
			continue
		}
		if k%2 == 0 {
			h = h.ProgramOrder()
		}
		c, cp := decide.Concurrency(h, register(t))
		if c == 0 {
			unknown++
			apart := func(e history.Edge) bool {
				return max(int(e.From), int(e.To)) >= len(h.Ops) || h.Ops[e.From].Process != h.Ops[e.To].Process
			}
			if cp != 0 || !slices.ContainsFunc(h.Edges, apart) {
				t.Fatalf("unknown, cp=%d: %+v %v", cp, h.Ops, h.Edges)
			}
			continue
		}
		in, err := replay.NewInstance(h, true, replay.ProcessChains, nil)
		if err != nil {
			t.Fatal(err)
		}
		if wantC, wantCP := in.Poset.Concurrency(); c != wantC || cp != wantCP {
			t.Fatalf("c=%d cp=%d, the poset has c=%d cp=%d: %+v %v", c, cp, wantC, wantCP, h.Ops, h.Edges)
		}
		if k%2 != 0 && h.HasEdges() {
			touching++
		}
	}
	if unknown < 100 || touching < 100 {
		t.Errorf("only %d unknown, %d with processes that touch", unknown, touching)
	}
}

// TestConcurrencyOfLong has histories that are too long for a poset.
func TestConcurrencyOfLong(t *testing.T) {
	const n = 40_000 // of each process
	for processes, want := range map[int64]struct {
		c  int
		cp int64
	}{1: {1, 0}, 2: {2, 3*n - 2}} {
		b := history.NewBuilder(history.Header{Order: history.StampOrder})
		for p := range processes {
			for i := range int64(n) {
				id := history.IntValue(p*n + i)
				b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(p), Op: id, Method: "m", At: i})
				b.Add(&history.Event{Type: history.OK, Op: id, At: i + 1})
			}
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if h.HasEdges() != (processes > 1) {
			t.Errorf("%d processes: %d edges", processes, len(h.Edges))
		}
		if c, cp := decide.Concurrency(h, register(t)); c != want.c || cp != want.cp {
			t.Errorf("%d processes: c=%d cp=%d, want %v", processes, c, cp, want)
		}
		h = h.ProgramOrder()
		if c, cp := decide.Concurrency(h, register(t)); c != int(processes) || cp != (processes-1)*n*n {
			t.Errorf("%d processes in program order: c=%d cp=%d", processes, c, cp)
		}
	}
}
