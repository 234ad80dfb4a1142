package peers_test

import (
	"context"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/bench/peers"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

// TestNative compares the hand-written models with those made of
// specifications, on small simulated histories. The latter run once for each
// subset of the pending operations.
func TestNative(t *testing.T) {
	all := simulate.Mix{Insert: 2, Remove: 1, Look: 2, Update: 1}
	for _, typ := range peers.Types {
		t.Run(typ, func(t *testing.T) {
			legal, illegal, pending := 0, 0, 0
			for seed := range uint64(400) {
				w := simulate.Workload{Model: typ, Ops: 12, Threads: 3, Seed: seed, Keys: 2, Fill: 3}
				w.Values = []int{0, 3}[seed/2%2]
				w.Lost = []int{0, 100}[seed/4%2]
				switch {
				case typ == "kv" && seed/8%2 == 1:
					w.Mix = all
				case typ == "cas-register":
					w.Mix = simulate.Mix{Insert: 2, Look: 2, Update: 1}
				}
				h, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				if seed%2 == 1 {
					spoil(h)
				}
				want := compareNative(t, w, h)
				if want != porcupine.Ok && seed%2 == 0 {
					t.Errorf("%v is %v", w, want)
				}
				if want == porcupine.Ok {
					legal++
				} else {
					illegal++
				}
				pending += h.Pending()
			}
			t.Logf("%d legal, %d illegal, %d pending operations", legal, illegal, pending)
			if legal < 100 || illegal < 40 || pending < 100 {
				t.Error("too few legal, illegal or pending")
			}
		})
	}
}

func compareNative(t *testing.T, w simulate.Workload, h *history.History) porcupine.CheckResult {
	t.Helper()
	native, ops, err := peers.Native(h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	made, err := peers.Model(s)
	if err != nil {
		t.Fatal(err)
	}
	want, err := peers.Check(h, made, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := peers.Bounded(context.Background(), native, ops, 1<<40); got != want {
		t.Errorf("%v: the hand-written model reports %v, the other %v", w, got, want)
	}
	return want
}

// spoil swaps the first two different results of one method.
func spoil(h *history.History) {
	for i := range h.Ops {
		for j := range i {
			x, y := &h.Ops[i], &h.Ops[j]
			if x.Method == y.Method && !x.Pending() && !y.Pending() && !x.Result.Equal(y.Result) {
				x.Result, y.Result = y.Result, x.Result
				return
			}
		}
	}
}
