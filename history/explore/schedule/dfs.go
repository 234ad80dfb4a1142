package schedule

import "math/bits"

// DFSOptions say which schedules a DFS visits.
type DFSOptions struct {
	// Bound bounds the preemptions: the switches from a thread that could go on, where no
	// invocation begins, and how often a thread that polls does not wait. If it is -1, a DFS
	// visits all schedules once, except that a thread that polls waits.
	Bound int
	// Delays makes it a bound of how often the scheduler passes over a thread. The order
	// is the current thread, then those after it, in a circle, and one that polls last. A tick
	// is one delay. Where a thread ends, blocks or begins an invocation, going on with one
	// that begins an invocation costs nothing.
	Delays bool
	// Filter preempts only where another thread conflicts; see the package's documentation.
	Filter bool
}

// A DFS visits the schedules within a bound depth first, for the bounds 0, 1, ... up to the
// last one. The schedules of a bound include those of the bounds before it. [DPOR] needs
// fewer if nothing is bounded.
type DFS struct {
	options  DFSOptions
	bound    int
	leftOut  bool // the bound left schedules out
	withheld bool // see Result; or Reused
	complete int
	nodes    []node
	at       int
	cost     int
	conflict conflicts
}

// A node is a decision of the execution.
type node struct {
	enabled  uint64
	before   uint64 // the fingerprint of the steps before it
	begins   uint64 // threads of the program that are before an invocation
	cost     int32  // of the nodes above
	chosen   int16
	numbers  int16 // of a choice of the program: how many; 0 of threads
	current  int8
	polls    int8 // see Decision; its rank is the last one
	tick     int8 // see Decision; it comes after the other enabled threads
	rank     int8 // of chosen, among the enabled threads
	free     bool
	relevant bool // a preemption here may matter
}

// NewDFS returns a DFS.
func NewDFS(o DFSOptions) *DFS { return &DFS{options: o, complete: -1, bound: min(o.Bound, 0)} }

// Bound returns the present bound, or -1 if there is none.
func (d *DFS) Bound() int { return d.bound }

// Complete returns the largest bound whose schedules all were executed, or -1. That is 0 at most
// if a goroutine was withheld, or a number reused.
func (d *DFS) Complete() int {
	if d.withheld {
		return min(d.complete, 0)
	}
	return d.complete
}

// Exhausted reports, after Next returned false, whether no schedule was left out for the bounds.
func (d *DFS) Exhausted() bool { return !d.leftOut && !d.withheld }

func (d *DFS) Begin() { d.at, d.cost = 0, 0 }

func (d *DFS) Pick(decision *Decision) int {
	if d.at == len(d.nodes) {
		d.nodes = append(d.nodes, node{
			enabled: decision.Enabled, before: decision.Before, current: int8(decision.Current), polls: int8(decision.Polls), tick: int8(decision.Tick), free: decision.Free, relevant: !d.options.Filter,
			cost: int32(d.cost), chosen: int16(decision.first()),
		})
		if d.options.Delays {
			n := &d.nodes[d.at]
			for m := n.enabled &^ decision.Daemons; m != 0; m &= m - 1 {
				if t := bits.TrailingZeros64(m); decision.Pending(t).Kind == Begin {
					n.begins |= 1 << t
				}
			}
		}
	}
	n := &d.nodes[d.at]
	if d.at++; n.numbers != 0 || n.enabled != decision.Enabled || n.before != decision.Before {
		return MaxThreads // diverged
	}
	d.cost += d.price(n, int(n.rank))
	return int(n.chosen)
}

// ranks returns how many threads can be chosen.
func (n *node) ranks() int {
	if n.polls >= 0 {
		return bits.OnesCount64(n.enabled) + 1
	}
	return bits.OnesCount64(n.enabled)
}

// ticks reports whether the thread of a rank sleeps.
func (n *node) ticks(rank int) bool { return n.tick >= 0 && rank == bits.OnesCount64(n.enabled)-1 }

// order returns the thread of a rank: the current one is first, the rest
// follow in a circle, then one that sleeps, and one that polls is last.
func (n *node) order(rank int) int {
	working := n.enabled
	switch {
	case rank == bits.OnesCount64(n.enabled):
		return int(n.polls)
	case n.ticks(rank):
		return int(n.tick)
	case n.tick >= 0:
		working &^= 1 << n.tick
	}
	from := max(n.current, 0)
	rotated := bits.RotateLeft64(working, -int(from))
	for range rank {
		rotated &= rotated - 1
	}
	return (bits.TrailingZeros64(rotated) + int(from)) & 63
}

// price returns what the thread of a rank costs at a node.
func (d *DFS) price(n *node, rank int) int {
	preempts := !n.free || rank == bits.OnesCount64(n.enabled)
	switch {
	case rank == 0, !preempts && (!d.options.Delays || n.begins>>n.order(rank)&1 != 0):
		return 0
	case !d.options.Delays, n.ticks(rank):
		return 1
	}
	return rank
}

