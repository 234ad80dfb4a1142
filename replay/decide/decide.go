package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// ErrWitness says that a witness failed its second replay: a fault of this
// program or of a specification whose objects do not behave as they should,
// never of the history.
var ErrWitness = errors.New("internal error: a witness failed its second replay")

// Check decides whether the history is linearizable with respect to the
// specification. Engines, in this order, until one decides:
//
//  1. of up to search.MaxSmall operations, a search of some microseconds; of
//     more, a monitor, where the specification is a collection and the history
//     inserts distinct values or is of a set (replay/monitor), then a search of
//     some thousand configurations. Where there is a witness, families go on
//     to look for the depth. Of more than long operations, a monitor, then the
//     complete search where the specification is partitioned; and no depth, if
//     they decide;
//  2. strong d-hitting families for d = 1, 2, ..., up to o.MaxDepth and
//     o.Budget.Schedules: they find witnesses, and the depth. A sequential
//     history is the family of depth 1, one schedule. Of a history of more
//     than short operations not more than familyWork are replayed;
//  3. of a deque of distinct values, pieces between moments at which it can be
//     empty, each by the complete search; of a queue or stack of other values,
//     a search that orders insertions only when a removal shows their order
//     (search.Lazy);
//  4. block by block between quiescent cuts (see blocks), for histories of up
//     to blocksMax operations;
//  5. the complete search, part by part where the specification is partitioned
//     (replay.Partitioned);
//  6. where the search gave up, the rest of the families.
//
// o.Engine leaves only one of them. A verdict that stays Undecided says why in
// Cause. Cancelling ctx ends in such a verdict and a nil error. An error is
// an *history.Errors, for operations that the specification cannot have, or
// wraps ErrWitness.
//
// A history that may have been cut is linearizable or unknown.
//
// Time and memory are bounded by o.Budget; the number of schedules of depth d
// by m n^(d-1), for m chains and n operations, each replayed in O(n); the
// search by the number of configurations it can meet.
func Check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	start := time.Now()
	v, err := check(ctx, h, spec, o.WithDefaults(len(h.Ops)))
	if h.Torn > 0 && v.Answer == replay.NotLinearizable {
		// What is missing might explain what no order explains.
		v.Answer, v.Cause, v.Engine, v.Explanation, v.Conflict = replay.Undecided, replay.Torn, replay.AutoEngine, nil, nil
	}
	v.Elapsed = time.Since(start)
	return v, err
}

func check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	var v replay.Verdict
	c := newClock(ctx, o.Budget)
	searched := false
	// Small checks the operations itself.
	small := (o.Engine == replay.AutoEngine || o.Engine == replay.SearchEngine) && !c.expired() && search.Small(h, spec, &v)
	if !small {
		if err := replay.Check(h, spec); err != nil {
			return v, err
		}
		if len(h.Ops) > long && o.Engine == replay.AutoEngine {
			if !c.expired() && c.hasRoom(int64(len(h.Ops))*longBytes) {
				monitor.Run(h, spec, c.expired, &v)
			}
			if _, parts := spec.(replay.Partitioned); parts && v.Answer == replay.Undecided && !c.expired() {
				search.Run(h, spec, o.Budget.Bytes, c.expired, &v)
				searched = true
			}
			if v.Answer == replay.Undecided && c.over {
				if !h.HasEdges() {
					v.C, v.CP = replay.Concurrency(h)
				}
				return finish(h, spec, o, c, v)
			}
		}
	}
	depth := small && o.Engine == replay.AutoEngine && v.Answer == replay.Linearizable
	if v.Answer != replay.Undecided && !depth && !o.ExactDepth {
		v.C, v.CP = replay.Concurrency(h)
		return finish(h, spec, o, c, v)
	}
	in, err := replay.NewInstance(h, true, o.Chains)
	switch {
	case replay.TooLarge(err):
		withoutPoset(h, spec, o, c, &v)
		return finish(h, spec, o, c, v)
	case err != nil:
		return v, fmt.Errorf("checking history %q: %w", h.ID, err)
	}
	v.C, v.CP = in.Poset.Concurrency()
	if v.Answer == replay.Undecided || depth {
		if err := run(in, spec, o, c, searched, &v); err != nil {
			return v, fmt.Errorf("checking history %q: %w", h.ID, err)
		}
	}
	if o.ExactDepth && v.Answer == replay.Linearizable && !c.over {
		exactDepth(in, spec, c.expired, &v)
	}
	return finish(h, spec, o, c, v)
}

// withoutPoset searches a history with edges that has too many operations for
// a poset, which families would need.
func withoutPoset(h *history.History, spec replay.Spec, o replay.Options, c *clock, v *replay.Verdict) {
	if o.Engine == replay.AutoEngine || o.Engine == replay.SearchEngine {
		search.Run(h, spec, o.Budget.Bytes, c.expired, v)
	}
	if v.Answer == replay.Undecided && v.Cause == replay.NoCause {
		v.Cause = replay.Memory
	}
}

// finish verifies or explains an answer.
func finish(h *history.History, spec replay.Spec, o replay.Options, c *clock, v replay.Verdict) (replay.Verdict, error) {
	switch {
	case v.Answer == replay.Linearizable:
		switch err := replay.Verify(h, spec, v.Witness, c.verifying()); {
		case errors.Is(err, replay.ErrStopped):
			return replay.Verdict{Cause: cmp.Or(c.cause, replay.Time), C: v.C, CP: v.CP, Replayed: v.Replayed}, nil
		case err != nil:
			return v, fmt.Errorf("%w: history %q: %w", ErrWitness, h.ID, err)
		}
	case v.Answer == replay.Undecided:
		if c.over {
			v.Cause = c.cause
		}
	case o.Explain && !c.over:
		v.Explanation = explanation(h, spec, o.Budget.Bytes, c, &v)
	}
	return v, nil
}

