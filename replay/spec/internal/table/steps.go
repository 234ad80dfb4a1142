package table

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Cells is the specification of a register, a map or a set. It is a replay.Stepped.
type Cells[S State[S]] struct{ *Specification[S] }

// AppendSteps appends what op does to the cells, according to the facts about its method;
// see replay.Stepped.
func (s Cells[S]) AppendSteps(dst []replay.CellStep, op *history.Operation) []replay.CellStep {
	i := s.Table.find(op.Method, len(op.Args))
	f, r, isSet := s.Table.List[i].Facts, op.Result, s.Discipline == replay.Named
	last := history.NoValue
	if n := len(op.Args); n > 0 {
		last = op.Args[n-1]
	}
	key := history.NullValue
	switch {
	case isSet || !f.Has(Keyed) && s.traits.Partitioned:
		key = history.NoValue
	case f.Has(Keyed):
		key = op.Args[0]
	}
	add := func(kind replay.CellStepKind, v value) {
		dst = append(dst, replay.CellStep{Kind: kind, Key: key, Value: v})
	}
	switch {
	case s.impossible(i, op) != "":
		add(replay.CellOther, last)
	case f.Has(Reads) && r.Kind() == history.Unknown:
	case f.Has(Peeks) && !isSet && !r.HoldsUnknown(), f.Has(Lists) && !r.HoldsUnknown():
		add(replay.CellRead, r)
	case f.Has(Swaps) && f.unchanged(r) && !op.Args[len(op.Args)-2].HoldsUnknown():
		add(replay.CellDiffers, op.Args[len(op.Args)-2])
	case f.unchanged(r):
		add(replay.CellTest, last)
	case f.Has(Inserts) && isSet && !last.HoldsUnknown():
		add(replay.CellAppend, last)
	case f.Has(Inserts) && !last.HoldsUnknown():
		add(replay.CellWrite, last)
	case f.Has(Appends) && !last.HoldsUnknown():
		add(replay.CellConcat, last)
	case f.Has(Swaps) && (op.Pending() || r.Kind() == history.Bool) && !slices.ContainsFunc(op.Args, value.HoldsUnknown):
		add(replay.CellRead, op.Args[len(op.Args)-2])
		add(replay.CellWrite, last)
	case f.Has(Resets):
		if r.Kind() != history.None && r.Kind() != history.Unknown {
			add(replay.CellRead, r)
		}
		add(replay.CellWrite, s.Initial)
	default:
		add(replay.CellOther, last)
	}
	return dst
}

// FirstValue returns the initial value; see replay.Stepped.
func (s Cells[S]) FirstValue(value) value { return s.Initial }

// Initially returns the specification with another initial value; see replay.Stepped.
func (s Cells[S]) Initially(v value) (replay.Spec, bool) {
	other, err := s.entry.New([]value{v})
	return other, err == nil
}
