package search

import (
	"slices"

	"github.com/leadline/leadline/hitting/table"
)

// failedSet remembers the configurations that cannot be continued to a witness.
//
// With pending operations, a failed configuration covers every configuration that differs
// from it only by more placed pending operations: a continuation from there would also be
// one from here. So each key (see walk.configuration) has a list of sets of pending
// operations. The method has reports whether a given set contains one of these sets.
type failedSet struct {
	table.Words
	lists     [][]int32 // key -> failed sets of pending operations; nil without pending operations
	byUsed    bool
	dominance bool
	entries   int64
	compared  int // sets of pending operations that were compared, for the meter
}

const listBytes = 24 // the header of a list

func (f *failedSet) init(words int, byUsed, dominance bool) {
	f.Length, f.byUsed, f.dominance = words, byUsed, dominance
}

func (f *failedSet) bytes() int64 {
	return f.Words.Bytes() + int64(cap(f.lists))*listBytes + 8*f.entries
}

func (f *failedSet) has(key []uint64, used int32, sets *usedSets) bool {
	i := f.Find(key)
	if i < 0 || !f.byUsed {
		return i >= 0
	}
	f.compared += len(f.lists[i])
	return slices.ContainsFunc(f.lists[i], func(u int32) bool { return f.covers(u, used, sets) })
}

// covers reports whether the failure with the set u of pending operations
// implies the failure with the set v.
func (f *failedSet) covers(u, v int32, sets *usedSets) bool {
	return u == v || f.dominance && sets.contains(v, u)
}

func (f *failedSet) add(key []uint64, used int32, sets *usedSets) {
	i, isNew := f.Words.Add(key)
	if !f.byUsed {
		return
	}
	if isNew {
		f.lists = append(f.lists, nil)
	}
	list := f.lists[i]
	f.compared += len(list)
	kept := slices.DeleteFunc(list, func(u int32) bool { return f.covers(used, u, sets) })
	f.lists[i] = append(kept, used)
	f.entries += int64(len(kept) + 1 - len(list))
}

// dropBefore forgets the configurations in which an earlier response is due.
func (f *failedSet) dropBefore(due int32) {
	old := f.lists
	f.lists, f.entries = f.lists[:0], 0
	f.Keep(func(i int32, key []uint64) bool {
		if int32(key[0]>>32) < due {
			return false
		}
		if f.byUsed {
			f.lists = append(f.lists, old[i])
			f.entries += int64(len(old[i]))
		}
		return true
	})
	clear(old[len(f.lists):])
}

// usedSets numbers sets of pending operations. Number 0 is the empty set.
type usedSets struct {
	table.Words
	bigger []uint64
}

func (u *usedSets) init(pendings int) {
	u.Length = pendings/64 + 1
	u.bigger = make([]uint64, u.Length)
	u.Add(u.bigger)
}

func (u *usedSets) has(i, op int32) bool { return u.At(i)[op/64]>>(op%64)&1 != 0 }

// contains reports whether set i contains set j.
func (u *usedSets) contains(i, j int32) bool {
	if i == j || j == 0 {
		return true
	}
	a, b := u.At(i), u.At(j)
	for w := range a {
		if b[w]&^a[w] != 0 {
			return false
		}
	}
	return true
}

// with returns the number of set i with one more operation.
func (u *usedSets) with(i, op int32) int32 {
	copy(u.bigger, u.At(i))
	u.bigger[op/64] |= 1 << (op % 64)
	next, _ := u.Add(u.bigger)
	return next
}
