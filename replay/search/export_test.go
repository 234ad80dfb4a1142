package search

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// StackOfWidth is QueueOrStack of a stack with passes of width items. It does
// not search the values inserted once first.
func StackOfWidth(h *history.History, spec replay.Spec, width int) replay.Finding {
	c := readCollected(h, spec, replay.LastIn)
	if c.impossible != history.NoReturn {
		return replay.Refuted(replay.SearchEngine)
	}
	s := newStackSearch(c, math.MaxInt64, math.MaxInt64, nil)
	s.width = width
	found, cause := s.run()
	return finding(found, cause, s.witness)
}

// StackInHurry is QueueOrStack of a stack in small passes, given up if it will need
// more work. It does not search the values inserted once first.
func StackInHurry(h *history.History, spec replay.Spec, work int64) replay.Finding {
	c := readCollected(h, spec, replay.LastIn)
	if c.impossible != history.NoReturn {
		return refutedAt(c.impossible)
	}
	s := newStackSearch(c, math.MaxInt64, math.MaxInt64, meter.New(nil))
	s.hurry, s.width = work, 1
	found, cause := s.run()
	return finding(found, cause, s.witness)
}

// StackWithin is QueueOrStack of a stack that forgets once so many bytes are
// used; it returns how far, and how many items it kept of what is before. It does
// not search the values inserted once first.
func StackWithin(h *history.History, spec replay.Spec, bytes int64) (f replay.Finding, horizon, kept int) {
	s := newStackSearch(readCollected(h, spec, replay.LastIn), 2*bytes, bytes, meter.New(nil))
	found, cause := s.run()
	for i := range s.items {
		if s.items[i].due < s.horizon {
			kept++
		}
	}
	return finding(found, cause, s.witness), int(s.horizon), kept
}

// StackTwice is QueueOrStack of a stack that forgets once so many bytes are used,
// and searches again if that finds no witness. It does not search the values
// inserted once first.
func StackTwice(h *history.History, spec replay.Spec, bytes int64, m *meter.Meter) replay.Finding {
	c := readCollected(h, spec, replay.LastIn)
	if c.impossible != history.NoReturn {
		return refutedAt(c.impossible)
	}
	return c.searchStackWhole(1<<30, bytes, m)
}

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
	b.width, b.bags, b.room, b.least, b.patience = width, width, room, 1, math.MaxInt64
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
