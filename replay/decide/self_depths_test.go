package decide_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

const (
	// smallFamily is the largest number of operations for which families run to
	// their end.
	smallFamily = 6
	// familyWork bounds the work of the families of larger histories that are not
	// linearizable.
	familyWork = 1 << 17
)

// families runs families to d = n. On larger histories it gives up after an amount
// of work that is the same in every run.
func families(mode replay.ChainMode) func(*trial, *replay.Verdict) error {
	return func(t *trial, v *replay.Verdict) (err error) {
		in := t.instances[mode]
		if in == nil {
			return nil
		}
		o := replay.Options{MaxDepth: t.p.n + 1, Chains: mode}.WithDefaults(t.p.n)
		v.Finding, err = decide.Families(in, t.spec, o, t.bound())
		t.families[mode] = v.Finding
		return err
	}
}

// bound returns a meter for the families of one history. It allows all of depth
// 5 if there is a witness: m n^4 schedules of n operations.
func (t *trial) bound() *meter.Meter {
	m, n := meter.New(nil), int64(t.p.n)
	switch {
	case n <= smallFamily:
		return m
	case t.linearizable:
		return m.Share(8 * n * n * n * n * n)
	}
	return m.Share(familyWork)
}

// depths compares depth and index of a linearizable history with those
// that families find. Histories for which families are all there is are left out.
func depths(mode replay.ChainMode) func(*trial, *replay.Verdict) error {
	return func(t *trial, v *replay.Verdict) error {
		_, opaque := t.spec.(objectOnly)
		if t.instances[mode] == nil || opaque || t.h.HasEdges() || !t.linearizable {
			return nil
		}
		check := func(maxDepth int) (replay.Verdict, error) {
			return decide.Check(context.Background(), t.h, t.spec, replay.Options{MaxDepth: maxDepth, Chains: mode})
		}
		var err error
		if *v, err = check(t.p.n + 1); err != nil || v.Answer != replay.Linearizable {
			return err
		}
		if err = t.compareDepth(v, &t.families[mode]); err != nil || v.Depth < 2 {
			return err
		}
		less, err := check(v.Depth - 1)
		if err == nil && (less.Depth != 0 || less.Deeper != v.Depth-1 || less.DepthCause != replay.Depth) {
			err = fmt.Errorf("depth %d; up to %d: depth %d, more than %d (%v)", v.Depth, v.Depth-1, less.Depth, less.Deeper, less.DepthCause)
		}
		return err
	}
}

// compareDepth compares depth and index with those of families.
func (t *trial) compareDepth(v *replay.Verdict, f *replay.Finding) error {
	refuted := f.Depth - 1
	if f.Depth == 0 {
		refuted = len(f.Replayed) - 1
	}
	switch {
	case v.Depth == 0 && v.DepthCause == replay.Time && (f.Depth == 0 || f.Depth > v.Deeper):
		return nil
	case v.Depth == 0:
		return fmt.Errorf("no depth up to %d (%v), families have %d", v.Deeper, v.DepthCause, f.Depth)
	case v.Depth <= refuted:
		return fmt.Errorf("depth %d by %v, families have none up to %d", v.Depth, v.Index, refuted)
	case f.Depth > 0 && (v.Depth != f.Depth || v.Index.Chain != f.Index.Chain || !slices.Equal(v.Index.Tuple, f.Index.Tuple)):
		return fmt.Errorf("depth %d by %v, families have %d by %v", v.Depth, v.Index, f.Depth, f.Index)
	}
	return nil
}

// returnsAreSingle reports whether no process has two operations that took effect
// for certain. Then automatic chains of these are a minimum partition.
func (t *trial) returnsAreSingle() bool {
	var seen [maxOps]bool
	for i := range t.p.n {
		if t.p.must()>>i&1 != 0 {
			if seen[t.p.process[i]] {
				return false
			}
			seen[t.p.process[i]] = true
		}
	}
	return true
}
