package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// The first attempt at a part may spend partWork, plus partSteps for each of its
// operations. Few parts need more.
const (
	partWork  = 1 << 20
	partSteps = 64
)

// parts decides each part of a partitioned object. If a part has no witness, the history
// has none, so an undecided part does not end the search. A part that exceeds its share of
// the work is tried again after the others, with four times as much. The method merges the
// witnesses of all parts. If these contradict edges between parts, it searches the history
// as a whole.
func (r *runner) parts(a *arrangement, parts [][]int32) replay.Finding {
	witnesses := make([][]int32, len(parts))
	gaveUp := replay.Finding{}
	left := make([]int, len(parts))
	for k := range left {
		left[k] = k
	}
	for work := int64(partWork); len(left) > 0; work *= 4 {
		again := left[:0]
		only := len(left) == 1
		for _, k := range left {
			limited := *r
			if !only {
				limited.meter = r.meter.Share(work + partSteps*int64(len(parts[k])))
			}
			f := limited.whole(a.restrict(parts[k]))
			switch {
			case f.Cause == replay.Time && !only && !r.meter.Stopped():
				again = append(again, k)
				continue
			case f.Answer == replay.NotLinearizable, f.Cause == replay.Declined, f.Cause == replay.Time:
				return f
			case !f.Decided():
				gaveUp = f
			}
			witnesses[k] = f.Witness
		}
		left = again
	}
	if gaveUp.Cause != replay.NoCause {
		return gaveUp
	}
	if a.before == nil {
		return replay.Found(replay.SearchEngine, ops.Merge(a.h, parts, witnesses))
	}
	if witness := mergeAlong(a, parts, witnesses); witness != nil {
		return replay.Found(replay.SearchEngine, witness)
	}
	return r.whole(a)
}

// restrict returns the arrangement of some operations. It keeps order that edges pass on
// through other operations, within limits. A part that lacks some of this order may have a
// witness although the history has none, but never the reverse.
func (a *arrangement) restrict(part []int32) *arrangement {
	r := &arrangement{recorded: a.recorded.Restrict(part)}
	r.h = r.recorded.H
	if a.number != nil {
		r.h = ops.Restrict(a.h, part)
	}
	if a.before == nil {
		return r
	}
	for k, i := range part {
		for _, b := range a.nearest(i, part) {
			if at, ok := slices.BinarySearch(part, b); ok && r.h.Ops[at].Return > r.h.Ops[k].Call {
				r.addBefore(int32(at), int32(k))
			}
		}
	}
	return r
}

// mostThrough limits the number of operations of other parts that nearest passes through.
const mostThrough = 64

// nearest returns the operations in ops from which edges lead to operation i, directly or
// through operations that are not in ops.
func (a *arrangement) nearest(i int32, ops []int32) []int32 {
	var nearest []int32
	queue := []int32{i}
	for k := 0; k < len(queue) && k <= mostThrough; k++ {
		for _, b := range a.before[queue[k]] {
			if _, ok := slices.BinarySearch(ops, b); ok {
				if !slices.Contains(nearest, b) {
					nearest = append(nearest, b)
				}
			} else if !slices.Contains(queue, b) {
				queue = append(queue, b)
			}
		}
	}
	return nearest
}

// mergeAlong combines witnesses of the parts into a witness of the whole
// history, as ops.Merge does. In addition, it places the predecessors of
// each operation by edges before it. It returns nil if the witnesses and the
// edges contradict each other.
func mergeAlong(a *arrangement, parts [][]int32, witnesses [][]int32) []int32 {
	m := merger{arrangement: a, previous: make([]int32, len(a.h.Ops)), state: make([]uint8, len(a.h.Ops))}
	var returned, rest []int32
	for k, w := range witnesses {
		last := int32(-1)
		for _, i := range w {
			op := parts[k][i]
			m.previous[op] = last
			last = op
			if a.mayStayOut(op) {
				rest = append(rest, op)
			} else {
				returned = append(returned, op)
			}
		}
	}
	slices.SortFunc(returned, func(x, y int32) int {
		return cmp.Or(cmp.Compare(a.h.Ops[x].Return, a.h.Ops[y].Return), cmp.Compare(x, y))
	})
	for _, op := range append(returned, rest...) {
		if !m.place(op) {
			return nil
		}
	}
	return m.merged
}

type merger struct {
	*arrangement
	previous []int32 // operation -> the one before it in the witness of its part, or -1
	state    []uint8 // operation -> waiting or placed
	merged   []int32
}

const (
	waiting = 1 + iota
	placed
)

// place places the operation, after everything that has to precede it and has
// not been placed. It reports false if that includes the operation itself, or
// an operation that was invoked after its response.
func (m *merger) place(op int32) bool {
	response := m.h.Ops[op].Return
	for stack := []int32{op}; len(stack) > 0; {
		top := stack[len(stack)-1]
		first := m.missing(top)
		switch {
		case m.state[top] == placed:
			stack = stack[:len(stack)-1]
		case first < 0:
			m.state[top] = placed
			m.merged = append(m.merged, top)
			stack = stack[:len(stack)-1]
		case m.state[first] == waiting || m.h.Ops[first].Call > response:
			return false
		default:
			m.state[top], m.state[first] = waiting, waiting
			stack = append(stack, first)
		}
	}
	return true
}

// missing returns an operation that has to precede this one and has not been
// placed, or -1.
func (m *merger) missing(op int32) int32 {
	if p := m.previous[op]; p >= 0 && m.state[p] != placed {
		return p
	}
	for _, b := range m.before[op] {
		if m.state[b] != placed {
			return b
		}
	}
	return -1
}
