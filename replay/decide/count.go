package decide

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/state"
)

// bytesPerPoint is about the memory of a pair of a downset and a state in the count.
const bytesPerPoint = 64

// countSchedules sets the numbers of schedules and of witnesses, except one that is too large
// to be counted within the bounds.
func (t *task) countSchedules(v *replay.Verdict) {
	in, err := t.poset()
	if err != nil {
		return
	}
	points := int(t.o.Budget.Bytes / bytesPerPoint)
	count := func(start int32, step func(at, element int32) int32) uint64 {
		n, ok := in.Poset.AcceptedExtensions(start, func(at, element int32) int32 {
			if t.meter.MustStop(1) {
				return state.Fail
			}
			return step(at, element)
		}, points)
		if !ok || t.clock.over {
			return 0
		}
		return n
	}
	v.Schedules = count(0, func(at, _ int32) int32 { return at })
	machine := state.NewMachine(t.Problem)
	if machine == nil || v.Answer != replay.Linearizable {
		return
	}
	defer machine.Release()
	machine.Bound(t.meter, t.o.Budget.Bytes)
	v.Witnesses = count(machine.Start(), func(at, element int32) int32 { return machine.Step(at, in.Ops[element]) })
	if machine.GaveUp() != replay.NoCause {
		v.Witnesses = 0
	}
}
