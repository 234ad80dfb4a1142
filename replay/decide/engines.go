package decide

import (
	"errors"
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// A row is an engine and when it runs.
type row struct {
	name string
	kind replay.Engine // how users select it
	// min and max bound the number of operations of the histories on which it
	// runs.
	min, max int
	// share bounds its work in units of the meter; nil: by the budget alone.
	// A later engine can decide what an engine with a share leaves open.
	share func(t *task) int64
	// deepens: it also runs on a history that is known to be linearizable, for
	// the depth.
	deepens bool
	// forced: it runs if the user selects its kind, for any number of operations.
	forced bool
	// checks: it calls Spec.Check on each operation itself.
	checks bool
	run    func(t *task, m *meter.Meter) (replay.Finding, error)
}

const (
	// short is the number of operations up to which depths come first: histories of the
	// paper have at most 18.
	short = 24
	// long is the largest number of operations for which posets and small budgets
	// are tried.
	long = 1 << 14
	// familyWork is the number of operations of a longer history that the first
	// families replay, which takes part of a millisecond.
	familyWork = 1 << 14
	// quickShare is enough for most histories: about 5,000 configurations.
	quickShare = 5 * meter.AskEvery
	// longerShare takes some tenths of a second.
	longerShare = 1 << 9 * meter.AskEvery
	// stackShare takes about twenty seconds; stackWork is a share for each operation
	// of histories of more than 16,384.
	stackShare = 1 << 15 * meter.AskEvery
	stackWork  = 6 << 10
	// realTimeWork is a share for each operation of a history relaxed to program order,
	// to decide it in real time. Most take 5 to 150.
	realTimeWork = 1 << 8
	// depthBase is the binary logarithm of the share of the search for a depth of
	// 0; the default depth takes some hundredths of a second. It is half as much
	// for a history of depthLong operations.
	depthBase = 10
	depthLong = 1 << 13
	// depthCrowded is subtracted from the logarithm for a crowded history.
	depthCrowded = 8
	// unbounded is the max of engines that take histories of any length.
	unbounded = math.MaxInt
)

// engines run in this order until one decides. Cheap engines come first. Families
// then look for the depth of a history that has a witness. Engines that decide the
// rest follow.
//
// Each engine declines the histories that it cannot decide; see its package.
var engines = []row{
	{name: "first depths", kind: replay.FamiliesEngine, max: short,
		share: func(*task) int64 { return quickShare }, checks: true, run: runFirstDepths},
	{name: "monitor", kind: replay.MonitorEngine, min: short + 1, max: unbounded, forced: true, run: runMonitor},
	{name: "monitor of intervals", kind: replay.MonitorEngine, min: short + 1, max: unbounded, run: runMonitorOfIntervals},
	{name: "serial", kind: replay.FamiliesEngine, min: short + 1, max: unbounded, deepens: true, run: runSerial},
	{name: "short search", kind: replay.SearchEngine, max: long,
		share: func(*task) int64 { return quickShare }, run: runSearch},
	{name: "real time", kind: replay.SearchEngine, min: short + 1, max: unbounded,
		share: func(t *task) int64 { return longerShare + int64(len(t.h.Ops))*realTimeWork }, run: runRealTime},
	{name: "depths of the undecided", kind: replay.FamiliesEngine, min: short + 1, max: long,
		share: func(*task) int64 { return quickShare }, run: runDepths},
	{name: "first families", kind: replay.FamiliesEngine, max: long, share: familyShare, deepens: true, run: runFirstFamilies},
	{name: "longer search", kind: replay.SearchEngine, min: short + 1, max: long, share: func(*task) int64 { return longerShare }, run: runLonger},
	{name: "few pairs", kind: replay.SearchEngine, min: short + 1, max: long, share: collectionShare, run: runFewPairs},
	{name: "queue or stack search", kind: replay.SearchEngine, max: unbounded, share: collectionShare, run: runCollection},
	{name: "queue or stack search of intervals", kind: replay.SearchEngine, min: short + 1, max: unbounded,
		share: func(*task) int64 { return stackShare }, run: runCollectionOfIntervals},
	{name: "pairs", kind: replay.SearchEngine, min: short + 1, max: unbounded, share: collectionShare, run: runPairs},
	{name: "impossible results", kind: replay.SearchEngine, max: unbounded, run: runImpossible},
	{name: "appended lists", kind: replay.MonitorEngine, max: unbounded, forced: true, run: runLists},
	{name: "values overwritten", kind: replay.SearchEngine, max: unbounded, share: collectionShare, run: runOverwritten},
	{name: "without reads", kind: replay.SearchEngine, min: short + 1, max: unbounded,
		share: func(*task) int64 { return stackShare / 2 }, run: runWithoutReads},
	{name: "search", kind: replay.SearchEngine, max: unbounded, forced: true, run: runSearch},
	{name: "depths", kind: replay.FamiliesEngine, max: unbounded, share: depthShare, deepens: true, run: runDepths},
	{name: "families", kind: replay.FamiliesEngine, max: unbounded, forced: true, run: runFamilies},
}

// applies reports whether the engine can add to what is known of the history.
func (e *row) applies(t *task, known *replay.Finding) bool {
	if t.o.Engine != replay.AutoEngine {
		return e.forced && e.kind == t.o.Engine && !known.Decided()
	}
	n := len(t.h.Ops)
	if n < e.min || n > e.max {
		return false
	}
	if t.shallow {
		return !known.Decided() && !(e.kind == replay.FamiliesEngine && e.share != nil)
	}
	return !known.Decided() || e.deepens && known.Answer == replay.Linearizable && known.Depth == 0
}

// start runs the engine with its share of the work.
func (e *row) start(t *task) (replay.Finding, error) {
	if e.share == nil {
		return e.run(t, t.meter)
	}
	return e.run(t, t.meter.Share(e.share(t)))
}

// longBytes is what monitors, posets and witnesses take at least for an
// operation of a long history.
const longBytes = 80

func runMonitor(t *task, m *meter.Meter) (replay.Finding, error) {
	if n := len(t.h.Ops); n > long && !t.clock.hasRoom(int64(n)*longBytes) {
		return replay.GaveUp(replay.Memory), nil
	}
	return monitor.Run(t.h, t.spec, m), nil
}

func runSearch(t *task, m *meter.Meter) (replay.Finding, error) {
	return search.Run(t.h, t.spec, t.o.Budget.Bytes, m), nil
}

// runLonger searches what pairs find harder: stacks, priority queues, and histories with
// pending operations, which most witnesses do not need. But explanations ask for many
// prefixes, in which few operations are pending.
func runLonger(t *task, m *meter.Meter) (replay.Finding, error) {
	switch d := replay.DisciplineIn(t.h, t.spec); {
	case d == replay.LastIn:
		return t.searchCollection(t.h, m.Share(longerShare/8)), nil
	case d == replay.Smallest || d == replay.Largest:
	case t.h.Pending() == 0 || t.shallow:
		return replay.Declines(""), nil
	}
	return runSearch(t, m)
}

func runOverwritten(t *task, m *meter.Meter) (replay.Finding, error) {
	return search.Overwritten(t.h, t.spec, t.o.Budget.Bytes, m), nil
}

// runFewPairs decides histories in which it is mostly clear what each removal takes.
// Those of queues are left to the search of queues, which is faster.
func runFewPairs(t *task, m *meter.Meter) (replay.Finding, error) {
	if replay.DisciplineIn(t.h, t.spec) == replay.FirstIn {
		return replay.Declines(""), nil
	}
	return search.Pairs(t.h, t.spec, true, t.o.Budget.Bytes, m), nil
}

func runPairs(t *task, m *meter.Meter) (replay.Finding, error) {
	return search.Pairs(t.h, t.spec, false, t.o.Budget.Bytes, m), nil
}

// collectionShare bounds the searches of collections, so that others can follow. It takes
// about twenty seconds, or more on a long history.
func collectionShare(t *task) int64 { return max(stackShare, int64(len(t.h.Ops))*stackWork) }

func isStack(spec replay.Spec) bool {
	return replay.TraitsOf(spec).Discipline == replay.LastIn
}

func runCollection(t *task, m *meter.Meter) (replay.Finding, error) {
	return t.searchCollection(t.h, m), nil
}

func (t *task) searchCollection(h *history.History, m *meter.Meter) replay.Finding {
	bytes := t.o.Budget.Bytes
	if isStack(t.spec) {
		bytes /= 2
	}
	return search.QueueOrStack(h, t.spec, bytes, m)
}

func runMonitorOfIntervals(t *task, m *meter.Meter) (replay.Finding, error) {
	return t.byIntervals(m, func(h *history.History) replay.Finding { return monitor.Run(h, t.spec, m) }), nil
}

func runCollectionOfIntervals(t *task, m *meter.Meter) (replay.Finding, error) {
	return t.byIntervals(m, func(h *history.History) replay.Finding { return t.searchCollection(h, m) }), nil
}

// runFamilies replays families up to the budget of schedules.
func runFamilies(t *task, m *meter.Meter) (replay.Finding, error) {
	return t.families(t.o, m)
}

// runFirstFamilies replays few schedules of longer histories. It is for histories
// with edges and for objects that are not States; runDepths finds other depths.
func runFirstFamilies(t *task, m *meter.Meter) (replay.Finding, error) {
	if t.depthSearch() != nil {
		return replay.Declines(""), nil
	}
	o := t.o
	if n := int64(len(t.h.Ops)); n > short {
		o.Budget.Schedules = max(1, min(o.Budget.Schedules, familyWork/n))
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
	return engine.Families(in, t.spec, o, m)
}

func runLists(t *task, m *meter.Meter) (replay.Finding, error) {
	return monitor.Lists(t.h, t.spec, m), nil
}

// depthShare bounds the search for a depth. Each further depth gets four times as
// much. A long history gets less, so that the depth takes a small part of the time
// of the verdict. Small depths of most long histories are refuted within their first
// operations, for next to nothing.
//
// A crowded history is a long one of a queue or stack with many concurrent
// operations. It gets a fraction: its depth is rarely small, and each further depth
// takes about five times as long.
func depthShare(t *task) int64 {
	n := int64(len(t.h.Ops))
	base := depthBase + 2*min(t.o.MaxDepth, 20)
	if engine.GrowsDear(t.h, t.spec) {
		if _, pairs := t.concurrency(); pairs > n/4 {
			base -= depthCrowded
		}
	}
	return int64(1)<<base/(1+n/depthLong) + n
}

// familyShare bounds the first families. They need more than the search for a depth.
func familyShare(t *task) int64 { return 8 * depthShare(t) }

// runFirstDepths looks for a witness by depth. Most histories have one at depth 1
// or 2.
func runFirstDepths(t *task, m *meter.Meter) (replay.Finding, error) {
	if x := t.depthSearch(); x == nil || !x.Valid() {
		return replay.Declines(""), nil
	}
	return runDepths(t, m)
}

// runDepths looks for the first witness of a family as a shortest path; see package
// depth.
func runDepths(t *task, m *meter.Meter) (replay.Finding, error) {
	x := t.depthSearch()
	if x == nil {
		return replay.Declines(""), nil
	}
	return x.Run(t.o.MaxDepth, m), nil
}
