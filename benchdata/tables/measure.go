package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	// maxProfileWork bounds the steps of each half of a profile: about five
	// seconds. Below it, a profile takes minProfileWork or profileWork for each
	// operation.
	minProfileWork, profileWork, maxProfileWork = 1 << 22, 1 << 13, 1 << 26
)

// A Measurement is the data of one history that the tables use.
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
	// Explained and Delays are of a profile with DepthFree = 0: see
	// decide.DepthProfile for the last of Reached and for DelaysPer1000.
	Explained  int
	Delays     float64
	Mutators   int    // mutators that overlap another one
	Exact      int    // linearizability depth, 0 if not computed
	ExactCause string // why it was not: see replay.Verdict
}

// A Measurer computes measurements. The zero value computes them for the tables
// of the paper.
type Measurer struct {
	// MaxDepth is the largest depth at which witnesses of longer histories are
	// searched; DefaultMaxDepth if 0.
	MaxDepth int
	// Timeout bounds the time for one history; no bound if 0.
	Timeout time.Duration
	// Profile looks for depths without a largest one (decide.Profile), and leaves
	// out numbers of schedules and exact depths.
	Profile bool
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
	if r.Profile || m.CP <= 0 || m.Pending > 0 {
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
		ExactDepth: !r.Profile && m.Pending == 0,
		Budget:     replay.Budget{ExactWork: exactWork},
	})
	m.Answer, m.Exact, m.ExactCause = v.Answer, v.ExactDepth, v.ExactCause
	m.Mutators = overlappingMutators(h, spec)
	if m.C, m.CP = v.C, v.CP; m.C == 0 && m.Ops > 0 {
		m.CP = -1
	}
	if err != nil || m.Answer != replay.Linearizable {
		return err
	}
	m.Depth, m.Refuted, m.Chain = v.Depth, v.Deeper, int(v.Index.Chain)
	m.DepthFree, m.RefutedFree = v.FreeDepth, v.FreeDeeper
	if !canLeaveOut(h) {
		m.DepthFree, m.RefutedFree = m.Depth, m.Refuted
	}
	if r.Profile {
		return m.profile(ctx, h, spec)
	}
	return nil
}

// canLeaveOut reports whether there are operations that need not have happened.
func canLeaveOut(h *history.History) bool {
	return slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Pending() && !op.Happened })
}

// profile adds a depth without a largest one, or how far smaller depths reach.
func (m *Measurement) profile(ctx context.Context, h *history.History, spec replay.Spec) error {
	work := min(max(minProfileWork, int64(m.Ops)*profileWork), maxProfileWork)
	p, known, err := decide.Profile(ctx, h, spec, replay.Options{Budget: replay.Budget{ExactWork: work}})
	if err == nil && known {
		m.setProfile(&p, canLeaveOut(h))
	}
	return err
}

// setProfile adds the results of a profile. DepthFree is never larger than Depth.
func (m *Measurement) setProfile(p *decide.DepthProfile, canLeaveOut bool) {
	refuted := len(p.Reached)
	if p.Depth > 0 {
		m.DepthFree, m.RefutedFree, m.Chain, refuted = p.Depth, 0, int(p.Chain), p.Depth-1
		if m.Depth == 0 && !canLeaveOut {
			m.Depth, m.Refuted = p.Depth, 0
		}
	} else if refuted > 0 && refuted >= m.RefutedFree && m.DepthFree == 0 {
		m.RefutedFree, m.Explained, m.Delays = refuted, p.Reached[refuted-1], p.DelaysPer1000(m.Ops)
	}
	if m.Depth == 0 {
		m.Refuted = max(m.Refuted, refuted)
	}
}
