package decide_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestSelfDepths compares depths and indices of random histories with
// families, and more of them than TestEngines. Those that are not right are
// detected.
func TestSelfDepths(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	cases := 2500
	switch {
	case *full:
		cases = 15_000
	case testing.Short(): // as under the race detector
		cases /= 5
	}
	all := kinds()
	var n, linearizable, pending int
	depth := map[int]int{}
	for n < cases {
		var p problem
		random(&p, all[n%len(all)], 12, r)
		n++
		if !p.linearizable() {
			continue
		}
		linearizable++
		trial, err := newTrial(&p, true)
		if err != nil {
			t.Fatal(err)
		}
		for mode := range replay.MinimumChains + 1 {
			var f, v replay.Verdict
			if err := families(mode)(trial, &f); err != nil {
				t.Fatal(err)
			}
			if err := depths(mode)(trial, &v); err != nil {
				t.Fatalf("chains %d: %v\n%s", mode, err, showOps(trial.h))
			}
			if v.Answer != replay.Linearizable || mode != replay.ProcessChains {
				continue
			}
			if trial.h.Pending() > 0 {
				pending++
			}
			if depth[f.Depth]++; f.Depth > 1 {
				detectDepth(t, trial, &v, &f.Finding)
			}
		}
	}
	t.Logf("%d histories, %d linearizable; by depth (0: more than families replayed): %v; %d pending",
		n, linearizable, depth, pending)
	if depth[2] < n/200 || depth[3] < n/1000 || pending < n/50 {
		t.Error("too few of a kind")
	}
}

// detectDepth makes depth and index wrong.
func detectDepth(t *testing.T, trial *trial, v *replay.Verdict, f *replay.Finding) {
	t.Helper()
	smaller, greater, chain, tuple, unknown := *v, *v, *v, *v, *v
	smaller.Depth, smaller.Index.Tuple = v.Depth-1, v.Index.Tuple[1:]
	greater.Depth++
	chain.Index.Chain++
	tuple.Index = v.Index.Clone()
	tuple.Index.Tuple[0]++
	unknown.Depth, unknown.Deeper, unknown.DepthCause = 0, v.Depth, replay.Time
	for _, wrong := range []*replay.Verdict{&smaller, &greater, &chain, &tuple, &unknown} {
		if trial.compareDepth(wrong, f) == nil {
			t.Errorf("depth %d by %v, deeper than %d, passes; families have %d by %v", wrong.Depth, wrong.Index, wrong.Deeper, f.Depth, f.Index)
		}
	}
}

// TestSelfManyOperations: the models hold as many values as a history has operations.
func TestSelfManyOperations(t *testing.T) {
	for _, k := range kinds() {
		var p problem
		p.reset(k)
		for range maxOps {
			p.respond(p.invoke(&k.returned[0], 0))
			p.result[p.n-1] = history.UnknownValue
		}
		trial, err := newTrial(&p, p.linearizable())
		if err != nil {
			t.Fatal(err)
		}
		if _, verdicts := trial.compare(); verdicts != nil {
			t.Errorf("%s, linearizable: %v: %v", k.name, trial.linearizable, verdicts)
		}
	}
}
