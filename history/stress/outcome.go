package stress

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// Waiting is the result of an invocation that waits forever, in an Outcome.
var Waiting = history.WaitsForever

// NotCalled is the result of an invocation that is not called because one before it
// waits forever.
var NotCalled = history.ExceptionValue("is not called")

// Waits reports whether an invocation of the outcome waits forever.
func (o Outcome) Waits() bool {
	return slices.ContainsFunc(o, func(v history.Value) bool { return v == Waiting })
}

// An Outcome has the results of the invocations of a program, in the order of
// Program.All. Results that never count as a violation are Unknown.
type Outcome []history.Value

// String returns the outcome in the notation of the papers: N for null, T and F for
// booleans, () for no result. W is for an invocation that waits forever, and - for one
// that is not called. Unlike in the papers, an exception has its message, cut after 60
// characters.
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
		switch v {
		case Waiting:
			return "W"
		case NotCalled:
			return "-"
		}
		if text := []rune(v.String()); len(text) > 60 {
			return string(text[:60]) + "..."
		}
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

// Equal reports whether all results are equal.
func (o Outcome) Equal(p Outcome) bool { return slices.EqualFunc(o, p, history.Value.Equal) }

// Compare orders outcomes.
func (o Outcome) Compare(p Outcome) int { return slices.CompareFunc(o, p, history.Value.Compare) }

// Hash returns the same number for equal outcomes.
func (o Outcome) Hash() uint64 {
	h := uint64(len(o))
	for _, v := range o {
		h = v.Hash(h)
	}
	return h
}

// A Count is how often an outcome was seen.
type Count struct {
	Outcome Outcome
	Times   int64
}

// A tally counts outcomes. It allocates only for new ones.
type tally struct {
	slots []tallySlot // a power of two of them, open addressing
	n     int
}

type tallySlot struct {
	hash uint64
	Count
}

// add counts an outcome.
func (t *tally) add(o Outcome, times int64) { t.find(o).Times += times }

// find returns the count of an outcome, which is 0 if it is new.
func (t *tally) find(o Outcome) *Count {
	if 2*t.n >= len(t.slots) {
		old := t.slots
		t.slots = make([]tallySlot, max(16, 2*len(old)))
		for _, s := range old {
			if s.hash != 0 {
				*t.slot(s.Outcome, s.hash) = s
			}
		}
	}
	h := o.Hash() | 1 // 0 is a free slot
	s := t.slot(o, h)
	if s.hash == 0 {
		t.n++
		s.hash, s.Outcome = h, slices.Clone(o)
	}
	return &s.Count
}

// slot returns the slot of an outcome, or the free one for it.
func (t *tally) slot(o Outcome, h uint64) *tallySlot {
	mask := uint64(len(t.slots) - 1)
	for at := h >> 7 & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.hash == 0 || s.hash == h && s.Outcome.Equal(o) {
			return s
		}
	}
}

// has reports whether the outcome was counted.
func (t *tally) has(o Outcome) bool { return t.n > 0 && t.slot(o, o.Hash()|1).hash != 0 }

// counts returns all in the order of their outcomes.
func (t *tally) counts() []Count {
	var all []Count
	for _, s := range t.slots {
		if s.hash != 0 {
			all = append(all, s.Count)
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return a.Outcome.Compare(b.Outcome) })
	return all
}
