package engine

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Depths finds the witness depth of a history, its index and its witness, as
// Families does, by package depth: without replaying families. It goes on
// where it stopped. Release it after use.
type Depths struct {
	whole    *replay.Instance
	machine  *Machine
	rounds   []depthRound
	maxBytes int64
	free     *depth.Search // nil until Free
	refuted  int           // no schedule of a family of this depth is a witness
	unfree   int           // nor with operations left out at no cost
}

type depthRound struct {
	in     *replay.Instance
	search *depth.Search
}

// NewDepths returns a search for the depth of the history of an instance that
// holds all its operations; completed is the instance without those that never
// took effect, or nil if there are none. It returns nil if the search does not
// apply: the poset must be an interval order, and the objects of the
// specification States that accept all operations.
func NewDepths(whole, completed *replay.Instance, spec replay.Spec, maxBytes int64) *Depths {
	if !whole.Poset.IsInterval() {
		return nil
	}
	machine := NewMachine(whole.History, spec)
	if machine == nil {
		return nil
	}
	if !machine.Valid() {
		machine.Release()
		return nil
	}
	x := &Depths{whole: whole, machine: machine, maxBytes: maxBytes}
	if completed != nil {
		x.rounds = append(x.rounds, x.newRound(completed))
	}
	x.rounds = append(x.rounds, x.newRound(whole))
	return x
}

func (x *Depths) newRound(in *replay.Instance) depthRound {
	return depthRound{in, x.newSearch(in, nil)}
}

func (x *Depths) newSearch(in *replay.Instance, optional []bool) *depth.Search {
	n := len(in.Ops)
	intervals := depth.Intervals{Call: make([]int32, n), Return: make([]int32, n), Chain: in.Chains}
	for e, i := range in.Ops {
		op := &in.History.Ops[i]
		intervals.Call[e], intervals.Return[e] = op.Call, op.Return
	}
	var machine hitting.Machine = x.machine
	if n != len(in.History.Ops) {
		machine = &partOf{x.machine, in.Ops}
	}
	return depth.New(intervals, machine, depth.Options{MaxBytes: x.maxBytes / 2, Optional: optional})
}

// partOf is a machine for some of the operations.
type partOf struct {
	*Machine
	ops []int32 // element -> operation
}

func (m *partOf) Step(state, element int32) int32 { return m.Machine.Step(state, m.ops[element]) }

// Release gives the tables back.
func (x *Depths) Release() { x.machine.Release() }

// Run looks for a witness of depth up to maxDepth, from the smallest one that is
// left. It gives up with Depth if there is none, and with Time or Memory if a
// bound is reached first. Deeper is set for every finding without a depth.
func (x *Depths) Run(maxDepth int, m *meter.Meter) replay.Finding {
	x.machine.Bound(m, x.maxBytes/2)
	for d := x.refuted + 1; d <= maxDepth; d++ {
		for _, r := range x.rounds {
			index, found, cause := x.try(r.search, d, m)
			if cause != replay.NoCause {
				return replay.Finding{Cause: cause, Deeper: x.refuted}
			}
			if found {
				f := replay.Found(replay.FamiliesEngine, nil)
				f.Depth = d
				f.Index, f.Witness = inOperations(r.in, index, depth.Schedule(r.search.Intervals(), index))
				return f
			}
		}
		x.refuted = d
	}
	return replay.Finding{Cause: replay.Depth, Deeper: x.refuted}
}

func (x *Depths) try(s *depth.Search, d int, m *meter.Meter) (hitting.Index, bool, replay.Cause) {
	s.Bound(m)
	index, found := s.Try(d)
	switch {
	case x.machine.GaveUp() != replay.NoCause:
		return index, false, x.machine.GaveUp()
	case found:
		return index, true, replay.NoCause
	case s.Stopped():
		return index, false, replay.Time
	case s.Full():
		return index, false, replay.Memory
	}
	return index, false, replay.NoCause
}

// Free returns the smallest depth of the history with any of its pending
// operations left out, of at most maxDepth. It returns 0 and the cause if there
// is none or a bound was reached.
func (x *Depths) Free(maxDepth int, m *meter.Meter) (int, replay.Cause) {
	x.machine.Bound(m, x.maxBytes/2)
	if x.free == nil {
		optional := make([]bool, len(x.whole.Ops))
		for e, i := range x.whole.Ops {
			op := &x.whole.History.Ops[i]
			optional[e] = op.Pending() && !op.Happened
		}
		x.free = x.newSearch(x.whole, optional)
	}
	for d := x.unfree + 1; d <= maxDepth; d++ {
		_, found, cause := x.try(x.free, d, m)
		switch {
		case found:
			return d, replay.NoCause
		case cause != replay.NoCause:
			return 0, cause
		}
		x.unfree = d
	}
	return 0, replay.Depth
}

// inOperations returns an index and a schedule of the instance in terms of
// operations, followed by those that are not in the instance.
func inOperations(in *replay.Instance, index hitting.Index, schedule []int32) (hitting.Index, []int32) {
	index = index.Clone()
	for i, e := range index.Tuple {
		index.Tuple[i] = in.Ops[e]
	}
	placed := make([]bool, len(in.History.Ops))
	witness := make([]int32, 0, len(placed))
	for _, e := range schedule {
		placed[in.Ops[e]] = true
		witness = append(witness, in.Ops[e])
	}
	for i := range placed {
		if !placed[i] {
			witness = append(witness, int32(i))
		}
	}
	return index, witness
}

// Optional reports whether h has operations that a schedule may leave out.
func Optional(h *history.History) bool {
	return slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Pending() && !op.Happened })
}
