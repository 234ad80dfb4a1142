package engine

import (
	"testing"

	"github.com/leadline/leadline/history/stress/simulate"
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
