package window_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	workload "github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/window"
)

var stackRounds = flag.Int("stackrounds", 1000, "random histories of TestStacks; more with -full")

// randomStacks returns a source of random histories and how many to draw.
func randomStacks(t *testing.T, salt uint64) (r *rand.Rand, rounds int) {
	t.Logf("-seed %d", *seedFlag)
	rounds = *stackRounds
	if *full {
		rounds = max(rounds, 10000)
	}
	return rand.New(rand.NewPCG(*seedFlag, salt)), rounds
}

// TestStacks compares Run, also with a narrow beam, with the general search on histories of stacks in which more operations are open at once.
func TestStacks(t *testing.T) {
	r, rounds := randomStacks(t, 78)
	s := lookup(t, "stack")
	count := map[string]int{}
	for range rounds {
		d := randomDuplicating(r, "stack")
		d.uncounted = true
		d.n, d.processes, d.values = 4+r.IntN(13), 2+r.IntN(6), 1+r.IntN(4)
		h := d.history(t, s)
		want := searched(t, h, s).Answer
		var v, narrow replay.Verdict
		v.Finding = window.Run(ops.New(h, s, 1<<30), nil)
		narrow.Finding, _ = window.BeamOfWidth(ops.New(h, s, 0), 1+r.IntN(3), meter.New(nil))
		count[v.Answer.String()]++
		if v.Answer != want || narrow.Answer != want {
			t.Fatalf("%v (%v), in a narrow beam %v, want %v:\n%s", v.Answer, v.Cause, narrow.Answer, want, show(h))
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

// TestLargeStacks decides long histories of stacks, and verifies witnesses.
func TestLargeStacks(t *testing.T) {
	s := lookup(t, "stack")
	for _, n := range []int{300, 1000, 10000} {
		for _, threads := range []int{3, 4, 8, 16} {
			for _, fill := range []int{4, 32} {
				if threads*n > 16000 && !*full || threads*n > 40000 {
					continue
				}
				w := workload.Workload{Model: "stack", Ops: n, Threads: threads, Seed: uint64(n + threads), Values: min(8, n/75), Fill: fill}
				right, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				var v replay.Verdict
				v.Finding = window.Run(ops.New(right, s, 1<<30), nil)
				if v.Answer != replay.Linearizable {
					t.Fatalf("n=%d T=%d fill=%d: %v (%v)", n, threads, fill, v.Answer, v.Cause)
				}
				if err := replay.Verify(right, s, v.Witness, nil); err != nil {
					t.Fatalf("n=%d T=%d fill=%d: %v", n, threads, fill, err)
				}
			}
		}
	}
}

// TestLargeStackRetries bounds the work on a history in which what is pushed
// shows only hundreds of responses later. How much it takes depends on what the beam draws.
func TestLargeStackRetries(t *testing.T) {
	if !*full {
		t.Skip("takes seconds: with -full")
	}
	const most = 20_000_000
	h, _ := large(t, "stack", 16000, 16, 8, 1)
	m := meter.New(nil)
	f := window.Run(ops.New(h, lookup(t, "stack"), 1<<30), m.Share(2*most))
	t.Logf("%v after %d units of work", f.Answer, m.Spent())
	if f.Answer != replay.Linearizable || m.Spent() > most {
		t.Errorf("%v (%v) after %d units of work", f.Answer, f.Cause, m.Spent())
	}
}
