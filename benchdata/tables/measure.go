package tables

import (
	"context"
	"fmt"

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
	// MaxDepth is the largest depth at which witnesses are searched (Figure 4).
	MaxDepth = 7
	// exactWork bounds the steps for one exact depth: a tenth of a second.
	exactWork = 1 << 21
)

// A Measurement is what the tables use of one history.
type Measurement struct {
	Class     string // name of the specification
	Ops       int
	Pending   int
	C         int
	CP        int64              // 0: sequential, and the fields below are not set
	Schedules [CountDepths]int64 // distinct schedules for d = 1..5
	Answer    replay.Answer
	Depth     int // witness depth, 0 if above MaxDepth
	Exact     int // linearizability depth, 0 if not computed
}

// Measure computes the measurement of a history. Cancelling ctx leaves
// Answer undecided. The errors are those of decide.Check.
func Measure(ctx context.Context, h *history.History, spec replay.Spec) (Measurement, error) {
	m := Measurement{Class: classOf(spec), Ops: len(h.Ops), Pending: h.Pending()}
	if err := replay.Check(h, spec); err != nil {
		return m, err
	}
	in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
	if err != nil {
		return m, fmt.Errorf("measuring history %q: %w", h.ID, err)
	}
	m.C, m.CP = in.Poset.Concurrency()
	if m.CP == 0 || m.Pending > 0 {
		return m, nil
	}
	stop := meter.New(func() bool { return ctx.Err() != nil })
	counts, ok := hitting.Counts(in.Poset, in.Chains, CountDepths, hitting.Options{Meter: stop})
	if !ok {
		return m, nil
	}
	copy(m.Schedules[:], counts)
	return m, decideDepths(ctx, h, spec, &m)
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

// decideDepths computes whether the history is linearizable, and its depths.
// The complete search comes first here: without a witness, running all families
// would be useless.
func decideDepths(ctx context.Context, h *history.History, spec replay.Spec, m *Measurement) error {
	v, err := answer(ctx, h, spec, replay.Options{ExactDepth: true, Budget: replay.Budget{ExactWork: exactWork}})
	m.Answer, m.Exact = v.Answer, v.ExactDepth
	if err != nil || m.Answer != replay.Linearizable {
		return err
	}
	v, err = decide.Check(ctx, h, spec, replay.Options{MaxDepth: MaxDepth, Engine: replay.FamiliesEngine})
	m.Depth = v.Depth
	return err
}
