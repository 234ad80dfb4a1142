package order

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Run decides histories of queues, stacks, priority queues, deques and registers. It
// declines others, and some operations; see the encodings.
//
// The history stays undecided for lack of memory if there would be too many constraints.
// That is so if operations may take or see too many values on average, or if too many
// operations are concurrent.
func Run(p *ops.Problem, m *meter.Meter) replay.Finding {
	if len(p.H.Ghosts) > 0 {
		return replay.Declines("")
	}
	if p.Columns(m) == nil {
		return replay.GaveUp(replay.Time)
	}
	switch p.Discipline() {
	case replay.FirstIn, replay.FirstInBounded, replay.LastIn, replay.BothEnds, replay.Smallest, replay.Largest:
		return decideCollection(p, m)
	}
	if s, ok := p.Spec.(replay.Stepped); ok {
		return decideParts(p, s, m)
	}
	return replay.Declines("")
}
