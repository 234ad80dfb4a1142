package decide

import (
	"errors"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/window"
)

// A row is an engine and when it runs.
type row struct {
	name string
	kind replay.Engine // how users select it
	// min and max bound the number of operations of the histories on which it
	// runs.
	min, max int
	// share bounds its work; nil: only the budget does.
	// A later engine can decide what an engine with a share leaves open.
	share *share
	// deepens: it also runs on a history that is known to be linearizable, for
	// the depth.
	deepens bool
	// forced: it runs if the user selects its kind, for any number of operations.
	forced bool
	run    func(t *task, m *meter.Meter) (replay.Finding, error)
}

// engines run in this order until one decides. Cheap engines come first. The last one
// also runs on linearizable histories, for their depth.
//
// Each engine declines the histories that it cannot decide; see its package.
var engines = []row{
	{name: "depth", kind: replay.FamiliesEngine, max: unbounded, run: runDepth},
	{name: "monitor", kind: replay.MonitorEngine, min: short + 1, max: unbounded, forced: true, run: runMonitor},
	{name: "short search", kind: replay.SearchEngine, max: unbounded, share: &limits.collection, run: runShortSearch},
	{name: "window", kind: replay.SearchEngine, max: unbounded, share: &limits.collection, run: runWindow},
	{name: "order", kind: replay.SearchEngine, max: unbounded, share: &limits.collection, run: runOrder},
	{name: "search", kind: replay.SearchEngine, max: unbounded, forced: true, run: runLongSearch},
	{name: "depth and families", kind: replay.FamiliesEngine, max: unbounded, forced: true, deepens: true, run: runFamilies},
}

// applies reports whether the engine can add to what is known of the history.
func (e *row) applies(t *task, known *replay.Finding) bool {
	if t.o.Engine != replay.AutoEngine {
		return e.forced && e.kind == t.o.Engine && !known.Decided()
	}
	n := len(t.H.Ops)
	if n < e.min || n > e.max || t.verdictOnly && known.Decided() {
		return false
	}
	return !known.Decided() || e.deepens && known.Answer == replay.Linearizable && known.Depth == 0
}

// start runs the engine with its share of the work.
func (e *row) start(t *task) (replay.Finding, error) {
	if e.share == nil {
		return e.run(t, t.meter)
	}
	return e.run(t, t.meter.Share(e.share.of(len(t.H.Ops))))
}

// runDepth searches for the witness of least depth, which decides most short histories.
//
// It decides a longer history if real time leaves one order. That order is the only schedule
// of every family, so a witness has depth 1. Replaying it needs one state at a time, while a
// search keeps all.
func runDepth(t *task, m *meter.Meter) (replay.Finding, error) {
	if len(t.H.Ops) > short {
		if !isSerial(t.H) || t.depthSearch() == nil {
			return replay.Declines(""), nil
		}
		return t.depths.Run(1, m), nil
	}
	if x := t.depthSearch(); t.verdictOnly || x == nil {
		return replay.Declines(""), nil
	}
	return t.depths.Run(t.o.MaxDepth, m.Share(limits.quick.least)), nil
}

// isSerial reports whether h has only one order: all operations returned, each before the
// next was invoked.
func isSerial(h *history.History) bool {
	for i := range h.Ops {
		if h.Ops[i].Pending() || i > 0 && h.Ops[i-1].Return >= h.Ops[i].Call {
			return false
		}
	}
	return !h.HasEdges() && len(h.Ghosts) == 0
}

func runMonitor(t *task, m *meter.Meter) (replay.Finding, error) {
	if n := len(t.H.Ops); n > long && !t.clock.hasRoom(int64(n)*limits.bytes) {
		return replay.GaveUp(replay.Memory), nil
	}
	f := t.byIntervals(m, monitor.Run)
	if f.Cause != replay.Declined {
		return f, nil
	}
	if lists := monitor.Lists(t.Problem, m); lists.Cause != replay.Declined {
		return lists, nil
	}
	return f, nil
}

