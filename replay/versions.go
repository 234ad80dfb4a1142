package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
)

// A Versioned is a Spec whose objects number their changes: it says what the version of an
// operation orders. For other ones, versions order nothing.
type Versioned interface {
	Spec
	// VersionUse says what the version of op says, an operation that Check accepts and that
	// returned. It is in the result, or was recorded beside it; see history.Version.
	VersionUse(op *history.Operation) VersionUse
}

// A VersionKind says how an operation and its version belong together.
type VersionKind uint8

const (
	NoVersion   VersionKind = iota // the version says nothing
	NewVersion                     // the operation made the version: no other one has the same
	SeenVersion                    // it changed nothing and saw the version: after the one that made it, before the next
	AnyVersion                     // one of these
)

// A VersionUse is what the version of an operation says.
type VersionUse struct {
	Kind    VersionKind
	Version history.Version // none: it says nothing
	// Part is the number, from 1, of the argument that names the part of the object whose
	// versions these are, such as a key. It is 0 if they are those of the object.
	Part int
	// Value is what the operation wrote, or read, of the part; None if that is not known, or if
	// it is more than one value.
	Value history.Value
}

// A Numbered is a State of a Versioned that numbers the changes of the whole object.
type Numbered interface {
	// Number returns the version of the last change, or a negative number if there are none.
	Number() int64
}

// NumberOf returns the number of a Numbered, and -1 for another State.
func NumberOf(s State) int64 {
	if n, ok := s.(Numbered); ok {
		return n.Number()
	}
	return -1
}

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

// A Contradiction is why no order of the operations has the versions of two of them.
type Contradiction struct {
	Ops    []int32 // the two, in the order of their invocations
	Reason string  // in words for people
}

// A numbered is an operation with a version. It takes effect at an instant from first to last:
// 2v is where version v is made, and 2v+1 where it is seen.
type numbered struct {
	op          int32
	first, last int64
	value       history.Value
}

// maxNumber is the largest version whose instants are ints. Larger ones order nothing.
const maxNumber = (math.MaxInt64 - 1) / 2

