package stress

import (
	"slices"
	"strconv"

	"github.com/leadline/leadline/history"
)

// A Program is a small test program: an initial part, sequences of
// invocations that run in parallel, and a final part. Emmi and Enea call it a
// harness ("Exposing Non-Atomic Methods of Concurrent Objects", 2017), Violat
// a schema.
type Program struct {
	Initial   []Invocation   // before everything else, one after another
	Sequences [][]Invocation // each in a thread of its own
	// Order has pairs of sequences: the first has ended before the second
	// begins. It is sorted and has no cycle.
	Order [][2]int
	Final []Invocation // after everything else, one after another
}

// An Invocation is a call of a method with arguments.
type Invocation struct {
	Method *Method
	Args   []history.Value
}

func (inv Invocation) equal(other Invocation) bool {
	return inv.Method == other.Method && slices.EqualFunc(inv.Args, other.Args, history.Value.Equal)
}

// Len returns the number of invocations of all parts.
func (p *Program) Len() int {
	n := len(p.Initial) + len(p.Final)
	for _, s := range p.Sequences {
		n += len(s)
	}
	return n
}

// All returns the invocations in textual order: those of the initial part, of
// the sequences one after another, and of the final part. The results of an
// outcome are in this order.
func (p *Program) All() []Invocation {
	all := append(make([]Invocation, 0, p.Len()), p.Initial...)
	for _, s := range p.Sequences {
		all = append(all, s...)
	}
	return append(all, p.Final...)
}

// rank returns the numbers of invocations, sequences and different values of
// a program, by which Emmi and Enea enumerate ("Exposing Non-Atomic Methods of
// Concurrent Objects", section 4). The number n and the string "n" are the
// same value. Those in lists and maps count; false, true and null do not.
func rank(p *Program) [3]int {
	all := p.All()
	used := map[string]bool{}
	for _, inv := range all {
		for v := range inv.values() {
			used[v] = true
		}
	}
	return [3]int{len(all), len(p.Sequences), len(used)}
}

// values returns the values that the arguments consist of.
func (inv Invocation) values() map[string]bool {
	used := map[string]bool{}
	for _, a := range inv.Args {
		gather(used, a)
	}
	return used
}

// gather adds the values that an argument consists of to used.
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

// smaller returns the programs with one invocation less, with one order less
// between sequences, or with a lesser argument.
func smaller(p *Program) []*Program {
	var list []*Program
	for i := range p.Initial {
		list = append(list, p.without(i))
	}
	for i := range p.Final {
		list = append(list, p.without(p.Len()-len(p.Final)+i))
	}
	at := len(p.Initial)
	for _, sequence := range p.Sequences {
		for i := range sequence {
			if len(sequence) > 1 || len(p.Sequences) > 2 {
				list = append(list, p.without(at+i))
			}
		}
		at += len(sequence)
	}
	for i := range p.Order {
		q := p.clone()
		q.Order = slices.Delete(q.Order, i, i+1)
		list = append(list, q)
	}
	for i, inv := range p.All() {
		for a, v := range inv.Args {
			for _, less := range lesser(inv.Method.Params[a], v) {
				q := p.clone()
				changed := q.at(i)
				changed.Args = slices.Clone(changed.Args)
				changed.Args[a] = less
				list = append(list, q)
			}
		}
	}
	return list
}

// without returns the program without the i-th invocation of All. A sequence that becomes empty goes.
func (p *Program) without(i int) *Program {
	q, at := p.clone(), i
	defer q.renumber(at)
	if i < len(q.Initial) {
		q.Initial = slices.Delete(q.Initial, i, i+1)
		return q
	}
	i -= len(q.Initial)
	for s := range q.Sequences {
		if n := len(q.Sequences[s]); i >= n {
			i -= n
			continue
		}
		if q.Sequences[s] = slices.Delete(q.Sequences[s], i, i+1); len(q.Sequences[s]) == 0 {
			q.dropSequence(s)
		}
		return q
	}
	q.Final = slices.Delete(q.Final, i, i+1)
	return q
}

func (p *Program) clone() *Program {
	q := &Program{Initial: slices.Clone(p.Initial), Order: slices.Clone(p.Order), Final: slices.Clone(p.Final)}
	for _, s := range p.Sequences {
		q.Sequences = append(q.Sequences, slices.Clone(s))
	}
	return q
}

// at returns the i-th invocation of All.
func (p *Program) at(i int) *Invocation {
	if i < len(p.Initial) {
		return &p.Initial[i]
	}
	i -= len(p.Initial)
	for _, s := range p.Sequences {
		if i < len(s) {
			return &s[i]
		}
		i -= len(s)
	}
	return &p.Final[i]
}

// dropSequence removes sequence s, which is empty, and the orders with it.
func (p *Program) dropSequence(s int) {
	p.Sequences = slices.Delete(p.Sequences, s, s+1)
	var order [][2]int
	for _, o := range p.Order {
		if o[0] == s || o[1] == s {
			continue
		}
		for i := range o {
			if o[i] > s {
				o[i]--
			}
		}
		order = append(order, o)
	}
	p.Order = order
}
