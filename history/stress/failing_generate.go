package stress

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/leadline/leadline/history"
)

// The programs of a search for failures have an initial part of up to mostBefore calls and two
// sequences of up to three; one in moreSequences has another sequence, of fewer calls each. They call
// any methods, and have no final part, as results do not count.
const (
	mostBefore    = 5
	moreSequences = 6
	// failingValues is how many values arguments are chosen from. One in awkwardOnce is a number or a
	// string that objects may not expect.
	failingValues = 4
	awkwardOnce   = 6
	// One in nilFunction functions is nil: a call may call it only if it finds something.
	nilFunction = 8
	// One in sameSequence sequences is the one before, as a method often does not work beside itself.
	sameSequence = 3
)

// mostCalls bounds the calls of a sequence, by the number of sequences.
var mostCalls = [...]int{2: 3, 3: 2, 4: 1}

// failingPrograms returns random programs for a search for failures, without end: those of
// Algorithm 1 of "Fully Automatic and Precise Detection of Thread Safety Violations" (PLDI 2012).
// Unlike there, programs are drawn whole, and the search removes calls that fail sequentially.
func failingPrograms(c *Class, seed uint64) iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		g := &failingGenerator{class: c, random: rand.New(rand.NewPCG(seed, 2))}
		for yield(g.next()) {
		}
	}
}

type failingGenerator struct {
	class   *Class
	random  *rand.Rand
	program *Program
}

func (g *failingGenerator) next() *Program {
	for {
		p := &Program{}
		g.program = p
		for range g.random.IntN(mostBefore + 1) {
			p.Initial = append(p.Initial, g.invocation(p.Initial, 0, nil))
		}
		sequences := 2
		for sequences < 4 && g.random.IntN(moreSequences) == 0 {
			sequences++
		}
		for s := range sequences {
			begin := p.Len()
			if s > 0 && g.random.IntN(sameSequence) == 0 {
				g.repeat(begin)
				continue
			}
			var calls []Invocation
			for range 1 + g.random.IntN(mostCalls[sequences]) {
				calls = append(calls, g.invocation(p.Initial, begin, calls))
			}
			p.Sequences = append(p.Sequences, calls)
		}
		if len(p.held()) <= maxHeld {
			return p
		}
	}
}

// repeat adds the last sequence again, which begins at a call. Its arguments are results of its own
// calls where they were results of the last sequence.
func (g *failingGenerator) repeat(begin int) {
	p := g.program
	last := slices.Clone(p.Sequences[len(p.Sequences)-1])
	p.Sequences = append(p.Sequences, last)
	p.replaceEarlier(func(_ Param, n int) history.Value {
		if n >= len(p.Initial) {
			n += len(last)
		}
		return resultOf(n)
	}, begin)
}

// invocation returns a random call after those of the initial part, and after own ones, the first of
// which has the number begin.
func (g *failingGenerator) invocation(initial []Invocation, begin int, own []Invocation) Invocation {
	inv := Invocation{Method: g.class.Methods[g.random.IntN(len(g.class.Methods))]}
	for _, p := range inv.Method.Params {
		inv.Args = append(inv.Args, g.argument(p, initial, begin, own))
	}
	return inv
}

func (g *failingGenerator) argument(p Param, initial []Invocation, begin int, own []Invocation) history.Value {
	if takesEarlier(p) && g.random.IntN(2) == 0 {
		var list []int
		for i, inv := range initial {
			if inv.Method.resultFor(p) >= 0 {
				list = append(list, i)
			}
		}
		for i, inv := range own {
			if inv.Method.resultFor(p) >= 0 {
				list = append(list, begin+i)
			}
		}
		if len(list) > 0 {
			return resultOf(list[g.random.IntN(len(list))])
		}
	}
	if p.IsFunction() && g.random.IntN(nilFunction) == 0 {
		return history.NullValue
	}
	v := p.Random(g.random, failingValues, true)
	if g.random.IntN(awkwardOnce) == 0 {
		n := g.random.IntN(2)
		switch v.Kind() {
		case history.Int:
			v = history.IntValue([]int64{-1, 10}[n])
		case history.String:
			if other := history.StringValue([]string{"", "ab"}[n]); p.Takes(other) {
				v = other
			}
		}
	}
	return v
}
