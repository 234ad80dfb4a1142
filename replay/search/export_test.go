package search

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// BeamOfWidth is QueueOrStack of a stack by a beam alone that explores width
// placements for each response and drops what is before the last few responses
// once so many bytes are used. It returns how often it went back and how often it
// dropped something.
func BeamOfWidth(h *history.History, spec replay.Spec, width int, room int64, m *meter.Meter) (f replay.Finding, tries, drops int) {
	c := readCollected(h, spec, replay.LastIn)
	if c.impossible != history.NoReturn {
		return refutedAt(c.impossible), 0, 0
	}
	b := newStackBeam(c, math.MaxInt64, m)
	b.width, b.bags, b.room, b.keptResponses, b.patience = width, width, room, 1, math.MaxInt64
	found, cause := b.run()
	for _, d := range b.dues {
		tries = max(tries, int(d.salt))
	}
	return finding(found, cause, b.witness), max(tries, int(b.salt)), len(b.segments) - 1
}

// ReadsAtOnce returns what a sweep has placed after it has passed all responses
// of reads placed at the start and has placed op, in the numbers of h.
func ReadsAtOnce(h *history.History, spec replay.Spec, op int32) []int32 {
	a, _ := arrange(h, 1<<30, nil)
	machine := engine.NewMachine(a.recorded, spec)
	defer machine.Release()
	s, _ := newSweep(a, spec, machine, Pruning{})
	for s.at.mask>>s.slot[s.order[s.at.due]]&1 != 0 {
		s.advance()
	}
	for k := range int32(len(a.number)) {
		if a.number[k] == op {
			s.place(k, machine.Step(s.at.state, k))
		}
	}
	return a.original(s.trail)
}

// Arrange returns why the order of a history was not arranged within bounds.
func Arrange(h *history.History, maxBytes int64, m *meter.Meter) replay.Cause {
	_, cause := arrange(h, maxBytes, m)
	return cause
}

// MaxChains is how many operations may be open at once for Overwritten.
const MaxChains = maxChains
