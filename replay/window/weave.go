package window

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// weave inserts c.reads, which are sorted by invocation, into a witness of the other
// operations of a queue or a stack. It returns nil if one of them does not fit in any place.
//
// A read may go into a place where it fits, after all operations that returned
// before its invocation and before all operations that were invoked after its response. It
// takes the first such place, so that it does not hinder later reads. The cost is O(n log
// n), plus one step for each place that a read tries in vain.
func (c *collected) weave(p *ops.Problem, order []int32) []int32 {
	if len(c.reads) == 0 {
		return order
	}
	held, tops := contents(p.Columns(nil), order)
	first, last := c.bounds(p.H, order)
	places := make([]int32, len(c.reads))
	byReturn := ops.Indices(len(c.reads))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(c.reads[a].ret, c.reads[b].ret) })
	reached, next := int32(0), 0 // the latest place of the reads that have returned
	for i := range c.reads {
		r := &c.reads[i]
		for ; c.reads[byReturn[next]].ret < r.call; next++ {
			reached = max(reached, places[byReturn[next]])
		}
		place := max(first[i], reached)
		for place <= last[i] && !r.fits(held[place], tops[place]) {
			place++
		}
		if place > last[i] {
			return nil
		}
		places[i] = place
	}
	return c.merge(order, places)
}

// fits reports whether a read has its result from a collection with so many values and this
// one on top.
func (r *consumer) fits(held, top int32) bool {
	switch r.role {
	case replay.Nothing:
		return held == 0
	case replay.Look:
		return held > 0 && top == r.value
	}
	return held == r.value || held > 0 && r.value < 0 // a size, or at least one
}

// contents returns how many values there are before each operation of a witness and after
// the last one, and which value is then on top of a stack.
func contents(columns *ops.Columns, order []int32) (held, tops []int32) {
	stack := []int32{ops.None}
	for k := 0; ; k++ {
		held, tops = append(held, int32(len(stack)-1)), append(tops, stack[len(stack)-1])
		if k == len(order) {
			return held, tops
		}
		switch op := order[k]; columns.Role[op] {
		case replay.Insert:
			stack = append(stack, columns.Value[op])
		case replay.Remove:
			stack = stack[:len(stack)-1]
		}
	}
}

// bounds returns, for each read, the first and the last place that real time allows it
// among the other operations.
func (c *collected) bounds(h *history.History, order []int32) (first, last []int32) {
	first, last = make([]int32, len(c.reads)), make([]int32, len(c.reads))
	at := ops.Indices(len(order))
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[a]].Return, h.Ops[order[b]].Return) })
	place, k := int32(0), 0
	for i := range c.reads {
		for ; k < len(at) && h.Ops[order[at[k]]].Return < c.reads[i].call; k++ {
			place = max(place, at[k]+1)
		}
		first[i] = place
	}
	slices.SortFunc(at, func(a, b int32) int { return cmp.Compare(h.Ops[order[b]].Call, h.Ops[order[a]].Call) })
	byReturn := ops.Indices(len(c.reads))
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(c.reads[b].ret, c.reads[a].ret) })
	place, k = int32(len(order)), 0
	for _, i := range byReturn {
		for ; k < len(at) && h.Ops[order[at[k]]].Call > c.reads[i].ret; k++ {
			place = min(place, at[k])
		}
		last[i] = place
	}
	return first, last
}

// merge returns order with each read inserted before the operation at its place.
func (c *collected) merge(order, places []int32) []int32 {
	by := ops.Indices(len(c.reads))
	slices.SortStableFunc(by, func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
	all := make([]int32, 0, len(order)+len(c.reads))
	for k := range int32(len(order) + 1) {
		for ; len(by) > 0 && places[by[0]] == k; by = by[1:] {
			all = append(all, c.reads[by[0]].op)
		}
		if int(k) < len(order) {
			all = append(all, order[k])
		}
	}
	return all
}
