package stress

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/leadline/leadline/hitting/visibility"
)

// GeneratorOptions say what programs Generate returns. The zero value is
// Violat's default, apart from the initial and the final part.
type GeneratorOptions struct {
	Bounds Bounds
	// Target is the method to blame: each program has one invocation of it,
	// in a sequence, and otherwise core methods only. One in four random
	// programs has two, and so has each one if the target has a level: that may
	// promise something about two results. Without a target, each
	// random program has one method that is not core, chosen at random, in its
	// place; if all methods are core, or none is, programs mix them all.
	// Enumerated programs without a target have core methods only.
	Target *Method
	// CoreOnly leaves out methods that are not core if there is no Target.
	CoreOnly bool
	// Exhaustive enumerates all programs within the bounds.
	Exhaustive bool
	// Seed fixes the random programs: the same options make the same ones.
	Seed uint64
}

// Generate returns programs of a class: random ones, without end, or each
// within the bounds once. It returns an error if the bounds are not valid, or
// if no random program within the bounds is worth running, because it has
// read-only invocations only, say.
//
// Random programs are as in section 3 of the Violat paper: their number of
// invocations, their sequences and their arguments are uniformly distributed.
// Apart from the target, core mutators are three times as likely as each of
// the other methods.
//
// Unlike Violat's, no random program consists of read-only invocations only,
// and a read-only target has a mutator in another sequence. An initial part of
// mutators, of random length, precedes the sequences. A final part of
// read-only invocations, if there are such methods, follows them. Neither part
// calls the target.
//
// Enumerated programs come by rising number of invocations, then of sequences,
// then of values, as by nextParams and constructHarnesses in section 4 of
// "Exposing Non-Atomic Methods of Concurrent Objects". A program uses exactly
// the values 0 to v-1 of its rank, so each program comes once. As in the paper, no
// two programs differ only by the order of their sequences. None has read-only
// invocations only, and a read-only target can run in parallel with a mutator.
//
// Unlike in the paper, programs whose invocations cannot overlap are left out
// unless Bounds.Sequences is 1: those of one sequence, or with all sequences in
// a row. Two programs may differ by a renaming of values, as objects may
// compare values.
func Generate(c *Class, o GeneratorOptions) (iter.Seq[*Program], error) {
	if o.Exhaustive {
		if err := o.Bounds.Validate(); err != nil {
			return nil, err
		}
		return enumerate(c, o.Target, o.Bounds), nil
	}
	if _, err := newGenerator(c, o); err != nil {
		return nil, err
	}
	return func(yield func(*Program) bool) {
		g, _ := newGenerator(c, o) // each range starts anew
		for yield(g.next()) {
		}
	}, nil
}

// A generator makes random programs.
type generator struct {
	bounds  Bounds
	methods []methodSet // one is chosen for each program
	random  *rand.Rand
	hasOdd  bool // a method has a parameter with odd values
	odd     bool // this program has odd values
}

func newGenerator(c *Class, o GeneratorOptions) (*generator, error) {
	b := o.Bounds.fill()
	b.MinInvocations = max(b.MinInvocations, b.Sequences)
	g := &generator{bounds: b, random: rand.New(rand.NewPCG(o.Seed, 0))}
	for _, m := range c.Methods {
		g.hasOdd = g.hasOdd || slices.ContainsFunc(m.Params, Param.HasOdd)
	}
	if err := g.choose(c, o); err != nil {
		return nil, fmt.Errorf("generating programs of %s: %w", c.Name, err)
	}
	return g, nil
}

// choose finds the method sets to choose from.
func (g *generator) choose(c *Class, o GeneratorOptions) error {
	if err := o.Bounds.Validate(); err != nil {
		return err
	}
	if o.Target != nil && !slices.Contains(c.Methods, o.Target) {
		return fmt.Errorf("the target %s is a method of another class", o.Target.Name)
	}
	targets := []*Method{o.Target}
	core, others := c.split()
	if o.Target == nil && !o.CoreOnly && len(core) > 0 && len(others) > 0 {
		targets = others
	}
	var first error
	for _, target := range targets {
		set := newMethodSet(c, target)
		if err := set.validate(g.bounds.Sequences); err == nil {
			g.methods = append(g.methods, set)
		} else if first == nil {
			first = err
		}
	}
	if len(g.methods) == 0 {
		return first
	}
	return nil
}

// One in oddPrograms programs has odd values, such as strings for parameters of kind Any. The
// others do not, so that more invocations have equal arguments.
const oddPrograms = 4

// next returns a random program.
func (g *generator) next() *Program {
	b := g.bounds
	set := g.methods[g.random.IntN(len(g.methods))]
	g.odd = g.hasOdd && g.random.IntN(oddPrograms) == 0
	n := b.MinInvocations + g.random.IntN(b.MaxInvocations-b.MinInvocations+1)
	for {
		p := &Program{Sequences: make([][]Invocation, b.Sequences)}
		target, second := g.targets(set.target, n)
		for i := range n {
			s := i // each has at least one
			if i >= b.Sequences {
				s = g.random.IntN(b.Sequences)
			}
			m := set.target
			if i != target && i != second {
				m = g.method(set.rest)
			}
			p.Sequences[s] = append(p.Sequences[s], g.invocation(m))
		}
		if set.worth(p) {
			p.Initial, p.Final = g.initial(set), g.final(set)
			return p
		}
	}
}

