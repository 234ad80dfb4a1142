package explain

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// initial searches for another initial value under which the whole history is
// linearizable, among the values that the operations of the core found.
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
		if other, ok := s.Initially(v); ok {
			if f := x.session.Decide(ops.New(x.H, other, x.MaxBytes), m); f.Answer == replay.Linearizable && replay.Verify(x.H, other, f.Witness, m) == nil {
				x.e.Initial = fmt.Sprint(other)
				return
			}
		}
	}
}
