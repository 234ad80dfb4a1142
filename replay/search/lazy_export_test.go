package search

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// LazyRule is Lazy without a pushdown.
func LazyRule(h *history.History, spec replay.Spec, v *replay.Verdict) {
	if s, ok := newLazy(h, spec); ok {
		s.decide(math.MaxInt64, newMeter(func() bool { return false }), v)
	}
}

// LazyWidth is Lazy with a pushdown that explores so many items at once, and
// does not look at values that are inserted once.
func LazyWidth(h *history.History, spec replay.Spec, width int, v *replay.Verdict) {
	s, ok := newLazy(h, spec)
	if !ok {
		return
	}
	p := newPushdown(&s.lazyHistory)
	p.width, p.maxBytes, p.meter = width, math.MaxInt64, newMeter(func() bool { return false })
	if found, _ := p.run(); found {
		v.Answer, v.Witness = replay.Linearizable, p.witness()
	} else {
		v.Answer = replay.NotLinearizable
	}
}
