package stress

import (
	"cmp"
	"math/bits"
	"slices"
)

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
// in parallel, those with fewest pairs first. It tries the three ways to put
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

// newOrder reports false if the relation is not transitive or is total.
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

// least reports whether no exchange of sequences that are the same makes the
// order a lesser relation.
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
