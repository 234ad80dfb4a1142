package monitor

import (
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Run decides the history if a monitor can, with a Witness or a Conflict.
// Otherwise it declines with a reason. It takes O(n log n) for n operations. It
// decides deques that are used as stacks or queues. It gives up when m stops.
//
// The specification must have accepted the history (replay.Check).
func Run(in *ops.Problem, m *meter.Meter) replay.Finding {
	switch {
	case in.Traits().Discipline == replay.NoDiscipline:
		return replay.Declines(replay.NoMonitor)
	case !in.InRealTime():
		return replay.Declines(replay.BeyondRealTime)
	}
	p, declined := newProblem(in, m)
	if p == nil || declined != "" {
		return finding(in, m, nil, nil, declined)
	}
	order, conflict := p.decide()
	return finding(in, m, order, conflict, p.partial)
}

// finding returns the finding of a monitor that found an order or a conflict. The order
// proves nothing if there is a reason why the monitor declines without a conflict. If the
// meter has stopped, the results may be incomplete.
func finding(in *ops.Problem, m *meter.Meter, order, conflict []int32, declined replay.Reason) replay.Finding {
	switch {
	case m.Stopped():
		return replay.GaveUp(replay.Time)
	case conflict != nil:
		slices.Sort(conflict)
		refuted := replay.Refuted(replay.MonitorEngine)
		refuted.Conflict = slices.Compact(conflict)
		return refuted
	case declined != "":
		return replay.Declines(declined)
	}
	return replay.Found(replay.MonitorEngine, ops.Complete(order, len(in.H.Ops)))
}

// decide returns an order of the operations or a conflict. Pending removals may each have
// taken a value or not. An order without them is an order of the whole history. A conflict
// among the values that no pending removal can have taken is a conflict of the history.
func (p *problem) decide() (order, conflict []int32) {
	if p.impossible != nil {
		return nil, p.impossible
	}
	order, conflict = p.monitor()
	if conflict != nil && len(p.pendingRemovals) > 0 {
		p.onlyRemoved = true
		if _, conflict = p.monitor(); conflict == nil {
			p.partial = replay.PendingRemovals
		}
	}
	return order, conflict
}

func (p *problem) monitor() (order, conflict []int32) {
	if p.hasReadded {
		return p.sweepSet()
	}
	inners, conflict := p.inners()
	if conflict == nil {
		conflict = p.placeNothing(inners)
	}
	if conflict != nil {
		return nil, conflict
	}
	switch p.discipline {
	case replay.FirstIn:
		return p.queue(inners)
	case replay.LastIn:
		return p.stack(inners)
	case replay.Smallest, replay.Largest:
		return p.priorityQueue(inners)
	case replay.Named, replay.Counted:
		return p.set(inners)
	}
	return p.register(inners)
}