// runShortSearch decides most histories. It takes longer for a priority queue of few
// priorities. A removal may then take many insertions, so that the order needs much time and
// memory: 3,000 operations of 8 priorities by 24 clients take it three times as long as the
// search, and if clients lose responses, it often runs out of memory.
//
// A monitor has not yet tried a history of up to short operations, because the search is
// faster for nearly all of them. It is not if many insertions are pending.
func runShortSearch(t *task, m *meter.Meter) (replay.Finding, error) {
	if t.hasFewPriorities(m) {
		return search.RunAtPace(t.Problem, search.Pace{Least: 8 * limits.quick.least, Each: 64 * limits.quick.each}, m), nil
	}
	quick := m.Share(limits.quick.of(len(t.H.Ops)))
	if i := unwritten(t.Problem, quick); i != ops.None {
		return refutedBy(t.H, i), nil
	}
	f := search.RunAtPace(t.Problem, search.Pace{Least: limits.quick.least, Each: limits.quick.each}, quick)
	if len(t.H.Ops) <= short && !f.Decided() {
		return runMonitor(t, m)
	}
	return f, nil
}

func (t *task) hasFewPriorities(m *meter.Meter) bool {
	if d := t.Discipline(); d != replay.Smallest && d != replay.Largest {
		return false
	}
	c := t.Columns(m)
	return c != nil && (c.Values <= 8 || c.Values <= 16 && t.H.Pending() > 0)
}

func runOrder(t *task, m *meter.Meter) (replay.Finding, error) { return order.Run(t.Problem, m), nil }

// runLongSearch refutes a history with a result that no state gives. The search would
// try all orders before it found that. Without such a result, it runs the search.
func runLongSearch(t *task, m *meter.Meter) (replay.Finding, error) {
	c := t.Columns(m)
	if c == nil {
		return replay.GaveUp(replay.Time), nil
	}
	first := int32(replay.NoOperation) // the impossible operation with the earliest response
	for i, isImpossible := range c.Impossible {
		if isImpossible && (first < 0 || t.H.Ops[i].Return < t.H.Ops[first].Return) {
			first = int32(i)
		}
	}
	if first < 0 {
		return search.Run(t.Problem, m), nil
	}
	return refutedBy(t.H, first), nil
}

// refutedBy returns the finding for an operation with a result that no order explains.
func refutedBy(h *history.History, op int32) replay.Finding {
	f := replay.Refuted(replay.SearchEngine)
	f.Reached, f.Conflict = h.Ops[op].Return, []int32{op}
	return f
}

func runWindow(t *task, m *meter.Meter) (replay.Finding, error) {
	return t.byIntervals(m, window.Run), nil
}

// runFamilies searches for the depth: as a shortest path (see package depth) or, for a
// history with edges or an object that is not a State, by replaying families. Families
// also decide undecided histories, within the budget of schedules.
func runFamilies(t *task, m *meter.Meter) (replay.Finding, error) {
	if t.o.Engine == replay.AutoEngine && !t.verdictOnly && t.depthSearch() != nil {
		share := t.depthShare()
		t.depths.pace = share / depthPace
		f := t.depths.Run(t.o.MaxDepth, m.Share(share))
		if f.Decided() || t.linearizable {
			return f, nil
		}
	}
	o := t.o
	if n := int64(len(t.H.Ops)); t.linearizable && n > short {
		if n > long {
			return replay.Declines(""), nil
		}
		o.Budget.Schedules = max(1, min(o.Budget.Schedules, limits.families/n))
	}
	if t.linearizable {
		// Families need more than the search for a depth.
		m = m.Share(8 * t.depthShare())
	}
	return t.families(o, m)
}

func (t *task) families(o replay.Options, m *meter.Meter) (replay.Finding, error) {
	in, err := t.poset()
	switch {
	case replay.TooLarge(err):
		return replay.GaveUp(replay.Memory), nil
	case errors.Is(err, replay.ErrStopped):
		return replay.GaveUp(replay.Time), nil
	case err != nil:
		return replay.Finding{}, err
	}
	return families(in, t.Problem, o, m)
}
