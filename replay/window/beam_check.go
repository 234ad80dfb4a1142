package window

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// BeamOfWidth decides a history of a stack by a beam that explores width placements for
// each response, and drops what is before the last few responses once room bytes are used.
// It also returns how often it went back, and how often it dropped something. Tests compare
// narrow beams with Run.
func BeamOfWidth(p *ops.Problem, width int, room int64, m *meter.Meter) (f replay.Finding, tries, drops int) {
	c := readCollected(p.H, p.Columns(m), replay.LastIn)
	if c.impossible != history.NoReturn {
		return replay.RefutedAt(c.impossible), 0, 0
	}
	b := newStackBeam(c, math.MaxInt64, m)
	b.width, b.bags, b.room, b.keptResponses, b.patience = width, width, room, 1, math.MaxInt64
	found, cause := b.run()
	for _, d := range b.dues {
		tries = max(tries, int(d.salt))
	}
	return replay.Searched(found, cause, b.witness), max(tries, int(b.salt)), len(b.segments) - 1
}
