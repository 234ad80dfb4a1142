package stress

import (
	"cmp"
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
		set := newMethodSet(c, target, b.Weak)
		if set.validate(b.Sequences) != nil {
			return
		}
		for n := b.MinInvocations; n <= b.MaxInvocations; n++ {
			for k := min(2, b.Sequences); k <= min(n, b.Sequences); k++ {
				orders := []sequenceOrder{{}}
				if b.Ordered {
					orders = partialOrders(k)
				}
				for v := range b.Values + 1 {
					e := &enumerator{letters: letters(c, set, v), target: target, values: 1<<v - 1, orders: orders, yield: yield}
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
	orders  []sequenceOrder
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

// ordered yields the word with each order that it is worth running in. If
// orders differ by an exchange of equal sequences, it takes the least.
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

// worth reports whether the word has a mutator and, if the target is read-only, one
// that can run in parallel with the target in the given order. The target, if there
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

// A sequenceOrder is a partial order of sequences.
type sequenceOrder struct {
	before relation
	pairs  [][2]int // those of it that do not follow from others
}

// A relation of up to eight things has bit 8i+j if i comes before j.
type relation uint64

func (r relation) has(i, j int) bool { return r>>(8*i+j)&1 != 0 }

func (r relation) with(i, j int) relation { return r | 1<<(8*i+j) }

func (o sequenceOrder) parallel(i, j int) bool {
	return i != j && !o.before.has(i, j) && !o.before.has(j, i)
}

// partialOrders returns the partial orders of k things in which some two are
// in parallel, those with fewest pairs first. It tries the three relations of
// each two things.
func partialOrders(k int) []sequenceOrder {
	var all []sequenceOrder
	var place func(i, j int, r relation)
	place = func(i, j int, r relation) {
		switch {
		case j == k:
			place(i+1, i+2, r)
		case i < k-1:
			place(i, j+1, r)
			place(i, j+1, r.with(i, j))
			place(i, j+1, r.with(j, i))
		default:
			if o, ok := newOrder(k, r); ok {
				all = append(all, o)
			}
		}
	}
	place(0, 1, 0)
	slices.SortFunc(all, func(a, b sequenceOrder) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(uint64(a.before)), bits.OnesCount64(uint64(b.before))), cmp.Compare(a.before, b.before))
	})
	return all
}

// newOrder returns false if the relation is not transitive or is total.
func newOrder(k int, r relation) (sequenceOrder, bool) {
	o := sequenceOrder{before: r}
	for i := range k {
		for j := range k {
			if !r.has(i, j) {
				continue
			}
			follows := false
			for m := range k {
				if r.has(j, m) && !r.has(i, m) {
					return o, false
				}
				follows = follows || r.has(i, m) && r.has(m, j)
			}
			if !follows {
				o.pairs = append(o.pairs, [2]int{i, j})
			}
		}
	}
	return o, k < 2 || bits.OnesCount64(uint64(r)) < k*(k-1)/2
}

// least reports whether no exchange of equal sequences makes the order a lesser
// relation.
func (o sequenceOrder) least(k int, same func(s, t int) bool) bool {
	if o.before == 0 {
		return true
	}
	to := make([]int, k) // the exchange
	for i := range to {
		to[i] = i
	}
	var exchange func(from int) bool
	exchange = func(from int) bool {
		if from == k {
			var r relation
			for i := range k {
				for j := range k {
					if o.before.has(i, j) {
						r = r.with(to[i], to[j])
					}
				}
			}
			return r >= o.before
		}
		for i := from; i < k; i++ {
			if i > from && !same(to[i], to[from]) {
				continue
			}
			to[i], to[from] = to[from], to[i]
			ok := exchange(from + 1)
			to[i], to[from] = to[from], to[i]
			if !ok {
				return false
			}
		}
		return true
	}
	return exchange(0)
}
