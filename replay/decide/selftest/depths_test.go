package selftest

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestDepths: a depth, an index or a free depth that is not the right one is
// detected, and right ones occur.
func TestDepths(t *testing.T) {
	histories := 1000
	if testing.Short() {
		histories = 300
	}
	r := rand.New(rand.NewPCG(1, 1))
	deep, free, undetected := 0, 0, 0
	for range histories {
		for _, k := range kinds() {
			var p problem
			random(&p, k, 12, r)
			if !p.linearizable() {
				continue
			}
			trial, err := newTrial(&p, true)
			if err != nil {
				t.Fatal(err)
			}
			var f, v replay.Verdict
			if err := families(replay.ProcessChains)(trial, &f); err != nil {
				t.Fatal(err)
			}
			if err := depths(replay.ProcessChains)(trial, &v); err != nil {
				t.Errorf("%v\n%s", err, show(trial.h))
			}
			if v.Depth < 2 || f.Depth == 0 {
				continue
			}
			deep++
			altered := v
			altered.Depth--
			altered.Index.Tuple = v.Index.Tuple[1:]
			deeper := v
			deeper.Depth++
			chain, tuple := v, v
			chain.Index.Chain++
			tuple.Index = v.Index.Clone()
			tuple.Index.Tuple[0]++
			for _, wrong := range []*replay.Verdict{&altered, &deeper, &chain, &tuple} {
				if trial.compareDepth(wrong, &f.Finding) == nil {
					t.Errorf("depth %d by %v passes, families have %d by %v", wrong.Depth, wrong.Index, f.Depth, f.Index)
				}
			}
			unknown := v
			unknown.Depth, unknown.Deeper, unknown.DepthCause = 0, v.Depth, replay.Time
			if trial.compareDepth(&unknown, &f.Finding) == nil {
				t.Errorf("more than %d passes, families have %d", unknown.Deeper, f.Depth)
			}
			if v.FreeDepth == 0 || v.FreeDepth == v.Depth {
				continue
			}
			free++
			for _, off := range []int{-1, 1} {
				wrong := v
				if wrong.FreeDepth += off; trial.compareFree(&wrong, replay.ProcessChains) == nil && wrong.FreeDepth < v.Depth {
					undetected++
				}
			}
		}
	}
	t.Logf("%d of depth 2 or more, %d of a smaller free depth", deep, free)
	if deep < histories || free < histories/30 || undetected > 0 {
		t.Errorf("%d of depth 2 or more, %d of a smaller free depth, where %d wrong ones pass", deep, free, undetected)
	}
}

// TestManyOperations: the models hold as many values as a history has operations.
func TestManyOperations(t *testing.T) {
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
