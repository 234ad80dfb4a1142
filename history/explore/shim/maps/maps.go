// Package maps stands in for package maps in instrumented code: what goes through
// a map does so in an order that the scheduler chooses.
package maps

import (
	"iter"
	"maps"

	"github.com/leadline/leadline/history/explore/schedule"
)

// All returns an iterator over the entries of a map.
func All[Map ~map[K]V, K comparable, V any](m Map) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for it, k, v := schedule.RangeMap(m); it.Next(&k, &v); {
			if !yield(k, v) {
				return
			}
		}
	}
}

// Keys returns an iterator over the keys of a map.
func Keys[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[K] {
	return func(yield func(K) bool) { All(m)(func(k K, _ V) bool { return yield(k) }) }
}

// Values returns an iterator over the values of a map.
func Values[Map ~map[K]V, K comparable, V any](m Map) iter.Seq[V] {
	return func(yield func(V) bool) { All(m)(func(_ K, v V) bool { return yield(v) }) }
}

// DeleteFunc deletes the entries for which del returns true.
func DeleteFunc[M ~map[K]V, K comparable, V any](m M, del func(K, V) bool) {
	for k, v := range All(m) {
		if del(k, v) {
			delete(m, k)
		}
	}
}

// Equal reports whether two maps have the same entries.
func Equal[M1, M2 ~map[K]V, K, V comparable](m1 M1, m2 M2) bool { return maps.Equal(m1, m2) }

// EqualFunc is Equal with a function that compares values.
func EqualFunc[M1 ~map[K]V1, M2 ~map[K]V2, K comparable, V1, V2 any](m1 M1, m2 M2, eq func(V1, V2) bool) bool {
	if len(m1) != len(m2) {
		return false
	}
	for k, v1 := range All(m1) {
		if v2, ok := m2[k]; !ok || !eq(v1, v2) {
			return false
		}
	}
	return true
}

// Clone returns a copy of a map.
func Clone[M ~map[K]V, K comparable, V any](m M) M { return maps.Clone(m) }

// Copy adds the entries of src to dst.
func Copy[M1 ~map[K]V, M2 ~map[K]V, K comparable, V any](dst M1, src M2) { maps.Copy(dst, src) }

// Insert adds the entries of an iterator.
func Insert[Map ~map[K]V, K comparable, V any](m Map, seq iter.Seq2[K, V]) { maps.Insert(m, seq) }

// Collect returns a map of the entries of an iterator.
func Collect[K comparable, V any](seq iter.Seq2[K, V]) map[K]V { return maps.Collect(seq) }
