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

// A Contradiction is why no order of the operations has the versions, or the values, of one or two of them.
type Contradiction struct {
	Ops    []int32 // in the order of their invocations
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
// An operation of such an object contradicts all others if it found a value that none of them puts
// there; see Holder.
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

// contradict returns the Contradiction of two operations.
func contradict(a, b int32, format string, args ...any) *Contradiction {
	return &Contradiction{[]int32{min(a, b), max(a, b)}, fmt.Sprintf(format, args...)}
}

// named names an operation in a reason.
func named(h *history.History, op int32) string {
	return fmt.Sprintf("%v (line %d)", &h.Ops[op], h.Ops[op].Line)
}

// contradictionIn returns two operations of one part whose versions contradict each other, or
// nil. The second one is invoked later.
func contradictionIn(h *history.History, list []numbered) *Contradiction {
	byResponse := slices.Clone(list)
	slices.SortFunc(byResponse, func(a, b numbered) int { return cmp.Compare(h.Ops[a.op].Return, h.Ops[b.op].Return) })
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
			return contradict(latest.op, n.op, "%s has version %d, but was invoked after the response of %s, which has version %d",
				named(h, n.op), version, named(h, latest.op), latest.first/2)
		case !n.isNew():
		case isMade:
			return contradict(other.op, n.op, "%s and %s both made version %d", named(h, other.op), named(h, n.op), version)
		default:
			made[version] = n
		}
		if n.value.Kind() == history.None {
			continue
		}
		if other, ok := valued[version]; !ok {
			valued[version] = n
		} else if !other.value.Equal(n.value) {
			return contradict(other.op, n.op, "version %d has two values: %s and %s", version, named(h, other.op), named(h, n.op))
		}
	}
	return nil
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
