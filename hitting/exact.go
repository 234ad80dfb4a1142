package hitting

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/poset"
)

// A Machine replays schedules step by step. States are small numbers.
type Machine interface {
	// Start returns the state before any operation.
	Start() int32
	// Step returns the state after the element in the given state, or -1 if the
	// object gives another result there than the recorded one.
	Step(state, element int32) int32
}

// ExactMax is the largest number of elements for which ExactDepth works; on
// interval orders, of elements that are pairwise concurrent.
const ExactMax = 64

// The errors of ExactDepth are bounds that were exceeded.
var (
	ErrOpen    = errors.New("hitting: more than 64 elements at once")
	ErrMemory  = errors.New("hitting: out of memory")
	ErrStopped = errors.New("hitting: stopped")
)

// ExactDepth returns the linearizability depth of Definition 4.2: the smallest
// d such that some d-tuple has only witnesses among the schedules that
// strongly hit it. It returns 0 if there is no such d, which is the case exactly if
// no schedule is a witness. Its errors are ErrOpen (see ExactMax), ErrMemory and
// ErrStopped. A unit of its work is a step from one state.
//
// The schedules that strongly hit (x_0, ..., x_{d-1}) have the form
// F x_0 S_0 x_1 S_1 ... x_{d-1} S_{d-1}, and each schedule of this form hits it. Here S_j
// has the elements above x_j and above no later x, F the elements above no x, and each
// part is in any order that the poset allows. (For y at or after x_i the definition
// requires y >= x_j, j >= i.) So a tuple is a path of downsets from F to the whole poset.
// Each step adds a part with a least element. All that matters about a path is the set of
// states in which its orders may end. Infeasible tuples can be ignored: a shorter tuple
// has the same schedules.
//
// The package comment describes the search on interval orders. On other posets it is
// breadth first over pairs of downset and set of states.
func ExactDepth(p *poset.Poset, machine Machine, opt Options) (int, error) {
	if machine == nil {
		panic("hitting: a nil Machine")
	}
	switch n := p.Len(); {
	case n == 0:
		return 0, nil
	case p.IsInterval():
		return exactOnIntervals(p, machine, opt)
	case n > ExactMax:
		return 0, ErrOpen
	}
	return exactInWord(p, machine, opt)
}

// exactInWord returns ExactDepth of a poset of at most ExactMax elements.
func exactInWord(p *poset.Poset, machine Machine, opt Options) (int, error) {
	x := newExact(p, machine, opt)
	frontier := x.grow(0, []int32{machine.Start()}, x.all, nil)
	for d := 1; len(frontier) > 0 && d <= p.Len() && x.err == nil; d++ {
		var next []partial
		for _, from := range frontier {
			next = x.extend(from, next)
			if len(next) > 0 && next[len(next)-1].set == x.all {
				return d, nil
			}
			if x.err != nil {
				return 0, x.err
			}
		}
		frontier = next
	}
	return 0, x.err
}

// A partial is a downset whose orders, along the paths considered, all give the
// recorded results; and the states in which they end, ascending.
type partial struct {
	set    uint64
	states []int32
}

type exact struct {
	m     Machine
	n     int
	all   uint64
	above []uint64 // bit j of above[i]: i < j
	below []uint64
	seen  map[string]bool
	bytes int64 // memory of seen, and about the memory of the partials found
	key   []byte
	opt   Options
	err   error // why the search stopped
}

func newExact(p *poset.Poset, machine Machine, opt Options) *exact {
	n := p.Len()
	x := &exact{m: machine, n: n, all: 1<<(n-1)<<1 - 1, opt: opt, seen: map[string]bool{}}
	x.above, x.below = make([]uint64, n), make([]uint64, n)
	for i := range int32(n) {
		for j := range int32(n) {
			if p.Less(i, j) {
				x.above[i] |= 1 << j
				x.below[j] |= 1 << i
			}
		}
	}
	return x
}

// extend appends to found the partials that add one more part to from: a least
// element, then some of the elements above it. If one of them is the whole poset, it is
// the last.
func (x *exact) extend(from partial, found []partial) []partial {
	for least := range x.n {
		if from.set>>least&1 != 0 || x.below[least]&^from.set != 0 {
			continue
		}
		states, ok := x.step(nil, from.states, least)
		if !ok {
			continue
		}
		found = x.grow(from.set|1<<least, states, x.above[least], found)
		if len(found) > 0 && found[len(found)-1].set == x.all {
			return found
		}
	}
	return found
}

// growing collects the states of a downset of the next layer.
type growing struct {
	states []int32
	ways   int // number of maximal elements that reached it
}

// grow appends to found the partials that begin with set in the given states and
// continue with elements of more, in every order. A downset counts only if each of
// its maximal elements outside set can be last, from every state.
func (x *exact) grow(set uint64, states []int32, more uint64, found []partial) []partial {
	base := set
	layer := []partial{{set, slices.Clone(states)}}
	for len(layer) > 0 {
		next := map[uint64]*growing{}
		var order []uint64
		for _, part := range layer {
			if x.isNew(part) {
				found = append(found, part)
			}
			for left := more &^ part.set; left != 0; left &= left - 1 {
				e := bits.TrailingZeros64(left)
				if x.below[e]&^part.set != 0 {
					continue
				}
				if !x.spend(len(part.states)) {
					return found
				}
				bigger := part.set | 1<<e
				g := next[bigger]
				if g == nil {
					g = &growing{}
					next[bigger] = g
					order = append(order, bigger)
				}
				var ok bool
				if g.states, ok = x.step(g.states, part.states, e); ok {
					g.ways++
				}
			}
		}
		layer = layer[:0]
		for _, bigger := range order {
			g := next[bigger]
			if g.ways == x.maximal(bigger, base) {
				slices.Sort(g.states)
				layer = append(layer, partial{bigger, slices.Compact(g.states)})
			}
		}
	}
	return found
}

// step appends the states after element e to dst. It returns false if e does not
// have its recorded result in one of the states.
func (x *exact) step(dst, states []int32, e int) ([]int32, bool) {
	for _, s := range states {
		t := x.m.Step(s, int32(e))
		if t < 0 {
			return dst, false
		}
		dst = append(dst, t)
	}
	slices.Sort(dst)
	return slices.Compact(dst), true
}

// maximal counts the maximal elements of set that are not in base.
func (x *exact) maximal(set, base uint64) int {
	count := 0
	for left := set &^ base; left != 0; left &= left - 1 {
		if x.above[bits.TrailingZeros64(left)]&set == 0 {
			count++
		}
	}
	return count
}

// isNew reports whether the partial was not found before, at this depth or a
// smaller one. The whole poset is always new: F alone may reach it, but a tuple has
// at least one element.
func (x *exact) isNew(part partial) bool {
	if part.set == x.all {
		return true
	}
	x.key = binary.LittleEndian.AppendUint64(x.key[:0], part.set)
	for _, s := range part.states {
		x.key = binary.AppendUvarint(x.key, uint64(s))
	}
	if x.seen[string(x.key)] {
		return false
	}
	x.seen[string(x.key)] = true
	x.bytes += stateSetBytes + 2*int64(len(x.key))
	return true
}

// spend counts work and reports whether to go on.
func (x *exact) spend(work int) bool {
	switch {
	case x.err != nil:
	case x.opt.Meter.MustStop(work):
		x.err = ErrStopped
	case x.opt.MaxBytes > 0 && x.bytes > x.opt.MaxBytes:
		x.err = ErrMemory
	}
	return x.err == nil
}
