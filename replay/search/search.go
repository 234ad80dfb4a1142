package search

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Run decides the instance, which must hold all operations of its history.
// Answer, Engine, Cause and Witness are entered into v. Run leaves v alone
// where it cannot search: the specification's objects are not States; or more
// than 64 operations that return are open at once; or the history has edges
// and more than MaxGeneral operations.
//
// The work is bounded by the number of configurations, the memory by
// maxBytes, beyond which v is undecided.
func Run(in *replay.Instance, spec replay.Spec, maxBytes int64, stop func() bool, v *replay.Verdict) {
	RunPruned(in, spec, Pruning{}, maxBytes, stop, v)
}

// RunPruned is Run with some rules switched off, for tests.
func RunPruned(in *replay.Instance, spec replay.Spec, prune Pruning, maxBytes int64, stop func() bool, v *replay.Verdict) {
	if len(in.Ops) != len(in.History.Ops) {
		return
	}
	r := runner{spec, prune, maxBytes, stop}
	var f finding
	if !in.Poset.IsInterval() {
		f = r.general(in)
	} else if parts := split(in.History, spec); parts != nil && !prune.NoParts {
		f = r.parts(in.History, parts)
	} else {
		f = r.interval(in.History)
	}
	switch {
	case f.cannot:
	case f.witness != nil:
		v.Answer, v.Engine, v.Cause, v.Witness = replay.Linearizable, replay.SearchEngine, replay.NoCause, f.witness
	case f.cause == replay.NoCause:
		v.Answer, v.Engine, v.Cause = replay.NotLinearizable, replay.SearchEngine, replay.NoCause
	default:
		v.Cause = f.cause
	}
}

// A finding is what a search came to: a witness (not nil), or a cause to give
// up, or that it cannot search at all, or else that there is no witness.
type finding struct {
	witness []int32
	cause   replay.Cause
	cannot  bool
}

type runner struct {
	spec     replay.Spec
	prune    Pruning
	maxBytes int64
	stop     func() bool
}

func (r *runner) general(in *replay.Instance) finding {
	machine := replay.NewMachine(in.History, r.spec)
	if machine == nil || len(in.Ops) > MaxGeneral {
		return finding{cannot: true}
	}
	s := newMasks(in, machine)
	if found, cause := s.run(r.maxBytes, r.stop); !found {
		return finding{cause: cause}
	}
	return finding{witness: s.witness()}
}

func (r *runner) interval(h *history.History) finding {
	machine := replay.NewMachine(h, r.spec)
	if machine == nil {
		return finding{cannot: true}
	}
	s, ok := newSweep(h, r.spec, machine, r.prune)
	if !ok {
		return finding{cannot: true}
	}
	s.maxBytes, s.stop = r.maxBytes, r.stop
	if found, cause := s.run(); !found {
		return finding{cause: cause}
	}
	return finding{witness: s.witness()}
}

// parts decides each part. One without a witness decides the history, so
// that a part that has to be given up does not end the search.
func (r *runner) parts(h *history.History, parts [][]int32) finding {
	witnesses := make([][]int32, len(parts))
	given := finding{}
	for k, ops := range parts {
		f := r.interval(restrict(h, ops))
		switch {
		case f.cannot, f.cause == replay.Time:
			return f
		case f.cause != replay.NoCause:
			given = f
		case f.witness == nil:
			return f
		}
		witnesses[k] = f.witness
	}
	if given.cause != replay.NoCause {
		return given
	}
	return finding{witness: merge(h, parts, witnesses)}
}
