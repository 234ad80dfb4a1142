package explain

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// concern returns the values that an operation with the facts f inserts, removes, reads or
// replaces. An operation without one or both of them has None in their place, such as a
// pending removal. steps is memory for the steps of the operation.
//
// It also reports whether the operation is vacant: it found nothing, unless null was
// inserted, and leaves the object unchanged then.
func concern(p *ops.Problem, op *history.Operation, f *replay.Facts, steps []replay.CellStep) (values [2]history.Value, isVacant bool) {
	traits := p.Traits()
	isSet := traits.Discipline == replay.Named || traits.Discipline == replay.Counted
	s, isStepped := p.Spec.(replay.Stepped)
	kind := f.Value.Kind()
	switch {
	case isSet: // a value of a set is a part
	case isStepped && traits.Partitioned && f.Part == 0:
	case isStepped:
		k := 0
		for _, step := range s.AppendSteps(steps[:0], op) {
			if isValue := step.Kind == replay.CellRead || step.Kind == replay.CellWrite; isValue && k < len(values) {
				values[k] = step.Value
				k++
			}
		}
	case f.Role != replay.Size && kind != history.Unknown && kind != history.Exception:
		values[0] = f.Value
		isVacant = f.Role == replay.Nothing && kind == history.Null
	}
	return values, isVacant
}
