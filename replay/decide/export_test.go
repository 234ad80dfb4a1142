package decide

import (
	"context"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// A Row is what a test needs of a row of the table of engines.
type Row struct {
	Name     string
	Min, Max int
	Forced   bool
	row      *row
}

// Rows returns the table of engines.
func Rows() []Row {
	var rows []Row
	for i := range engines {
		e := &engines[i]
		rows = append(rows, Row{e.name, e.min, e.max, e.forced, e})
	}
	return rows
}

// Applies reports whether the row applies to a history of which nothing is known.
func (r Row) Applies(h *history.History, spec replay.Spec) bool {
	return r.row.applies(newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops))), &replay.Finding{})
}

// Start runs the row alone.
func (r Row) Start(h *history.History, spec replay.Spec) (replay.Finding, error) {
	return r.row.start(newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops))))
}

// DepthWork returns the share of the search for a depth, and the work of its row.
func DepthWork(h *history.History, spec replay.Spec) (share, work int64) {
	t := newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops)))
	t.linearizable = true // it looks for the depth alone
	for i := range engines {
		if engines[i].name == "depth and families" {
			if _, err := engines[i].start(t); err != nil {
				panic(err)
			}
		}
	}
	return t.depthShare(), t.meter.Spent()
}

// Serial is runDepth.
func Serial(h *history.History, spec replay.Spec) (replay.Finding, error) {
	t := newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops)))
	return runDepth(t, t.meter)
}

// InRealTime is inRealTime, for relaxed histories.
func InRealTime(h *history.History, spec replay.Spec) replay.Finding {
	if !h.IsRelaxed() {
		return replay.Declines("not relaxed")
	}
	t := newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops)))
	return t.inRealTime()
}

// Tighten is tighten.
func Tighten(h *history.History) (*history.History, []int32) { return tighten(h) }

// CheckRows is Check with some rows of the table of engines changed or left out. It
// returns the name of the row that decided, too.
func CheckRows(h *history.History, spec replay.Spec, o replay.Options, rows []Row) (replay.Verdict, string, error) {
	o = o.WithDefaults(len(h.Ops))
	t := newTask(context.Background(), h, spec, o)
	t.clock.deadline = time.Now().Add(o.Budget.Time)
	defer t.release()
	decidedBy := ""
	t.engines = nil
	for _, r := range rows {
		e := *r.row
		run := e.run
		e.run = func(t *task, m *meter.Meter) (replay.Finding, error) {
			f, err := run(t, m)
			if decidedBy == "" && f.Decided() {
				decidedBy = e.name
			}
			return f, err
		}
		t.engines = append(t.engines, e)
	}
	v, err := t.check()
	return v, decidedBy, err
}

// Pruned returns the row of a search with other rules of pruning.
func (r Row) Pruned(p search.Pruning) Row {
	e := *r.row
	e.run = func(t *task, m *meter.Meter) (replay.Finding, error) {
		return search.RunPruned(t.Problem, p, m), nil
	}
	r.row = &e
	return r
}

// DepthsOf returns the search for the depth of a history, or nil if it does not apply.
func DepthsOf(h *history.History, spec replay.Spec, bytes int64, chains replay.ChainMode) *Depths {
	whole, err := replay.NewInstance(h, true, chains, nil)
	if err != nil {
		return nil
	}
	return NewDepths(ops.New(h, spec, bytes), whole, chains)
}

// Concurrency is concurrency, without the posets of histories with edges.
func Concurrency(h *history.History, spec replay.Spec) (c int, cp int64) {
	if h.HasEdges() && !edgesWithinProcesses(h) {
		return 0, 0
	}
	return newTask(context.Background(), h, spec, replay.Options{}.WithDefaults(len(h.Ops))).concurrency()
}

// Families is families.
func Families(whole *replay.Instance, spec replay.Spec, o replay.Options, m *meter.Meter) (replay.Finding, error) {
	return families(whole, ops.New(whole.History, spec, o.Budget.Bytes), o, m)
}
