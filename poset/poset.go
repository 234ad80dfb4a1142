package poset

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"sync"
)

// MaxGeneral is the largest number of elements of a poset that is kept as a
// relation. Such a poset takes n*n/8 bytes; interval orders take 8 n.
const MaxGeneral = 1 << 15

// ErrTooLarge is the error for a poset of more than MaxGeneral elements that is not
// an interval order.
var ErrTooLarge = errors.New("too many elements for a poset that is not an interval order")

// ErrStopped is the error for a poset that was stopped; see Extend.
var ErrStopped = errors.New("stopped before the end")

// A Poset is a strict partial order on the elements 0..n-1 (Definition 3.5 of
// the paper). It is immutable.
type Poset struct {
	n int
	// Interval orders: i < j iff ret[i] < call[j]; call is ascending.
	call, ret []int32
	// Other posets: bit j of row i is set iff i < j.
	above []uint64
	words int
	// order is the topological order that always takes the smallest element
	// whose predecessors have been taken; nil for 0..n-1.
	order  []int32
	starts []int // of other posets: see Blocks
	apart  int64 // concurrent pairs; for interval orders, once counted

	counting sync.Once
	level    int // of concurrency in an interval order

	mustStop func(work int) bool // see Extend; may be nil
	matching sync.Once
	matched  []int32 // minimum chains of a poset that is not an interval order
}

// Interval returns the interval order in which i < j iff ret[i] < call[j]. The
// positions in call must ascend strictly, and ret[i] > call[i]; Interval keeps
// both slices and panics if these conditions do not hold. O(n).
func Interval(call, ret []int32) *Poset {
	if len(call) != len(ret) {
		panic(fmt.Sprintf("poset: %d calls, but %d returns", len(call), len(ret)))
	}
	checkIntervals(call, ret, 0)
	return &Poset{n: len(call), call: call, ret: ret}
}

// Intervals returns the slices with which Interval made an interval order, or nil for other
// posets. The caller must not change them.
func (p *Poset) Intervals() (call, ret []int32) { return p.call, p.ret }

// checkIntervals panics unless the intervals from from on are in order.
func checkIntervals(call, ret []int32, from int) {
	for i := from; i < len(call); i++ {
		if ret[i] <= call[i] || i > from && call[i] <= call[i-1] {
			panic(fmt.Sprintf("poset: interval %d is out of order", i))
		}
	}
}

// An Edge means From < To.
type Edge struct{ From, To int32 }

// New returns the transitive closure of the edges on n elements. It returns an
// error if an edge names no element or the edges close a cycle, and ErrTooLarge
// if n exceeds MaxGeneral.
// O(n * edges / 64) time and n*n/8 bytes.
func New(n int, edges []Edge) (*Poset, error) {
	if err := checkEdges(n, edges); err != nil {
		return nil, err
	}
	return closure(n, n, edges, nil)
}

// Extend returns the order of the given intervals together with the edges,
// restricted to the first keep elements: the others only pass on order and are not
// elements of the poset. The first keep intervals must meet the
// conditions of Interval, and so must the rest; Extend panics if they do not,
// or if keep is out of range.
//
// If the result is not kept as an interval order, mustStop bounds the closure
// and later the matching of MinimumChains. It counts work and reports whether to stop;
// a unit of work is a word of a row. nil never stops. Extend returns the errors of New,
// and ErrStopped.
func Extend(call, ret []int32, edges []Edge, keep int, mustStop func(work int) bool) (*Poset, error) {
	n := len(call)
	if keep == n && len(edges) == 0 {
		return Interval(call, ret), nil
	}
	if len(ret) != n || keep < 0 || keep > n {
		panic(fmt.Sprintf("poset: %d calls, %d returns, %d elements to keep", n, len(ret), keep))
	}
	checkIntervals(call[:keep], ret, 0)
	checkIntervals(call, ret, keep)
	if err := checkEdges(n, edges); err != nil {
		return nil, err
	}
	// Helper node n+k means "not before the k-th call". It precedes the element of
	// that call and node n+k+1. An element precedes the node of the first call after
	// its return.
	byCall := make([]int32, n)
	for e := range byCall {
		byCall[e] = int32(e)
	}
	slices.SortFunc(byCall, func(i, j int32) int { return cmp.Compare(call[i], call[j]) })
	all := make([]Edge, 0, 3*n+len(edges))
	for k, e := range byCall {
		all = append(all, Edge{int32(n + k), e})
		if k+1 < n {
			all = append(all, Edge{int32(n + k), int32(n + k + 1)})
		}
		if after := sort.Search(n, func(l int) bool { return call[byCall[l]] > ret[e] }); after < n {
			all = append(all, Edge{e, int32(n + after)})
		}
	}
	return closure(2*n, keep, append(all, edges...), mustStop)
}

