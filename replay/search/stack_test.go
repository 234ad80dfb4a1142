package search_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	workload "github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

var stackRounds = flag.Int("stackrounds", 10000, "random histories of TestStacks")

// TestStacks compares QueueOrStack, also in small passes, with the general search
// on histories of stacks in which more operations are open at once.
func TestStacks(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 78))
	s := lookup(t, "stack")
	rounds := *stackRounds
	if testing.Short() {
		rounds = min(rounds, 3000)
	}
	count := map[string]int{}
	for range rounds {
		d := randomDuplicating(r, "stack")
		d.n, d.processes, d.values = 4+r.IntN(13), 2+r.IntN(6), 1+r.IntN(4)
		h := d.history(t, s)
		want := run(t, h, s, search.Pruning{}).Answer
		var v, narrow replay.Verdict
		v.Finding = search.QueueOrStack(h, s, 1<<30, nil)
		narrow.Finding = search.StackOfWidth(h, s, 1+r.IntN(3))
		count[v.Answer.String()]++
		if v.Answer != want || narrow.Answer != want {
			t.Fatalf("%v (%v), in small passes %v, want %v:\n%s", v.Answer, v.Cause, narrow.Answer, want, show(h))
		}
		if want != replay.Linearizable {
			continue
		}
		for _, w := range [][]int32{v.Witness, narrow.Witness} {
			if err := replay.Verify(h, s, w, nil); err != nil {
				t.Fatalf("%v: %v:\n%s", w, err, show(h))
			}
		}
	}
	t.Log(count)
	if count["linearizable"] < rounds/4 || count["not-linearizable"] < rounds/4 {
		t.Error(count)
	}
}

// TestLargeStacks decides long histories of stacks, some with two values in
// the wrong order, and verifies witnesses.
func TestLargeStacks(t *testing.T) {
	s := lookup(t, "stack")
	for _, n := range []int{300, 1000, 10000} {
		for _, threads := range []int{3, 4, 8, 16} {
			for _, fill := range []int{4, 32} {
				if threads*n > 16000 && testing.Short() || threads*n > 40000 {
					continue
				}
				w := workload.Workload{Model: "stack", Ops: n, Threads: threads, Seed: uint64(n + threads), Values: 8, Fill: fill}
				right, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				w.Faults = []workload.Fault{{Kind: workload.Swap, Percent: 50}}
				wrong, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				var v, bad replay.Verdict
				v.Finding = search.QueueOrStack(right, s, 1<<30, nil)
				if v.Answer != replay.Linearizable {
					t.Fatalf("n=%d T=%d fill=%d: %v (%v)", n, threads, fill, v.Answer, v.Cause)
				}
				if err := replay.Verify(right, s, v.Witness, nil); err != nil {
					t.Fatalf("n=%d T=%d fill=%d: %v", n, threads, fill, err)
				}
				bad.Finding = search.QueueOrStack(wrong, s, 1<<30, nil)
				if bad.Answer != replay.NotLinearizable {
					t.Errorf("n=%d T=%d fill=%d, swapped: %v (%v)", n, threads, fill, bad.Answer, bad.Cause)
				}
			}
		}
	}
}
