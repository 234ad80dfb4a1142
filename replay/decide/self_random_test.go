package decide_test

import (
	"math/rand/v2"

	"github.com/leadline/leadline/history"
)

// A generator makes random histories. Operations take effect at some moment
// between their events, so most histories would be linearizable; then some
// results are made wrong or unknown. Some operations stay pending, and some
// histories get edges and marks.
type generator struct {
	p      *problem
	r      *rand.Rand
	n      int
	state  uint64
	open   [maxOps]int // process -> its operation, +1
	done   [maxOps]bool
	lost   [maxOps]bool // never returns
	effect []int        // operations in the order in which they took effect
	answer [maxOps]answer
}

// random sets p to a random history of 1 to most operations.
func random(p *problem, k *kind, most int, r *rand.Rand) {
	p.reset(k)
	if r.IntN(4) > 0 {
		p.draw(r)
	}
	g := generator{p: p, r: r, n: 1 + r.IntN(most), state: p.initial}
	processes := 1 + r.IntN(5)
	pending := r.IntN(2) == 0
	for steps := 0; steps < 8*g.n+8; steps++ {
		g.event(int32(r.IntN(processes)), pending)
	}
	g.recorded(r.IntN(8) == 0)
	g.name()
	if r.IntN(4) == 0 {
		g.edges()
	}
	if r.IntN(4) == 0 {
		g.marks()
	}
}

// event adds the next event of a process.
func (g *generator) event(process int32, pending bool) {
	k := g.p.kind
	i := g.open[process] - 1
	switch {
	case i < 0 && g.p.n < g.n:
		i = g.p.invoke(&k.returned[g.r.IntN(len(k.returned))], process)
		g.open[process] = i + 1
	case i < 0 || g.lost[i]:
	case pending && g.r.IntN(12) == 0:
		g.lost[i] = true
	case !g.done[i]:
		g.take(i)
	case g.r.IntN(2) == 0:
		g.p.respond(i)
		g.open[process] = 0
	}
}

// take applies an operation to the model, unless it has to wait.
func (g *generator) take(i int) {
	o := g.p.kind.step(g.state, g.p.call[i])
	if o.n == 0 {
		return
	}
	way := g.r.IntN(o.n)
	g.answer[i], g.state, g.done[i] = o.answer[way], o.next[way], true
	g.effect = append(g.effect, i)
}

// recorded sets the results of the operations, all of them random if wild.
func (g *generator) recorded(wild bool) {
	p, k := g.p, g.p.kind
	for i := range p.n {
		p.result[i] = p.value(p.call[i], g.answer[i])
		switch x := g.r.IntN(20); {
		case p.end[i] == noReturn || x == 0:
			p.result[i] = history.UnknownValue
		case x == 1 || wild && x < 10:
			p.result[i] = g.stray(i)
		case x < 4 || wild:
			// The result of some call of the same method.
			for _, at := range g.r.Perm(len(k.returned)) {
				if c := &k.returned[at]; c.method == p.call[i].method {
					p.result[i] = p.value(c, c.answer)
					break
				}
			}
		}
	}
}

// stray returns an awkwardValues result that the specification accepts, or the
// current result of operation i.
func (g *generator) stray(i int) history.Value {
	op := history.Operation{Method: g.p.call[i].method, Args: g.p.args(g.p.call[i])}
	for range 4 {
		if op.Result = history.ExceptionValue("E"); g.r.IntN(8) > 0 {
			op.Result = awkwardValues[g.r.IntN(len(awkwardValues))]
		}
		if g.p.kind.spec.Check(&op) == nil {
			return op.Result
		}
	}
	return g.p.result[i]
}

// name numbers the processes by their first invocations.
func (g *generator) name() {
	var number [maxOps]int32 // +1
	processes := int32(0)
	for i := range g.p.n {
		n := &number[g.p.process[i]]
		if *n == 0 {
			processes++
			*n = processes
		}
		g.p.process[i] = *n - 1
	}
}

// edges adds a few edges, mostly along the order of effects.
func (g *generator) edges() {
	p := g.p
	for range g.r.IntN(4) {
		i, j := g.r.IntN(p.n), g.r.IntN(p.n)
		if len(g.effect) > 1 && g.r.IntN(4) > 0 {
			x, y := g.r.IntN(len(g.effect)), g.r.IntN(len(g.effect))
			i, j = g.effect[min(x, y)], g.effect[max(x, y)]
		}
		if i != j && !p.reaches(j, i) && p.before[j]>>i&1 == 0 {
			p.addEdge(i, j)
		}
	}
	p.sortEdges()
}

// marks marks some pending operations as happened, mostly those that did.
func (g *generator) marks() {
	for i := range g.p.n {
		if g.p.end[i] == noReturn && g.r.IntN(3) == 0 && (g.done[i] || g.r.IntN(3) == 0) {
			g.p.happened[i] = true
		}
	}
}

// reaches reports whether i comes before j, directly or through others.
func (p *problem) reaches(i, j int) bool {
	seen := uint32(1) << j
	for grown := true; grown; {
		grown = false
		for x := range p.n {
			if seen>>x&1 != 0 && p.before[x]&^seen != 0 {
				seen |= p.before[x]
				grown = true
			}
		}
	}
	return seen>>i&1 != 0
}
