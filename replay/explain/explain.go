package explain

import (
	"cmp"
	"context"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
)

// Check is decide.Check, with the explanation of a history that is not linearizable. It
// takes less than decide.Check and Why.
func Check(ctx context.Context, h *history.History, spec replay.Spec, o replay.Options) (v replay.Verdict, err error) {
	start, ctx := time.Now(), cmp.Or(ctx, context.Background())
	v, p, err := decide.Read(ctx, h, spec, o)
	if err == nil && v.Answer == replay.NotLinearizable {
		v.Explanation = why(ctx, p, &v, o)
		v.Elapsed = time.Since(start)
	}
	return v, err
}

// Why explains a verdict of decide.Check, given the same history, specification and
// options. It returns nil unless the history is not linearizable.
//
// Why never fails. Missing has the parts of the explanation that were not computed, because
// the budget or the context ended, or because the specification panicked; these are all parts if
// decide.Check refuses the history or the specification. o.Budget.Time
// bounds the check and its explanation together; see Verdict.Elapsed. The work is bounded as
// well, by the number of operations: it takes a fraction of a second for few, and about a
// second for thousands. It is more if the verdict was hard or the time limit is long.
func Why(ctx context.Context, h *history.History, spec replay.Spec, v replay.Verdict, o replay.Options) *replay.Explanation {
	if v.Answer != replay.NotLinearizable {
		return nil
	}
	if err := cmp.Or(h.WellFormed(), replay.Validate(spec)); err != nil {
		return nothing(err.Error())
	}
	o = o.WithDefaults(len(h.Ops))
	return why(ctx, ops.New(h, spec, o.Budget.Bytes), &v, o)
}

func why(ctx context.Context, p *ops.Problem, v *replay.Verdict, o replay.Options) *replay.Explanation {
	n := len(p.H.Ops)
	o = o.WithDefaults(n)
	x := newExplainer(decide.NewSession(ctx, o, v.Elapsed), p, v, workOf(n, v, &o))
	if n > limits.long && !x.session.HasRoom(int64(n)*limits.bytes) {
		return nothing(replay.Memory.String())
	}
	return x.run()
}

// nothing returns an explanation without any part, for this cause.
func nothing(cause string) *replay.Explanation {
	e := &replay.Explanation{Unexplained: replay.NoOperation}
	for _, part := range []string{"prefix", "states", "core", "blame"} {
		e.Missing = append(e.Missing, replay.MissingPart{Part: part, Cause: cause})
	}
	return e
}

// run computes all parts.
func (x *explainer) run() *replay.Explanation {
	base := x.Problem
	x.guard("prefix", func() { base = x.base() })
	x.guard("core", func() { x.core(base) })
	x.guard("initial", x.initial)
	x.guard("states", func() { x.states(base) })
	x.guard("difference", x.difference)
	x.guard("blame", x.blame)
	return x.e
}

func newExplainer(s *decide.Session, p *ops.Problem, v *replay.Verdict, work int64) *explainer {
	return &explainer{Problem: p, session: s, meter: s.Meter().Share(work), finding: v.Finding, draft: &draft{Problem: p}, e: newExplanation()}
}

func newExplanation() *replay.Explanation {
	return &replay.Explanation{Unexplained: replay.NoOperation, InitialNext: replay.NoOperation}
}

// An explainer computes an explanation, part by part.
type explainer struct {
	*ops.Problem
	session  *decide.Session
	meter    *meter.Meter   // bounds the work
	finding  replay.Finding // refutes the history
	e        *replay.Explanation
	reducer  *reducer // see reducerOf
	draft    *draft   // with other results
	prefixes *draft   // of the history, or of that without constraints
	// projector is that of the core, or nil.
	projector *projector
	cause     string // why the last undecided history stayed undecided
}

// guard computes a part of the explanation. If it panics, the part is missing.
func (x *explainer) guard(part string, compute func()) {
	before := *x.e
	fault := decide.Guard(x.H, x.Spec, compute)
	if fault == "" {
		return
	}
	*x.e = before
	x.missFor(part, fault)
	if part == "prefix" {
		x.missFor("states", fault)
	}
}

// share returns a meter for a part of an explanation: that many percent of the work left.
func (x *explainer) share(percent int64) *meter.Meter {
	return x.meter.Share(x.meter.Left() / 100 * percent)
}

// miss records that a part was not computed, with the cause of the last history that
// Decide left undecided.
func (x *explainer) miss(part string) { x.missFor(part, cmp.Or(x.cause, "work")) }

func (x *explainer) missFor(part, cause string) {
	x.e.Missing = append(x.e.Missing, replay.MissingPart{Part: part, Cause: cause})
}

// check decides a history within m. Building the history also counts as work.
func (x *explainer) check(p *ops.Problem, m *meter.Meter) replay.Finding {
	f := replay.GaveUp(replay.Time)
	n := len(p.H.Ops)
	m.Spend(n)
	if !m.Stopped() && m.Left() > int64(n) { // no engine can do with less
		f = x.session.Decide(p, m)
	}
	if !f.Decided() {
		x.cause = x.causeOf(f.Cause)
	}
	return f
}

// causeOf names a cause. Engines that used up their share of the work report
// Time, too.
func (x *explainer) causeOf(c replay.Cause) string {
	if stopped := x.session.Stopped(); stopped != replay.NoCause {
		return stopped.String()
	}
	if c == replay.Time || c == replay.NoCause {
		return "work"
	}
	return c.String()
}
