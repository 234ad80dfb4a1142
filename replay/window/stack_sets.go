package window

import (
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/table"
)

// stackSets are finite sets of stacks, represented as decision diagrams. A set has an edge
// for each value that is on top of some of its stacks. The edge leads to the set of the
// stacks below that value. All stacks of a set have the same length. Equal sets have the
// same number, and the number of a set is larger than the numbers of the sets to which its
// edges lead. Set 0 contains only the empty stack.
type stackSets struct {
	begin []int32 // set -> its first edge; its edges end where those of the next set begin
	edges []setEdge
	index table.Index
	// unions has results of union by hash; a later one replaces an earlier one. There is room
	// for about as many as there are sets. If unions need many more results than are kept,
	// their work can grow exponentially with the length of the stacks.
	unions []setUnion
	meter  *meter.Meter
	// stopped: the meter has ended the work, so results are not valid any more.
	stopped bool
	// incomplete: some union lacks stacks, because it exceeded unionDepth.
	incomplete bool
}

// A setEdge is a value on top of stacks of a set, and the set of the stacks below it. The
// edges of a set are sorted by value.
type setEdge struct{ value, below int32 }

// A setUnion is a result of union.
type setUnion struct{ a, b, union int32 }

// none is the number of the set without stacks.
const none = -1

const (
	edgeBytes  = 8
	unionBytes = 12
	// unionDepth bounds the recursion of unions. It protects the goroutine's stack, and is
	// not tuned.
	unionDepth = 1 << 12
)

func newStackSets(m *meter.Meter) *stackSets {
	s := &stackSets{unions: make([]setUnion, 1), meter: m}
	s.index.Add(s.hash(nil))
	s.begin = append(s.begin, 0, 0)
	return s
}

func (s *stackSets) edgesOf(set int32) []setEdge { return s.edges[s.begin[set]:s.begin[set+1]] }

// set returns the number of the set with these edges, which may be new.
func (s *stackSets) set(edges ...setEdge) int32 {
	if len(edges) == 0 {
		return none
	}
	hash := s.hash(edges)
	if i := s.index.Find(hash, func(i int32) bool { return slices.Equal(s.edgesOf(i), edges) }); i >= 0 {
		return i
	}
	s.edges = append(s.edges, edges...)
	s.begin = append(s.begin, int32(len(s.edges)))
	if n := len(s.unions); len(s.begin) > n {
		s.unions = make([]setUnion, 2*n)
	}
	return s.index.Add(hash)
}

func (s *stackSets) hash(edges []setEdge) uint32 {
	hash := uint32(len(edges))
	for _, e := range edges {
		hash = table.Hash(uint64(hash), uint64(e.value)<<32|uint64(e.below))
	}
	return hash
}

// under returns the set of the stacks below the value, for stacks of the set that have it
// on top.
func (s *stackSets) under(value, set int32) int32 {
	for _, e := range s.edgesOf(set) {
		if e.value == value {
			return e.below
		}
	}
	return none
}

// without returns the set of the stacks of a set that do not have the value on top.
func (s *stackSets) without(value, set int32) int32 {
	var buffer [16]setEdge
	rest := buffer[:0]
	for _, e := range s.edgesOf(set) {
		if e.value != value {
			rest = append(rest, e)
		}
	}
	return s.set(rest...)
}

// union returns the union of two sets.
func (s *stackSets) union(a, b int32) int32 { return s.unionAt(a, b, 0) }

func (s *stackSets) unionAt(a, b int32, depth int) int32 {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	case depth == unionDepth:
		s.incomplete = true
		return a
	case a > b:
		a, b = b, a
	}
	hash := table.Hash(uint64(a)<<32 | uint64(b))
	if u := s.unions[hash%uint32(len(s.unions))]; u.a == a && u.b == b {
		return u.union
	}
	if s.spend(1); s.stopped {
		return a
	}
	var buffer [16]setEdge
	edges := buffer[:0]
	x, y := s.edgesOf(a), s.edgesOf(b)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].value < y[0].value:
			edges = append(edges, x[0])
			x = x[1:]
		case y[0].value < x[0].value:
			edges = append(edges, y[0])
			y = y[1:]
		default:
			edges = append(edges, setEdge{x[0].value, s.unionAt(x[0].below, y[0].below, depth+1)})
			x, y = x[1:], y[1:]
		}
	}
	edges = append(append(edges, x...), y...)
	union := s.set(edges...)
	if !s.stopped {
		s.unions[hash%uint32(len(s.unions))] = setUnion{a, b, union}
	}
	return union
}

func (s *stackSets) spend(work int) {
	if s.meter.Spend(work) && s.meter.Stopped() {
		s.stopped = true
	}
}

// bytes estimates the memory that is allocated for the tables.
func (s *stackSets) bytes() int64 {
	return int64(cap(s.begin))*4 + int64(cap(s.edges))*edgeBytes + s.index.Bytes() + int64(len(s.unions))*unionBytes
}
