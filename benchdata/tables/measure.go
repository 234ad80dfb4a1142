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
	// short is the number of operations up to which the depth of a history is searched to
	// the end, not only up to the largest depth of the tables. The histories of the paper
	// have up to 18 operations.
	short = 24
	// exactWork bounds the steps for one exact depth: a tenth of a second.
	exactWork = 1 << 21
	// countWork and countBytes bound the work of counting the schedules of one
	// history: less than a second.
	countWork, countBytes = 1 << 25, 1 << 28
)

// A Measurement is the data of one history that the tables use.
type Measurement struct {
	Archive    string // where the history is from; set by the caller
	History    string // name of the history; set by the caller
	Class      string // name of the specification
	Ops        int
	Pending    int
	Processes  int
	C          int
	CP         int64              // 0: sequential; -1: unknown, as C, since the history is too long
	Schedules  [CountDepths]int64 // distinct schedules for d = 1..5, 0 if not counted
	Answer     replay.Answer
	Depth      int    // witness depth, 0 if not found
	Refuted    int    // if Depth is 0: families up to this depth have no witness
	Exact      int    // linearizability depth, 0 if not computed
	ExactCause string // why it was not: see replay.Verdict
	Bound      int    // hitting.Bound of the poset, 0 if not computed
}

// A Measurer computes measurements. The zero value computes them for the tables
// of the paper.
type Measurer struct {
	// MaxDepth is the largest depth at which witnesses of longer histories are
	// searched; DefaultMaxDepth if 0.
	MaxDepth int
	// Timeout bounds the time for one history; no bound if 0.
	Timeout time.Duration
}

// Measure computes the measurement of a history. Cancelling ctx leaves
// Answer undecided. The errors are those of decide.Check.
func (r Measurer) Measure(ctx context.Context, h *history.History, spec replay.Spec) (Measurement, error) {
	m := Measurement{Class: classOf(spec), Ops: len(h.Ops), Pending: h.Pending(), Processes: len(h.Processes)}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.Timeout)
		defer cancel()
	}
	if err := r.decide(ctx, h, spec, &m); err != nil {
		return m, err
	}
	if m.CP <= 0 || m.Pending > 0 {
		return m, nil
	}
	stop := meter.New(func() bool { return ctx.Err() != nil })
	in, err := replay.NewInstance(h, true, replay.AutoChains, stop)
	switch {
	case replay.TooLarge(err), errors.Is(err, replay.ErrStopped):
		return m, nil
	case err != nil:
		return m, fmt.Errorf("measuring history %q: %w", h.ID, err)
	}
	m.Bound = hitting.Bound(in.Poset)
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

// decide computes whether the history is linearizable, and its depths.
func (r Measurer) decide(ctx context.Context, h *history.History, spec replay.Spec, m *Measurement) error {
	maxDepth := cmp.Or(r.MaxDepth, DefaultMaxDepth)
	if m.Ops <= short {
		maxDepth = max(maxDepth, m.Ops)
	}
	v, err := decide.Check(ctx, h, spec, replay.Options{
		MaxDepth:   maxDepth,
		ExactDepth: m.Pending == 0,
		Budget:     replay.Budget{ExactWork: exactWork},
	})
	m.Answer, m.Exact, m.ExactCause = v.Answer, v.ExactDepth, v.ExactCause
	if m.C, m.CP = v.C, v.CP; m.C == 0 && m.Ops > 0 {
		m.CP = -1
	}
	if m.Answer == replay.Linearizable {
		m.Depth, m.Refuted = v.Depth, v.Deeper
	}
	return err
}
