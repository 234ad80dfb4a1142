package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Run decides the history if a monitor can, and enters Answer, Engine and
// Witness or Conflict into v. Otherwise it leaves v alone and says why, in a
// few words. It takes O(n log n) for n operations. Of deques it decides those
// that are used as stacks or queues; see Pieces for the others. It declines,
// too, when stop answers true, which is asked every some thousand operations;
// nil never does.
//
// The specification must have accepted the history (replay.Check).
func Run(h *history.History, spec replay.Spec, stop func() bool, v *replay.Verdict) (declined string) {
	return runUpTo(h, spec, history.NoReturn, stop, v)
}

// runUpTo is Run for the history as it was right after the event at a
// position.
func runUpTo(h *history.History, spec replay.Spec, position int32, stop func() bool, v *replay.Verdict) (declined string) {
	p, declined := problemOf(h, spec, position, stop)
	if declined != "" {
		return declined
	}
	f := p.decide()
	if p.stopped {
		return stopped // what came of it may be half done
	}
	if f.declined != "" {
		return f.declined
	}
	v.Engine, v.Cause = replay.MonitorEngine, replay.NoCause
	if f.conflict != nil {
		slices.Sort(f.conflict)
		v.Answer, v.Conflict = replay.NotLinearizable, slices.Compact(f.conflict)
		return ""
	}
	v.Answer, v.Witness = replay.Linearizable, p.complete(f.order)
	return ""
}

// unexplainedTries bounds the conflicts that Unexplained follows.
const unexplainedTries = 4

// Unexplained returns the operation of the first response that no order
// explains, of a history that Run found not to be linearizable: up to the
// response before it there is a witness. It reports false where it cannot
// tell within a few runs of the monitor.
func Unexplained(h *history.History, spec replay.Spec, conflict []int32, stop func() bool) (int32, bool) {
	for range unexplainedTries {
		last := int32(none)
		for _, op := range conflict {
			if r := h.Ops[op].Return; r != history.NoReturn && (last == none || r > h.Ops[last].Return) {
				last = op
			}
		}
		if last == none {
			return 0, false
		}
		var before, after replay.Verdict
		if runUpTo(h, spec, h.Ops[last].Return-1, stop, &before) != "" {
			return 0, false
		}
		if before.Answer == replay.NotLinearizable {
			conflict = before.Conflict
			continue
		}
		// A removal that is open there may yet explain what is in conflict.
		if runUpTo(h, spec, h.Ops[last].Return, stop, &after) != "" || after.Answer != replay.NotLinearizable {
			return 0, false
		}
		return last, true
	}
	return 0, false
}

// problemOf reads a history of a collection; it says why if it declines.
func problemOf(h *history.History, spec replay.Spec, until int32, stop func() bool) (*problem, string) {
	c, ok := spec.(replay.Collection)
	switch {
	case !ok || c.Discipline() == replay.NoDiscipline:
		return nil, "no monitor for " + spec.Name()
	case h.HasEdges() || len(h.Ghosts) > 0:
		return nil, "order beyond real time"
	}
	return newProblem(h, c, until, stop)
}

// stopped is why a monitor declines that was told to stop.
const stopped = "stopped"

// askEvery is after how many steps a monitor asks whether to stop.
const askEvery = 1 << 12

// interrupted reports, at a step of something long, whether to stop: it asks
// every some thousand steps.
func (p *problem) interrupted() bool {
	if p.steps++; p.steps%askEvery == 0 && p.stop != nil && !p.stopped {
		p.stopped = p.stop()
	}
	return p.stopped
}

// A finding is what a monitor came to: an order of the operations it was
// given, or operations that are in conflict (not nil), or why it declined.
type finding struct {
	order    []int32
	conflict []int32
	declined string
}

// decide finds out about the problem, whose pending removals may each have
// taken a value or not. Without them, an order is one; where there is none,
// values that no pending removal can have taken may be in conflict all by
// themselves. Between the two lies what is not decided here.
func (p *problem) decide() finding {
	if p.again && len(p.impossible) == 0 {
		return p.lives()
	}
	if len(p.impossible) > 0 {
		return finding{conflict: p.impossible}
	}
	f := p.monitor()
	if f.conflict == nil || len(p.pendingRemovals) == 0 {
		return f
	}
	q := p.withoutLoose()
	f = q.monitor()
	if p.stopped = q.stopped; f.conflict != nil {
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

// complete appends to an order what is not in it: operations that are pending
// and never took effect, or that do not matter.
func (p *problem) complete(order []int32) []int32 {
	if len(order) == len(p.call) {
		return order
	}
	placed := make([]bool, len(p.call))
	for _, op := range order {
		placed[op] = true
	}
	for op := range placed {
		if !placed[op] {
			order = append(order, int32(op))
		}
	}
	return order
}
