package window

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// weaveSizes inserts the operations that count into a witness of the other operations of a
// queue or a stack; see weave. It returns nil if one of them does not fit in any place.
func weaveSizes(h *history.History, columns *ops.Columns, order []int32, sizes []sized) []int32 {
	held := make([]int32, len(order)+1) // number of values before each operation
	for k, op := range order {
		held[k+1] = held[k]
		switch o := &h.Ops[op]; columns.Role[op] {
		case replay.Insert:
			held[k+1]++
		case replay.Remove:
			if !o.Pending() || held[k] > 0 { // a pending removal may find nothing
				held[k+1]--
			}
		}
	}
	return weave(h, order, sizes, func(i int, place int32) bool {
		size := sizes[i].size
		return size == held[place] || size < 0 && held[place] > 0
	})
}

// weave inserts reads, which are sorted by invocation, into a witness of the other
// operations. It returns nil if one of them does not fit in any place.
//
// A read may go into a place where fits returns true, after all operations that returned
// before its invocation and before all operations that were invoked after its response. It
// takes the first such place, so that it does not hinder later reads. The cost is O(n log
// n), plus one step for each place that a read tries in vain.
func weave(h *history.History, order []int32, sizes []sized, fits func(i int, place int32) bool) []int32 {
	first, last := bounds(h, order, sizes)
	places := make([]int32, len(sizes))
	byReturn := indices(len(sizes))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(sizes[a].ret, sizes[b].ret) })
	reached, next := int32(0), 0 // the latest place of the reads that have returned
	for i := range sizes {
		s := &sizes[i]
		for ; sizes[byReturn[next]].ret < s.call; next++ {
			reached = max(reached, places[byReturn[next]])
		}
		place := max(first[i], reached)
		for place <= last[i] && !fits(i, place) {
			place++
		}
		if place > last[i] {
			return nil
		}
		places[i] = place
	}
	return merge(order, sizes, places)
}

// bounds returns, for each read, the first and the last place that real time allows it
// among the other operations.
func bounds(h *history.History, order []int32, sizes []sized) (first, last []int32) {
	first, last = make([]int32, len(sizes)), make([]int32, len(sizes))
	at := indices(len(order))
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[a]].Return, h.Ops[order[b]].Return) })
	place, k := int32(0), 0
	for i := range sizes {
		for ; k < len(at) && h.Ops[order[at[k]]].Return < sizes[i].call; k++ {
			place = max(place, at[k]+1)
		}
		first[i] = place
	}
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[b]].Call, h.Ops[order[a]].Call) })
	byReturn := indices(len(sizes))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(sizes[b].ret, sizes[a].ret) })
	place, k = int32(len(order)), 0
	for _, i := range byReturn {
		for ; k < len(at) && h.Ops[order[at[k]]].Call > sizes[i].ret; k++ {
			place = min(place, at[k])
		}
		last[i] = place
	}
	return first, last
}

// merge returns order with each read inserted before the operation at its place.
func merge(order []int32, sizes []sized, places []int32) []int32 {
	by := indices(len(sizes))
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
	all := make([]int32, 0, len(order)+len(sizes))
	for k := range int32(len(order) + 1) {
		for ; len(by) > 0 && places[by[0]] == k; by = by[1:] {
			all = append(all, sizes[by[0]].op)
		}
		if int(k) < len(order) {
			all = append(all, order[k])
		}
	}
	return all
}
