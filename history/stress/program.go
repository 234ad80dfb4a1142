package stress

import (
	"slices"

	"github.com/leadline/leadline/history"
)

// A Program is a small test program: an initial part, sequences of
// invocations that run in parallel, and a final part. Emmi and Enea call it a
// harness ("Exposing Non-Atomic Methods of Concurrent Objects", 2017), Violat
// a schema.
type Program struct {
	Initial   []Invocation   // before everything else, one after another
	Sequences [][]Invocation // each by a thread of its own
	// Order has pairs of sequences: the first has ended before the second
	// begins. It is sorted and has no cycle.
	Order [][2]int
	Final []Invocation // after everything else, one after another

	runs             []history.Value // see headerOf
	steady, unsteady bool            // see believes
}

// An Invocation is a call of a method with arguments.
type Invocation struct {
	Method *Method
	Args   []history.Value
}

func (inv Invocation) equal(other Invocation) bool {
	return inv.Method == other.Method && slices.EqualFunc(inv.Args, other.Args, history.Value.Equal)
}

// Len is the number of invocations, of all parts.
func (p *Program) Len() int {
	n := len(p.Initial) + len(p.Final)
	for _, s := range p.Sequences {
		n += len(s)
	}
	return n
}

// All returns the invocations in the order of the text: those of the initial
// part, of the sequences one after another, and of the final part. The
// results of an outcome are in this order.
func (p *Program) All() []Invocation {
	all := append(make([]Invocation, 0, p.Len()), p.Initial...)
	for _, s := range p.Sequences {
		all = append(all, s...)
	}
	return append(all, p.Final...)
}
