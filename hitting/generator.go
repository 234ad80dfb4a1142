package hitting

import "slices"

// tailsMax is the largest number of live elements for which tails are kept. With a quarter,
// BenchmarkCount of 200 elements takes three times as long. It bounds the memory.
const tailsMax = 512

// A generator visits the schedules of one depth in index order, by moves (see doc.go). Each
// level of the walk has one schedule. If there are few elements, the tails of the current
// chain are kept; otherwise they are built whenever they are needed.
type generator struct {
	v      *liveElements
	hash   *hasher    // nil: schedules fit into fingerprints
	levels []treeNode // along the path of the walk; the last one is being visited
	tails  [][]int32  // element -> its tail for the current chain; empty: not built yet
	buf    []int32
	moves  []bool // element -> is in the tail that is being moved
	f      *Family
	visit  func(chain int32, tuple []int32) bool
	chain  int32
	tuple  []int32
	grew   bool
}

// A treeNode has the schedule of a tuple, and the elements that may follow the tuple.
type treeNode struct{ schedule, allowed []int32 }

func newGenerator(v *liveElements) *generator {
	n := len(v.elements)
	g := &generator{v: v, moves: make([]bool, n)}
	if n > packedMax {
		g.hash = newHasher(n)
	}
	if n <= tailsMax {
		g.tails = make([][]int32, n)
	}
	return g
}

// run calls visit for every node of the tree of this depth that might be new, and reports
// whether there were any. It ends early when visit returns false or the family is stopped.
func (g *generator) run(f *Family, visit func(chain int32, tuple []int32) bool) bool {
	g.f, g.visit, g.grew = f, visit, false
	for len(g.levels) < f.d {
		n := len(g.v.elements)
		g.levels = append(g.levels, treeNode{make([]int32, n), make([]int32, 0, n)})
	}
	first := &g.levels[0]
	first.allowed = first.allowed[:0]
	for x := range g.v.elements {
		first.allowed = append(first.allowed, int32(x))
	}
	for _, chain := range g.v.distinctChains() {
		g.chain = chain
		g.tuple = g.tuple[:0]
		for x := range g.tails {
			g.tails[x] = g.tails[x][:0]
		}
		g.v.appendTail(first.schedule[:0], chain, -1)
		if !f.spend(len(first.schedule)) || !g.walk(0) {
			break
		}
	}
	return g.grew
}

// schedule returns the schedule being visited, in live elements; it is lent until the next
// visit.
func (g *generator) schedule() []int32 { return g.levels[len(g.tuple)].schedule }

func (g *generator) fingerprint() fingerprint {
	if g.hash == nil {
		return pack(g.schedule())
	}
	return g.hash.sum(g.schedule())
}

// walk visits the schedules below the one of level k, whose tuple has k elements. It extends
// the tuple by each element that may follow, unless that moves nothing.
func (g *generator) walk(k int) bool {
	if k == g.f.d-1 {
		g.grew = true
		return g.visit(g.chain, g.tuple)
	}
	from, next := g.levels[k], &g.levels[k+1]
	n := len(from.schedule)
	for _, x := range from.allowed {
		if !g.f.spend(n) {
			return false
		}
		tail := g.tail(x)
		if g.f.stopped {
			return false // the tail may lack its end
		}
		if slices.Equal(from.schedule[n-len(tail):], tail) {
			continue
		}
		g.move(next.schedule, from.schedule, x, tail)
		g.tuple = append(g.tuple, x)
		if k < g.f.d-2 {
			next.allowed = next.allowed[:0]
			for _, y := range from.allowed {
				if y != x && !g.v.less(y, x) {
					next.allowed = append(next.allowed, y)
				}
			}
		}
		goOn := g.walk(k + 1)
		g.tuple = g.tuple[:k]
		if !goOn {
			return false
		}
	}
	return true
}

// move sets dst to the schedule with the tail of x moved to the end.
func (g *generator) move(dst, schedule []int32, x int32, tail []int32) {
	for _, e := range tail {
		g.moves[e] = true
	}
	begin := slices.Index(schedule, x)
	at, end := copy(dst, schedule[:begin]), begin
	for left := len(tail); left > 0; end++ {
		if e := schedule[end]; g.moves[e] {
			left--
		} else {
			dst[at] = e
			at++
		}
	}
	at += copy(dst[at:], schedule[end:])
	copy(dst[at:], tail)
	for _, e := range tail {
		g.moves[e] = false
	}
}

// tail returns the elements >= x, in their order at the end of a schedule.
func (g *generator) tail(x int32) []int32 {
	if g.tails == nil {
		g.buf = g.v.appendTail(g.buf[:0], g.chain, x)
		return g.buf
	}
	if len(g.tails[x]) == 0 {
		g.tails[x] = g.v.appendTail(g.tails[x], g.chain, x)
	}
	return g.tails[x]
}
