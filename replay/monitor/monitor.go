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
	p, declined := problemOf(in, m)
	if declined != "" {
		return undecided(declined)
	}
	f := p.decide()
	switch {
	case p.meter.Stopped():
		return undecided(stopped) // f may be incomplete
	case f.declined != "":
		return undecided(f.declined)
	case f.conflict != nil:
		slices.Sort(f.conflict)
		refuted := replay.Refuted(replay.MonitorEngine)
		refuted.Conflict = slices.Compact(f.conflict)
		return refuted
	case p.partial != "":
		return undecided(p.partial)
	}
	return replay.Found(replay.MonitorEngine, ops.Complete(f.order, len(p.call)))
}

// undecided returns the finding of a monitor that declined, or was stopped.
func undecided(why string) replay.Finding {
	if why == stopped {
		return replay.Finding{Cause: replay.Time, Reason: why}
	}
	return replay.Declines(why)
}

// problemOf reads a history of a collection. If it declines, it returns the reason.
func problemOf(in *ops.Problem, m *meter.Meter) (*problem, string) {
	switch {
	case in.Traits().Discipline == replay.NoDiscipline:
		return nil, "no monitor for " + in.Spec.Name()
	case !in.InRealTime():
		return nil, "order beyond real time"
	}
	return newProblem(in, m)
}

// stopped is the reason of a monitor whose meter stopped.
const stopped = "stopped"

// A finding is the result of a monitor: an order of the operations, or a conflict
// (not nil), or the reason why it declined.
type finding struct {
	order    []int32
	conflict []int32
	declined string
}

// decide decides the problem, whose pending removals may each have taken a value
// or not. An order without them is an order of the whole history. A conflict among the
// values that no pending removal can have taken is a conflict of the history. It declines
// if it finds neither.
func (p *problem) decide() finding {
	if p.hasReadded && len(p.impossible) == 0 {
		return p.sweepSet()
	}
	if len(p.impossible) > 0 {
		return finding{conflict: p.impossible}
	}
	f := p.monitor()
	if f.conflict == nil || len(p.pendingRemovals) == 0 {
		return f
	}
	q := p.withoutUnremoved()
	f = q.monitor()
	if f.conflict != nil {
		return f
	}
	return finding{declined: "pending removals"}
}

func (p *problem) monitor() finding {
	switch p.discipline {
	case replay.FirstIn:
		return p.queue()
	case replay.LastIn:
		return p.stack()
	case replay.Smallest, replay.Largest:
		return p.priorityQueue()
	case replay.Named, replay.Counted:
		return p.set()
	case replay.Overwritten, replay.OverwrittenByKey:
		return p.register()
	}
	return p.deque()
}