func checkEdges(n int, edges []Edge) error {
	for _, e := range edges {
		if min(e.From, e.To) < 0 || int(max(e.From, e.To)) >= n {
			return fmt.Errorf("poset: an edge from %d to %d, but %d elements", e.From, e.To, n)
		}
	}
	return nil
}

// closure computes the transitive closure over nodes nodes and keeps the
// order among the first keep of them.
func closure(nodes, keep int, edges []Edge, mustStop func(work int) bool) (*Poset, error) {
	if keep < 0 {
		return nil, fmt.Errorf("poset: %d elements", keep)
	}
	if keep > MaxGeneral {
		return nil, fmt.Errorf("poset: %w: %d, at most %d", ErrTooLarge, keep, MaxGeneral)
	}
	out := make([][]int32, nodes)
	for _, e := range edges {
		out[e.From] = append(out[e.From], e.To)
	}
	sorted := Topological(out)
	if len(sorted) < nodes {
		return nil, errors.New("poset: the edges close a cycle")
	}
	words := (keep + 63) / 64
	p := &Poset{n: keep, words: words, mustStop: mustStop, above: make([]uint64, keep*words)}
	rows := make([][]uint64, nodes)
	var spare []uint64 // for rows of nodes that are not kept; allocating all at once would take long
	for k := nodes - 1; k >= 0; k-- {
		v := int(sorted[k])
		var row []uint64
		if v < keep {
			row = p.above[v*words : (v+1)*words]
		} else {
			if len(spare) == 0 {
				spare = make([]uint64, words*min(rowsAtOnce, nodes-keep))
			}
			row, spare = spare[:words], spare[words:]
		}
		rows[v] = row
		for _, w := range out[v] {
			if int(w) < keep {
				if row[w/64]>>(w%64)&1 != 0 {
					continue // row already has all elements above w
				}
				row[w/64] |= 1 << (w % 64)
			}
			if p.isStopped(words) {
				return nil, ErrStopped
			}
			for i, bits := range rows[w] {
				row[i] |= bits
			}
		}
	}
	if !p.setOrder() {
		return nil, ErrStopped
	}
	return p, nil
}

// rowsAtOnce is the number of rows for which closure allocates memory at a time.
const rowsAtOnce = 64

// isStopped counts work and reports whether to stop.
func (p *Poset) isStopped(work int) bool { return p.mustStop != nil && p.mustStop(work) }

// Topological returns the nodes of a graph, given their successors, in a
// topological order, but not all of them if there is a cycle. It takes the nodes
// in the order in which their last predecessors are taken. O(nodes + edges).
func Topological(out [][]int32) []int32 {
	waits := make([]int32, len(out))
	for _, successors := range out {
		for _, w := range successors {
			waits[w]++
		}
	}
	sorted := make([]int32, 0, len(out))
	for v := range waits {
		if waits[v] == 0 {
			sorted = append(sorted, int32(v))
		}
	}
	for k := 0; k < len(sorted); k++ {
		for _, w := range out[sorted[k]] {
			if waits[w]--; waits[w] == 0 {
				sorted = append(sorted, w)
			}
		}
	}
	return sorted
}

