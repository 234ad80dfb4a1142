package window

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// weave inserts c.sizes into a witness of the other operations. It returns nil if one of
// them does not fit in any place.
//
// A size may go into a place where it fits, after all operations that returned
// before its invocation and before all operations that were invoked after its response. It
// takes the first such place, so that it does not hinder later ones. The cost is O(n log
// n), plus one step for each place that a size tries in vain.
func (c *collected) weave(p *ops.Problem, order []int32) []int32 {
	if len(c.sizes) == 0 {
		return order
	}
	held := lengths(p.Columns(nil), order)
	first, last := c.bounds(p.H, order)
	places := make([]int32, len(c.sizes))
	byReturn := ops.Indices(len(c.sizes))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(c.sizes[a].ret, c.sizes[b].ret) })
	reached, next := int32(0), 0 // the latest place of the sizes that have returned
	for i := range c.sizes {
		r := &c.sizes[i]
		for ; c.sizes[byReturn[next]].ret < r.call; next++ {
			reached = max(reached, places[byReturn[next]])
		}
		place := max(first[i], reached)
		for place <= last[i] && held[place] != r.value {
			place++
		}
		if place > last[i] {
			return nil
		}
		places[i] = place
	}
	return c.merge(order, places)
}

// lengths returns how many values there are before each operation of a witness and after
// the last one.
func lengths(columns *ops.Columns, order []int32) []int32 {
	held := make([]int32, len(order)+1)
	for k, op := range order {
		held[k+1] = held[k]
		switch columns.Role[op] {
		case replay.Insert:
			held[k+1]++
		case replay.Remove:
			held[k+1]--
		}
	}
	return held
}

// bounds returns, for each size, the first and the last place that real time allows it
// among the other operations.
func (c *collected) bounds(h *history.History, order []int32) (first, last []int32) {
	first, last = make([]int32, len(c.sizes)), make([]int32, len(c.sizes))
	at := ops.Indices(len(order))
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[a]].Return, h.Ops[order[b]].Return) })
	place, k := int32(0), 0
	for i := range c.sizes {
		for ; k < len(at) && h.Ops[order[at[k]]].Return < c.sizes[i].call; k++ {
			place = max(place, at[k]+1)
		}
		first[i] = place
	}
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[b]].Call, h.Ops[order[a]].Call) })
	byReturn := ops.Indices(len(c.sizes))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(c.sizes[b].ret, c.sizes[a].ret) })
	place, k = int32(len(order)), 0
	for _, i := range byReturn {
		for ; k < len(at) && h.Ops[order[at[k]]].Call > c.sizes[i].ret; k++ {
			place = min(place, at[k])
		}
		last[i] = place
	}
	return first, last
}

// merge returns order with each size inserted before the operation at its place.
func (c *collected) merge(order, places []int32) []int32 {
	by := ops.Indices(len(c.sizes))
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
	all := make([]int32, 0, len(order)+len(c.sizes))
	for k := range int32(len(order) + 1) {
		for ; len(by) > 0 && places[by[0]] == k; by = by[1:] {
			all = append(all, c.sizes[by[0]].op)
		}
		if int(k) < len(order) {
			all = append(all, order[k])
		}
	}
	return all
}
