package history

// A timeline is a graph that has a cycle if and only if real time and edges
// together have one. Nodes 0..n-1 are the operations; node n+p is the p-th event
// position. An operation leads to the position of its response, a
// position to the next one, and the position of an invocation to its
// operation: every order of real time is a path along the positions.
type timeline struct {
	n     int
	ops   []Operation
	calls []int32   // position -> operation invoked there, +1
	rets  []int32   // position -> operation that returns there, +1
	out   [][]int32 // operation -> operations after it by edges
	in    [][]int32
}

func (b *Builder) timeline(edges []Edge) *timeline {
	n := len(b.ops)
	t := &timeline{
		n: n, ops: b.ops,
		calls: make([]int32, b.events), rets: make([]int32, b.events),
		out: make([][]int32, n), in: make([][]int32, n),
	}
	for i := range b.ops {
		t.calls[b.ops[i].Call] = int32(i) + 1
		if r := b.ops[i].Return; r != NoReturn {
			t.rets[r] = int32(i) + 1
		}
	}
	for _, e := range edges {
		t.out[e.From] = append(t.out[e.From], e.To)
		t.in[e.To] = append(t.in[e.To], e.From)
	}
	return t
}

// next calls f for each successor of node v.
func (t *timeline) next(v int, f func(w int)) {
	if v < t.n {
		if r := t.ops[v].Return; r != NoReturn {
			f(t.n + int(r))
		}
		for _, w := range t.out[v] {
			f(int(w))
		}
		return
	}
	if o := t.calls[v-t.n]; o != 0 {
		f(int(o) - 1)
	}
	if v+1 < t.n+len(t.calls) {
		f(v + 1)
	}
}

// before calls f for each predecessor of node v.
func (t *timeline) before(v int, f func(w int)) {
	if v < t.n {
		f(t.n + int(t.ops[v].Call))
		for _, w := range t.in[v] {
			f(int(w))
		}
		return
	}
	if o := t.rets[v-t.n]; o != 0 {
		f(int(o) - 1)
	}
	if v > t.n {
		f(v - 1)
	}
}

// cycle returns the nodes of a cycle, each after the one it leads to, or nil.
// It removes nodes without predecessors until there are none. From a node that
// remains, walking backwards must enter a cycle.
func (t *timeline) cycle() []int {
	waits := make([]int32, t.n+len(t.calls))
	var ready []int32
	for v := range waits {
		t.before(v, func(int) { waits[v]++ })
		if waits[v] == 0 {
			ready = append(ready, int32(v))
		}
	}
	for left := len(waits); len(ready) > 0; {
		v := int(ready[len(ready)-1])
		ready = ready[:len(ready)-1]
		if left--; left == 0 {
			return nil
		}
		t.next(v, func(w int) {
			if waits[w]--; waits[w] == 0 {
				ready = append(ready, int32(w))
			}
		})
	}
	v := 0
	for waits[v] == 0 {
		v++
	}
	place := map[int]int{} // on the walk
	var walk []int
	for {
		if at, again := place[v]; again {
			return walk[at:]
		}
		place[v] = len(walk)
		walk = append(walk, v)
		from := -1
		t.before(v, func(w int) {
			if waits[w] > 0 {
				from = w
			}
		})
		v = from
	}
}

// findCycle records a fault for each edge of one cycle, if edges contradict
// real time or one another. O(n + edges).
func (b *Builder) findCycle(edges []Edge) {
	t := b.timeline(edges)
	walk := t.cycle()
	if walk == nil {
		return
	}
	onCycle := map[Edge]bool{}
	for i, to := range walk {
		from := walk[(i+1)%len(walk)]
		if from < t.n && to < t.n {
			onCycle[Edge{int32(from), int32(to)}] = true
		}
	}
	for _, e := range b.edges {
		from, _ := b.index.get(e.from)
		to, _ := b.index.get(e.to)
		if onCycle[Edge{from, to}] {
			b.Errorf(e.line, "the edge from operation %v to %v closes a cycle with real time or other edges", e.from, e.to)
		}
	}
	if len(b.errs.List) == 0 {
		b.Errorf(b.h.Line, "order edges and real time close a cycle")
	}
}
