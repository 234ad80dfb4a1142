package order

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Run decides the history by constraints; see Pairs.
func Run(p *ops.Problem, m *meter.Meter) replay.Finding {
	if p.Columns(m) == nil {
		return replay.GaveUp(replay.Time)
	}
	return Pairs(p, m)
}