func (d *DFS) Choose(n int) int {
	if d.at == len(d.nodes) {
		d.nodes = append(d.nodes, node{numbers: int16(n)})
	}
	d.at++
	if x := &d.nodes[d.at-1]; int(x.numbers) == n {
		return int(x.chosen)
	}
	return -1 // diverged
}

// left reports whether decisions are left that the execution was to repeat.
func (d *DFS) left() bool { return d.at < len(d.nodes) }

func (d *DFS) Next(r *Result) bool {
	d.nodes = d.nodes[:min(d.at, len(d.nodes))]
	d.withheld = d.withheld || r.Withheld || r.Reused
	if d.options.Filter {
		d.mark(r)
	}
	for len(d.nodes) > 0 {
		if d.advance(&d.nodes[len(d.nodes)-1]) {
			return true
		}
		d.nodes = d.nodes[:len(d.nodes)-1]
	}
	d.complete = d.bound
	if d.bound < 0 || !d.leftOut || d.bound == d.options.Bound {
		return false
	}
	d.bound++
	d.leftOut = false
	return true
}

// advance sets the next choice of a node, if there is one within the bounds.
func (d *DFS) advance(n *node) bool {
	if n.numbers > 0 {
		n.chosen++
		return n.chosen < n.numbers
	}
	for n.rank++; int(n.rank) < n.ranks(); n.rank++ {
		if !n.free && !n.relevant {
			return false
		}
		if d.bound < 0 && int(n.rank) == bits.OnesCount64(n.enabled) || // it might poll forever
			d.bound >= 0 && int(n.cost)+d.price(n, int(n.rank)) > d.bound {
			d.leftOut = true
			continue
		}
		n.chosen = int16(n.order(int(n.rank)))
		return true
	}
	return false
}

// mark finds the nodes before accesses that conflict with those of another thread.
func (d *DFS) mark(r *Result) {
	d.conflict.collect(r)
	var before [MaxThreads]*node // of the last step of each thread, if going on elsewhere was a preemption
	for i := r.From; i < r.To; i++ {
		a := &r.Trace[i]
		if a.Flags&Follows == 0 { // otherwise it belongs to the step before
			before[a.Thread] = nil
		}
		if a.Node >= 0 && int(a.Node) < len(d.nodes) {
			if n := &d.nodes[a.Node]; int16(a.Thread) == n.chosen && a.Thread == n.current {
				before[a.Thread] = n
			}
		}
		if n := before[a.Thread]; n != nil && !n.relevant {
			n.relevant = d.conflict.with(a)
		}
	}
}

// A conflicts is the set of the locations of a trace and who used them.
type conflicts struct {
	table []location
	run   uint64 // the number of the trace: locations of others are empty
	used  uint64 // threads that took any step
	wild  uint64 // threads that took a step that conflicts with all
}

type location struct {
	addr             uintptr
	run              uint64
	readers, writers uint64
}

func (c *conflicts) collect(r *Result) {
	trace := r.Trace[r.From:r.To]
	if n := len(trace) + len(r.Pending) + 1; len(c.table) < 2*n+2 {
		c.table, c.run = make([]location, 1<<bits.Len(uint(4*n+64))), 0
	}
	c.run++
	c.used, c.wild = 0, 0
	for i := range trace {
		c.add(&trace[i])
	}
	for i := range r.Pending {
		c.add(&r.Pending[i])
	}
}

func (c *conflicts) add(a *Access) {
	bit := uint64(1) << a.Thread
	c.used |= bit
	if a.Flags&Clock != 0 {
		c.at(clockAddress).writers |= bit
	}
	switch {
	case a.Flags&Global != 0:
		c.wild |= bit
	case a.Kind == Write:
		c.at(a.Addr).writers |= bit
	case a.Kind == Read:
		c.at(a.Addr).readers |= bit
	}
}

// with reports whether another thread took a step that conflicts with a.
func (c *conflicts) with(a *Access) bool {
	others := c.wild
	if a.Flags&Global != 0 {
		others = c.used
	} else if a.Kind <= Write {
		l := c.at(a.Addr)
		if others |= l.writers; a.Kind == Write {
			others |= l.readers
		}
	}
	if a.Flags&Clock != 0 {
		others |= c.at(clockAddress).writers
	}
	return others&^(1<<a.Thread) != 0
}

// clockAddress stands for the clock in a table of conflicts. Nothing has that address.
const clockAddress = 1

func (c *conflicts) at(addr uintptr) *location {
	mask := uint64(len(c.table) - 1)
	for h := uint64(addr) * 0x9e3779b97f4a7c15 >> 32; ; h++ {
		l := &c.table[h&mask]
		if l.run != c.run {
			*l = location{addr: addr, run: c.run}
			return l
		}
		if l.addr == addr {
			return l
		}
	}
}