// setOrder sets p.order, p.starts and p.apart. It reports false if it was stopped.
func (p *Poset) setOrder() bool {
	waits := make([]int32, p.n)
	surplus := make([]int32, p.n) // see setBlocks
	p.apart = int64(p.n) * int64(p.n-1) / 2
	identity := true
	for i := range p.n {
		above := p.eachAbove(i, func(j int) {
			waits[j]++
			identity = identity && i < j
		})
		surplus[i] = int32(above)
		p.apart -= int64(above)
		if p.isStopped(p.words + above) {
			return false
		}
	}
	for i, below := range waits {
		surplus[i] -= below
	}
	if !identity && !p.sort(waits) {
		return false
	}
	p.setBlocks(surplus)
	return true
}

// sort sets p.order, given the number of elements below each element, which it changes.
// It reports false if it was stopped.
func (p *Poset) sort(waits []int32) bool {
	var ready intHeap
	for i := range p.n {
		if waits[i] == 0 {
			ready.push(int32(i))
		}
	}
	order := make([]int32, 0, p.n)
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, i)
		if p.isStopped(p.words + p.eachAbove(int(i), func(j int) {
			if waits[j]--; waits[j] == 0 {
				ready.push(int32(j))
			}
		})) {
			return false
		}
	}
	p.order = order
	return true
}

// eachAbove calls f with every element above i, ascending, and returns their
// number. General posets only.
func (p *Poset) eachAbove(i int, f func(j int)) int {
	above := 0
	for w, word := range p.above[i*p.words : (i+1)*p.words] {
		above += bits.OnesCount64(word)
		for ; word != 0; word &= word - 1 {
			f(64*w + bits.TrailingZeros64(word))
		}
	}
	return above
}

// Len returns the number of elements.
func (p *Poset) Len() int {
	if p == nil {
		panic("poset: nil Poset")
	}
	return p.n
}

// IsInterval reports whether p is kept as an interval order. (New and Extend may
// return an interval order that is not kept as one.)
func (p *Poset) IsInterval() bool { return p.above == nil }

// Less reports whether i < j in the poset. O(1). The caller must pass elements of
// p: Less is the innermost step of most algorithms and does not check them.
func (p *Poset) Less(i, j int32) bool {
	if p.above == nil {
		return p.ret[i] < p.call[j]
	}
	return p.above[int(i)*p.words+int(j>>6)]>>(j&63)&1 != 0
}

// Concurrent reports whether i and j are different and incomparable. Like Less,
// it does not check that they are elements.
func (p *Poset) Concurrent(i, j int32) bool {
	return i != j && !p.Less(i, j) && !p.Less(j, i)
}

// Order returns the topological order in which elements are inserted into
// schedules: the next one is always the smallest element whose predecessors have been
// inserted (for a history, the order of invocations). The caller owns the result. O(n).
func (p *Poset) Order() []int32 {
	order := make([]int32, p.n)
	if p.order != nil {
		copy(order, p.order)
		return order
	}
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// IsSchedule reports whether s is a linear extension of p: it has every element
// once, and none before a smaller one (Definition 3.7). O(n) for interval orders,
// O(n * n / 64) otherwise.
func (p *Poset) IsSchedule(s []int32) bool {
	if len(s) != p.n {
		return false
	}
	seen := make([]uint64, (p.n+63)/64)
	latest := int32(-1) // interval orders: largest call so far
	for _, i := range s {
		if i < 0 || int(i) >= p.n || seen[i>>6]>>(i&63)&1 != 0 {
			return false
		}
		if p.above == nil {
			if p.ret[i] < latest {
				return false
			}
			latest = max(latest, p.call[i])
		} else {
			for w, word := range p.above[int(i)*p.words : (int(i)+1)*p.words] {
				if word&seen[w] != 0 {
					return false
				}
			}
		}
		seen[i>>6] |= 1 << (i & 63)
	}
	return true
}
