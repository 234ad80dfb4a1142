package decide

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// inPieces decides a history of a deque of distinct values. The monitor cuts it at
// moments at which the deque can be empty (see monitor.Pieces), and the search
// decides each piece. If a piece has no witness, the history has none. inPieces
// declines if there is only one piece.
func inPieces(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) replay.Finding {
	if replay.TraitsOf(spec).Discipline != replay.BothEnds {
		return replay.Declines("")
	}
	pieces, conflict, declined := monitor.Pieces(h, spec, m)
	switch {
	case declined != "":
		return replay.Declines(declined)
	case conflict != nil:
		f := replay.Refuted(replay.MonitorEngine)
		f.Conflict = conflict
		return f
	case len(pieces) < 2:
		return replay.Declines("one piece")
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
		part := engine.Restrict(h, piece.Ops)
		f := search.Pairs(part, spec, false, maxBytes, m)
		if f.Answer == replay.Undecided && !m.Stopped() {
			f = search.Run(part, spec, maxBytes, m)
		}
		switch f.Answer {
		case replay.Undecided:
			return f
		case replay.NotLinearizable:
			conflict := piece.Ops
			if len(f.Conflict) > 0 {
				conflict = nil
				for _, i := range f.Conflict {
					conflict = append(conflict, piece.Ops[i])
				}
			}
			f.Conflict = conflict
			return f
		}
		searched.Pieces++
		searched.Ops += len(piece.Ops)
		for _, i := range f.Witness {
			order = append(order, piece.Ops[i])
		}
	}
	f := replay.Found(replay.SearchEngine, engine.Complete(order, len(h.Ops)))
	f.Contributions = []replay.Contribution{cut, searched}
	return f
}
