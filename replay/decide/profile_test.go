package decide_test

import (
	"context"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestProfile: the depth of a profile is that of a check, and so are the depths
// that reach the end of a beginning.
func TestProfile(t *testing.T) {
	for _, w := range []simulate.Workload{
		{Model: "queue", Threads: 3, Ops: 14}, {Model: "stack", Threads: 3, Ops: 14}, {Model: "kv", Threads: 4, Keys: 3, Ops: 30},
		{Model: "register", Threads: 4, Ops: 30}, {Model: "counter", Threads: 4, Ops: 30},
	} {
		for seed := range uint64(10) {
			w.Seed = seed
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			s := model(t, w.Model)
			v := check(t, h, s, replay.Options{MaxDepth: 40})
			p, known, err := decide.Profile(context.Background(), h, s, replay.Options{})
			if err != nil || !known || p.Depth != v.Depth || p.Chain != v.Index.Chain || v.Depth == 0 {
				t.Errorf("%s, seed %d: depth %d, chain %d (%v); check says %d, %v", w.Model, seed, p.Depth, p.Chain, err, v.Depth, v.Index)
			}
		}
	}
}

// TestProfileOfNone: a history that is not linearizable has no profile, and no budget
// is spent on it.
func TestProfileOfNone(t *testing.T) {
	for _, w := range []simulate.Workload{{Model: "queue", Threads: 3, Ops: 20}, {Model: "kv", Threads: 4, Keys: 3, Ops: 400}} {
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		for i := range h.Ops {
			if op := &h.Ops[i]; !op.Pending() && op.Result.Kind() == history.Int {
				op.Result = history.IntValue(-1) // never inserted
				break
			}
		}
		asked := 0
		ctx := expiring{context.Background(), func() error { asked++; return nil }}
		_, known, err := decide.Profile(ctx, h, model(t, w.Model), replay.Options{})
		if err != nil || known || asked > 100 {
			t.Errorf("%s: profile %v (%v), %d questions", w.Model, known, err, asked)
		}
	}
}
