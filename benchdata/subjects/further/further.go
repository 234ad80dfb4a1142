// Package further makes concurrent objects of more libraries testable with
// leadline stress, as package subjects does. The calls are in further.txt of the
// parent directory.
//
// Methods have the names of the library. If a library method takes a function or
// the like, the comment of the wrapper states the argument. Lists of keys are
// sorted, where the library returns them in no order.
//
// For example, Delete of cache2go releases the lock of its table for callbacks, so
// two calls can both return the item:
//
//	[ Add(0,0) ] { Delete(0) } || { Delete(0) }    // (), 0, 0
package further

import (
	"cmp"
	"slices"
)

func sorted[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return list
}

// ints returns the ints of a list, sorted.
func ints(list []any) []int {
	var all []int
	for _, x := range list {
		all = append(all, x.(int))
	}
	return sorted(all)
}

// entries returns what a method like sync.Map's Range visits, sorted. A key that
// is visited twice occurs twice.
func entries[K, V any](each func(func(K, V) bool)) [][2]any {
	var list [][2]any
	each(func(key K, value V) bool {
		list = append(list, [2]any{key, value})
		return true
	})
	slices.SortFunc(list, func(a, b [2]any) int { return cmp.Or(compare(a[0], b[0]), compare(a[1], b[1])) })
	return list
}

func compare(a, b any) int {
	if n, ok := a.(int); ok {
		return cmp.Compare(n, b.(int))
	}
	return cmp.Compare(a.(string), b.(string))
}
