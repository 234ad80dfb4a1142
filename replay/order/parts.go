package order

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// decideParts decides the history of registers key by key if each operation concerns one
// key. Then the history is linearizable if and only if the operations on each key are
// (Herlihy and Wing, "Linearizability", 1990, Theorem 1).
func decideParts(p *ops.Problem, spec replay.Stepped, m *meter.Meter) replay.Finding {
	parts, across := p.Split()
	if parts == nil || len(across) > 0 || p.H.HasEdges() {
		return decideCells(p, spec, m)
	}
	var open replay.Finding // of a part that stayed undecided
	witnesses := make([][]int32, len(parts))
	for k, part := range parts {
		switch f := decideCells(p.Restrict(part), spec, m); {
		case f.Answer == replay.NotLinearizable || f.Cause == replay.Time:
			return f
		case f.Answer == replay.Undecided:
			open = f
		default:
			witnesses[k] = f.Witness
		}
	}
	if open.Cause != replay.NoCause {
		return open
	}
	return replay.Found(replay.SearchEngine, ops.Merge(p.H, parts, witnesses))
}
