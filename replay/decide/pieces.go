package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// inPieces decides a history of a deque of distinct values: the monitor cuts it
// at moments at which the deque can be empty (see monitor.Pieces), and the
// search decides each piece. A piece without a witness decides the history. It
// leaves v alone where there is one piece only, or one is not decided.
func inPieces(h *history.History, spec replay.Spec, maxBytes int64, stop func() bool, v *replay.Verdict) {
	c, ok := spec.(replay.Collection)
	if !ok || c.Discipline() != replay.BothEnds {
		return
	}
	pieces, conflict, declined := monitor.Pieces(h, spec, stop)
	switch {
	case declined != "":
		return
	case conflict != nil:
		v.Answer, v.Engine, v.Cause, v.Conflict = replay.NotLinearizable, replay.MonitorEngine, replay.NoCause, conflict
		return
	case len(pieces) < 2:
		return
	}
	cut := replay.Contribution{Engine: replay.MonitorEngine}
	searched := replay.Contribution{Engine: replay.SearchEngine}
	var order []int32
	for _, piece := range pieces {
		if piece.Decided {
			cut.Pieces++
			cut.Ops += len(piece.Ops)
			order = append(order, piece.Ops...)
			continue
		}
		var pv replay.Verdict
		search.Run(replay.Restrict(h, piece.Ops), spec, maxBytes, stop, &pv)
		switch pv.Answer {
		case replay.Undecided:
			return
		case replay.NotLinearizable:
			v.Answer, v.Engine, v.Cause, v.Conflict = pv.Answer, pv.Engine, replay.NoCause, piece.Ops
			return
		}
		searched.Pieces++
		searched.Ops += len(piece.Ops)
		for _, i := range pv.Witness {
			order = append(order, piece.Ops[i])
		}
	}
	v.Answer, v.Engine, v.Cause = replay.Linearizable, replay.SearchEngine, replay.NoCause
	v.Contributions = []replay.Contribution{cut, searched}
	v.Witness = withRest(h, order)
}

// withRest appends to an order the operations that are not in it.
func withRest(h *history.History, order []int32) []int32 {
	placed := make([]bool, len(h.Ops))
	for _, i := range order {
		placed[i] = true
	}
	order = slices.Grow(order, len(h.Ops)-len(order))
	for i := range placed {
		if !placed[i] {
			order = append(order, int32(i))
		}
	}
	return order
}
