package monitor

import "math"

// A coverTree counts for each gap the values that cover it, and tells which
// it is as soon as there is only one. Gaps of which it was told are out.
//
// It is a segment tree in which what was added to all gaps below a node stays
// at the node. Beside the count goes the sum, by exclusive or, of the values.
type coverTree struct {
	base  int32 // node base+g is gap g; node 1 is the root
	nodes []coverNode
	sole  []soleCover // what the last removal found

	from, to, value int32 // the removal
}

type coverNode struct {
	low   int32 // the least count below the node, without what lies above it
	count int32 // added to all gaps below
	value int32 // added to all gaps below
}

// A soleCover says that a gap is covered by one value alone.
type soleCover struct{ gap, value int32 }

// gone is the count of gaps that are out.
const gone = math.MaxInt32 / 2

// newCoverTree makes the tree of gaps with their counts and sums of values.
// Those that fewer than two values cover are out from the beginning.
func newCoverTree(count, value []int32) *coverTree {
	base := int32(1)
	for int(base) < len(count) {
		base *= 2
	}
	t := &coverTree{base: base, nodes: make([]coverNode, 2*base)}
	for g := range base {
		leaf := &t.nodes[base+g]
		if leaf.low = gone; int(g) < len(count) && count[g] > 1 {
			*leaf = coverNode{low: count[g], value: value[g]}
		}
	}
	for i := base - 1; i > 0; i-- {
		t.nodes[i].low = min(t.nodes[2*i].low, t.nodes[2*i+1].low)
	}
	return t
}

// remove takes away the cover of gaps from to to by value, and lists in sole
// the gaps that have a sole cover now.
func (t *coverTree) remove(value, from, to int32) {
	t.sole = t.sole[:0]
	if from <= to {
		t.from, t.to, t.value = from, to, value
		t.take(1, 0, t.base-1, 0, 0)
	}
}

// take is remove at node i, below which are the gaps lo to hi. count and
// value were added to all of them above it.
func (t *coverTree) take(i, lo, hi, count, value int32) {
	node := &t.nodes[i]
	if t.from <= lo && hi <= t.to {
		node.low--
		node.count--
		node.value ^= t.value
		if node.low+count == 1 {
			t.report(i, count, value)
		}
		return
	}
	count, value = count+node.count, value^node.value
	mid := (lo + hi) / 2
	if t.from <= mid {
		t.take(2*i, lo, mid, count, value)
	}
	if t.to > mid {
		t.take(2*i+1, mid+1, hi, count, value)
	}
	node.low = node.count + min(t.nodes[2*i].low, t.nodes[2*i+1].low)
}

// report lists the gaps below node i with a count of one. There are some.
func (t *coverTree) report(i, count, value int32) {
	node := &t.nodes[i]
	if i >= t.base {
		t.sole = append(t.sole, soleCover{i - t.base, value ^ node.value})
		node.low = gone
		return
	}
	count, value = count+node.count, value^node.value
	for child := 2 * i; child <= 2*i+1; child++ {
		if t.nodes[child].low+count == 1 {
			t.report(child, count, value)
		}
	}
	node.low = node.count + min(t.nodes[2*i].low, t.nodes[2*i+1].low)
}
