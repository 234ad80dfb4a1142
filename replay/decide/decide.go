package decide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

// ErrWitness says that a witness failed its second replay: a fault of this
// program or of a specification whose objects do not behave as they should,
// never of the history.
var ErrWitness = errors.New("internal error: a witness failed its second replay")

// Check decides whether the history is linearizable with respect to the
// specification. Engines, in this order, until one decides:
//
//  1. strong d-hitting families for d = 1, 2, ..., up to o.MaxDepth and
//     o.Budget.Schedules: they find witnesses, and the depth. Of a history of
//     more than short operations not more than familyWork are replayed first;
//  2. the complete search;
//  3. where the search gave up, the rest of the families.
//
// o.Engine leaves only one of them. A verdict that stays Undecided says why in
// Cause. Cancelling ctx ends in such a verdict and a nil error. An error is
// an *history.Errors, for operations that the specification cannot have, or
// wraps ErrWitness.
//
// Time and memory are bounded by o.Budget; the number of schedules of depth d
// by m n^(d-1), for m chains and n operations, each replayed in O(n); the
// search by the number of configurations it can meet.
func Check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	start := time.Now()
	v, err := check(ctx, h, spec, o.WithDefaults(len(h.Ops)))
	v.Elapsed = time.Since(start)
	return v, err
}

func check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	var v replay.Verdict
	if err := replay.Check(h, spec); err != nil {
		return v, err
	}
	in, err := replay.NewInstance(h, true, o.Chains)
	switch {
	case replay.TooLarge(err):
		v.Cause = replay.Memory
		return v, nil
	case err != nil:
		return v, fmt.Errorf("checking history %q: %w", h.ID, err)
	}
	v.C, v.CP = in.Poset.Concurrency()
	c := newClock(ctx, o.Budget)
	if err := run(in, spec, o, c, &v); err != nil {
		return v, fmt.Errorf("checking history %q: %w", h.ID, err)
	}
	if o.ExactDepth && v.Answer == replay.Linearizable && !c.over {
		exactDepth(in, spec, c.expired, &v)
	}
	if v.Answer == replay.Linearizable {
		if err := replay.Verify(h, spec, v.Witness); err != nil {
			return v, fmt.Errorf("%w: history %q: %w", ErrWitness, h.ID, err)
		}
	}
	if v.Answer == replay.NotLinearizable && o.Explain && !c.over {
		v.Explanation = explain(in, spec, o.Budget.Bytes, c.expired)
	}
	if v.Answer == replay.Undecided && c.over {
		v.Cause = c.cause
	}
	return v, nil
}

const (
	// short is up to how many operations families go to the end of their
	// budget before the search begins: those of the paper have at most 18.
	short = 24
	// familyWork is how many operations of a longer history are replayed
	// before the search begins: half a second or less.
	familyWork = 1 << 22
)

// run lets the engines work until one decides.
func run(in *replay.Instance, spec replay.Spec, o replay.Options, c *clock, v *replay.Verdict) error {
	undecided := func() bool { return v.Answer == replay.Undecided && !c.over }
	first := o
	if o.Engine == replay.AutoEngine && len(in.Ops) > short {
		first.Budget.Schedules = min(o.Budget.Schedules, familyWork/int64(max(1, len(in.Ops))))
		first.Budget.Schedules = max(1, first.Budget.Schedules)
	}
	if o.Engine != replay.SearchEngine {
		if err := replay.Families(in, spec, first, c.expired, v); err != nil {
			return err
		}
	}
	if undecided() && o.Engine != replay.FamiliesEngine {
		search.Run(in, spec, o.Budget.Bytes, c.expired, v)
	}
	if undecided() && o.Engine == replay.AutoEngine && first.Budget.Schedules < o.Budget.Schedules {
		cause := v.Cause
		v.Replayed = nil
		if err := replay.Families(in, spec, o, c.expired, v); err != nil {
			return err
		}
		if v.Answer == replay.Undecided && cause == replay.Memory {
			v.Cause = cause
		}
	}
	return nil
}

// exactWork bounds the steps of the exact depth: some seconds.
const exactWork = 1 << 27

// exactDepth enters the exact depth where it can be had.
func exactDepth(in *replay.Instance, spec replay.Spec, stop func() bool, v *replay.Verdict) {
	if len(in.Ops) > hitting.ExactMax {
		return
	}
	machine := replay.NewMachine(in.History, spec)
	if machine == nil {
		return
	}
	if d, ok := hitting.ExactDepth(in.Poset, machine, exactWork, stop); ok {
		v.ExactDepth = d
	}
}