// One in twicePrograms programs calls the target twice.
const twicePrograms = 4

// targets returns which of n invocations are the target's: -1 for none.
func (g *generator) targets(target *Method, n int) (first, second int) {
	if target == nil {
		return -1, -1
	}
	first, second = g.random.IntN(n), -1
	if n > 2 && (target.Level != visibility.Complete || g.random.IntN(twicePrograms) == 0) {
		second = (first + 1 + g.random.IntN(n-1)) % n
	}
	return first, second
}

// initial returns a random initial part.
func (g *generator) initial(set methodSet) []Invocation {
	var part []Invocation
	if len(set.mutators) == 0 {
		return nil
	}
	for range g.random.IntN(max(g.bounds.Initial, 0) + 1) {
		part = append(part, g.invocation(g.method(set.mutators)))
	}
	return part
}

// final returns a random final part. It has no read-only invocation twice.
func (g *generator) final(set methodSet) []Invocation {
	var part []Invocation
	for range g.random.IntN(max(g.bounds.Final, 0) + 1) {
		inv := g.invocation(g.method(set.observers))
		if !inv.Method.ReadOnly || !slices.ContainsFunc(part, inv.equal) {
			part = append(part, inv)
		}
	}
	return part
}

// weight returns how much likelier a method is than a read-only one.
func weight(m *Method) int {
	if m.Core && !m.ReadOnly {
		return 3
	}
	return 1
}

func (g *generator) method(methods []*Method) *Method {
	sum := 0
	for _, m := range methods {
		sum += weight(m)
	}
	at := g.random.IntN(sum)
	for _, m := range methods {
		if at -= weight(m); at < 0 {
			return m
		}
	}
	panic("stress: a method beyond the last")
}

func (g *generator) invocation(m *Method) Invocation {
	inv := Invocation{Method: m}
	for _, p := range m.Params {
		inv.Args = append(inv.Args, p.Random(g.random, g.bounds.Values, g.odd))
	}
	return inv
}

// A methodSet has the methods that a generated program may call.
type methodSet struct {
	target    *Method   // once, if there is one
	rest      []*Method // any number of times
	mutators  []*Method // of rest
	observers []*Method // the read-only ones of rest; all of it if none is
}

// newMethodSet returns the target and the core methods other than it. If a
// class has no core methods, all may be called beside the target, and a
// violation has no single method to blame.
func newMethodSet(class *Class, target *Method) methodSet {
	rest, others := class.split()
	if len(rest) == 0 {
		rest = others
	}
	set := methodSet{target: target, rest: slices.DeleteFunc(rest, func(m *Method) bool { return m == target })}
	for _, m := range set.rest {
		if m.ReadOnly {
			set.observers = append(set.observers, m)
		} else {
			set.mutators = append(set.mutators, m)
		}
	}
	if len(set.observers) == 0 {
		set.observers = set.rest
	}
	return set
}

// validate returns an error if no program with the given number of sequences is worth
// running.
func (set methodSet) validate(sequences int) error {
	mutator := len(set.mutators) > 0
	switch {
	case set.target == nil && len(set.rest) == 0:
		return fmt.Errorf("there is no method to call")
	case set.target == nil && !mutator:
		return fmt.Errorf("no method that may be called changes the object")
	case set.target == nil:
		return nil
	case len(set.rest) == 0:
		return fmt.Errorf("there is no core method to call beside %s", set.target.Name)
	case set.target.ReadOnly && !mutator:
		return fmt.Errorf("%s is read-only, and no core method changes the object", set.target.Name)
	case set.target.ReadOnly && sequences < 2:
		return fmt.Errorf("%s is read-only, and one sequence has nothing in parallel with it", set.target.Name)
	}
	return nil
}

// worth reports whether the program has a mutator, in parallel with an invocation of the target
// if that is read-only.
func (set methodSet) worth(p *Program) bool {
	if set.target != nil && !set.target.ReadOnly {
		return true
	}
	for s, sequence := range p.Sequences {
		if !slices.ContainsFunc(sequence, func(inv Invocation) bool { return !inv.Method.ReadOnly }) {
			continue
		}
		for home, other := range p.Sequences {
			if set.target == nil || home != s && slices.ContainsFunc(other, func(inv Invocation) bool { return inv.Method == set.target }) {
				return true
			}
		}
	}
	return false
}

// invocations returns all invocations of a method with v values to choose
// from. The last argument changes fastest.
func invocations(m *Method, v int) []Invocation {
	all := []Invocation{{Method: m}}
	for _, p := range m.Params {
		var longer []Invocation
		choices := p.All(v)
		for _, inv := range all {
			for _, a := range choices {
				longer = append(longer, Invocation{m, append(slices.Clip(inv.Args), a)})
			}
		}
		all = longer
	}
	return all
}
