package hitting

import "slices"

// tailsMax is the largest number of live elements for which tails are kept.
const tailsMax = 512

// wide generates families of any number of live elements. Each level of the
// walk has one schedule. If there are few elements, the tails of the current chain are
// kept; otherwise they are built whenever they are needed.
type wide struct {
	v       *liveElements
	hash    *hasher
	current []int32   // the schedule being visited
	levels  [][]int32 // schedules along the path of the walk
	tails   [][]int32 // element -> its tail for the current chain; empty: not built yet
	buf     []int32
	f       *Family
	visit   func(chain int32, tuple []int32) bool
	chain   int32
	tuple   []int32
	grew    bool
}

func newWide(v *liveElements) *wide {
	g := &wide{v: v, hash: newHasher(len(v.elements))}
	if len(v.elements) <= tailsMax {
		g.tails = make([][]int32, len(v.elements))
	}
	return g
}

func (g *wide) fingerprint() fingerprint { return g.hash.sum(g.current) }

func (g *wide) schedule() []int32 { return g.current }

func (g *wide) run(f *Family, visit func(chain int32, tuple []int32) bool) bool {
	g.f, g.visit, g.grew = f, visit, false
	for _, chain := range g.v.distinctChains() {
		g.chain = chain
		for x := range g.tails {
			g.tails[x] = g.tails[x][:0]
		}
		base := g.v.appendTail(g.level(0)[:0], chain, -1)
		g.levels[0] = base
		if f.d > 1 {
			g.tuple = g.tuple[:0]
			if !g.walk() {
				break
			}
			continue
		}
		g.grew = true
		g.current = base
		if !f.spend(len(base)) || !visit(chain, nil) {
			break
		}
	}
	return g.grew
}

func (g *wide) level(k int) []int32 {
	for len(g.levels) <= k {
		g.levels = append(g.levels, make([]int32, 0, len(g.v.elements)))
	}
	return g.levels[k]
}

// walk extends the tuple by each element that may follow. Unlike packed.walk, it
// leaves out only the tuples whose next element moves nothing.
func (g *wide) walk() bool {
	k := len(g.tuple)
	word := g.levels[k]
	for x := range int32(len(g.v.elements)) {
		if !g.mayFollow(x) {
			continue
		}
		if !g.f.spend(len(word)) {
			return false
		}
		next := g.move(g.level(k + 1)[:0], word, x)
		g.levels[k+1] = next
		if g.f.stopped {
			return false // next may lack its end
		}
		if slices.Equal(next, word) {
			continue
		}
		g.tuple = append(g.tuple, x)
		goOn := true
		if k == g.f.d-2 {
			g.grew = true
			g.current = next
			goOn = g.visit(g.chain, g.tuple)
		} else {
			goOn = g.walk()
		}
		g.tuple = g.tuple[:k]
		if !goOn {
			return false
		}
	}
	return true
}

// mayFollow reports whether the tuple stays feasible when x is appended.
func (g *wide) mayFollow(x int32) bool {
	for _, y := range g.tuple {
		if x == y || g.v.less(x, y) {
			return false
		}
	}
	return true
}

// move appends to dst the schedule with all elements >= x moved to the end.
func (g *wide) move(dst, schedule []int32, x int32) []int32 {
	at := slices.Index(schedule, x)
	dst = append(dst, schedule[:at]...)
	for _, e := range schedule[at+1:] {
		if !g.v.less(x, e) {
			dst = append(dst, e)
		}
	}
	return append(dst, g.tail(x)...)
}

func (g *wide) tail(x int32) []int32 {
	if g.tails == nil {
		g.buf = g.v.appendTail(g.buf[:0], g.chain, x)
		return g.buf
	}
	if len(g.tails[x]) == 0 {
		g.tails[x] = g.v.appendTail(g.tails[x], g.chain, x)
	}
	return g.tails[x]
}
