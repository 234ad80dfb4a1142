package search

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// LazyRule is Lazy without a pushdown.
func LazyRule(h *history.History, spec replay.Spec) replay.Finding {
	if s, ok := newLazy(h, spec); ok {
		return s.decide(math.MaxInt64, nil)
	}
	return replay.Declines("")
}

// LazyWidth is Lazy with a pushdown that explores so many items at once, and
// does not look at values that are inserted once.
func LazyWidth(h *history.History, spec replay.Spec, width int) replay.Finding {
	s, ok := newLazy(h, spec)
	if !ok {
		return replay.Declines("")
	}
	p := newPushdown(&s.lazyHistory)
	p.width, p.maxBytes = width, math.MaxInt64
	found, _ := p.run()
	return finding(found, replay.NoCause, p.witness)
}

// ReadsAtOnce returns what a sweep has placed after it has passed all responses
// of reads placed at the start and has placed op, by numbers of h.
func ReadsAtOnce(h *history.History, spec replay.Spec, op int32) []int32 {
	a := arrange(h)
	machine := replay.NewMachine(a.recorded, spec)
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
