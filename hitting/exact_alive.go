package hitting

// A position is a state after an order of a downset. It is alive if some order of
// the other elements gives the recorded results.
type position struct {
	downset
	state int32
}

const (
	positionBytes = 80      // in a list and in a map
	aliveAfter    = 1 << 12 // work of the sweep; most small histories need less
)

// findAlive finds the positions that are alive. It leaves them unknown if that takes
// more than half of the memory, or too much work: then most positions are beyond the
// limit of the sweep. Without them, the sweep also keeps states that some later result
// rules out.
func (x *sweep) findAlive(work int) {
	work += x.work
	levels := [][]position{{{downset{}, x.m.Start()}}}
	seen := map[position]bool{}
	count := int64(1)
	for k := range x.n {
		var next []position
		clear(seen)
		for _, from := range levels[k] {
			x.eachNext(from, func(to position) bool {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
				return true
			})
		}
		count += int64(len(next))
		if x.err != nil || x.work > work || x.opt.MaxBytes > 0 && x.tables+positionBytes*count > x.opt.MaxBytes/2 {
			return
		}
		levels = append(levels, next)
	}
	x.alive = map[position]bool{}
	for _, last := range levels[x.n] {
		x.alive[last] = true
	}
	for k := x.n - 1; k >= 0; k-- {
		for _, from := range levels[k] {
			x.eachNext(from, func(to position) bool {
				if x.alive[to] {
					x.alive[from] = true
				}
				return !x.alive[to]
			})
		}
		levels[k] = nil
	}
	x.tables += positionBytes * int64(len(x.alive))
}

// eachNext calls visit for the positions one element after from, until visit returns
// false.
func (x *sweep) eachNext(from position, visit func(to position) bool) {
	x.minimal = x.appendMinimal(x.minimal[:0], from.downset, x.cut(from.downset))
	if !x.spend(len(x.minimal)) {
		return
	}
	for _, e := range x.minimal {
		if t := x.m.Step(from.state, e); t >= 0 && !visit(position{x.with(from.downset, e), t}) {
			return
		}
	}
}
