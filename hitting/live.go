package hitting

import (
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// liveElements are the elements that are concurrent with another element. All other
// elements have the same place in every schedule, and delaying them changes nothing. So
// families are generated on the live elements only. They are numbered 0, 1, 2, ...
// in ascending order.
type liveElements struct {
	p        *poset.Poset
	elements []int32 // live number -> element
	chain    []int32 // live number -> chain
	order    []int32 // live numbers in the order of insertion
	fixed    []int32 // place in the schedule -> element, or -1 for a live one
	m        int32   // number of chains
	busy     []bool  // chain -> has live elements

	spend func(work int) (goOn bool) // see Family.spend
}

func newLiveElements(p *poset.Poset, chains []int32, spend func(work int) (goOn bool)) *liveElements {
	v := &liveElements{p: p, fixed: p.Order(), spend: spend}
	blocks := p.Blocks()
	var inOrder []int32
	for b := 0; b+1 < len(blocks); b++ {
		if blocks[b+1]-blocks[b] > 1 {
			inOrder = append(inOrder, v.fixed[blocks[b]:blocks[b+1]]...)
			for k := blocks[b]; k < blocks[b+1]; k++ {
				v.fixed[k] = -1
			}
		}
	}
	v.elements = slices.Clone(inOrder)
	slices.Sort(v.elements)
	v.order = inOrder
	for k, e := range inOrder {
		number, _ := slices.BinarySearch(v.elements, e)
		v.order[k] = int32(number)
	}
	for _, chain := range chains {
		v.m = max(v.m, chain+1)
	}
	v.busy = make([]bool, v.m)
	v.chain = make([]int32, len(v.elements))
	for k, e := range v.elements {
		v.chain[k] = chains[e]
		v.busy[chains[e]] = true
	}
	return v
}

// distinctChains returns the chains with live elements, and the first chain without: all
// chains without live elements give the same schedules.
func (v *liveElements) distinctChains() []int32 {
	var distinct []int32
	idle := false
	for chain := range v.m {
		if v.busy[chain] || !idle {
			distinct = append(distinct, chain)
			idle = idle || !v.busy[chain]
		}
	}
	return distinct
}

func (v *liveElements) less(i, j int32) bool { return v.p.Less(v.elements[i], v.elements[j]) }

// template returns a schedule that lacks only the live elements.
func (v *liveElements) template() []int32 { return slices.Clone(v.fixed) }

// fill puts the live elements into full, a result of template.
func (v *liveElements) fill(full, live []int32) {
	k := 0
	for place, e := range v.fixed {
		if e < 0 {
			full[place] = v.elements[live[k]]
			k++
		}
	}
}

func (v *liveElements) appendElements(dst, live []int32) []int32 {
	for _, i := range live {
		dst = append(dst, v.elements[i])
	}
	return dst
}

// appendTail appends to dst the live elements >= x, or all live elements if x < 0. Their
// order is the one that Algorithm 1 gives them when the chain is delayed: elements of
// the chain go to the end, any other element right after the last smaller one.
//
// All elements after the last smaller one are concurrent with the inserted one. So
// on interval orders an insertion costs O(c). On other posets it costs up to O(n), so
// long tails count as work. If the family is stopped, the tail is not complete.
func (v *liveElements) appendTail(dst []int32, chain, x int32) []int32 {
	from := len(dst)
	steps := 0
	for _, e := range v.order {
		if steps++; steps >= tailSteps {
			if !v.spend(meter.AskEvery) {
				return dst
			}
			steps = 0
		}
		if x >= 0 && e != x && !v.less(x, e) {
			continue
		}
		if v.chain[e] == chain {
			dst = append(dst, e)
			continue
		}
		at := len(dst)
		for at > from && !v.less(dst[at-1], e) {
			at--
		}
		steps += len(dst) - at
		dst = slices.Insert(dst, at, e)
	}
	return dst
}

// tailSteps is how many comparisons of a tail count as meter.AskEvery units. Most tails take
// fewer, and count nothing.
const tailSteps = 16 * meter.AskEvery
