package explain

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// concern returns the values that an operation with the facts f inserts, removes, reads or
// replaces. An operation without one or both of them has None in their place, such as a
// pending removal.
//
// It also reports whether the operation is vacant: it found nothing, unless null was
// inserted, and leaves the object unchanged then.
func concern(spec replay.Spec, traits replay.Traits, f replay.Facts, op *history.Operation) (values [2]history.Value, isVacant bool) {
	isSet := traits.Discipline == replay.Named || traits.Discipline == replay.Counted
	if s, ok := spec.(replay.Stepped); ok && !isSet {
		if traits.Partitioned && f.Part == 0 {
			return values, false
		}
		k := 0
		for _, step := range s.AppendSteps(nil, op) {
			if isValue := step.Kind == replay.CellRead || step.Kind == replay.CellWrite; isValue && k < len(values) {
				values[k] = step.Value
				k++
			}
		}
		return values, false
	}
	switch kind := f.Value.Kind(); {
	case isSet, f.Role == replay.Size, kind == history.Unknown, kind == history.Exception:
		return values, false // a value of a set is a part
	}
	values[0] = f.Value
	return values, f.Role == replay.Nothing && f.Value.Kind() == history.Null
}
