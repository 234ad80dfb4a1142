package monitor

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Read is newProblem, and Decide decides what it read: the two parts of Run,
// for benchmarks.
func Read(h *history.History, c replay.Described) (*problem, string) {
	return newProblem(h, c, c.Traits().Discipline, nil)
}

func (p *problem) Decide() (refuted bool) { return p.decide().conflict != nil }
