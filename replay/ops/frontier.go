package ops

import (
	"cmp"
	"math/bits"
	"slices"
)

// An Interval has the positions of the invocation and the response of an operation.
type Interval struct{ Call, Return int32 }

// A Frontier moves along the responses of intervals. At each, it knows which intervals are
// open: invoked before that response, and not returned before it. The response at which it
// stands is due. Each open interval has a slot below 64, so a set of them is a mask.
type Frontier struct {
	Order    []int32 // due -> the interval that returns there
	Due      int32
	Occupant []int32 // slot -> open interval, or None
	Slot     []int32 // interval -> its slot
	byCall   []int32 // intervals by invocation
	called   []int32 // due -> how many of byCall were invoked before it
}

// NewFrontier returns the frontier at the first response. Intervals are numbered as in the
// list. It returns nil if more than 64 are open at once. O(n log n) for n intervals.
func NewFrontier(list []Interval) *Frontier {
	f := &Frontier{Slot: make([]int32, len(list)), Order: Indices(len(list)), byCall: Indices(len(list)), called: make([]int32, len(list))}
	slices.SortFunc(f.byCall, func(a, b int32) int { return cmp.Compare(list[a].Call, list[b].Call) })
	slices.SortStableFunc(f.Order, func(a, b int32) int { return cmp.Compare(list[a].Return, list[b].Return) })
	free, next, slots := ^uint64(0), 0, 0
	for due, i := range f.Order {
		for ; next < len(list) && list[f.byCall[next]].Call < list[i].Return; next++ {
			if free == 0 {
				return nil
			}
			slot := bits.TrailingZeros64(free)
			free &^= 1 << slot
			f.Slot[f.byCall[next]] = int32(slot)
			slots = max(slots, slot+1)
		}
		f.called[due] = int32(next)
		free |= 1 << f.Slot[i]
	}
	f.Occupant = slices.Repeat([]int32{None}, slots)
	if len(list) > 0 {
		f.open(0, f.called[0])
	}
	return f
}

func (f *Frontier) open(from, to int32) {
	for _, i := range f.byCall[from:to] {
		f.Occupant[f.Slot[i]] = i
	}
}

// AtEnd reports whether no response is left.
func (f *Frontier) AtEnd() bool { return int(f.Due) == len(f.Order) }

// Advance moves past the due response.
func (f *Frontier) Advance() {
	f.Occupant[f.Slot[f.Order[f.Due]]] = None
	if f.Due++; !f.AtEnd() {
		f.open(f.called[f.Due-1], f.called[f.Due])
	}
}

// Retreat moves back to a response.
func (f *Frontier) Retreat(due int32) {
	for f.Due > due {
		if !f.AtEnd() {
			for _, i := range f.byCall[f.called[f.Due-1]:f.called[f.Due]] {
				f.Occupant[f.Slot[i]] = None
			}
		}
		f.Due--
		i := f.Order[f.Due]
		f.Occupant[f.Slot[i]] = i
	}
}
