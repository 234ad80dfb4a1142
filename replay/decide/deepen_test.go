package decide

import (
	"flag"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/simulate"
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
			x := DepthsOf(h, s, 1<<30, replay.AutoChains)
			const most = 60
			got := x.Run(most, nil)
			y := DepthsOf(h, s, 1<<30, replay.AutoChains)
			want := replay.Finding{}
			for d := 1; d <= most && want.Depth == 0; d++ {
				r, index, cause := y.first(d, d, nil)
				if cause != replay.NoCause {
					t.Fatal(cause)
				}
				if r != nil {
					want.Depth = d
					want.Index, want.Witness = inOperations(r.in, index, depth.Schedule(r.in.Poset, r.in.Chains, index))
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

// BenchmarkDeepen searches for great depths, within 2^22 units of work for each history.
func BenchmarkDeepen(b *testing.B) {
	for b.Loop() {
		found, work := 0, int64(0)
		for _, w := range []simulate.Workload{
			{Model: "register", Threads: 4, Ops: 300}, {Model: "register", Threads: 8, Ops: 100}, {Model: "queue", Threads: 2, Ops: 100},
			{Model: "cas-register", Threads: 5, Ops: 40, Lost: 50}, {Model: "counter", Threads: 4, Ops: 300}, {Model: "stack", Threads: 3, Ops: 60},
		} {
			for w.Seed = 1; w.Seed <= 2; w.Seed++ {
				h, err := w.History()
				if err != nil {
					b.Fatal(err)
				}
				s, err := w.Spec()
				if err != nil {
					b.Fatal(err)
				}
				x, m := DepthsOf(h, s, 1<<30, replay.AutoChains), meter.New(nil).Share(1<<22)
				if f := x.Run(200, m); f.Depth > 0 {
					found++
				}
				work += m.Spent()
				x.Release()
			}
		}
		b.ReportMetric(float64(found), "depths")
		b.ReportMetric(float64(work), "units")
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
				x := DepthsOf(h, s, 1<<30, replay.AutoChains)
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
	x := DepthsOf(h, s, 1<<30, replay.AutoChains)
	if f := x.Run(1, nil); f.Depth != 1 || x.machine.IsCompact() {
		t.Errorf("depth %d, compact: %v", f.Depth, x.machine.IsCompact())
	}
}
