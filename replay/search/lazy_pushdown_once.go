package search

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// decideStack asks a pushdown. It reports false if it is not for one to decide.
//
// First it looks at those values only that are inserted once: an order of
// all operations of a stack is one of those on some of its values, where the
// others are left out. If there is none on these, there is none at all. Pending
// removals may take them or not.
func decideStack(l *lazyHistory, maxBytes int64, m *meter.Meter) replay.Finding {
	p := newPushdown(l)
	if p == nil {
		return replay.Declines("")
	}
	if once := newPushdown(l.once()); once != nil && len(once.ops) < len(p.ops) {
		once.maxBytes, once.meter = maxBytes, m
		once.most = onceShare * len(once.ops)
		if found, cause := once.run(); !found && cause == replay.NoCause {
			return replay.Refuted(replay.SearchEngine)
		}
	}
	p.maxBytes, p.meter = maxBytes, m
	found, cause := p.run()
	return finding(found, cause, p.witness)
}

// onceShare is how many items for each operation are enough to look at values
// that are inserted once.
const onceShare = 64

// once returns the operations of values that are inserted once, and those of
// none.
func (l *lazyHistory) once() *lazyHistory {
	times := map[int32]int{}
	for i := range l.inserts {
		times[l.inserts[i].value]++
	}
	o := &lazyHistory{pendings: l.pendings, impossible: l.impossible}
	for _, e := range l.inserts {
		if times[e.value] == 1 {
			o.inserts = append(o.inserts, e)
		}
	}
	for _, t := range l.takers {
		if t.value < 0 || times[t.value] == 1 {
			o.takers = append(o.takers, t)
		}
	}
	return o
}
