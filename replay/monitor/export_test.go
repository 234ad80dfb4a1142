package monitor

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// Read is newProblem, and Decide decides what it read: the two parts of Run,
// for benchmarks.
func Read(in *ops.Problem) (*problem, replay.Reason) { return newProblem(in, nil) }

func (p *problem) Decide() (refuted bool) {
	_, conflict := p.decide()
	return conflict != nil
}
