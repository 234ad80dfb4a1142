package monitor_test

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A life is what a history says of a value of a stack or a priority queue.
type life struct {
	value       history.Value
	insert      *history.Operation
	remove      *history.Operation // or nil
	looks       []*history.Operation
	first, last int32 // first response, last invocation or the end
}

// readLives reads a history without pending operations. It reports false if
// the operations on one value have no order.
func readLives(h *history.History, c replay.Described) (all []*life, nothing []*history.Operation, end int32, ok bool) {
	byValue := map[history.Value]*life{}
	for i := range h.Ops {
		end = max(end, h.Ops[i].Return+1)
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		facts := c.Facts(op)
		role, v := facts.Role, facts.Value
		if role == replay.Nothing {
			nothing = append(nothing, op)
			continue
		}
		l := byValue[v]
		if l == nil {
			l = &life{value: v, first: end, last: -1}
			byValue[v] = l
			all = append(all, l)
		}
		l.first, l.last = min(l.first, op.Return), max(l.last, op.Call)
		switch role {
		case replay.Insert:
			l.insert = op
		case replay.Remove:
			l.remove = op
		case replay.Look:
			l.looks = append(l.looks, op)
		}
	}
	for _, l := range all {
		if l.insert == nil || l.insert.Call > l.first || l.remove != nil && l.remove.Return < l.last {
			return nil, nil, 0, false
		}
		if l.remove == nil {
			l.last = end
		}
	}
	return all, nothing, end, true
}

// covers reports whether another life than but covers the slot.
func covered(lives []*life, but *life, slot int32) bool {
	return slices.ContainsFunc(lives, func(l *life) bool { return l != but && l.first < slot && slot <= l.last })
}

// free reports whether, from call to ret, there is a slot that none of the
// lives but one covers.
func free(lives []*life, but *life, call, ret int32) bool {
	for slot := call + 1; slot <= ret; slot++ {
		if !covered(lives, but, slot) {
			return true
		}
	}
	return false
}

// naive decides histories of stacks and priority queues as the package's
// documentation says, in cubic time and more.
func naive(h *history.History, c replay.Described) bool {
	lives, nothing, end, ok := readLives(h, c)
	if !ok {
		return false
	}
	for _, op := range nothing {
		if !free(lives, nil, op.Call, op.Return) {
			return false
		}
	}
	if c.Traits().Discipline == replay.LastIn {
		return naiveStack(lives, end)
	}
	slices.SortFunc(lives, func(a, b *life) int { return a.value.Compare(b.value) })
	if c.Traits().Discipline == replay.Largest {
		slices.Reverse(lives)
	}
	for i, l := range lives {
		until := end
		if l.remove != nil {
			until = l.remove.Return
			if !free(lives[:i], nil, max(l.insert.Call, l.remove.Call), until) {
				return false
			}
		}
		for _, op := range l.looks {
			if !free(lives[:i], nil, max(l.insert.Call, op.Call), min(until, op.Return)) {
				return false
			}
		}
	}
	return true
}

// naiveStack splits the lives where nothing covers a slot, and takes away
// from each part one that can lie under all others.
func naiveStack(lives []*life, end int32) bool {
	lives = slices.DeleteFunc(slices.Clone(lives), func(l *life) bool { return l.first > l.last })
	for slot := int32(0); slot <= end+1 && len(lives) > 0; slot++ {
		if covered(lives, nil, slot) {
			continue
		}
		part := slices.DeleteFunc(slices.Clone(lives), func(l *life) bool { return l.last >= slot })
		lives = slices.DeleteFunc(lives, func(l *life) bool { return l.last < slot })
		if len(part) == 0 {
			continue
		}
		i := slices.IndexFunc(part, func(l *life) bool { return bottom(part, l) })
		if i < 0 || !naiveStack(slices.Delete(part, i, i+1), end) {
			return false
		}
	}
	return true
}

// bottom reports whether life l can lie under all others of a part.
func bottom(part []*life, l *life) bool {
	begin, last := l.first, l.last
	for _, other := range part {
		begin, last = min(begin, other.first), max(last, other.last)
	}
	return l.insert.Call < begin && (l.remove == nil || l.remove.Return > last) &&
		!slices.ContainsFunc(l.looks, func(op *history.Operation) bool {
			return op.Call >= begin && op.Return <= last && !free(part, l, op.Call, op.Return)
		})
}
