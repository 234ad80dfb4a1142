package stress

import (
	"iter"
	"math/bits"
	"slices"
	"strconv"
)

// Enumerate returns all programs within the bounds that have one invocation
// of the target and otherwise core methods only, or core methods only if
// target is nil. They come by rising number of invocations, then of
// sequences, then of values, as by nextParams and constructHarnesses in
// section 4 of "Exposing Non-Atomic Methods of Concurrent Objects". A program
// uses exactly the values 0 to v-1 of its rank, so that it comes once.
//
// As in the paper, no two programs differ by the order of their sequences
// only, none has read-only invocations only, and a read-only target can run
// in parallel with a mutator. With Bounds.Ordered each program comes with
// each partial order of its sequences, of which the pairs that follow from
// others are left out.
//
// Unlike in the paper, programs whose invocations cannot overlap, those of one
// sequence or with their sequences in a row, are left out unless
// Bounds.Sequences is 1. Two programs may differ by a renaming of values:
// objects may compare them.
//
// It panics if the bounds are not valid.
func Enumerate(c *Class, target *Method, b Bounds) iter.Seq[*Program] {
	if err := b.Validate(); err != nil {
		panic("stress: Enumerate: " + err.Error())
	}
	b = b.fill()
	return func(yield func(*Program) bool) {
		players := newCast(c, target, b.Weak)
		if players.plays(b.Sequences) != nil {
			return
		}
		for n := b.MinInvocations; n <= b.MaxInvocations; n++ {
			for k := min(2, b.Sequences); k <= min(n, b.Sequences); k++ {
				orders := []sequenceOrder{{}}
				if b.Ordered {
					orders = partialOrders(k)
				}
				for v := range b.Values + 1 {
					e := &enumerator{letters: letters(c, players, v), target: target, values: 1<<v - 1, orders: orders, yield: yield}
					if !e.shapes(n, k) {
						return
					}
				}
			}
		}
	}
}

// A letter is an invocation that a program can have.
type letter struct {
	Invocation
	values uint64 // bit i: it uses value i
}

// letters returns the invocations with v values to choose from, in the order
// of the class.
func letters(c *Class, players cast, v int) []letter {
	var all []letter
	for _, m := range c.Methods {
		if m != players.target && !slices.Contains(players.company, m) {
			continue
		}
		for _, inv := range invocations(m, v) {
			l := letter{Invocation: inv}
			used := inv.values()
			for i := range v {
				if used[strconv.Itoa(i)] {
					l.values |= 1 << i
				}
			}
			all = append(all, l)
		}
	}
	return all
}

// An enumerator enumerates the programs of a rank, as words over letters.
type enumerator struct {
	letters []letter
	target  *Method
	values  uint64 // all that are to be used
	orders  []sequenceOrder
	yield   func(*Program) bool
	most    int   // values that one letter uses
	sizes   []int // lengths of the sequences, not rising
	word    []int // of the sequences one after another
	begin   []int // sequence -> where it begins in the word
}

// shapes goes through the ways to divide n invocations into k sequences,
// those with the longest first sequence last. It reports whether to go on.
func (e *enumerator) shapes(n, k int) bool {
	for _, l := range e.letters {
		e.most = max(e.most, bits.OnesCount64(l.values))
	}
	var divide func(left, longest int) bool
	divide = func(left, longest int) bool {
		more := k - len(e.sizes) - 1 // sequences after this one
		if more < 0 {
			return e.words(0, 0, false)
		}
		for size := (left + more) / (more + 1); size <= min(left-more, longest); size++ {
			e.sizes, e.begin = append(e.sizes, size), append(e.begin, n-left)
			ok := divide(left-size, size)
			e.sizes, e.begin = e.sizes[:len(e.sizes)-1], e.begin[:len(e.begin)-1]
			if !ok {
				return false
			}
		}
		return true
	}
	e.word = make([]int, n)
	return divide(n, n)
}

// words goes through the words in lexicographic order, from invocation i of
// sequence s on. A sequence that is as long as the one before it does not
// come before it, which keeps one of the programs that differ by the order of
// sequences only.
func (e *enumerator) words(at int, used uint64, targeted bool) bool {
	if at == len(e.word) {
		return used != e.values || e.ordered()
	}
	if bits.OnesCount64(e.values&^used) > e.most*(len(e.word)-at) {
		return true
	}
	for i := e.least(at); i < len(e.letters); i++ {
		l := &e.letters[i]
		isTarget := e.target != nil && l.Method == e.target
		if isTarget && targeted || !isTarget && !targeted && e.target != nil && at == len(e.word)-1 {
			continue
		}
		e.word[at] = i
		if !e.words(at+1, used|l.values, targeted || isTarget) {
			return false
		}
	}
	return true
}

// least returns the first letter that can stand in a place.
func (e *enumerator) least(at int) int {
	s := len(e.begin) - 1
	for e.begin[s] > at {
		s--
	}
	if s == 0 || e.sizes[s] != e.sizes[s-1] {
		return 0
	}
	twin := at - e.sizes[s] // the same place of the sequence before
	if !slices.Equal(e.word[e.begin[s-1]:twin], e.word[e.begin[s]:at]) {
		return 0
	}
	return e.word[twin]
}

// sequence is the part of the word that is sequence s.
func (e *enumerator) sequence(s int) []int { return e.word[e.begin[s]:][:e.sizes[s]] }

// ordered yields the word with each order that it is worth running in. Of
// those that differ by an exchange of equal sequences it takes the least.
func (e *enumerator) ordered() bool {
	home, mutates := -1, make([]bool, len(e.sizes))
	for s := range e.sizes {
		for _, i := range e.sequence(s) {
			if m := e.letters[i].Method; e.target != nil && m == e.target {
				home = s
			} else if !m.ReadOnly {
				mutates[s] = true
			}
		}
	}
	same := func(s, t int) bool { return slices.Equal(e.sequence(s), e.sequence(t)) }
	for _, o := range e.orders {
		if e.worth(o, home, mutates) && o.least(len(e.sizes), same) && !e.yield(e.program(o)) {
			return false
		}
	}
	return true
}

// worth reports whether the word has a mutator, and a read-only target one
// that can run in parallel with it, in the given order. The target, if there
// is one, is in sequence home.
func (e *enumerator) worth(o sequenceOrder, home int, mutates []bool) bool {
	if e.target == nil {
		return slices.Contains(mutates, true)
	}
	if !e.target.ReadOnly {
		return true
	}
	for s, yes := range mutates {
		if yes && s != home && o.parallel(s, home) {
			return true
		}
	}
	return false
}

func (e *enumerator) program(o sequenceOrder) *Program {
	p := &Program{Sequences: make([][]Invocation, len(e.sizes)), Order: slices.Clone(o.pairs)}
	for s := range e.sizes {
		for _, i := range e.sequence(s) {
			p.Sequences[s] = append(p.Sequences[s], e.letters[i].Invocation)
		}
	}
	return p
}
