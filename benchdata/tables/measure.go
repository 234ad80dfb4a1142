package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

const (
	// CountDepths is the largest depth for which schedules are counted (Table
	// 2).
	CountDepths = 5
	// DefaultMaxDepth is the largest depth in Figure 4 by default.
	DefaultMaxDepth = 7
	// short is the number of operations of the longest histories whose depth is
	// searched to the end, not to the largest depth of the tables only. The
	// histories of the paper have up to 18 operations.
	short = 24
	// exactWork bounds the steps for one exact depth: a tenth of a second.
	exactWork = 1 << 21
	// familyWork bounds the operations replayed for one witness depth: about a
	// second.
	familyWork = 1 << 25
	// countWork and countBytes bound the work of counting the schedules of one
	// history: less than a second.
	countWork, countBytes = 1 << 25, 1 << 28
)

// A Measurement is what the tables use of one history.
type Measurement struct {
	Archive   string // where the history is from; set by the caller
	History   string // name of the history; set by the caller
	Class     string // name of the specification
	Ops       int
	Pending   int
	Processes int
	C         int
	CP        int64              // 0: sequential; -1: unknown, as C, since the history is too long
	Schedules [CountDepths]int64 // distinct schedules for d = 1..5, 0 if not counted
	Answer    replay.Answer
	Depth     int // witness depth, 0 if not found
	Refuted   int // if Depth is 0: families up to this depth have no witness
	Chain     int // first base chain that gives Depth
	// DepthFree and RefutedFree are the same if pending operations may be left
	// out at no cost. Both are 0 if not computed.
	DepthFree, RefutedFree int
	Exact                  int // linearizability depth, 0 if not computed
}

// A Measurer computes measurements. The zero value computes them for the tables
// of the paper.
type Measurer struct {
	// MaxDepth is the largest depth at which witnesses of longer histories are
	// searched; DefaultMaxDepth if 0.
	MaxDepth int
	// Timeout bounds the time for one history; no bound if 0.
	Timeout time.Duration
	// DepthsOnly leaves out what only the tables of the paper need: numbers of
	// schedules and exact depths.
	DepthsOnly bool
}

// Measure computes the measurement of a history. Cancelling ctx leaves
// Answer undecided. The errors are those of decide.Check.
func (r Measurer) Measure(ctx context.Context, h *history.History, spec replay.Spec) (Measurement, error) {
	m := Measurement{Class: classOf(spec), Ops: len(h.Ops), Pending: h.Pending(), Processes: len(h.Processes)}
	if err := replay.Check(h, spec); err != nil {
		return m, err
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	stop := meter.New(func() bool { return ctx.Err() != nil })
	in, err := replay.NewInstance(h, true, replay.AutoChains, stop)
	switch {
	case replay.TooLarge(err):
		m.CP = -1
	case errors.Is(err, replay.ErrStopped):
		return m, nil
	case err != nil:
		return m, fmt.Errorf("measuring history %q: %w", h.ID, err)
	default:
		m.C, m.CP = in.Poset.Concurrency()
	}
	if err := r.decide(ctx, h, spec, &m); err != nil {
		return m, err
	}
	if r.DepthsOnly || m.CP <= 0 || m.Pending > 0 {
		return m, nil
	}
	counts, ok := hitting.Counts(in.Poset, in.Chains, CountDepths, hitting.Options{MaxBytes: countBytes, Meter: stop.Share(countWork)})
	if ok {
		copy(m.Schedules[:], counts)
	}
	return m, nil
}

// classOf is the name of the specification, or of the class that it describes.
func classOf(spec replay.Spec) string {
	if c, ok := spec.(interface{ Class() string }); ok {
		return c.Class()
	}
	return spec.Name()
}

// answer decides the history, by the complete search if possible.
func answer(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (replay.Verdict, error) {
	o.Engine = replay.SearchEngine
	v, err := decide.Check(ctx, h, spec, o)
	if err == nil && v.Answer == replay.Undecided {
		o.Engine = replay.AutoEngine
		v, err = decide.Check(ctx, h, spec, o)
	}
	return v, err
}

// decide computes whether the history is linearizable, and its depths.
// The complete search comes first for short histories: without a witness,
// replaying all families would be useless.
func (r Measurer) decide(ctx context.Context, h *history.History, spec replay.Spec, m *Measurement) error {
	maxDepth := cmp.Or(r.MaxDepth, DefaultMaxDepth)
	o := replay.Options{MaxDepth: maxDepth, Budget: replay.Budget{ExactWork: exactWork}}
	o.ExactDepth = !r.DepthsOnly && m.Pending == 0 && m.CP != 0
	check := answer
	if m.Ops > short {
		check = decide.Check // a monitor decides long histories in no time
	}
	v, err := check(ctx, h, spec, o)
	m.Answer, m.Exact = v.Answer, v.ExactDepth
	if err != nil || m.Answer != replay.Linearizable {
		return err
	}
	if m.CP == 0 {
		v.Depth = 1 // of the only schedule
	} else if v.Depth == 0 || m.Ops <= short {
		o = replay.Options{MaxDepth: max(maxDepth, min(m.Ops, short)), Engine: replay.FamiliesEngine}
		o.Budget.Schedules = familyWork / int64(max(m.Ops, 1<<5))
		if v, err = decide.Check(ctx, h, spec, o); err != nil {
			return err
		}
	}
	m.setDepth(&v, o.MaxDepth)
	return nil
}

// setDepth takes the depth from a verdict of families up to maxDepth.
func (m *Measurement) setDepth(v *replay.Verdict, maxDepth int) {
	switch {
	case v.Depth > 0:
		m.Depth, m.Chain = v.Depth, int(v.Index.Chain)
	case v.Cause == replay.Depth:
		m.Refuted = maxDepth
	default:
		m.Refuted = max(0, len(v.Replayed)-1) // the last one was not finished
	}
	if m.Pending == 0 {
		m.DepthFree, m.RefutedFree = m.Depth, m.Refuted
	}
}
