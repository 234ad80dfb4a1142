package replay_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

func lookup(t testing.TB, name string, args ...history.Value) replay.Spec {
	t.Helper()
	s, err := spec.Lookup(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// invoke and ok are events of a process and an operation with the same number.
func invoke(op int64, method string, args ...int64) history.Event {
	e := history.Event{Type: history.Invoke, Process: history.IntValue(op), Op: history.IntValue(op), Method: method}
	for _, a := range args {
		e.Args = append(e.Args, history.IntValue(a))
	}
	return e
}

func ok(op int64, result history.Value) history.Event {
	return history.Event{Type: history.OK, Op: history.IntValue(op), Result: result}
}

func build(t testing.TB, events []history.Event, edges ...[2]int64) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{})
	for i := range events {
		b.Add(&events[i])
	}
	for _, e := range edges {
		b.AddEdge(history.IntValue(e[0]), history.IntValue(e[1]), 1)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestVerify(t *testing.T) {
	one, two := history.IntValue(1), history.IntValue(2)
	h := build(t, []history.Event{
		invoke(0, "write", 1), invoke(1, "write", 2), ok(0, history.NoValue), invoke(2, "read"),
		ok(1, history.NoValue), ok(2, one), invoke(3, "read"), ok(3, two), invoke(4, "write", 5),
	})
	register := lookup(t, "register")
	// 1 must come after 2, or the last read fails.
	for _, c := range []struct {
		witness []int32
		fault   string
	}{
		{[]int32{0, 2, 1, 3, 4}, ""},
		{[]int32{0, 1, 2, 3, 4}, "cannot follow"},
		{[]int32{1, 0, 2, 3, 4}, "cannot follow"},
		{[]int32{2, 0, 1, 3, 4}, "follows one"},
		{[]int32{0, 2, 3, 1, 4}, "follows one"},
		{[]int32{0, 2, 1, 3}, "instead of"},
		{[]int32{0, 2, 1, 3, 3}, "repeats"},
		{[]int32{0, 2, 1, 3, 7}, "repeats"},
		{[]int32{0, 2, 1, 4, 3}, "follows one"},
	} {
		err := replay.Verify(h, register, c.witness, nil)
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%v: %v, want %q", c.witness, err, c.fault)
		}
	}
}

func TestVerifyEdges(t *testing.T) {
	t.Parallel()
	// 2 did not happen, but orders others: by edges and by its interval.
	events := []history.Event{
		invoke(0, "write", 1), invoke(1, "write", 2), ok(1, history.NoValue), invoke(2, "write", 3),
		invoke(3, "write", 4), {Type: history.Fail, Op: history.IntValue(2)},
		ok(3, history.NoValue), ok(0, history.NoValue),
	}
	register := lookup(t, "register")
	for _, c := range []struct {
		edges   [][2]int64
		witness []int32
		good    bool
	}{
		{nil, []int32{2, 1, 0}, false}, // 1 returned before 3 began
		{nil, []int32{1, 0, 2}, true},
		{[][2]int64{{3, 0}}, []int32{1, 0, 2}, false},
		{[][2]int64{{3, 0}}, []int32{1, 2, 0}, true},
		{[][2]int64{{0, 2}, {2, 3}}, []int32{1, 2, 0}, false},
		{[][2]int64{{0, 2}, {2, 3}}, []int32{1, 0, 2}, true},
		{[][2]int64{{2, 0}}, []int32{0, 1, 2}, false}, // 1 before 2 before 0
		{[][2]int64{{2, 0}}, []int32{1, 0, 2}, true},
	} {
		h := build(t, events, c.edges...)
		if err := replay.Verify(h, register, c.witness, nil); (err == nil) != c.good {
			t.Errorf("edges %v, witness %v: %v", c.edges, c.witness, err)
		}
		in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
		if err != nil {
			t.Fatal(err)
		}
		if in.Poset.IsSchedule(c.witness) != c.good {
			t.Errorf("edges %v: poset and Verify differ on %v", c.edges, c.witness)
		}
	}
}

// anything gives any result, so that Verify checks the order only.
type anything struct{}

func (anything) Name() string                   { return "anything" }
func (anything) Check(*history.Operation) error { return nil }
func (anything) New() replay.Object             { return anything{} }
func (anything) Apply(replay.Invocation) (v history.Value, ok bool) {
	return history.UnknownValue, true
}

// randomGhosts returns a history of a few operations with edges. Some
// operations did not happen. It returns nil if the edges close a cycle.
func randomGhosts(r *rand.Rand, n int) *history.History {
	b := history.NewBuilder(history.Header{})
	open := map[int64]int64{}
	for begun := int64(0); begun < int64(n); {
		p := r.Int64N(3)
		id, busy := open[p]
		switch {
		case !busy:
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(p), Op: history.IntValue(begun), Method: "m"})
			open[p] = begun
			begun++
			continue
		case r.IntN(2) == 0:
			b.Add(&history.Event{Type: history.Fail, Op: history.IntValue(id)})
		default:
			b.Add(&history.Event{Type: history.OK, Op: history.IntValue(id), Result: history.UnknownValue})
		}
		delete(open, p)
	}
	for _, id := range open {
		if r.IntN(2) == 0 {
			b.Mark(history.IntValue(id), false, 1)
		}
	}
	for range r.IntN(n) {
		if from, to := r.Int64N(int64(n)), r.Int64N(int64(n)); from != to {
			b.AddEdge(history.IntValue(from), history.IntValue(to), 1)
		}
	}
	h, err := b.Build()
	if err != nil {
		return nil
	}
	return h
}

