package engine

import (
	"testing"

	"github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// TestDeepen: several depths at once give the index that one after another gives,
// also with pending operations, and where a jump takes too much work.
func TestDeepen(t *testing.T) {
	deepest := 0
	for _, w := range []simulate.Workload{
		{Model: "register", Threads: 4, Ops: 90}, {Model: "kv", Threads: 4, Keys: 2, Ops: 90},
		{Model: "cas-register", Threads: 5, Ops: 40, Lost: 50}, {Model: "queue", Threads: 4, Ops: 34},
		{Model: "counter", Threads: 4, Ops: 60},
	} {
		s, err := spec.Lookup(w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(4) {
			w.Seed = seed
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			x := NewDepths(h, s, replay.AutoChains, 1<<30)
			const most = 60
			got := x.Run(most, nil)
			y := NewDepths(h, s, replay.AutoChains, 1<<30)
			want := replay.Finding{}
			for d := 1; d <= most && want.Depth == 0; d++ {
				r, index, cause := y.first(y.rounds, d, d, nil)
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
				x := NewDepths(h, s, replay.AutoChains, 1<<30)
				if x.states == nil {
					t.Fatalf("%s has no persistent states", model)
				}
				if k == 1 {
					x.states = nil
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
		{simulate.Workload{Model: "queue", Threads: 4, Ops: 1000}, 50_000},
		{simulate.Workload{Model: "stack", Threads: 16, Ops: 1000, Values: 8}, 50_000},
		{simulate.Workload{Model: "queue", Threads: 2, Ops: 300, Values: 1}, 5_000},
		{simulate.Workload{Model: "stack", Threads: 2, Ops: 300, Values: 1}, 5_000},
		{simulate.Workload{Model: "queue", Threads: 4, Ops: impatientOps}, 1 << 20},
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
		x := NewDepths(h, s, replay.AutoChains, 1<<30)
		got := x.Run(most, m.Share(share))
		y := NewDepths(h, s, replay.AutoChains, 1<<30)
		r, index, _ := y.deepen(y.rounds, &y.refuted, most, meter.New(nil).Share(share))
		t.Logf("%v: depth %d (> %d) with %d units", c.w, got.Depth, got.Deeper, m.Spent())
		switch {
		case m.Spent() > c.most:
			t.Errorf("%v: %d units of work, want at most %d", c.w, m.Spent(), c.most)
		case r != nil && (got.Depth != index.Depth() || x.refuted != got.Depth-1):
			t.Errorf("%v: depth %d (> %d), want %d", c.w, got.Depth, got.Deeper, index.Depth())
		case r == nil && (got.Depth != 0 || got.Deeper > y.refuted || got.Deeper < 3 || len(h.Ops) <= impatientOps && got.Deeper != y.refuted):
			t.Errorf("%v: depth %d (> %d), want > %d", c.w, got.Depth, got.Deeper, y.refuted)
		}
		x.Release()
		y.Release()
	}
}
