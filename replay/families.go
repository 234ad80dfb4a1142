package replay

import (
	"github.com/leadline/leadline/hitting"
)

// Families looks for a witness in the strong d-hitting families of the
// history for d = 1, 2, ..., o.MaxDepth and enters what it finds into v:
// Linearizable with the first witness by depth, chain and tuple, or
// NotLinearizable once a family without one has all linear extensions.
// Otherwise v stays Undecided, with a cause.
//
// A history with pending operations is tried at each depth first without
// them: a witness of what returned is a witness, with the pending operations,
// none of which took effect, at its end.
//
// The instance holds all operations of its history. The zero values of o must
// have been replaced. stop is asked now and then.
func Families(whole *Instance, spec Spec, o Options, stop func() bool, v *Verdict) error {
	h := whole.History
	machine := tableFor(h, spec)
	if machine != nil {
		defer machine.Release()
	}
	rounds := []*round{newRound(whole, spec, machine, o, stop)}
	if h.Pending() > 0 {
		completed, err := NewInstance(h, false, o.Chains)
		if err != nil {
			return err
		}
		rounds = []*round{newRound(completed, spec, machine, o, stop), rounds[0]}
	}
	budget := o.Budget.Schedules
	for d := 1; d <= o.MaxDepth; d++ {
		v.Replayed = append(v.Replayed, 0)
		for _, r := range rounds {
			count, found := r.grow(budget)
			budget -= count
			v.Replayed[d-1] += count
			switch {
			case found:
				v.Answer, v.Engine, v.Depth = Linearizable, FamiliesEngine, d
				v.Index, v.Witness = r.index, r.witness
				return nil
			case r.family.Stopped():
				return nil
			case budget == 0:
				v.Cause = Schedules
				return nil
			}
		}
		if rounds[len(rounds)-1].family.Done() {
			v.Answer, v.Engine = NotLinearizable, FamiliesEngine
			return nil
		}
	}
	v.Cause = Depth
	return nil
}

// A round is the search through the families of one instance.
type round struct {
	in       *Instance
	family   *hitting.Family
	replayer *replayer
	index    hitting.Index
	witness  []int32
}

func newRound(in *Instance, spec Spec, machine *Machine, o Options, stop func() bool) *round {
	// Half of the memory is for recognising duplicates, half for states.
	half := o.Budget.Bytes / 2
	return &round{
		in:       in,
		family:   hitting.NewFamily(in.Poset, in.Chains, hitting.Options{MaxBytes: half, Stop: stop}),
		replayer: &replayer{in, spec, machine, half},
	}
}

// grow replays the schedules of the next depth, budget at most, up to the
// first witness.
func (r *round) grow(budget int64) (replayed int64, found bool) {
	if len(r.in.Ops) == 0 && r.family.Depth() == 0 {
		r.family.Count()
		r.keep(hitting.Index{}, nil)
		return 0, true // nothing returned: nothing to explain
	}
	for index, schedule := range r.family.Grow() {
		replayed++
		if r.replayer.isWitness(schedule) {
			r.keep(index, schedule)
			return replayed, true
		}
		if replayed == budget {
			break
		}
	}
	return replayed, false
}

// keep notes the witness in terms of operations, with those that are not in
// the instance at its end.
func (r *round) keep(index hitting.Index, schedule []int32) {
	r.index = index.Clone()
	for i, e := range r.index.Tuple {
		r.index.Tuple[i] = r.in.Ops[e]
	}
	placed := make([]bool, len(r.in.History.Ops))
	r.witness = make([]int32, 0, len(placed))
	for _, e := range schedule {
		placed[r.in.Ops[e]] = true
		r.witness = append(r.witness, r.in.Ops[e])
	}
	for i := range placed {
		if !placed[i] {
			r.witness = append(r.witness, int32(i))
		}
	}
}
