package monitor

// A cluster is what counts of a value in a register: the first response and
// the last invocation of the operations that write and read it. If first is
// before last, the register holds the value at least from the one to the
// other; else it need not hold it for longer than a moment in between.
type cluster struct{ first, last int32 }

// begin is where the cluster begins, or can begin at the latest.
func (c cluster) begin() int32 { return min(c.first, c.last) }

// register decides histories of a register; see the package documentation.
// Clusters are taken in the order of their beginnings. One that has to come
// before another that was taken before is in conflict with it. A pending write
// of a value that nobody read has to come before nothing.
func (p *problem) register() finding {
	clusters := make([]cluster, p.count())
	byBegin := make([]int32, p.end) // position -> value whose cluster begins there, +1
	for v := range int32(p.count()) {
		if conflict := p.disorder(v); conflict != nil {
			return finding{conflict: conflict}
		}
		c := p.cluster(v)
		clusters[v] = c
		byBegin[c.begin()] = v + 1
	}
	order := append(make([]int32, 0, len(p.call)), p.nothing...)
	held, until := int32(none), int32(none) // the value that is held for longest, and its last invocation
	if n := len(p.nothing); n > 0 {
		until = p.call[p.nothing[n-1]]
	}
	for _, v := range byBegin {
		v--
		if v < 0 {
			continue
		}
		if clusters[v].first < until {
			return finding{conflict: append(p.extent(held), p.extent(v)...)}
		}
		if clusters[v].last > until {
			held, until = v, clusters[v].last
		}
		order = append(append(order, p.values[v].insert), p.looksOf(v)...)
	}
	return finding{order: order}
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

// extent returns the operations that make the cluster of a value. There is
// none for the initial value: of that, it is the last read.
func (p *problem) extent(v int32) []int32 {
	if v == none {
		return p.nothing[len(p.nothing)-1:]
	}
	write, looks := p.values[v].insert, p.looksOf(v)
	if len(looks) == 0 {
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
