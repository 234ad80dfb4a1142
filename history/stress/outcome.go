package stress

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// An Outcome is what the invocations of a program answered, in the order of
// Program.All. What is not held against the object is Unknown.
type Outcome []history.Value

// String writes the outcome as the papers do: N for null, T and F for truth
// values, () for nothing, E for an exception.
func (o Outcome) String() string {
	parts := make([]string, len(o))
	for i, v := range o {
		parts[i] = short(v)
	}
	return strings.Join(parts, ",")
}

func short(v history.Value) string {
	switch v.Kind() {
	case history.None:
		return "()"
	case history.Null:
		return "N"
	case history.Bool:
		if v.Bool() {
			return "T"
		}
		return "F"
	case history.Exception:
		return "E"
	case history.Unknown:
		return "?"
	case history.List:
		parts := make([]string, 0, 4)
		for _, e := range v.List() {
			parts = append(parts, short(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case history.Map:
		var parts []string
		pairs := v.List()
		for i := 0; i+1 < len(pairs); i += 2 {
			parts = append(parts, short(pairs[i])+"="+short(pairs[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return v.String()
}

func (o Outcome) equal(p Outcome) bool { return slices.EqualFunc(o, p, history.Value.Equal) }

func (o Outcome) compare(p Outcome) int { return slices.CompareFunc(o, p, history.Value.Compare) }

func (o Outcome) hash() uint64 {
	h := uint64(len(o))
	for _, v := range o {
		h = v.Hash(h)
	}
	return h
}

// A Count is how often something was seen.
type Count struct {
	Outcome Outcome
	Times   int64
}

// A tally counts outcomes. Counting one that was seen before allocates
// nothing.
type tally struct {
	slots []tallySlot // a power of two of them, open addressing
	n     int
}

type tallySlot struct {
	hash uint64
	Count
}

// add counts an outcome and keeps a copy of a new one.
func (t *tally) add(o Outcome, times int64) { t.find(o).Times += times }

// find returns the count of an outcome, which is entered if it is new.
func (t *tally) find(o Outcome) *Count {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	h := o.hash() | 1 // 0 is a free slot
	mask := uint64(len(t.slots) - 1)
	for at := h >> 7 & mask; ; at = (at + 1) & mask {
		s := &t.slots[at]
		if s.hash == h && s.Outcome.equal(o) {
			return &s.Count
		}
		if s.hash == 0 {
			t.n++
			s.hash, s.Outcome = h, slices.Clone(o)
			return &s.Count
		}
	}
}

func (t *tally) grow() {
	old := t.slots
	t.slots = make([]tallySlot, max(16, 2*len(old)))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s.hash == 0 {
			continue
		}
		at := s.hash >> 7 & mask
		for t.slots[at].hash != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// has reports whether the outcome was counted.
func (t *tally) has(o Outcome) bool {
	if t.n == 0 {
		return false
	}
	h := o.hash() | 1
	mask := uint64(len(t.slots) - 1)
	for at := h >> 7 & mask; t.slots[at].hash != 0; at = (at + 1) & mask {
		if s := &t.slots[at]; s.hash == h && s.Outcome.equal(o) {
			return true
		}
	}
	return false
}

// counts returns all in the order of their outcomes.
func (t *tally) counts() []Count {
	var all []Count
	for _, s := range t.slots {
		if s.hash != 0 {
			all = append(all, s.Count)
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return a.Outcome.compare(b.Outcome) })
	return all
}