// explanation asks the monitor for the first response without an explanation,
// where one decided a history that is not short; else the search.
func explanation(h *history.History, spec replay.Spec, maxBytes int64, c *clock, v *replay.Verdict) *replay.Explanation {
	if v.Engine == replay.MonitorEngine && len(h.Ops) > freeMax {
		if op, ok := monitor.Unexplained(h, spec, v.Conflict, c.expired); ok {
			return &replay.Explanation{Unexplained: op}
		}
		if len(h.Ops) > long {
			return nil
		}
	}
	return explain(h, spec, maxBytes, c.expired)
}

const (
	// short is up to how many operations families go to the end of their
	// budget: those of the paper have at most 18.
	short = 24
	// long is from how many operations on a monitor comes first, before the
	// poset is built: its answer is worth more than a depth that is hardly ever
	// small.
	long = 1 << 14
	// longBytes is what monitors, posets and witnesses take at least for an
	// operation of a long history.
	longBytes = 80
	// familyWork is how many operations of a longer history are replayed by
	// families, which takes part of a millisecond.
	familyWork = 1 << 14
	// stackShare is how often the lazy search of a stack asks whether to stop:
	// some ten seconds.
	stackShare = 1 << 14
	// quick is how often the first search asks whether to stop: some thousand
	// configurations, as many as most histories need at all.
	quick = 4
)

// run lets the engines work until one decides. The search may have given up
// already.
func run(in *replay.Instance, spec replay.Spec, o replay.Options, c *clock, searched bool, v *replay.Verdict) error {
	switch o.Engine {
	case replay.FamiliesEngine:
		return replay.Families(in, spec, o, c.expired, v)
	case replay.SearchEngine:
		search.Run(in.History, spec, o.Budget.Bytes, c.expired, v)
	case replay.MonitorEngine:
		if monitor.Run(in.History, spec, c.expired, v); v.Answer == replay.Undecided {
			inPieces(in.History, spec, o.Budget.Bytes, c.expired, v)
		}
	case replay.BlocksEngine:
		if err := inBlocks(in.History, spec, o, c.expired, v); err != nil {
			return err
		}
	default:
		return portfolio(in, spec, o, c, searched, v)
	}
	if v.Answer == replay.Undecided && v.Cause == replay.NoCause {
		v.Cause = replay.Declined
	}
	return nil
}

// portfolio asks one engine after the other, the cheap ones first. Once it is
// known that there is a witness, families only look for the depth.
func portfolio(in *replay.Instance, spec replay.Spec, o replay.Options, c *clock, searched bool, v *replay.Verdict) error {
	h, n := in.History, len(in.Ops)
	undecided := func() bool { return v.Answer == replay.Undecided && !c.over }
	first := o
	if n > short {
		first.Budget.Schedules = max(1, min(o.Budget.Schedules, familyWork/int64(n)))
		if undecided() && n <= long { // else it was asked before
			monitor.Run(h, spec, c.expired, v)
		}
		if undecided() && n <= long {
			asked := 0
			search.Run(h, spec, o.Budget.Bytes, func() bool { asked++; return asked > quick || c.expired() }, v)
		}
	}
	if v.Answer == replay.NotLinearizable || c.over {
		return nil
	}
	known := *v
	*v = replay.Verdict{C: v.C, CP: v.CP}
	if err := replay.Families(in, spec, first, c.expired, v); err != nil {
		return err
	}
	if v.Answer == replay.Undecided && known.Answer == replay.Linearizable {
		known.Replayed = v.Replayed
		*v = known
		return nil
	}
	for _, engine := range []func() error{
		func() error { inPieces(h, spec, o.Budget.Bytes, c.expired, v); return nil },
		func() error { lazily(h, spec, o, c, v); return nil },
		func() error {
			if n <= short || n > blocksMax {
				return nil
			}
			return inBlocks(h, spec, o, c.expired, v)
		},
		func() error {
			if searched {
				v.Cause = known.Cause
			} else {
				search.Run(h, spec, o.Budget.Bytes, c.expired, v)
			}
			return nil
		},
		func() error { return theRest(in, spec, first, o, c, v) },
	} {
		if !undecided() {
			break
		}
		if err := engine(); err != nil {
			return err
		}
	}
	return nil
}

// lazily searches a queue or stack that orders insertions only when a removal
// shows their order. It decides queues, and stacks of up to 16 threads; on
// others it takes all it can get, so that it is given a share there.
func lazily(h *history.History, spec replay.Spec, o replay.Options, c *clock, v *replay.Verdict) {
	asked, most, bytes := 0, math.MaxInt, o.Budget.Bytes
	if collection, ok := spec.(replay.Collection); ok && collection.Discipline() == replay.LastIn {
		most, bytes = stackShare, bytes/2
	}
	search.Lazy(h, spec, bytes, func() bool { asked++; return asked > most || c.expired() }, v)
}

// theRest runs the families that a smaller budget left out.
func theRest(in *replay.Instance, spec replay.Spec, first, o replay.Options, c *clock, v *replay.Verdict) error {
	if first.Budget.Schedules >= o.Budget.Schedules {
		return nil
	}
	cause := v.Cause
	v.Replayed = nil
	if err := replay.Families(in, spec, o, c.expired, v); err != nil {
		return err
	}
	if v.Answer == replay.Undecided && cause == replay.Memory {
		v.Cause = cause
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
	defer machine.Release()
	if d, ok := hitting.ExactDepth(in.Poset, machine, exactWork, stop); ok {
		v.ExactDepth = d
	}
}