// ByVersion returns h with edges for the order that the versions of operations have, or two
// operations whose versions contradict each other. If there are no versions, it returns h.
//
// The versions of a part of an object only grow, in the order in which operations take
// effect. So if an operation has a smaller version than another one, or made the version that the
// other one saw, it takes effect first. Two operations contradict that if
//
//   - both made the same version;
//   - the one with the larger version returned before the other one was invoked;
//   - the same version has two values;
//   - one shows that nothing changed a part of the object from one version to another, and the
//     other one that something did: see Revealing.
//
// In each case no order of the operations has the recorded versions, whatever the others are,
// which is the proof that the two are a core. The edges order exactly what versions order,
// apart from what real time and other edges imply. Versions can only refute: each witness of the
// result is one of h.
//
// There are at most 4 million edges (mostVersionEdges), which thousands of operations at a time need;
// without the rest, versions refute less.
//
// It takes O(n log n) for n operations and the parts that they show, at most 16 million steps
// (mostAbsences) for those that are not there, and O(n c) if c of them overlap that saw two
// versions, and none made the second one.
func ByVersion(h *history.History, spec Spec) (ordered *history.History, contradiction *Contradiction) {
	v, ok := spec.(Versioned)
	if !ok || h.IsRelaxed() {
		return h, nil
	}
	parts := map[string][]numbered{}
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Pending() {
			continue
		}
		use, key := v.VersionUse(op), ""
		number, isKnown := use.Version.Number()
		if !isKnown || use.Kind == NoVersion || number > maxNumber {
			continue
		}
		if use.Part > 0 {
			key = string(op.Args[use.Part-1].AppendKey(nil))
		}
		n := numbered{int32(i), 2 * number, 2*number + 1, use.Value}
		switch use.Kind {
		case NewVersion:
			n.last = n.first
		case SeenVersion:
			n.first = n.last
		}
		parts[key] = append(parts[key], n)
	}
	var edges []history.Edge
	for _, list := range parts {
		seeMade(list)
		if c := contradictionIn(h, list); c != nil && (contradiction == nil || h.Ops[c.Ops[1]].Call < h.Ops[contradiction.Ops[1]].Call) {
			contradiction = c
		}
	}
	if r, ok := spec.(Revealing); ok && contradiction == nil {
		contradiction = contradictionOfParts(h, r)
	}
	if contradiction != nil || len(parts) == 0 {
		return h, contradiction
	}
	for _, list := range parts {
		edges = appendVersionEdges(edges, h, list)
	}
	if len(edges) == 0 {
		return h, nil
	}
	with := *h
	with.Edges = append(slices.Clone(h.Edges), edges...)
	slices.SortFunc(with.Edges, func(a, b history.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	with.Edges = slices.Compact(with.Edges)
	return &with, nil
}

// mostVersionEdges bounds the memory of edges, at 8 bytes each.
const mostVersionEdges = 1 << 22

// seeMade notes that an operation that made or saw a version saw it, if another one made it.
func seeMade(list []numbered) {
	made := map[int64]bool{}
	for _, n := range list {
		if n.isNew() {
			made[n.first] = true
		}
	}
	for i, n := range list {
		if n.first < n.last && made[n.first] {
			list[i].first = n.last
		}
	}
}

// isNew reports whether the operation made its version.
func (n numbered) isNew() bool { return n.first == n.last && n.first%2 == 0 }

// versioned names an operation in a reason.
func versioned(h *history.History, n numbered) string {
	op := &h.Ops[n.op]
	return fmt.Sprintf("%v (line %d)", op, op.Line)
}

// contradictionIn returns two operations of one part whose versions contradict each other, or
// nil. The second one is invoked later.
func contradictionIn(h *history.History, list []numbered) *Contradiction {
	byResponse := slices.Clone(list)
	slices.SortFunc(byResponse, func(a, b numbered) int { return cmp.Compare(h.Ops[a.op].Return, h.Ops[b.op].Return) })
	because := func(a, b int32, format string, args ...any) *Contradiction {
		two := []int32{min(a, b), max(a, b)}
		return &Contradiction{two, fmt.Sprintf(format, args...)}
	}
	made, valued := map[int64]numbered{}, map[int64]numbered{}
	var latest numbered // the one with the largest first that returned
	returned := 0
	for _, n := range list { // by invocation
		for ; returned < len(byResponse) && h.Ops[byResponse[returned].op].Return < h.Ops[n.op].Call; returned++ {
			if r := byResponse[returned]; returned == 0 || r.first > latest.first {
				latest = r
			}
		}
		version := n.first / 2
		switch other, isMade := made[version]; {
		case returned > 0 && n.last < latest.first:
			return because(latest.op, n.op, "%s has version %d, but was invoked after the response of %s, which has version %d",
				versioned(h, n), version, versioned(h, latest), latest.first/2)
		case !n.isNew():
		case isMade:
			return because(other.op, n.op, "%s and %s both made version %d", versioned(h, other), versioned(h, n), version)
		default:
			made[version] = n
		}
		if n.value.Kind() == history.None {
			continue
		}
		if other, ok := valued[version]; !ok {
			valued[version] = n
		} else if !other.value.Equal(n.value) {
			return because(other.op, n.op, "version %d has two values: %s and %s", version, versioned(h, other), versioned(h, n))
		}
	}
	return nil
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
// object at one version, or nil.
func contradictionOfParts(h *history.History, spec Revealing) *Contradiction {
	c := partsChecker{h: h, spec: spec}
	if c.collect(); c.found == nil {
		c.compare()
	}
	if c.found == nil {
		c.compareAbsences()
	}
	return c.found
}

func (c *partsChecker) contradicts(a, b int32, format string, args ...any) {
	if a != b && (c.found == nil || max(a, b) < c.found.Ops[1]) {
		c.found = &Contradiction{[]int32{min(a, b), max(a, b)}, fmt.Sprintf(format, args...)}
	}
}

func (c *partsChecker) text(op int32) string { return versioned(c.h, numbered{op: op}) }

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
					c.text(v.valued.op), c.text(this.op), s.Part, s.From)
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
					c.text(last.op), p.part, last.From, last.Until, c.text(next.op), from)
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
						c.text(there.op), p.part, there.From, there.Until, c.text(int32(i)), absence.At)
				}
			}
		}
	}
}

// appendVersionEdges appends the edges for one part. Edges lead from each operation to those of
// the next versions, through which the order goes on. Where real time has the order, there
// is none.
func appendVersionEdges(edges []history.Edge, h *history.History, list []numbered) []history.Edge {
	slices.SortFunc(list, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(h.Ops[a.op].Call, h.Ops[b.op].Call))
	})
	least := make([]int64, len(list)+1) // of last, from a place on
	least[len(list)] = math.MaxInt64
	for i, n := range slices.Backward(list) {
		least[i] = min(least[i+1], n.last)
	}
	after := func(instant int64) int { // the first place with a later one
		return sort.Search(len(list), func(i int) bool { return list[i].first > instant })
	}
	for _, a := range list {
		begin := after(a.last)
		for through := least[begin]; begin < len(list) && list[begin].first <= through; begin = after(list[begin].first) {
			for _, b := range list[begin:] {
				if b.first != list[begin].first || h.Ops[b.op].Call > h.Ops[a.op].Return {
					break
				}
				if len(edges) == mostVersionEdges {
					return edges
				}
				edges = append(edges, history.Edge{From: a.op, To: b.op})
			}
		}
	}
	return edges
}
