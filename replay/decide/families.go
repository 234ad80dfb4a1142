package decide

import (
	"errors"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// families searches the strong d-hitting families of the history for a witness,
// for d = 1, 2, ..., o.MaxDepth. It finds the first witness by depth, chain and
// tuple. It refutes the history once a family without a witness has all linear
// extensions. Otherwise it gives up, with a cause.
//
// At each depth, a history with pending operations is tried without them first.
// A witness of the completed operations is a witness of the whole history: the
// pending operations follow at its end, where no operation observes them.
//
// The instance must hold all operations of its history, and the zero values of
// o must have been replaced. Replayed is set for every finding, and Deeper for every
// finding that is undecided.
func families(whole *replay.Instance, p *ops.Problem, o replay.Options, m *meter.Meter) (replay.Finding, error) {
	machine := state.TableFor(p)
	if machine != nil {
		machine.Bound(m, o.Budget.Bytes)
		defer machine.Release()
	}
	instances, err := rounds(whole, o.Chains, m)
	switch {
	case errors.Is(err, replay.ErrStopped):
		return replay.GaveUp(replay.Time), nil
	case err != nil:
		return replay.Finding{}, err
	}
	var rounds []*round
	for _, in := range instances {
		rounds = append(rounds, newRound(in, p.Spec, machine, o, m))
	}
	budget := o.Budget.Schedules
	var replayed []int64
	deeper := 0
	end := func(f replay.Finding) (replay.Finding, error) {
		f.Replayed = replayed
		if !f.Decided() {
			f.Deeper = deeper
		}
		return f, nil
	}
	for d := 1; d <= o.MaxDepth; d++ {
		replayed = append(replayed, 0)
		for _, r := range rounds {
			count, found := r.grow(budget)
			budget -= count
			replayed[d-1] += count
			switch {
			case r.replayer.GaveUp() != replay.NoCause:
				return end(replay.GaveUp(r.replayer.GaveUp()))
			case found:
				f := replay.Found(replay.FamiliesEngine, r.witness)
				f.Depth, f.Index = d, r.index
				return end(f)
			case r.family.Stopped():
				return end(replay.GaveUp(replay.Time))
			case budget == 0:
				return end(replay.GaveUp(replay.Schedules))
			}
		}
		if rounds[len(rounds)-1].family.Done() {
			return end(replay.Refuted(replay.FamiliesEngine))
		}
		deeper = d
	}
	return end(replay.GaveUp(replay.Depth))
}

// rounds returns the instances that are searched at each depth, one after another: the
// operations without those that may be left out, if there are any, and then all of them. A
// schedule may place an operation that may be left out after all others, where none can
// observe it.
func rounds(whole *replay.Instance, chains replay.ChainMode, m *meter.Meter) ([]*replay.Instance, error) {
	for i := range whole.History.Ops {
		if op := &whole.History.Ops[i]; op.Pending() && !op.Happened {
			least, err := replay.NewInstance(whole.History, false, chains, m)
			return []*replay.Instance{least, whole}, err
		}
	}
	return []*replay.Instance{whole}, nil
}

// A round is the search through the families of one instance.
type round struct {
	in       *replay.Instance
	family   *hitting.Family
	replayer *state.Replayer
	index    hitting.Index
	witness  []int32
}

func newRound(in *replay.Instance, spec replay.Spec, machine *state.Machine, o replay.Options, m *meter.Meter) *round {
	// Half of the memory is for duplicate detection, half for states.
	half := o.Budget.Bytes / 2
	return &round{
		in:       in,
		family:   hitting.NewFamily(in.Poset, in.Chains, hitting.Options{MaxBytes: half, Meter: m}),
		replayer: state.NewReplayer(in, spec, machine, half, m),
	}
}

// grow replays at most budget schedules of the next depth, up to the first
// witness.
func (r *round) grow(budget int64) (replayed int64, found bool) {
	if len(r.in.Ops) == 0 && r.family.Depth() == 0 {
		r.family.Count()
		r.keep(hitting.Index{}, nil)
		return 0, true // no operation returned, so there is nothing to explain
	}
	for index, schedule := range r.family.Grow() {
		replayed++
		if r.replayer.IsWitness(schedule) {
			r.keep(index, schedule)
			return replayed, true
		}
		if replayed == budget || r.replayer.GaveUp() != replay.NoCause {
			break
		}
	}
	return replayed, false
}

// keep records the witness in terms of operations.
func (r *round) keep(index hitting.Index, schedule []int32) {
	r.index, r.witness = inOperations(r.in, index, schedule)
}

// inOperations translates an index and its schedule from elements to operations. It appends
// to the schedule the operations that are not elements.
func inOperations(in *replay.Instance, index hitting.Index, schedule []int32) (hitting.Index, []int32) {
	index = index.Clone()
	for i, e := range index.Tuple {
		index.Tuple[i] = in.Ops[e]
	}
	n := len(in.History.Ops)
	witness := make([]int32, 0, n)
	for _, e := range schedule {
		witness = append(witness, in.Ops[e])
	}
	return index, ops.Complete(witness, n)
}
