package stress

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/leadline/leadline/history"
)

// Bounds say how large programs are and of which kind. The zero value is what
// Violat generates by default ("Generating Tests of Observational Refinement
// for Concurrent Objects", section 3), with an initial and a final part besides.
type Bounds struct {
	// MinInvocations and MaxInvocations are the fewest and the most
	// invocations of a program's sequences together: 3 and 6 if zero.
	MinInvocations, MaxInvocations int
	// Initial and Final are the most invocations of the initial part and of
	// the final part of a random program: 2 if zero, none if less. They fill
	// the object and look at what became of it, so that a program needs fewer
	// invocations in parallel to go wrong, and to show it. Enumerated programs
	// have neither part.
	Initial, Final int
	// Sequences is the number of sequences of a random program. An
	// enumeration begins with 2 of them and ends with this number. 2 if zero.
	Sequences int
	// Values is how many values arguments are chosen from, 2 if zero. An
	// enumeration has programs that use no value, one, and so on.
	Values int
	// Weak lets in the methods that are documented not to be atomic.
	Weak bool
	// Ordered lets an enumeration put sequences in order. Random programs
	// have all their sequences in parallel.
	Ordered bool
}

// More values than a word has bits, or more sequences than there are few
// partial orders of (4231 of five, 130023 of six), are refused.
const (
	maxValues  = 64
	maxOrdered = 5
)

// fill puts defaults in the place of zeros. A bound that is given moves the
// default of another out of its way.
func (b Bounds) fill() Bounds {
	if b.Sequences == 0 {
		b.Sequences = 2
	}
	if b.Values == 0 {
		b.Values = 2
	}
	if b.Initial == 0 {
		b.Initial = 2
	}
	if b.Final == 0 {
		b.Final = 2
	}
	if b.MaxInvocations == 0 {
		b.MaxInvocations = max(6, b.MinInvocations, b.Sequences)
	}
	if b.MinInvocations == 0 {
		b.MinInvocations = min(3, b.MaxInvocations)
	}
	return b
}

// Validate returns an error if no program can be within the bounds.
func (b Bounds) Validate() error {
	b = b.fill()
	switch {
	case b.MinInvocations < 0 || b.MaxInvocations < 0 || b.Sequences < 0 || b.Values < 0:
		return fmt.Errorf("the bounds of a program are negative: %d to %d invocations, %d sequences, %d values",
			b.MinInvocations, b.MaxInvocations, b.Sequences, b.Values)
	case b.MinInvocations > b.MaxInvocations:
		return fmt.Errorf("at least %d invocations, but at most %d", b.MinInvocations, b.MaxInvocations)
	case b.Sequences > b.MaxInvocations:
		return fmt.Errorf("%d sequences, but at most %d invocations", b.Sequences, b.MaxInvocations)
	case b.Values > maxValues:
		return fmt.Errorf("%d values, but at most %d are possible", b.Values, maxValues)
	case b.Ordered && b.Sequences > maxOrdered:
		return fmt.Errorf("%d sequences, but at most %d can be put in order", b.Sequences, maxOrdered)
	}
	return nil
}

// Rank returns the numbers of invocations, sequences and different values of
// a program, by which Emmi and Enea enumerate ("Exposing Non-Atomic Methods of
// Concurrent Objects", section 4). The number n and the text "n" are the same
// value, and those in lists and maps count; false, true and null do not.
func Rank(p *Program) (invocations, sequences, values int) {
	all := p.All()
	used := map[string]bool{}
	for _, inv := range all {
		for v := range inv.values() {
			used[v] = true
		}
	}
	return len(all), len(p.Sequences), len(used)
}

// values returns the values that the arguments consist of.
func (inv Invocation) values() map[string]bool {
	used := map[string]bool{}
	for _, a := range inv.Args {
		gather(used, a)
	}
	return used
}

// gather enters the values that an argument consists of.
func gather(used map[string]bool, v history.Value) {
	switch v.Kind() {
	case history.Int:
		used[strconv.FormatInt(v.Int(), 10)] = true
	case history.String:
		used[v.Text()] = true
	}
	for _, e := range v.List() {
		gather(used, e)
	}
}

