package monitor

// A cluster has the first response and the last invocation of the operations that
// write and read a value of a register. If first is before last, the register
// holds the value at least from first to last; otherwise a moment between last and
// first is enough.
type cluster struct{ first, last int32 }

// begin is where the cluster begins, or the latest point where it can begin.
func (c cluster) begin() int32 { return min(c.first, c.last) }

// register decides histories of a register, or of a map as one register for
// each key; see the package documentation. It takes the clusters in the order of
// their beginnings. A cluster that has to come before one that was taken earlier
// is in conflict with it. A pending write of a value that no operation read does not have
// to come before any other.
//
// The operations on one key take effect in that order, each as early as possible
// after the one before it. Their slots give one order of the operations on all
// keys.
func (p *problem) register() finding {
	clusters := make([]cluster, p.initials)
	byBegin := make([]int32, p.end) // position -> value whose cluster begins there, +1
	for v := range p.initials {
		if p.meter.MustStop(1) {
			return finding{}
		}
		if conflict := p.disorder(v); conflict != nil {
			return finding{conflict: conflict}
		}
		clusters[v] = p.cluster(v)
		byBegin[clusters[v].begin()] = v + 1
	}
	t := slotList{problem: p, cells: make([]cell, int32(p.count())-p.initials)}
	t.ops, t.slots = make([]int32, 0, len(p.call)), make([]int32, 0, len(p.call))
	for k := range t.cells {
		v := p.initials + int32(k)
		t.cells[k] = cell{held: v, until: none}
		if looks := p.looksOf(v); len(looks) > 0 {
			t.cells[k].until = p.call[looks[len(looks)-1]]
		}
		t.record(v)
	}
	for _, v := range byBegin {
		if p.meter.MustStop(1) {
			return finding{}
		}
		v--
		if v < 0 {
			continue
		}
		c := &t.cells[p.keyOf(v)]
		if clusters[v].first < c.until {
			return finding{conflict: append(p.extent(c.held), p.extent(v)...)}
		}
		if clusters[v].last > c.until {
			c.held, c.until = v, clusters[v].last
		}
		t.record(v)
	}
	return finding{order: p.bySlot(t.ops, t.slots)}
}

// A cell is a register, or one key of a map.
type cell struct {
	held, until int32 // the value that is held longest, and its last invocation
	slot        int32 // the slot of the last operation
}

// A slotList lists operations with their slots.
type slotList struct {
	*problem
	cells      []cell
	ops, slots []int32
}

// record appends the operations on a value.
func (t *slotList) record(v int32) {
	c := &t.cells[t.keyOf(v)]
	place := func(op int32) {
		c.slot = max(c.slot, t.call[op]+1)
		t.ops, t.slots = append(t.ops, op), append(t.slots, c.slot)
	}
	if write := t.values[v].insert; write != none {
		place(write)
	}
	for _, op := range t.looksOf(v) {
		place(op)
	}
}

func (p *problem) keyOf(v int32) int32 {
	if p.key == nil {
		return 0
	}
	return p.key[v]
}

func (p *problem) cluster(v int32) cluster {
	write := p.values[v].insert
	c := cluster{p.ret[write], p.call[write]}
	for _, op := range p.looksOf(v) {
		c.first = min(c.first, p.ret[op])
		c.last = max(c.last, p.call[op])
	}
	return c
}

// extent returns the operations that determine the cluster of a value. For the
// initial value, that is its last read.
func (p *problem) extent(v int32) []int32 {
	write, looks := p.values[v].insert, p.looksOf(v)
	switch {
	case write == none:
		return looks[len(looks)-1:]
	case len(looks) == 0:
		return []int32{write}
	}
	first := looks[0]
	for _, op := range looks {
		if p.ret[op] < p.ret[first] {
			first = op
		}
	}
	return []int32{write, first, looks[len(looks)-1]}
}
