package window

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// BeamOfWidth decides a history of a stack by a beam that explores width placements for
// each response. It also returns how often it went back. Tests compare narrow beams with Run.
func BeamOfWidth(p *ops.Problem, width int, m *meter.Meter) (f replay.Finding, tries int) {
	c := readCollected(p.H, p.Columns(m), replay.LastIn)
	if c.impossible != history.NoReturn {
		return replay.RefutedAt(c.impossible), 0
	}
	b := newStackBeam(c, math.MaxInt64, m)
	b.width, b.bags, b.patience = width, width, math.MaxInt64
	found, cause := b.run()
	return c.withReads(p, replay.Searched(found, cause, b.witness)), int(b.salt)
}