// A cast is who may occur in a program: the target, if there is one, exactly
// once, and its company any number of times.
type cast struct {
	target    *Method
	company   []*Method
	mutators  []*Method // of the company
	observers []*Method // those that only look; all where none does
}

// newCast returns the target and the core methods other than it. Where a
// class has no core methods, any may keep the target company: then nobody
// knows whom to blame.
func newCast(class *Class, target *Method, weak bool) cast {
	company, others := splitMethods(class, weak)
	if len(company) == 0 {
		company = others
	}
	c := cast{target: target, company: slices.DeleteFunc(company, func(m *Method) bool { return m == target })}
	for _, m := range c.company {
		if m.ReadOnly {
			c.observers = append(c.observers, m)
		} else {
			c.mutators = append(c.mutators, m)
		}
	}
	if len(c.observers) == 0 {
		c.observers = c.company
	}
	return c
}

// splitMethods returns the methods that are core and those that are not, the weak
// ones only if they are wanted.
func splitMethods(c *Class, weak bool) (core, others []*Method) {
	for _, m := range c.Methods {
		switch {
		case m.Weak && !weak:
		case m.Core:
			core = append(core, m)
		default:
			others = append(others, m)
		}
	}
	return core, others
}

// plays returns an error if the cast has no program of so many sequences that
// is worth running.
func (c cast) plays(sequences int) error {
	mutator := len(c.mutators) > 0
	switch {
	case c.target == nil && len(c.company) == 0:
		return fmt.Errorf("there is no method to call")
	case c.target == nil && !mutator:
		return fmt.Errorf("no method that may be called changes the object")
	case c.target == nil:
		return nil
	case len(c.company) == 0:
		return fmt.Errorf("there is no core method to call beside %s", c.target.Name)
	case c.target.ReadOnly && !mutator:
		return fmt.Errorf("%s is read-only, and no core method changes the object", c.target.Name)
	case c.target.ReadOnly && sequences < 2:
		return fmt.Errorf("%s is read-only, and one sequence has nothing in parallel with it", c.target.Name)
	}
	return nil
}

// elementOf is value i as a parameter or an element of it.
func elementOf(p Param, i int) history.Value {
	switch p {
	case Int, List, Map:
		return history.IntValue(int64(i))
	case Text, Texts:
		return history.StringValue(strconv.Itoa(i))
	}
	panic(fmt.Sprintf("stress: no values for %v", p))
}

// arguments returns all that the parameter can be with v values to choose
// from. Unlike in the paper, whose collections have exactly two elements,
// there are smaller ones.
func arguments(p Param, v int) []history.Value {
	if p == Bool {
		return []history.Value{history.BoolValue(false), history.BoolValue(true)}
	}
	var single, all []history.Value
	for i := range v {
		single = append(single, elementOf(p, i))
	}
	switch p {
	case List, Texts:
		all = append(all, history.ListValue())
		for _, e := range single {
			all = append(all, history.ListValue(e))
		}
		for _, e := range single {
			for _, f := range single {
				all = append(all, history.ListValue(e, f))
			}
		}
		return all
	case Map:
		return mapArguments(single)
	}
	return single
}

// mapArguments returns the maps of up to two of the values to values.
func mapArguments(single []history.Value) []history.Value {
	empty, _ := history.MapValue()
	all := []history.Value{empty}
	for _, key := range single {
		for _, e := range single {
			m, _ := history.MapValue(key, e)
			all = append(all, m)
		}
	}
	for i, key := range single {
		for _, next := range single[i+1:] {
			for _, e := range single {
				for _, f := range single {
					m, _ := history.MapValue(key, e, next, f)
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// invocations returns all invocations of a method with v values to choose
// from, the last argument changing fastest.
func invocations(m *Method, v int) []Invocation {
	lists := [][]history.Value{nil}
	for _, p := range m.Params {
		var longer [][]history.Value
		choices := arguments(p, v)
		for _, args := range lists {
			for _, a := range choices {
				longer = append(longer, append(slices.Clip(args), a))
			}
		}
		lists = longer
	}
	all := make([]Invocation, len(lists))
	for i, args := range lists {
		all[i] = Invocation{m, args}
	}
	return all
}
