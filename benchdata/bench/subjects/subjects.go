// Package subjects makes concurrent objects of other libraries testable with
// leadline stress --new. It wraps methods that cannot be called directly:
// methods that take a function, a duration or options, or return their results
// in no order. See README.md, and subjects.txt for the calls.
//
// Methods have the names of the library. If a library method takes a function
// or the like, the comment of the wrapper states the argument.
package subjects

import (
	"cmp"
	"slices"
)

// A pair is an entry that an iteration visited. Lists of pairs are sorted; a
// key that was visited twice occurs twice.
type pair[K cmp.Ordered] struct {
	Key   K
	Value int
}

func sortPairs[K cmp.Ordered](pairs []pair[K]) []pair[K] {
	slices.SortFunc(pairs, func(a, b pair[K]) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
	})
	return pairs
}

func sorted[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return list
}

// visit returns the entries that a method like sync.Map's Range visits, in its
// order.
func visit[K cmp.Ordered](each func(func(K, int) bool)) []pair[K] {
	var pairs []pair[K]
	each(func(key K, value int) bool {
		pairs = append(pairs, pair[K]{key, value})
		return true
	})
	return pairs
}

// fill stores values that programs do not store.
func fill(store func(key, value int)) {
	store(0, 7)
	store(1, 8)
}
