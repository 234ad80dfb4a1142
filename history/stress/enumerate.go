package stress

import (
	"iter"
	"math/bits"
	"slices"
	"strconv"
)

// enumerate returns all programs within the bounds, which are valid, with one
// invocation of the target and otherwise core methods only, or with core
// methods only if target is nil; see Generate.
func enumerate(c *Class, target *Method, b Bounds) iter.Seq[*Program] {
	b = b.fill()
	return func(yield func(*Program) bool) {
		set := newMethodSet(c, target)
		if set.validate(b.Sequences) != nil {
			return
		}
		for n := b.MinInvocations; n <= b.MaxInvocations; n++ {
			for k := min(2, b.Sequences); k <= min(n, b.Sequences); k++ {
				for v := range b.Values + 1 {
					e := &enumerator{letters: letters(c, set, v), target: target, values: 1<<v - 1, yield: yield}
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
func letters(c *Class, set methodSet, v int) []letter {
	var all []letter
	for _, m := range c.Methods {
		if m != set.target && !slices.Contains(set.rest, m) {
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
	yield   func(*Program) bool
	most    int   // values that one letter uses
	sizes   []int // lengths of the sequences, not rising
	word    []int // of the sequences one after another
	begin   []int // sequence -> where it begins in the word
}

// shapes tries the ways to divide n invocations into k sequences, those with
// the longest first sequence last. It reports whether to go on.
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

// words tries the words in lexicographic order, from place at on. A sequence
// as long as the one before it is not less than that one. This keeps one of the
// programs that differ only by the order of their sequences.
func (e *enumerator) words(at int, used uint64, targeted bool) bool {
	if at == len(e.word) {
		return used != e.values || !e.isWorth() || e.yield(e.program())
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

// least returns the first letter that is possible at a place.
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

// isWorth reports whether the word has a mutator, in another sequence than a read-only target.
func (e *enumerator) isWorth() bool {
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
	if e.target != nil && e.target.ReadOnly {
		mutates[home] = false
	}
	return e.target != nil && !e.target.ReadOnly || slices.Contains(mutates, true)
}

func (e *enumerator) program() *Program {
	p := &Program{Sequences: make([][]Invocation, len(e.sizes))}
	for s := range e.sizes {
		for _, i := range e.sequence(s) {
			p.Sequences[s] = append(p.Sequences[s], e.letters[i].Invocation)
		}
	}
	return p
}