// TestVerifyOrderOracle compares Verify with the transitive closure of
// positions and edges, for every order of a few operations.
func TestVerifyOrderOracle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 0))
	good, bad, throughGhost := 0, 0, 0
	for range 12000 {
		h := randomGhosts(r, 2+r.IntN(7))
		if h == nil || len(h.Ops) > 5 {
			continue
		}
		if r.IntN(2) == 0 {
			h = h.ProgramOrder()
		}
		all := append(slices.Clone(h.Ops), h.Ghosts...)
		less := make([][]bool, len(all))
		for i := range all {
			less[i] = make([]bool, len(all))
			for k := range all {
				less[i][k] = all[i].Return < all[k].Call || slices.Contains(h.Edges, history.Edge{From: int32(i), To: int32(k)})
			}
		}
		for m := range all {
			for i := range all {
				for k := range all {
					less[i][k] = less[i][k] || less[i][m] && less[m][k]
				}
			}
		}
		eachOrder(len(h.Ops), func(witness []int32) {
			want := true
			for k, i := range witness {
				for _, j := range witness[:k] {
					want = want && !less[i][j]
				}
			}
			err := replay.Verify(h, anything{}, witness, nil)
			if (err == nil) != want {
				t.Fatalf("%v, want %v: witness %v of %+v, edges %v", err, want, witness, all, h.Edges)
			}
			switch {
			case err == nil:
				good++
			case strings.Contains(err.Error(), "did not happen"):
				throughGhost++
			default:
				bad++
			}
		})
	}
	if good < 1000 || bad < 1000 || throughGhost < 500 {
		t.Errorf("only %d good, %d bad, %d bad through what did not happen", good, bad, throughGhost)
	}
}

// eachOrder calls f with every permutation of 0..n-1.
func eachOrder(n int, f func([]int32)) {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	var choose func(k int)
	choose = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			choose(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	choose(0)
}

// TestVerifyStops: the work is linear in the length, even if half of the
// operations did not happen and pass order on. Verify can be stopped at any
// point.
func TestVerifyStops(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1000, 10_000, 50_000} {
		b := history.NewBuilder(history.Header{})
		for i := range int64(n) {
			for _, typ := range []history.EventType{history.OK, history.Fail} {
				id := history.IntValue(2*i + int64(typ)/2)
				b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(i % 3), Op: id, Method: "m"})
				b.Add(&history.Event{Type: typ, Op: id, Result: history.UnknownValue})
			}
			if i > 0 {
				b.AddEdge(history.IntValue(2*i-1), history.IntValue(2*i), 1)
			}
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Ghosts) < n-1 {
			t.Fatalf("%d ghosts", len(h.Ghosts))
		}
		h = h.ProgramOrder()
		witness := make([]int32, n)
		for i := range witness {
			witness[i] = int32(i)
		}
		asked := 0
		if err := replay.Verify(h, anything{}, witness, meter.New(func() bool { asked++; return false })); err != nil {
			t.Fatal(err)
		}
		if most := n + 8*n/meter.AskEvery + 1; asked > most || n > meter.AskEvery && asked < n/meter.AskEvery {
			t.Errorf("%d operations: asked %d times, at most %d expected", n, asked, most)
		}
		for last := range asked {
			left := last
			if err := replay.Verify(h, anything{}, witness, meter.New(func() bool { left--; return left < 0 })); err != replay.ErrStopped {
				t.Errorf("%d operations, stopped at question %d: %v", n, last+1, err)
			}
			if last > 20 {
				break
			}
		}
		if n > 1024 {
			witness[n-1], witness[n-2] = witness[n-2], witness[n-1]
			if err := replay.Verify(h, anything{}, witness, nil); err == nil {
				t.Error("the last two operations swapped: no error")
			}
		}
	}
}

// TestNil: a nil history or specification is an error.
func TestNil(t *testing.T) {
	queue := lookup(t, "queue")
	h := build(t, nil)
	if replay.Verify(nil, queue, nil, nil) == nil || replay.Verify(h, nil, nil, nil) == nil {
		t.Error("Verify: no error")
	}
	if replay.Check(nil, queue) == nil || replay.Check(h, nil) == nil {
		t.Error("Check: no error")
	}
	if _, err := replay.NewInstance(nil, true, replay.AutoChains, nil); err == nil {
		t.Error("NewInstance: no error")
	}
}
