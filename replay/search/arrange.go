package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// An arrangement is a history in the form that the searches take. The order of a history
// with edges consists of its intervals, its edges, and what follows from both, also through
// operations that did not happen. The function arrange makes the intervals as narrow as the
// edges allow. After that, most edges add nothing to the intervals. The rest are in before.
//
// An operation takes effect at a moment within its interval. If x has to come
// before y, the moment of y is later than the invocation of x, and the moment
// of x is earlier than the response of y. If x is an operation that did not
// happen, the same holds for what returned before its invocation. So narrowing
// changes no order, and order that passes through intervals and edges
// alternately becomes order of the intervals.
type arrangement struct {
	h        *history.History // without edges; operations sorted by narrowed invocation, then along the edges
	recorded *ops.Problem     // the same operations with their own intervals
	number   []int32          // operation -> number in the original history; nil: the same
	before   [][]int32        // operation -> predecessors that the intervals do not order; nil if there are none
	followed []bool           // operation -> is in a list of before
}

// arrange returns the arrangement of a history. It takes O(n log n) for n operations and
// edges, unless many edges lead through the same operations that did not happen. If that
// exceeds a bound, arrange returns the cause instead.
func arrange(p *ops.Problem, m *meter.Meter) (*arrangement, replay.Cause) {
	h := p.H
	if len(h.Edges) == 0 {
		return &arrangement{h: h, recorded: p}, replay.NoCause
	}
	n := len(h.Ops)
	call, ret := make([]int32, n+len(h.Ghosts)), make([]int32, n+len(h.Ghosts))
	for i := range call {
		op := h.Operation(int32(i))
		call[i], ret[i] = op.Call, op.Return
	}
	in := make([][]int32, len(call)) // along the edges, with ghosts
	for _, e := range h.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	sorted := ops.AlongEdges(h)
	for _, v := range sorted {
		for _, u := range in[v] {
			call[v] = max(call[v], call[u])
		}
	}
	for _, v := range slices.Backward(sorted) {
		for _, u := range in[v] {
			ret[u] = min(ret[u], ret[v])
		}
	}
	if cause := throughGhosts(in, sorted, n, p.MaxBytes, m); cause != replay.NoCause {
		return nil, cause
	}
	return renumber(p, call, ret, in, sorted), replay.NoCause
}

// predecessorCost is the memory of a predecessor while an arrangement is made: lists
// are copied once, and grow by doubling.
const predecessorCost = 16

// throughGhosts replaces each ghost in the lists of predecessors by its own predecessors.
// Ghosts are operations that did not happen; they have numbers from n on. If a bound is
// exceeded, throughGhosts returns the cause.
func throughGhosts(in [][]int32, sorted []int32, n int, maxBytes int64, m *meter.Meter) replay.Cause {
	isGhost := func(u int32) bool { return int(u) >= n }
	for _, v := range sorted {
		if !slices.ContainsFunc(in[v], isGhost) {
			continue
		}
		size := 0
		for _, u := range in[v] {
			if size++; isGhost(u) {
				size += len(in[u])
			}
		}
		if maxBytes -= int64(size) * predecessorCost; maxBytes < 0 {
			return replay.Memory
		}
		if m.MustStop(size) {
			return replay.Time
		}
		direct := make([]int32, 0, size)
		for _, u := range in[v] {
			if isGhost(u) {
				direct = append(direct, in[u]...)
			} else {
				direct = append(direct, u)
			}
		}
		slices.Sort(direct)
		in[v] = slices.Compact(direct)
	}
	return replay.NoCause
}

// renumber makes the arrangement. Operations are sorted by invocation; those
// that edges gave the same invocation are sorted along the edges.
func renumber(p *ops.Problem, call, ret []int32, in [][]int32, sorted []int32) *arrangement {
	n := len(p.H.Ops)
	a := &arrangement{}
	for _, v := range sorted {
		if int(v) < n {
			a.number = append(a.number, v)
		}
	}
	slices.SortStableFunc(a.number, func(x, y int32) int { return cmp.Compare(call[x], call[y]) })
	a.recorded, a.h = p.Restrict(a.number), ops.Restrict(p.H, a.number)
	place := make([]int32, n)
	for k, i := range a.number {
		place[i] = int32(k)
		a.h.Ops[k].Call, a.h.Ops[k].Return = call[i], ret[i]
	}
	for k, i := range a.number {
		for _, u := range in[i] {
			if ret[u] > call[i] {
				a.addBefore(place[u], int32(k))
			}
		}
	}
	return a
}

// columns returns what the operations do.
func (a *arrangement) columns() *ops.Columns { return a.recorded.Columns(nil) }

func (a *arrangement) addBefore(from, to int32) {
	if a.before == nil {
		a.before = make([][]int32, len(a.h.Ops))
		a.followed = make([]bool, len(a.h.Ops))
	}
	a.before[to] = append(a.before[to], from)
	a.followed[from] = true
}

// mayStayOut reports whether a witness need not place the operation: it is
// pending, not marked as happened, and has no successor. An operation with a
// successor has to be placed. That excludes no witness, since a pending
// operation may be placed anywhere after its invocation.
func (a *arrangement) mayStayOut(i int32) bool {
	op := &a.h.Ops[i]
	return op.Pending() && !op.Happened && (a.followed == nil || !a.followed[i])
}

// original translates a witness to the numbers of the original history.
func (a *arrangement) original(witness []int32) []int32 {
	if a.number == nil || witness == nil {
		return witness
	}
	original := make([]int32, len(witness))
	for k, i := range witness {
		original[k] = a.number[i]
	}
	return original
}
