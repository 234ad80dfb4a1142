package visibility

import (
	"cmp"
	"slices"
)

// A move places an operation, which misses a set.
type move struct{ op, missed int32 }

func (s *search) isLazy(op int32) bool { return s.only[op] && s.Level[op] != Complete }

// lazyLeft returns the first lazy operation that has not been placed, or -1.
func (s *search) lazyLeft() int32 {
	for _, i := range s.lazy {
		if s.place[i] < 0 {
			return i
		}
	}
	return -1
}

// moves returns the moves from a configuration, the operation that must return first in
// front. A lazy operation is placed right before one that it happened before, or at the end.
func (s *search) moves(f *frame) []move {
	var ready []int32
	n := int32(len(s.order))
	for k := s.next[n]; k != n; k = s.next[k] {
		i := s.order[k]
		s.owed++
		if s.isLazy(i) {
			continue
		}
		if slices.ContainsFunc(ready, func(r int32) bool { return s.Before.Less(r, i) }) {
			if s.Before.IsInterval() {
				break // and so are all later ones
			}
			continue
		}
		ready = append(ready, i)
	}
	if _, ret := s.Before.Intervals(); ret != nil {
		slices.SortStableFunc(ready, func(i, j int32) int { return cmp.Compare(ret[i], ret[j]) })
	}
	var list []int32
	for _, i := range ready {
		lazy := s.lazyBefore(i)
		switch {
		case lazy < 0 && s.only[i] && !s.object.Optional(i) && s.object.Step(f.state, i) == f.state:
			return []move{{op: i}}
		case lazy < 0:
			list = append(list, i)
		case !slices.Contains(list, lazy):
			list = append(list, lazy)
		}
	}
	if lazy := s.lazyLeft(); s.left == 0 && lazy >= 0 && !slices.Contains(list, lazy) {
		list = append(list, lazy)
	}
	var moves []move
	for _, i := range list {
		moves = s.choices(f, i, moves)
	}
	return moves
}

// lazyBefore returns the first lazy operation that happened before i and has not been placed,
// or -1.
func (s *search) lazyBefore(i int32) int32 {
	for _, lazy := range s.lazy {
		if s.place[lazy] < 0 && s.Before.Less(lazy, i) {
			return lazy
		}
	}
	return -1
}

// choices appends the moves that place an operation: one for each set that it may miss, if
// that matters to other operations.
func (s *search) choices(f *frame, i int32, moves []move) []move {
	if s.Level[i] == Complete {
		return append(moves, move{op: i})
	}
	if s.divided != nil && s.only[i] {
		if missed := s.fits(f, i); missed >= 0 {
			moves = append(moves, move{i, missed})
		}
		return moves
	}
	first, at := len(moves), s.slotOf[i]
	if s.divided != nil && s.Level[i] == Weak {
		at = s.Part[i]
	}
	for _, v := range s.viewsOf(f, int(at)) {
		if s.object.Step(v.state, i) >= 0 {
			moves = append(moves, move{i, v.missed})
		}
	}
	slices.SortStableFunc(moves[first:], func(m, n move) int { return len(s.missed[m.missed]) - len(s.missed[n.missed]) })
	if !s.closed && !(s.bundle && s.only[i]) && len(moves) > first {
		moves = moves[:first+1]
	}
	return moves
}

// viewsOf returns the views of a slot.
func (s *search) viewsOf(f *frame, at int) []view {
	list := f.views[at]
	switch {
	case list != noViews:
		s.owed += len(s.views[list])
		return s.views[list]
	case s.divided != nil:
		return []view{{state: f.parts[s.slots[at].part]}}
	}
	return []view{{state: f.state}}
}

// fits returns the number of a set that the read-only operation i may miss, or -1. Of several
// sets, it is one for which the last change seen is as early as possible: bundles that follow
// i have to see what precedes that. Nothing else depends on the choice.
func (s *search) fits(f *frame, i int32) int32 {
	var lists [][]view
	var ends []int // places right after the last change seen of a part
	n := s.divided.Parts()
	for part := range n {
		views := slices.Clone(s.viewsOf(f, int(s.slotOf[i])+part))
		lists = append(lists, views)
		for _, v := range views {
			ends = append(ends, s.endOf(v, int32(part)))
		}
	}
	limits := slices.Compact(slices.Sorted(slices.Values(ends)))
	if !s.precedesBundle(i) && len(limits) > 1 {
		limits = limits[len(limits)-1:]
	}
	for _, limit := range limits {
		states, kept := make([][]int32, n), make([][]view, n)
		for part, views := range lists {
			for _, v := range views {
				if s.endOf(v, int32(part)) <= limit {
					states[part], kept[part] = append(states[part], v.state), append(kept[part], v)
				}
			}
			s.owed += len(views)
		}
		if slices.ContainsFunc(states, func(list []int32) bool { return list == nil }) {
			continue
		}
		if choice := s.divided.Fits(i, states); choice != nil {
			missed := int32(0)
			for part, k := range choice {
				for _, u := range s.missed[kept[part][k].missed] {
					missed = s.with(missed, u)
				}
			}
			return missed
		}
	}
	return -1
}

// precedesBundle reports whether a bundle that has not been placed follows operation i.
func (s *search) precedesBundle(i int32) bool {
	return slices.ContainsFunc(s.lazy, func(o int32) bool { return s.Level[o] == Bundle && s.place[o] < 0 && s.Before.Less(i, o) })
}

// endOf returns the place right after the last change of a part that a view sees.
func (s *search) endOf(v view, part int32) int {
	k := len(s.trail)
	for s.bundle && k > 0 && (s.Part[s.trail[k-1]] != part || isIn(s.missed[v.missed], s.trail[k-1])) {
		k--
	}
	return k
}

// weakLeft reports whether operations of level Weak have not been placed, besides op.
func (s *search) weakLeft(op int32) bool {
	for i, level := range s.Level {
		if level == Weak && s.slotOf[i] >= 0 && s.place[i] < 0 && int32(i) != op {
			return true
		}
	}
	return false
}

// leastFor returns the place from which a Bundle that follows the operation of m may miss
// others: the place of the operation or, if that can be moved forward because it only reads,
// the one after the last change that it sees.
func (s *search) leastFor(m move) int {
	k := len(s.trail)
	if !s.bundle || !s.isLazy(m.op) {
		return k
	}
	for k > 0 && (s.only[s.trail[k-1]] || isIn(s.missed[m.missed], s.trail[k-1])) {
		k--
	}
	return k
}
