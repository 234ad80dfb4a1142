package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A cellGuess searches depth first for a witness. It never overwrites a value that an
// operation still has to read. (Run would notice this fault only at the response of that
// operation.) It places operations that only read at once.
type cellGuess struct {
	*overwritten
	ops        []guessedOp
	cells      []guessedCell
	due        []int32 // operations that return, sorted by response
	first      int     // index of the first operation in due that is not placed
	next       []int32 // ring of the operations that are not placed, sorted by invocation
	previous   []int32
	blocked    []int32 // operation -> how many of its predecessors by edges are not placed
	after      [][]int32
	trail      []guessedChange
	order      []int32
	placed     []bool
	placedHash uint64          // hash of the set of placed operations
	failed     map[uint64]bool // hashes of sets from which it found no witness
}

type guessedOp struct {
	reads  []access
	writes []cellWrite
	hash   uint64
}

// A cellWrite is the last write of an operation to a cell, with its number of readers.
type cellWrite struct {
	cell    int32
	value   string
	readers int32
}

// A guessedCell has the current value, and how many reads of it are not placed.
type guessedCell struct {
	value  string
	unread int32
}

type guessedChange struct {
	cell   int32
	before guessedCell
}

// guess returns a witness, or nil if it finds none within a number of steps.
func (o *overwritten) guess() []int32 {
	n := len(o.h.Ops)
	g := &cellGuess{overwritten: o, ops: make([]guessedOp, n), cells: make([]guessedCell, len(o.cells)), next: make([]int32, n+1), previous: make([]int32, n+1),
		blocked: make([]int32, n), after: make([][]int32, n), placed: make([]bool, n), failed: map[uint64]bool{}}
	g.prepare()
	type choice struct {
		candidates         []int32
		trail, next, first int
	}
	var path []choice
	for steps := 16*n + 1<<12; steps > 0; steps-- {
		if o.meter.MustStop(16) {
			return nil
		}
		for g.first < len(g.due) && g.placed[g.due[g.first]] {
			g.first++
		}
		if g.first == len(g.due) {
			return g.witness()
		}
		var candidates []int32
		if !g.failed[g.placedHash] {
			candidates = g.candidates()
		}
		path = append(path, choice{candidates: candidates, trail: len(g.trail), first: g.first})
		for {
			last := &path[len(path)-1]
			g.first = last.first
			if last.next < len(last.candidates) {
				g.place(last.candidates[last.next])
				last.next++
				break
			}
			g.failed[g.placedHash] = true
			if path = path[:len(path)-1]; len(path) == 0 {
				return nil
			}
			g.takeBack(path[len(path)-1].trail)
		}
	}
	return nil
}

// prepare fills in the reads and writes of operations, their edges, and the ring.
func (g *cellGuess) prepare() {
	n := int32(len(g.h.Ops))
	readers := map[string]int32{}
	for _, r := range g.recordedReads {
		if g.tookEffect[r.op] {
			g.ops[r.op].reads = append(g.ops[r.op].reads, r)
			readers[r.value]++
		}
	}
	for k := range g.overwritten.cells {
		c := &g.overwritten.cells[k]
		g.cells[k] = guessedCell{c.first, readers[c.first]}
	}
	for _, w := range g.finalWrites {
		if g.tookEffect[w.op] {
			g.ops[w.op].writes = append(g.ops[w.op].writes, cellWrite{w.cell, w.value, readers[w.value]})
		}
	}
	for _, e := range g.withEdges.Edges {
		g.after[e.From] = append(g.after[e.From], e.To)
		g.blocked[e.To]++
	}
	last := n
	for i := range n {
		g.ops[i].hash = table.Random(uint64(i))
		if g.tookEffect[i] {
			g.next[last], g.previous[i] = i, last
			last = i
		}
	}
	g.next[last], g.previous[n] = n, last
	g.due = ops.Responses(g.h)
}

// candidates returns the operations that can be placed next, sorted by response.
func (g *cellGuess) candidates() []int32 {
	var list []int32
	n := int32(len(g.h.Ops))
	limit := g.h.Ops[g.due[g.first]].Return
	for i := g.next[n]; i != n && g.h.Ops[i].Call < limit; i = g.next[i] {
		if g.meter.MustStop(1) {
			return nil
		}
		if g.blocked[i] > 0 || !g.fits(i) {
			continue
		}
		if len(g.ops[i].writes) == 0 {
			return []int32{i}
		}
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(g.h.Ops[a].Return, g.h.Ops[b].Return) })
	return list
}

// fits reports whether the operation finds the values that it read, and overwrites no value
// that other operations still have to read.
func (g *cellGuess) fits(op int32) bool {
	for _, r := range g.ops[op].reads {
		if g.cells[r.cell].value != r.value {
			return false
		}
	}
	for _, w := range g.ops[op].writes {
		left := g.cells[w.cell].unread
		for _, r := range g.ops[op].reads {
			if r.cell == w.cell {
				left--
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

func (g *cellGuess) place(op int32) {
	change := func(cell int32, now guessedCell) {
		g.trail = append(g.trail, guessedChange{cell, g.cells[cell]})
		g.cells[cell] = now
	}
	for _, r := range g.ops[op].reads {
		change(r.cell, guessedCell{r.value, g.cells[r.cell].unread - 1})
	}
	for _, w := range g.ops[op].writes {
		change(w.cell, guessedCell{w.value, w.readers})
	}
	for _, next := range g.after[op] {
		g.blocked[next]--
	}
	g.next[g.previous[op]], g.previous[g.next[op]] = g.next[op], g.previous[op]
	g.placed[op] = true
	g.placedHash ^= g.ops[op].hash
	g.order = append(g.order, op)
}

// takeBack undoes the last operation, and all but the first changes of the trail.
func (g *cellGuess) takeBack(changes int) {
	op := g.order[len(g.order)-1]
	g.order = g.order[:len(g.order)-1]
	g.placedHash ^= g.ops[op].hash
	g.placed[op] = false
	g.next[g.previous[op]], g.previous[g.next[op]] = op, op
	for _, next := range g.after[op] {
		g.blocked[next]++
	}
	for len(g.trail) > changes {
		c := g.trail[len(g.trail)-1]
		g.cells[c.cell] = c.before
		g.trail = g.trail[:len(g.trail)-1]
	}
}

// witness appends all other operations to the order, and returns it if it is a witness. It
// may not be one, because results can depend on more than the values read.
func (g *cellGuess) witness() []int32 {
	order := slices.Clone(g.order)
	for i := range g.h.Ops {
		if !g.placed[i] {
			order = append(order, int32(i))
		}
	}
	if replay.Verify(g.h, g.spec, order, g.meter) != nil {
		return nil
	}
	return order
}
