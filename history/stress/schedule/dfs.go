package schedule

import "math/bits"

// DFSOptions say which schedules a DFS goes through.
type DFSOptions struct {
	Preemptions int  // at most; -1: not bounded
	Delays      int  // at most; -1: not bounded
	Filter      bool // preempt only where another thread conflicts
	SleepSets   bool // one of each set of equivalent executions; needs both bounds to be -1
}

// A DFS goes through all schedules within its bounds, depth first.
type DFS struct {
	options DFSOptions
	nodes   []node
	at      int
	cost    int
}

type node struct {
	enabled, left uint64 // threads that can run; those to try
	current       int8
	first         int8 // what costs nothing
	chosen        int16
	cost          int16 // of the nodes above
	numbers       int16 // of a choice of the program: how many; 0 for threads
	free          bool
}

// NewDFS returns a DFS.
func NewDFS(o DFSOptions) *DFS { return &DFS{options: o} }

func (d *DFS) Begin() { d.at, d.cost = 0, 0 }

func (d *DFS) Pick(decision *Decision) int {
	if d.at < len(d.nodes) {
		n := &d.nodes[d.at]
		d.at++
		if n.numbers != 0 || n.enabled != decision.Enabled || int(n.current) != decision.Current {
			return MaxThreads // diverged
		}
		d.pay(n)
		return int(n.chosen)
	}
	first := decision.first()
	n := node{enabled: decision.Enabled, current: int8(decision.Current), first: int8(first), chosen: int16(first), free: decision.Free, cost: int16(d.cost)}
	if n.left = n.enabled &^ (1 << first); !n.free && d.options.Preemptions >= 0 && d.cost >= d.options.Preemptions {
		n.left = 0
	}
	d.nodes = append(d.nodes, n)
	d.at++
	return first
}

func (d *DFS) pay(n *node) {
	if !n.free && n.chosen != int16(n.first) {
		d.cost++
	}
}

func (d *DFS) Choose(n int) int {
	if d.at == len(d.nodes) {
		d.nodes = append(d.nodes, node{numbers: int16(n), cost: int16(d.cost)})
	}
	d.at++
	if x := &d.nodes[d.at-1]; int(x.numbers) == n {
		return int(x.chosen)
	}
	return -1 // diverged
}

func (d *DFS) Next(r *Result) bool {
	d.nodes = d.nodes[:min(d.at, len(d.nodes))]
	for len(d.nodes) > 0 {
		n := &d.nodes[len(d.nodes)-1]
		switch {
		case n.numbers > 0 && n.chosen+1 < n.numbers:
			n.chosen++
			return true
		case n.numbers == 0 && n.left != 0:
			n.chosen = int16(bits.TrailingZeros64(n.left))
			n.left &= n.left - 1
			return true
		}
		d.nodes = d.nodes[:len(d.nodes)-1]
	}
	return false
}
