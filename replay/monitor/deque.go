package monitor

// deque decides a deque that is used as a stack, at one end only, or as a queue,
// filled at one end and emptied and read at the other.
func (p *problem) deque() finding {
	var inserted, taken [2]bool // at the back, at the front
	end := func(op int32) int {
		if p.front[op] {
			return 1
		}
		return 0
	}
	for i := range p.count() {
		v := int32(i)
		e := &p.values[v]
		if e.insert != none {
			inserted[end(e.insert)] = true
		}
		if e.remove != none {
			taken[end(e.remove)] = true
		}
		for _, op := range p.looksOf(v) {
			taken[end(op)] = true
		}
	}
	one := [2]bool{true, false}
	other := [2]bool{false, true}
	idle := [2]bool{}
	switch {
	case len(p.pendingRemovals) > 0: // of either end
		return finding{declined: "pending removals"}
	case (inserted == one || inserted == idle) && (taken == one || taken == idle),
		(inserted == other || inserted == idle) && (taken == other || taken == idle):
		return p.stack()
	case inserted == one && taken == other, inserted == other && taken == one:
		return p.queue()
	}
	return finding{declined: "a deque used at both ends"}
}
