package decide

import (
	"flag"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/state"
)

// TestDeepen: several depths at once give the index that one after another gives,
// also with pending operations, and where a jump takes too much work.
func TestDeepen(t *testing.T) {
	t.Parallel()
	deepest, seeds := 0, uint64(2)
	if flag.Lookup("full").Value.String() == "true" {
		seeds = 4
	}
	for _, w := range []simulate.Workload{
		{Model: "register", Threads: 4, Ops: 90}, {Model: "kv", Threads: 4, Keys: 2, Ops: 90},
		{Model: "cas-register", Threads: 5, Ops: 40, Lost: 50}, {Model: "queue", Threads: 4, Ops: 34},
		{Model: "counter", Threads: 4, Ops: 60},
	} {
		s, err := spec.Lookup(w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range seeds {
			w.Seed = seed
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			x := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
			const most = 60
			got := x.Run(most, nil)
			y := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
			want := replay.Finding{}
			for d := 1; d <= most && want.Depth == 0; d++ {
				r, index, cause := y.first(d, d, nil)
				if cause != replay.NoCause {
					t.Fatal(cause)
				}
				if r != nil {
					want.Depth = d
					want.Index, want.Witness = r.inOperations(index)
				}
			}
			if got.Depth != want.Depth || got.Index.String() != want.Index.String() || (got.Depth == 0) != (got.Deeper == most) {
				t.Errorf("%s, seed %d: depth %d %v (> %d), one by one %d %v", w.Model, seed, got.Depth, got.Index, got.Deeper, want.Depth, want.Index)
			}
			deepest = max(deepest, got.Depth)
			x.Release()
			y.Release()
		}
	}
	if deepest < 20 {
		t.Errorf("the deepest history has depth %d", deepest)
	}
}

// TestPersistentDepths: persistent states give the depth that those of the machine
// give.
func TestPersistentDepths(t *testing.T) {
	t.Parallel()
	depths := map[int]int{}
	for _, model := range []string{"queue", "stack", "kv", "set"} {
		s, err := spec.Lookup(model, nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(12) {
			w := simulate.Workload{Model: model, Threads: 2, Ops: 300, Seed: seed, Keys: 100, Fill: 4}
			if seed%3 == 2 {
				w.Lost = 5
			}
			if seed%2 == 1 {
				w.Threads, w.Keys = 3, 20
			}
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			var found [2]replay.Finding
			for k := range found {
				x := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
				if !x.machine.IsCompact() {
					t.Fatalf("%s has no persistent states", model)
				}
				if k == 1 {
					x.machine = state.NewLazyMachine(x.p)
				}
				found[k] = x.Run(4, nil)
				x.Release()
			}
			a, b := found[0], found[1]
			if a.Depth != b.Depth || a.Deeper != b.Deeper || a.Index.String() != b.Index.String() {
				t.Errorf("%s, seed %d: depth %d %v (> %d), by the machine %d %v (> %d)", model, seed, a.Depth, a.Index, a.Deeper, b.Depth, b.Index, b.Deeper)
			}
			depths[a.Depth]++
		}
	}
	if len(depths) < 3 {
		t.Errorf("few depths: %v", depths)
	}
}

// TestHopeless: on long queues and stacks, Run gives up a depth soon that its share
// does not reach. What it refutes or finds is what the whole share refutes or finds.
func TestHopeless(t *testing.T) {
	for _, c := range []struct {
		w    simulate.Workload
		most int64 // units of work
	}{
		{simulate.Workload{Model: "queue", Threads: 4, Ops: 1000}, 450_000},
		{simulate.Workload{Model: "stack", Threads: 16, Ops: 1000, Values: 8}, 65_000},
		{simulate.Workload{Model: "queue", Threads: 2, Ops: 300, Values: 1}, 5_000},
		{simulate.Workload{Model: "stack", Threads: 2, Ops: 300, Values: 1}, 5_000},
		{simulate.Workload{Model: "queue", Threads: 4, Ops: longCollectionOps}, 1 << 20},
		{simulate.Workload{Model: "queue", Threads: 1, Ops: 3000}, 5_000},
	} {
		s, err := spec.Lookup(c.w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.w.History()
		if err != nil {
			t.Fatal(err)
		}
		const most, share = 5, 1 << 20
		m := meter.New(nil)
		x := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
		got := x.Run(most, m.Share(share))
		y := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
		r, index, _ := y.deepen(most, meter.New(nil).Share(share))
		t.Logf("%v: depth %d (> %d) with %d units", c.w, got.Depth, got.Deeper, m.Spent())
		switch {
		case m.Spent() > c.most:
			t.Errorf("%v: %d units of work, want at most %d", c.w, m.Spent(), c.most)
		case r != nil && (got.Depth != index.Depth() || x.refuted != got.Depth-1):
			t.Errorf("%v: depth %d (> %d), want %d", c.w, got.Depth, got.Deeper, index.Depth())
		case r == nil && (got.Depth != 0 || got.Deeper > y.refuted || got.Deeper < 3 || len(h.Ops) <= longCollectionOps && got.Deeper != y.refuted):
			t.Errorf("%v: depth %d (> %d), want > %d", c.w, got.Depth, got.Deeper, y.refuted)
		}
		x.Release()
		y.Release()
	}
}

// TestBursts: a long stack with two bursts of concurrent pushes has a depth, though
// many nodes follow each burst. With a share that is too small, Run gives up before its end.
func TestBursts(t *testing.T) {
	t.Parallel()
	s, err := spec.Lookup("stack", nil)
	if err != nil {
		t.Fatal(err)
	}
	for share, want := range map[int64]int{1 << 20: 5, 1 << 17: 0} {
		const width = 5
		m := meter.New(nil)
		x := NewDepths(ops.New(bursts(t, width), s, 1<<30), replay.AutoChains)
		if got := x.Run(5, m.Share(share)); got.Depth != want || want == 0 && m.Spent() >= share {
			t.Errorf("share %d: depth %d (> %d) with %d units, want %d", share, got.Depth, got.Deeper, m.Spent(), want)
		}
		x.Release()
	}
}

// bursts returns a history of a stack into which so many values are pushed at
// once, twice.
func bursts(t *testing.T, width int) *history.History {
	const n, fill = 2500, 30
	b := history.NewBuilder(history.Header{ID: "bursts"})
	add := func(typ history.EventType, p int, method string, v int64) {
		e := history.Event{Type: typ, Process: history.IntValue(int64(p)), Method: method}
		switch {
		case typ == history.OK && v > 0:
			e.Result = history.IntValue(v)
		case method == "push":
			e.Args = []history.Value{history.IntValue(v)}
		}
		b.Add(&e)
	}
	var stack []int64
	next := int64(0)
	for k := 0; k < n; k++ {
		switch {
		case k == 0 || k == 1000: // all pushes at once; the first one takes effect late
			for p := range width {
				add(history.Invoke, p, "push", next+int64(p)+1)
			}
			for _, v := range []int{2, 3, 4, 1, 5}[:width] {
				stack = append(stack, next+int64(v))
			}
			for p := range width {
				add(history.OK, p, "", 0)
			}
			next += int64(width)
		case len(stack) < fill:
			next++
			stack = append(stack, next)
			add(history.Invoke, 0, "push", next)
			add(history.OK, 0, "", 0)
		default:
			for range 1 + k%fill {
				v := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				add(history.Invoke, 0, "pop", 0)
				add(history.OK, 0, "", v)
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestWholeObject: where an operation concerns several parts, states are whole objects.
func TestWholeObject(t *testing.T) {
	s, err := spec.Lookup("set", nil)
	if err != nil {
		t.Fatal(err)
	}
	b := history.NewBuilder(history.Header{})
	n := 0
	call := func(method string, args []history.Value, result history.Value) {
		n++
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(0), Method: method, Args: args, Line: n})
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(0), Result: result, Line: n})
	}
	for k := range 300 {
		call("add", []history.Value{history.IntValue(int64(k))}, history.BoolValue(true))
	}
	call("size", nil, history.IntValue(300))
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	x := NewDepths(ops.New(h, s, 1<<30), replay.AutoChains)
	if f := x.Run(1, nil); f.Depth != 1 || x.machine.IsCompact() {
		t.Errorf("depth %d, compact: %v", f.Depth, x.machine.IsCompact())
	}
}
