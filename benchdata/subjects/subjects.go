// Package subjects makes concurrent objects of other libraries testable with
// leadline stress --new: it wraps the methods that cannot be called as they
// are, those that take a function, a duration or options, or that return
// their results in no order. See README.md, and subjects.txt for the calls.
//
// The methods are called like the library's. Where one takes a function or
// the like, its comment says what is given for that.
package subjects

import (
	"cmp"
	"slices"
)

// A pair is a key and its value, of what iterates over a map. Lists of pairs
// are sorted; a key that was visited twice is in them twice.
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

// visit returns what a method like sync.Map's Range visits, in its order.
func visit[K cmp.Ordered](each func(func(K, int) bool)) []pair[K] {
	var pairs []pair[K]
	each(func(key K, value int) bool {
		pairs = append(pairs, pair[K]{key, value})
		return true
	})
	return pairs
}

// fill stores values that programs do not.
func fill(store func(key, value int)) {
	store(0, 7)
	store(1, 8)
}
