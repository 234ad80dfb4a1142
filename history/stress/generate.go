package stress

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/leadline/leadline/history"
)

// GeneratorOptions say what programs a Generator makes. The zero value is
// Violat's default, but for the initial and the final part.
type GeneratorOptions struct {
	Bounds Bounds
	// Target is the method to blame: each program has one invocation of it,
	// in a sequence, and otherwise core methods only. Without one, each program
	// has a method that is not core, chosen at random, in its place; where all
	// methods are core, or none is, they are not told apart.
	Target *Method
	// CoreOnly leaves out methods that are not core where there is no Target.
	CoreOnly bool
	// Seed fixes the programs: the same options make the same ones.
	Seed uint64
}

// A Generator makes random programs, without end. It is for one goroutine at
// a time.
type Generator struct {
	bounds Bounds
	casts  []cast // one is chosen for each program
	random *rand.Rand
}

// NewGenerator returns a generator of programs of a class. It returns an
// error if no program within the bounds is worth running, one of read-only
// invocations, say.
func NewGenerator(c *Class, o GeneratorOptions) (*Generator, error) {
	b := o.Bounds.fill()
	b.MinInvocations = max(b.MinInvocations, b.Sequences)
	g := &Generator{bounds: b, random: rand.New(rand.NewPCG(o.Seed, 0))}
	if err := g.choose(c, o); err != nil {
		return nil, fmt.Errorf("generating programs of %s: %w", c.Name, err)
	}
	return g, nil
}

// choose finds the casts to choose from.
func (g *Generator) choose(c *Class, o GeneratorOptions) error {
	if err := o.Bounds.Validate(); err != nil {
		return err
	}
	if o.Bounds.Ordered {
		return errors.New("sequences are put in order by Enumerate only")
	}
	if o.Target != nil && !slices.Contains(c.Methods, o.Target) {
		return fmt.Errorf("the target %s is a method of another class", o.Target.Name)
	}
	targets := []*Method{o.Target}
	core, others := splitMethods(c, o.Bounds.Weak)
	if o.Target == nil && !o.CoreOnly && len(core) > 0 && len(others) > 0 {
		targets = others
	}
	var first error
	for _, target := range targets {
		players := newCast(c, target, o.Bounds.Weak)
		if err := players.plays(g.bounds.Sequences); err == nil {
			g.casts = append(g.casts, players)
		} else if first == nil {
			first = err
		}
	}
	if len(g.casts) == 0 {
		return first
	}
	return nil
}

// Next returns a random program, as in section 3 of the Violat paper: its
// number of invocations, their sequences and their arguments are uniformly
// distributed. Of the methods beside the target, those that are core and
// change the object are three times as likely as each of the others.
//
// Unlike Violat's, no program consists of read-only invocations only, and a
// read-only target has a mutator in another sequence. An initial part of
// mutators, of a random length, precedes the sequences, and a final part of
// read-only invocations, if there are such, follows them; none of these is the
// target's.
func (g *Generator) Next() *Program {
	b := g.bounds
	players := g.casts[g.random.IntN(len(g.casts))]
	n := b.MinInvocations + g.random.IntN(b.MaxInvocations-b.MinInvocations+1)
	for {
		p := &Program{Sequences: make([][]Invocation, b.Sequences)}
		target := -1 // which of the invocations is the target's
		if players.target != nil {
			target = g.random.IntN(n)
		}
		home := 0 // its sequence
		for i := range n {
			s := i // each has at least one
			if i >= b.Sequences {
				s = g.random.IntN(b.Sequences)
			}
			m := players.target
			if i == target {
				home = s
			} else {
				m = g.method(players.company)
			}
			p.Sequences[s] = append(p.Sequences[s], g.invocation(m))
		}
		if players.worth(p, home) {
			p.Initial, p.Final = g.initial(players), g.final(players)
			return p
		}
	}
}

// initial is a random initial part.
func (g *Generator) initial(players cast) []Invocation {
	var part []Invocation
	if len(players.mutators) == 0 {
		return nil
	}
	for range g.random.IntN(max(g.bounds.Initial, 0) + 1) {
		part = append(part, g.invocation(g.method(players.mutators)))
	}
	return part
}

// final is a random final part. It does not look at the same thing twice.
func (g *Generator) final(players cast) []Invocation {
	var part []Invocation
	for range g.random.IntN(max(g.bounds.Final, 0) + 1) {
		inv := g.invocation(g.method(players.observers))
		if !inv.Method.ReadOnly || !slices.ContainsFunc(part, inv.equal) {
			part = append(part, inv)
		}
	}
	return part
}

// worth reports whether the program has a mutator, and one in a sequence
// other than home if the target is read-only.
func (c cast) worth(p *Program, home int) bool {
	if c.target != nil && !c.target.ReadOnly {
		return true
	}
	for s, sequence := range p.Sequences {
		if c.target != nil && s == home {
			continue
		}
		if slices.ContainsFunc(sequence, func(inv Invocation) bool { return !inv.Method.ReadOnly }) {
			return true
		}
	}
	return false
}

// weight is how much likelier a method is than a read-only one.
func weight(m *Method) int {
	if m.Core && !m.ReadOnly {
		return 3
	}
	return 1
}

func (g *Generator) method(company []*Method) *Method {
	sum := 0
	for _, m := range company {
		sum += weight(m)
	}
	at := g.random.IntN(sum)
	for _, m := range company {
		if at -= weight(m); at < 0 {
			return m
		}
	}
	panic("stress: a method beyond the last")
}

func (g *Generator) invocation(m *Method) Invocation {
	inv := Invocation{Method: m}
	for _, p := range m.Params {
		inv.Args = append(inv.Args, g.argument(p))
	}
	return inv
}

// argument is a random argument: a collection has zero to two elements.
func (g *Generator) argument(p Param) history.Value {
	v := g.bounds.Values
	switch p {
	case Bool:
		return history.BoolValue(g.random.IntN(2) == 1)
	case List, Texts:
		list := make([]history.Value, g.random.IntN(3))
		for i := range list {
			list[i] = elementOf(p, g.random.IntN(v))
		}
		return history.ListValue(list...)
	case Map:
		var pairs []history.Value
		for _, key := range g.random.Perm(v)[:g.random.IntN(min(v, 2)+1)] {
			pairs = append(pairs, elementOf(p, key), elementOf(p, g.random.IntN(v)))
		}
		m, _ := history.MapValue(pairs...) // the keys differ
		return m
	}
	return elementOf(p, g.random.IntN(v))
}
