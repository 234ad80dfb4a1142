package explain

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A concern finds the values that operations are about.
type concern struct {
	traits  replay.Traits
	stepped replay.Stepped // nil: values come from facts
	isSet   bool
	steps   []replay.CellStep
}

func newConcern(p *ops.Problem) *concern {
	c := &concern{traits: p.Traits()}
	c.isSet = c.traits.Discipline == replay.Named || c.traits.Discipline == replay.Counted
	c.stepped, _ = p.Spec.(replay.Stepped)
	return c
}

// of returns the values that an operation with the facts f inserts, removes, reads or
// replaces. An operation without one or both of them has None in their place, such as a
// pending removal.
//
// It also reports whether the operation is vacant: it found nothing, unless null was
// inserted, and leaves the object unchanged then.
func (c *concern) of(op *history.Operation, f *replay.Facts) (values [2]history.Value, isVacant bool) {
	switch kind := f.Value.Kind(); {
	case c.isSet: // a value of a set is a part
		return values, false
	case c.stepped != nil:
		return c.inSteps(op, f), false
	case f.Role == replay.Size, kind == history.Unknown, kind == history.Exception:
		return values, false
	}
	values[0] = f.Value
	return values, f.Role == replay.Nothing && f.Value.Kind() == history.Null
}

// inSteps returns the values that the operation reads or writes.
func (c *concern) inSteps(op *history.Operation, f *replay.Facts) (values [2]history.Value) {
	if c.traits.Partitioned && f.Part == 0 {
		return values
	}
	c.steps = c.stepped.AppendSteps(c.steps[:0], op)
	k := 0
	for _, step := range c.steps {
		if isValue := step.Kind == replay.CellRead || step.Kind == replay.CellWrite; isValue && k < len(values) {
			values[k] = step.Value
			k++
		}
	}
	return values
}
