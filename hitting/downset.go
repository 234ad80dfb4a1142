package hitting

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

	"github.com/leadline/leadline/poset"
)

// A downset of an interval order has the elements before next, except the held ones.
// Element next-1 is in it. Each element has a slot, which no other element has while
// both are open.
type downset struct {
	next int32
	held uint64 // slots of the held elements
}

// intervals has the tables of an interval order that downsets need. Elements are in the
// order of their calls.
type intervals struct {
	n     int32
	after []int32  // element -> the first element above it, or n
	slot  []uint8  // element -> its slot
	width int32    // number of slots
	last  []int32  // next*width + slot -> the last element before next in that slot
	open  []uint64 // next -> slots of elements before next that element next-1 is not above

	tables int64 // size of the tables in bytes
}

// newIntervals returns ErrOpen if more than ExactMax elements are open at once, and
// ErrMemory if the tables take more than maxBytes.
func newIntervals(p *poset.Poset, maxBytes int64) (*intervals, error) {
	n := p.Len()
	v := &intervals{n: int32(n), after: make([]int32, n), slot: make([]uint8, n), open: make([]uint64, n+1)}
	var owner [ExactMax]int32 // element of the slot, while it is taken
	taken := uint64(0)
	for e := range int32(n) {
		v.after[e] = e + 1 + int32(sort.Search(n-int(e)-1, func(k int) bool { return p.Less(e, e+1+int32(k)) }))
		for left := taken; left != 0; left &= left - 1 {
			if s := bits.TrailingZeros64(left); v.after[owner[s]] <= e {
				taken &^= 1 << s
			}
		}
		s := bits.TrailingZeros64(^taken)
		if s >= ExactMax {
			return nil, ErrOpen
		}
		owner[s], v.slot[e] = e, uint8(s)
		taken |= 1 << s
		v.open[e+1] = taken
		v.width = max(v.width, int32(s)+1)
	}
	v.tables = int64(n+1) * int64(4*v.width+13)
	if maxBytes > 0 && v.tables > maxBytes {
		return nil, ErrMemory
	}
	width := int(v.width)
	v.last = make([]int32, (n+1)*width)
	for e := range int32(n) {
		row := v.last[int(e+1)*width : int(e+2)*width]
		copy(row, v.last[int(e)*width:])
		row[v.slot[e]] = e
	}
	return v, nil
}

// element returns the element in the slot at next.
func (v *intervals) element(next int32, slot int) int32 { return v.last[int(next)*int(v.width)+slot] }

// cut returns the first element that is above some element outside set. The minimal
// elements outside set are the held ones and those from set.next up to the cut.
func (v *intervals) cut(set downset) int32 {
	cut := v.n
	for left := set.held; left != 0; left &= left - 1 {
		cut = min(cut, v.after[v.element(set.next, bits.TrailingZeros64(left))])
	}
	for e := set.next; e < cut; e++ {
		cut = min(cut, v.after[e])
	}
	return cut
}

// appendMinimal appends to dst the minimal elements outside set.
func (v *intervals) appendMinimal(dst []int32, set downset, cut int32) []int32 {
	for left := set.held; left != 0; left &= left - 1 {
		dst = append(dst, v.element(set.next, bits.TrailingZeros64(left)))
	}
	for e := set.next; e < cut; e++ {
		dst = append(dst, e)
	}
	return dst
}

// with returns set with e added, a minimal element outside set.
func (v *intervals) with(set downset, e int32) downset {
	if e < set.next {
		set.held &^= 1 << v.slot[e]
		return set
	}
	for ; set.next < e; set.next++ {
		set.held |= 1 << v.slot[set.next]
	}
	set.next++
	return set
}

// maximal counts the maximal elements of set from first on.
func (v *intervals) maximal(set downset, first int32) int {
	count := 0
	for left := v.open[set.next] &^ set.held; left != 0; left &= left - 1 {
		if v.element(set.next, bits.TrailingZeros64(left)) >= first {
			count++
		}
	}
	return count
}

// A stateSet is a set of states: one state, or a number below 0 that identifies a larger
// set in stateSets.
type stateSet int32

// stateSets interns the sets of more than one state.
type stateSets struct {
	list  [][]int32 // ascending
	index map[string]stateSet
	key   []byte
	bytes int64
}

func newStateSets() stateSets { return stateSets{index: map[string]stateSet{}} }

// intern returns the set of the given states, which it sorts. It keeps a copy.
func (t *stateSets) intern(states []int32) stateSet {
	slices.Sort(states)
	states = slices.Compact(states)
	if len(states) == 1 {
		return stateSet(states[0])
	}
	t.key = t.key[:0]
	for _, s := range states {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(s))
	}
	id, ok := t.index[string(t.key)]
	if !ok {
		id = -1 - stateSet(len(t.list))
		t.index[string(t.key)] = id
		t.list = append(t.list, slices.Clone(states))
		t.bytes += stateSetBytes + 8*int64(len(states))
	}
	return id
}

// appendTo appends the states of the set to dst.
func (t *stateSets) appendTo(dst []int32, set stateSet) []int32 {
	if set >= 0 {
		return append(dst, int32(set))
	}
	return append(dst, t.list[-1-set]...)
}

// contains reports whether each state of small is in large.
func (t *stateSets) contains(large, small stateSet) bool {
	switch {
	case large == small:
		return true
	case large >= 0:
		return false
	case small >= 0:
		_, ok := slices.BinarySearch(t.list[-1-large], int32(small))
		return ok
	}
	l := t.list[-1-large]
	for _, s := range t.list[-1-small] {
		k, ok := slices.BinarySearch(l, s)
		if !ok {
			return false
		}
		l = l[k:]
	}
	return true
}
