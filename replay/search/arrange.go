package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
)

// An arrangement is a history as the engines take it. The order of a history
// with edges is that of its intervals and edges, and what follows from both,
// also through operations that did not happen. Here it is brought into another
// form: the intervals are made as narrow as the edges allow, after which most
// edges say nothing that the intervals do not, and the rest stand in before.
//
// An operation takes effect at a moment within its interval. If x has to come
// before y, the moment of y is later than the invocation of x, and that of x
// is earlier than the response of y; so is it if x is an operation that did
// not happen, with respect to what returned before its invocation. So
// narrowing changes no order, and order that passes through intervals and
// edges in turn is order of the intervals then.
type arrangement struct {
	h        *history.History // operations by narrowed invocations, numbered along the edges; without edges
	recorded *history.History // the same operations with their own intervals
	number   []int32          // of each in the history it was made of; nil: its own
	before   [][]int32        // operation -> others before it that the intervals do not put there; nil if there are none
	followed []bool           // operation -> stands in a list of before
}

// arrange takes O(n log n) for n operations and edges, unless many pass order
// on through the same operations that did not happen.
func arrange(h *history.History) *arrangement {
	if len(h.Edges) == 0 {
		return &arrangement{h: h, recorded: h}
	}
	n := len(h.Ops)
	call, ret := make([]int32, n+len(h.Ghosts)), make([]int32, n+len(h.Ghosts))
	for i := range call {
		op := operationOrGhost(h, i)
		call[i], ret[i] = op.Call, op.Return
	}
	in := make([][]int32, len(call)) // along the edges, with ghosts
	for _, e := range h.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	sorted := alongEdges(h)
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
	throughGhosts(in, sorted, n)
	return renumber(h, call, ret, in, sorted)
}

func operationOrGhost(h *history.History, i int) *history.Operation {
	if i < len(h.Ops) {
		return &h.Ops[i]
	}
	return &h.Ghosts[i-len(h.Ops)]
}

// alongEdges returns operations and ghosts in an order that the edges allow.
func alongEdges(h *history.History) []int32 {
	n := len(h.Ops) + len(h.Ghosts)
	waits := make([]int32, n)
	out := make([][]int32, n)
	for _, e := range h.Edges {
		waits[e.To]++
		out[e.From] = append(out[e.From], e.To)
	}
	sorted := make([]int32, 0, n)
	for v, w := range waits {
		if w == 0 {
			sorted = append(sorted, int32(v))
		}
	}
	for k := 0; k < len(sorted); k++ {
		for _, w := range out[sorted[k]] {
			if waits[w]--; waits[w] == 0 {
				sorted = append(sorted, w)
			}
		}
	}
	return sorted
}

// throughGhosts puts in the place of each number from n on, of a ghost, those
// before it.
func throughGhosts(in [][]int32, sorted []int32, n int) {
	isGhost := func(u int32) bool { return int(u) >= n }
	for _, v := range sorted {
		if !slices.ContainsFunc(in[v], isGhost) {
			continue
		}
		var direct []int32
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
}

// renumber makes the arrangement, operations by invocation and, of those to
// which edges have given the same, along the edges.
func renumber(h *history.History, call, ret []int32, in [][]int32, sorted []int32) *arrangement {
	n := len(h.Ops)
	a := &arrangement{
		h:        &history.History{Header: h.Header, Processes: h.Processes, Ops: make([]history.Operation, n)},
		recorded: &history.History{Header: h.Header, Processes: h.Processes, Ops: make([]history.Operation, n)},
	}
	for _, v := range sorted {
		if int(v) < n {
			a.number = append(a.number, v)
		}
	}
	slices.SortStableFunc(a.number, func(x, y int32) int { return cmp.Compare(call[x], call[y]) })
	place := make([]int32, n)
	for k, i := range a.number {
		place[i] = int32(k)
		a.h.Ops[k], a.recorded.Ops[k] = h.Ops[i], h.Ops[i]
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

func (a *arrangement) addBefore(from, to int32) {
	if a.before == nil {
		a.before = make([][]int32, len(a.h.Ops))
		a.followed = make([]bool, len(a.h.Ops))
	}
	a.before[to] = append(a.before[to], from)
	a.followed[from] = true
}

// isRelaxed reports whether edges are all the order there is: every operation
// was invoked before the first response.
func (a *arrangement) isRelaxed() bool {
	if a.before == nil {
		return false
	}
	last := a.h.Ops[len(a.h.Ops)-1].Call
	return !slices.ContainsFunc(a.h.Ops, func(op history.Operation) bool { return op.Return < last })
}

// mayStayOut reports whether a witness need not place the operation: it is
// pending, and nothing says that it took effect. What something is ordered
// behind has to be placed; that costs nothing, for a pending operation may be
// placed anywhere, at the latest at the end.
func (a *arrangement) mayStayOut(i int32) bool {
	op := &a.h.Ops[i]
	return op.Pending() && !op.Happened && (a.followed == nil || !a.followed[i])
}

// original returns a witness in the numbers of the history that was arranged.
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

// chains puts the operations into chains, in each of which one is before the
// other by an edge or by the intervals: behind one of its own process if
// possible. They need not be as few as possible.
func (a *arrangement) chains() [][]int32 {
	ops := a.h.Ops
	var chains [][]int32
	of := make([]int32, len(ops))
	isLast := func(i int32) bool { chain := chains[of[i]]; return chain[len(chain)-1] == i }
	returned := make([]int32, len(ops))
	for i := range returned {
		returned[i] = int32(i)
	}
	slices.SortFunc(returned, func(x, y int32) int { return cmp.Compare(ops[x].Return, ops[y].Return) })
	var free []int32 // returned before the present one's invocation
	for i := range int32(len(ops)) {
		for len(returned) > 0 && ops[returned[0]].Return < ops[i].Call {
			free = append(free, returned[0])
			returned = returned[1:]
		}
		behind := int32(-1)
		if a.before != nil {
			for _, b := range a.before[i] {
				if isLast(b) && (behind < 0 || ops[b].Process == ops[i].Process) {
					behind = b
				}
			}
		}
		for behind < 0 && len(free) > 0 {
			if last := free[len(free)-1]; isLast(last) {
				behind = last
			}
			free = free[:len(free)-1]
		}
		if behind < 0 {
			of[i] = int32(len(chains))
			chains = append(chains, []int32{i})
			continue
		}
		of[i] = of[behind]
		chains[of[i]] = append(chains[of[i]], i)
	}
	return chains
}

// complete returns a witness that begins with a trail: at its end stands what
// never took effect.
func (a *arrangement) complete(trail []int32) []int32 {
	placed := make([]bool, len(a.h.Ops))
	for _, op := range trail {
		placed[op] = true
	}
	witness := append(make([]int32, 0, len(a.h.Ops)), trail...)
	for op := range placed {
		if !placed[op] {
			witness = append(witness, int32(op))
		}
	}
	return witness
}
