package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// Run decides the history. It declines if the objects of the specification are not
// States.
//
// The work is bounded by the number of configurations and by m. If the search needs
// more than p.MaxBytes, the history stays undecided.
func Run(p *ops.Problem, m *meter.Meter) replay.Finding {
	return RunPruned(p, Pruning{}, m)
}

// A Pace bounds a search by its progress: Least, and Each for each response that it has
// reached, in units of the meter. A search that is stuck early gives up early.
type Pace struct{ Least, Each int64 }

// RunAtPace is Run, but a search along the responses gives up with replay.Time if it is
// behind the pace.
func RunAtPace(p *ops.Problem, pace Pace, m *meter.Meter) replay.Finding {
	return (&runner{pace: &pace, maxBytes: p.MaxBytes, meter: m.OrUnbounded()}).decide(p)
}

// RunPruned is Run with some rules switched off, for tests.
func RunPruned(p *ops.Problem, prune Pruning, m *meter.Meter) replay.Finding {
	return (&runner{prune: prune, maxBytes: p.MaxBytes, meter: m.OrUnbounded()}).decide(p)
}

type runner struct {
	prune    Pruning
	pace     *Pace // nil: without bound
	maxBytes int64
	meter    *meter.Meter
}

// decide searches a history.
func (r *runner) decide(p *ops.Problem) replay.Finding {
	if p.Columns(r.meter) == nil {
		return replay.GaveUp(replay.Time)
	}
	a, cause := arrange(p, r.meter)
	if a == nil {
		return replay.GaveUp(cause)
	}
	f := r.split(a)
	f.Witness = a.original(f.Witness)
	return f
}

// split searches part by part if possible. A part without a witness refutes the history.
// Witnesses of all parts make one of the whole, unless
//
//   - edges lead from part to part, or
//   - there are operations on several parts. They have to be read-only, like the size of a
//     map. Then they change no part.
//
// In these cases, split searches the whole history if every part has a witness.
func (r *runner) split(a *arrangement) replay.Finding {
	parts, across := a.recorded.Split()
	changes := func(op int32) bool { return !a.columns().ReadOnly[op] }
	if parts == nil || r.prune.NoParts || slices.ContainsFunc(across, changes) {
		return r.whole(a)
	}
	witnesses, open := r.parts(a, parts)
	switch {
	case open.Answer == replay.NotLinearizable || open.Cause == replay.Time || open.Cause == replay.Declined:
		return open
	case a.before != nil || len(across) > 0:
		return r.whole(a)
	case open.Cause != replay.NoCause:
		return open
	}
	return replay.Found(replay.SearchEngine, ops.Merge(a.h, parts, witnesses))
}

// whole searches without parts.
func (r *runner) whole(a *arrangement) replay.Finding {
	if r.meter.MustStop(len(a.h.Ops)) {
		return replay.GaveUp(replay.Time)
	}
	machine := state.NewLazyMachine(a.recorded)
	if machine == nil {
		return replay.Declines("")
	}
	machine.UseCompact(a.recorded)
	machine.UseVersions(a.recorded)
	machine.Bound(r.meter, r.maxBytes)
	defer machine.Release()
	s := newWalk(a, machine, r)
	found, cause := s.Explore(s)
	f := replay.Searched(found, cmp.Or(cause, machine.GaveUp()), func() []int32 { return ops.Complete(s.trail, len(a.h.Ops)) })
	if f.Answer == replay.NotLinearizable && int(s.furthest) < len(s.order) {
		if due := a.h.Ops[s.order[s.furthest]].Return; due != history.NoReturn {
			f.Reached = due
		}
	}
	return f
}
