package replay

import (
	"fmt"
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
)

// A Revealing is a Versioned with versions of the whole object, whose operations show parts of
// it, such as the keys of a store.
type Revealing interface {
	Versioned
	// Reveals returns what op shows of the object, an operation that Check accepts and that
	// returned.
	Reveals(op *history.Operation) ([]Shown, []Absence)
}

// A Shown is what a part of an object was: version From of the object made it, and nothing
// changed it up to version Until.
type Shown struct {
	Part        history.Value
	Value       history.Value // None if it is not known
	From, Until int64
}

// An Absence says that the object had no part for which Has is true, at a version.
type Absence struct {
	At  int64
	Has func(part history.Value) bool
}

// A showing is a Shown of an operation.
type showing struct {
	op int32
	Shown
}

// A shownVersion is what operations show of one version of a part.
type shownVersion struct {
	longest showing // the one that shows it the longest
	valued  showing // one with a value; its Value is None if there is none
}

// A shownPart is what operations show of a part.
type shownPart struct {
	part     history.Value
	versions map[int64]shownVersion // by From
	from     []int64                // the keys of versions, sorted
}

// mostAbsences bounds the time for parts that are absent; without the rest, versions refute less.
const mostAbsences = 1 << 24

// A partsChecker compares what operations show of the parts of an object.
type partsChecker struct {
	h     *history.History
	spec  Revealing
	parts []shownPart
	found *Contradiction // the one whose second operation is invoked first
}

// contradictionOfParts returns two operations that show different contents of one part of the
// object at one version, or one that shows a value that no operation puts there, or nil. An object has
// one content at each version, which an operation put there, so that no order has these.
func contradictionOfParts(h *history.History, spec Revealing) *Contradiction {
	c := partsChecker{h: h, spec: spec}
	if c.collect(); c.found == nil {
		c.compare()
	}
	if c.found == nil {
		c.compareAbsences()
	}
	if s, ok := spec.(Holder); ok && c.found == nil {
		c.compareHeld(s)
	}
	return c.found
}

func (c *partsChecker) contradicts(a, b int32, format string, args ...any) {
	if a != b && (c.found == nil || max(a, b) < c.found.Ops[1]) {
		c.found = contradict(a, b, format, args...)
	}
}

func (c *partsChecker) name(op int32) string { return named(c.h, op) }

// collect finds the parts, and two values of one version of a part.
func (c *partsChecker) collect() {
	number := map[string]int{} // of a part, by its key
	for i := range c.h.Ops {
		if c.h.Ops[i].Pending() {
			continue
		}
		shown, _ := c.spec.Reveals(&c.h.Ops[i])
		for _, s := range shown {
			if s.Until < s.From {
				continue
			}
			key := string(s.Part.AppendKey(nil))
			n, ok := number[key]
			if !ok {
				n, number[key] = len(c.parts), len(c.parts)
				c.parts = append(c.parts, shownPart{part: s.Part, versions: map[int64]shownVersion{}})
			}
			this, part := showing{int32(i), s}, &c.parts[n]
			v, ok := part.versions[s.From]
			if !ok {
				v = shownVersion{this, this}
				part.from = append(part.from, s.From)
			}
			if s.Until > v.longest.Until {
				v.longest = this
			}
			switch {
			case v.valued.Value.Kind() == history.None:
				v.valued = this
			case s.Value.Kind() != history.None && !s.Value.Equal(v.valued.Value):
				c.contradicts(v.valued.op, this.op, "%s and %s show two values of %v, which version %d made",
					c.name(v.valued.op), c.name(this.op), s.Part, s.From)
			}
			part.versions[s.From] = v
		}
	}
}

// compare sorts the versions of each part, and finds one that was made while another
// one is shown.
func (c *partsChecker) compare() {
	for _, p := range c.parts {
		slices.Sort(p.from)
		last := p.versions[p.from[0]].longest
		for _, from := range p.from[1:] {
			next := p.versions[from].longest
			if last.Until >= from {
				c.contradicts(last.op, next.op, "%s shows that nothing changed %v after version %d until version %d, but %s shows that version %d did",
					c.name(last.op), p.part, last.From, last.Until, c.name(next.op), from)
			}
			if next.Until > last.Until {
				last = next
			}
		}
	}
}

// compareAbsences finds a part that is absent at a version at which another operation shows it.
// At each version, at most one version of a part is shown.
func (c *partsChecker) compareAbsences() {
	tried := 0
	for i := range c.h.Ops {
		if c.h.Ops[i].Pending() {
			continue
		}
		_, absences := c.spec.Reveals(&c.h.Ops[i])
		for _, absence := range absences {
			if tried += len(c.parts); tried > mostAbsences {
				return
			}
			for _, p := range c.parts {
				k := sort.Search(len(p.from), func(k int) bool { return p.from[k] > absence.At }) - 1
				if k < 0 {
					continue
				}
				there := p.versions[p.from[k]].longest
				if there.Until >= absence.At && absence.Has(p.part) {
					c.contradicts(there.op, int32(i), "%s shows that there is %v from version %d until version %d, but %s shows that there is none at version %d",
						c.name(there.op), p.part, there.From, there.Until, c.name(int32(i)), absence.At)
				}
			}
		}
	}
}

// compareHeld finds the first operation to return that found a value which no operation puts under its key.
func (c *partsChecker) compareHeld(s Holder) {
	type finding struct {
		op int32
		Held
	}
	found := map[string]finding{} // key and value -> the first to return of those that found it
	var held []Held
	var key []byte
	for _, puts := range []bool{false, true} {
		for i := range c.h.Ops {
			op := &c.h.Ops[i]
			if held = held[:0]; puts || !op.Pending() {
				held = s.AppendHeld(held, op)
			}
			for _, h := range held {
				key = h.Value.AppendKey(h.Part.AppendKey(key[:0]))
				first, isFound := found[string(key)]
				switch isKnown := !h.Part.HoldsUnknown() && !h.Value.HoldsUnknown(); {
				case h.Puts != puts || !puts && !isKnown:
				case !isKnown:
					return // it may be any value
				case puts:
					delete(found, string(key))
				case !isFound || op.Return < c.h.Ops[first.op].Return:
					found[string(key)] = finding{int32(i), h}
				}
			}
		}
	}
	for _, f := range found {
		if c.found == nil || f.op < c.found.Ops[0] {
			c.found = &Contradiction{[]int32{f.op}, fmt.Sprintf("%s found %v under %v, which is never %s there", c.name(f.op), f.Value, f.Part, f.Verb)}
		}
	}
}
