package decide

import (
	"context"
	"errors"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// A DepthProfile is the number of delays that a long history needs. The depth grows
// with the length, as each burst of concurrency may need its own delays. Histories of
// different lengths can be compared by the delays per 1,000 operations.
type DepthProfile struct {
	// Depth is the depth of the whole history, where pending operations may be
	// left out at no cost: Verdict.FreeDepth, without a limit. If it is not known,
	// it is 0, and Cause is the reason.
	Depth int
	Cause replay.Cause
	// Chain is the first base chain that has an index of Depth.
	Chain int32
	// Reached is set if Depth is not known. Some schedule of depth k+1 explains the
	// first Reached[k] responses, and none explains one more.
	Reached []int
}

// DelaysPer1000 returns the delays for 1,000 operations: Depth-1 over all n
// operations, or as far as the profile reaches. It returns 0 if nothing is known.
func (p *DepthProfile) DelaysPer1000(n int) float64 {
	switch k := len(p.Reached); {
	case p.Depth > 0 && n > 0:
		return 1000 * float64(p.Depth-1) / float64(n)
	case k > 0 && p.Reached[k-1] > 0:
		return 1000 * float64(k) / float64(p.Reached[k-1])
	}
	return 0
}

// Profile computes the profile of a linearizable history within o.Budget: half of
// its time, and at most ExactWork, goes to the depth of the whole history, and as
// much to its beginnings. It reports false if there is no profile:
//   - the history has edges,
//   - the objects of the specification are not States, or
//   - the history turns out not to be linearizable. A short check comes first,
//     which finds that of most such histories.
//
// An error is that of a nil argument or of operations that the specification cannot
// have. Unlike Check, Profile does not recover from a panic of the specification.
//
// The time is proportional to the length of the history, and to the number of states
// and sets of open operations that can occur at one moment. That number is small for
// registers and maps, and large for queues and stacks that hold many values.
func Profile(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (p DepthProfile, known bool, err error) {
	switch {
	case h == nil:
		return p, false, errors.New("decide: the history is nil")
	case spec == nil:
		return p, false, errors.New("decide: the specification is nil")
	case ctx == nil:
		ctx = context.Background()
	}
	if err := replay.Check(h, spec); err != nil {
		return p, false, err
	}
	o = o.WithDefaults(len(h.Ops))
	x := engine.NewDepths(h, spec, o.Chains, o.Budget.Bytes)
	if x == nil {
		return p, false, nil
	}
	defer x.Release()
	o.Budget.Time /= 2
	c := newClock(ctx, o.Budget)
	m := c.meter()
	t := &task{h: h, spec: spec, o: o, clock: &c}
	if f := t.decidePart(h, m.Share(quickShare+int64(len(h.Ops))*profileCheck)); f.Answer == replay.NotLinearizable {
		return p, false, nil
	}
	switch p.Depth, p.Chain, p.Cause = x.Least(m.Share(o.Budget.ExactWork)); {
	case p.Depth > 0:
		return p, true, nil
	case p.Cause == replay.NoCause: // no schedule is a witness
		return p, false, nil
	}
	c = newClock(ctx, o.Budget)
	p.Depth, p.Chain, p.Reached, p.Cause = x.Reach(c.meter().Share(o.Budget.ExactWork))
	return p, true, nil
}

// profileCheck is the work for each operation of the check before a profile. Monitors
// take less.
const profileCheck = 16
