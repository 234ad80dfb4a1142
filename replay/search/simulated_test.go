package search_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// TestSimulated searches histories of correct objects that are too long for
// brute force. They are searched with and without rules and with and without
// lost responses. Each must have a witness that Verify accepts. If one result
// is replaced by a value that was never inserted, there must be no witness.
func TestSimulated(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 0))
	decided := map[string]int{}
	rounds := 4
	if *full {
		rounds = 20
	}
	for _, c := range []struct {
		model, reads string
		next         func(*rand.Rand, int) replay.Invocation
	}{{"queue", "dequeue", queueCalls}, {"stack", "pop", stackCalls}, {"kv", "get", kvCalls}} {
		s := lookup(t, c.model)
		for k := range rounds {
			h := simulate(t, r, s, 2+k%3, 65+r.IntN(40), k%2*4, c.next)
			for _, prune := range []search.Pruning{{}, {NoReadsAtOnce: true, NoTwins: true, NoParts: true}} {
				v := run(t, h, s, prune)
				if v.Answer == replay.NotLinearizable {
					t.Fatalf("%s: a correct object's history is not linearizable (%+v)", c.model, prune)
				}
				if v.Answer == replay.Linearizable {
					decided[c.model]++
					if err := replay.Verify(h, s, v.Witness, nil); err != nil {
						t.Fatalf("%s: %v (%+v)", c.model, err, prune)
					}
				}
			}
			if spoil(r, h, c.reads) {
				if v := run(t, h, s, search.Pruning{}); v.Answer == replay.Linearizable {
					t.Fatalf("%s: a value that was never inserted is explained", c.model)
				} else if v.Answer == replay.NotLinearizable {
					decided["spoilt "+c.model]++
				}
			}
		}
		if decided[c.model] < 3*rounds/2 || decided["spoilt "+c.model] < 3*rounds/4 {
			t.Errorf("%s: only %d and %d of %d and %d were decided", c.model, decided[c.model], decided["spoilt "+c.model], 2*rounds, rounds)
		}
	}
}

func run(t *testing.T, h *history.History, s replay.Spec, prune search.Pruning) replay.Verdict {
	t.Helper()
	var v replay.Verdict
	v.Finding = search.RunPruned(ops.New(h, s, 1<<26), prune, nil)
	return v
}

// spoil gives a random call of the method a result that is impossible for every
// call.
func spoil(r *rand.Rand, h *history.History, method string) bool {
	var calls []int
	for i := range h.Ops {
		if h.Ops[i].Method == method && !h.Ops[i].Pending() {
			calls = append(calls, i)
		}
	}
	if len(calls) == 0 {
		return false
	}
	h.Ops = slices.Clone(h.Ops)
	h.Ops[calls[r.IntN(len(calls))]].Result = history.IntValue(-7)
	return true
}
