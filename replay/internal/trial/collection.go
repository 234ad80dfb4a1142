package trial

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An answer says whether an operation can have its result.
type answer string

const (
	unknown    answer = "unknown"
	possible   answer = "possible"
	impossible answer = "impossible"
)

// A collection has the values that an object holds according to the roles of its operations.
type collection struct {
	traits  replay.Traits
	isKnown bool
	// values are in the order of the queue, of a stack from the bottom, or of removal from a
	// priority queue.
	values []entry
}

// An entry is a value, with the part of it in a map.
type entry struct{ part, value history.Value }

func (c collection) equal(d collection) bool {
	return slices.EqualFunc(c.values, d.values, func(a, b entry) bool { return a.part.Equal(b.part) && a.value.Equal(b.value) })
}

// find returns the index of the value, or of the part in a map of registers; or -1.
func (c collection) find(e entry) int {
	isCell := c.traits.Discipline == replay.Overwritten || c.traits.Discipline == replay.OverwrittenByKey
	return slices.IndexFunc(c.values, func(other entry) bool {
		return isCell && other.part.Equal(e.part) || !isCell && other.value.Equal(e.value)
	})
}

// at returns the index of the value that a removal or a look takes, or -1.
func (c collection) at(role replay.Role, e entry) int {
	switch d := c.traits.Discipline; {
	case d == replay.Named, d == replay.Counted, d == replay.Overwritten, d == replay.OverwrittenByKey:
		return c.find(e)
	case d == replay.LastIn, d == replay.BothEnds && (role == replay.Remove || role == replay.Look):
		return len(c.values) - 1
	}
	return min(0, len(c.values)-1)
}

// after returns the values after an operation with these facts, and whether it is possible.
func (c collection) after(f replay.Facts, op *history.Operation) (collection, answer) {
	d := c.traits.Discipline
	if !c.isKnown || f.Role == replay.Other || d == replay.Counted && c.hasTwice() {
		c.isKnown = c.isKnown && f.ReadOnly
		return c, unknown
	}
	e := entry{value: f.Value}
	if d == replay.OverwrittenByKey {
		e.part, _ = f.PartOf(op)
	}
	n, ok := len(c.values), false
	switch f.Role {
	case replay.Insert, replay.InsertFront:
		ok = (d != replay.FirstInBounded || n < c.traits.Capacity) && (d != replay.Named || c.find(e) < 0)
		if ok {
			c.values = c.with(f.Role, e)
		}
	case replay.Full:
		ok = d == replay.FirstInBounded && n >= c.traits.Capacity
	case replay.Remove, replay.RemoveFront, replay.Look, replay.LookFront:
		at := c.at(f.Role, e)
		ok = at >= 0 && c.values[at].value.Equal(f.Value)
		if ok && (f.Role == replay.Remove || f.Role == replay.RemoveFront) {
			c.values = slices.Delete(slices.Clone(c.values), at, at+1)
		}
	case replay.Absent:
		ok = c.find(e) < 0
	case replay.Nothing:
		ok = n == 0 || d == replay.OverwrittenByKey && f.Part > 0 && c.find(e) < 0
	case replay.Size:
		ok = n > 0 && (f.Value.Kind() == history.Unknown || f.Value.Equal(history.IntValue(int64(n))))
	case replay.Clear:
		ok, c.values = true, nil
	case replay.Idle:
		ok = true
	}
	if !ok {
		return c, impossible
	}
	return c, possible
}

// afterPending returns the values after a pending operation with these facts, if it takes
// effect.
func (c collection) afterPending(f replay.Facts, op *history.Operation) (collection, answer) {
	if f.Value.Kind() == history.Unknown {
		at := c.at(f.Role, entry{})
		if at < 0 {
			return c, possible
		}
		f.Value = c.values[at].value
	}
	after, says := c.after(f, op)
	if says == impossible { // it finds the collection full, or the value there or not there
		return c, possible
	}
	return after, says
}

// with returns the values with one more.
func (c collection) with(role replay.Role, e entry) []entry {
	values := slices.Clone(c.values)
	switch d := c.traits.Discipline; d {
	case replay.Overwritten, replay.OverwrittenByKey:
		if at := c.find(e); at >= 0 {
			values[at] = e
			return values
		}
	case replay.Smallest, replay.Largest, replay.Named, replay.Counted:
		at := slices.IndexFunc(values, func(other entry) bool {
			return d == replay.Largest && other.value.Compare(e.value) < 0 || d != replay.Largest && other.value.Compare(e.value) > 0
		})
		if at >= 0 {
			return slices.Insert(values, at, e)
		}
	case replay.BothEnds:
		if role == replay.InsertFront {
			return slices.Insert(values, 0, e)
		}
	}
	return append(values, e)
}

// hasTwice reports whether a value occurs twice: roles in a multiset are about distinct values.
func (c collection) hasTwice() bool {
	for i := 1; i < len(c.values); i++ {
		if c.values[i-1].value.Equal(c.values[i].value) {
			return true
		}
	}
	return false
}
