package explain

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// initial searches for another initial value under which the whole history is linearizable,
// or at least up to the response that no order explains, among the values that the
// operations of the core found.
func (x *explainer) initial() {
	s, ok := x.Spec.(replay.Stepped)
	if !ok {
		return
	}
	var steps []replay.CellStep
	var values []history.Value
	for _, i := range x.e.Core {
		steps = s.AppendSteps(steps[:0], &x.H.Ops[i])
		for _, step := range steps {
			if step.Kind == replay.CellRead && !step.Value.Equal(s.FirstValue(step.Key)) && !slices.ContainsFunc(values, step.Value.Equal) {
				values = append(values, step.Value)
			}
		}
	}
	m := x.share(20)
	for _, v := range values[:min(len(values), limits.initial)] {
		other, ok := s.Initially(v)
		if !ok {
			continue
		}
		p := ops.New(x.H, other, x.MaxBytes)
		f := x.session.Decide(p, m)
		isWhole := f.Answer == replay.Linearizable && replay.Verify(x.H, other, f.Witness, m) == nil
		if next := x.nextUnder(p, f); isWhole || x.e.Initial == "" && next != replay.NoOperation {
			x.e.Initial, x.e.InitialNext = fmt.Sprint(other), next
		}
		if isWhole {
			return
		}
	}
}

// nextUnder returns the operation of the first response that no order of p explains, if that
// comes after the response that no order of the history explains. p is the history with another
// initial value, and f its finding.
func (x *explainer) nextUnder(p *ops.Problem, f replay.Finding) int32 {
	if f.Answer != replay.NotLinearizable || x.e.Unexplained == replay.NoOperation || isConstrained(p.H) {
		return replay.NoOperation
	}
	y := &explainer{Problem: p, session: x.session, meter: x.share(20), draft: &draft{Problem: p}, e: newExplanation()}
	y.prefixes = y.draft
	next, _ := y.prefix(p, f)
	if next == replay.NoOperation || p.H.Ops[next].Return <= p.H.Ops[x.e.Unexplained].Return {
		return replay.NoOperation
	}
	return next
}
