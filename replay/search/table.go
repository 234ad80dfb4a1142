package search

import (
	"math/bits"
	"slices"

	"github.com/leadline/leadline/replay/internal/engine"
)

// hashOf returns a hash of the words of a key.
func hashOf(key ...uint64) uint32 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range key {
		hi, lo := bits.Mul64(h^w, 0xff51afd7ed558ccd)
		h = hi ^ lo
	}
	return uint32(h>>32 ^ h)
}

// A keySet is a set of keys, numbered from 0 on. All keys have words words each. If words
// is 0, keys differ in length, and the first word of each key is its length.
type keySet struct {
	index  engine.Index
	words  int
	keys   []uint64
	starts []uint32 // where each key begins; only if words is 0
}

func (k *keySet) key(i int32) []uint64 {
	if k.words > 0 {
		return k.keys[int(i)*k.words : (int(i)+1)*k.words]
	}
	start := int(k.starts[i])
	return k.keys[start : start+int(k.keys[start])]
}

// number returns the number of a key, or -1.
func (k *keySet) number(key []uint64) int32 {
	return k.index.Find(hashOf(key...), func(i int32) bool { return slices.Equal(k.key(i), key) })
}

// add returns the number of a key, and whether it is new.
func (k *keySet) add(key []uint64) (int32, bool) {
	hash := hashOf(key...)
	if i := k.index.Find(hash, func(i int32) bool { return slices.Equal(k.key(i), key) }); i >= 0 {
		return i, false
	}
	if k.words == 0 {
		k.starts = append(k.starts, uint32(len(k.keys)))
	}
	k.keys = append(k.keys, key...)
	return k.index.Add(hash), true
}

// keep drops the keys for which f returns false, and renumbers the others. It is
// called when memory is short, so it works in place and moves keys to the front.
func (k *keySet) keep(f func(i int32, key []uint64) bool) {
	n, end := int32(k.index.Len()), 0
	k.index.Reset()
	for i := range n {
		key := k.key(i)
		if !f(i, key) {
			continue
		}
		start := end
		end += copy(k.keys[start:], key)
		if k.words == 0 {
			k.starts[k.index.Len()] = uint32(start)
		}
		k.index.Add(hashOf(k.keys[start:end]...))
	}
	k.keys = k.keys[:end]
	if k.words == 0 {
		k.starts = k.starts[:k.index.Len()]
	}
}

func (k *keySet) clear() {
	k.index.Clear()
	k.keys = k.keys[:0]
}

func (k *keySet) bytes() int64 {
	words := k.words
	if words == 0 && k.index.Len() > 0 { // keys get longer: assume twice the average
		words = 1 + 2*len(k.keys)/k.index.Len()
	}
	return k.index.Bytes() + 8*grown(len(k.keys), cap(k.keys), engine.Soon*words) + 4*grown(len(k.starts), cap(k.starts), engine.Soon)
}

// grown returns the capacity of a slice of n elements with room for room. If that many more
// elements do not fit, it adds the capacity of the larger slice to which append would copy
// it.
func grown(n, room, more int) int64 {
	if n+more > room {
		return int64(room) + max(int64(n+more), int64(room)+int64(room)/4)
	}
	return int64(room)
}

// failedSet remembers the configurations of a sweep from which there is no
// witness.
//
// With pending operations, a failed configuration covers every configuration that differs
// from it only by more placed pending operations: a continuation from there would also be
// one from here. So each (due, state, mask) has a list of sets of pending operations. The
// method has reports whether a given set contains one of these sets.
type failedSet struct {
	keySet
	lists     [][]int32 // key -> failed sets of pending operations; nil without pending operations
	byUsed    bool
	dominance bool
	entries   int64
	compared  int // sets of pending operations that were compared, for the meter
}

const listBytes = 24 // the header of a list

func (f *failedSet) init(byUsed, dominance bool) {
	f.words, f.byUsed, f.dominance = 2, byUsed, dominance
}

func (f *failedSet) bytes() int64 {
	return f.keySet.bytes() + int64(cap(f.lists))*listBytes + 8*f.entries
}

func (at *spot) key() [2]uint64 { return [2]uint64{at.mask, uint64(at.due)<<32 | uint64(at.state)} }

func (f *failedSet) has(at spot, used *usedSets) bool {
	key := at.key()
	i := f.number(key[:])
	if i < 0 || !f.byUsed {
		return i >= 0
	}
	f.compared += len(f.lists[i])
	return slices.ContainsFunc(f.lists[i], func(u int32) bool { return f.covers(u, at.used, used) })
}

// covers reports whether the failure with the set u of pending operations
// implies the failure with the set v.
func (f *failedSet) covers(u, v int32, used *usedSets) bool {
	return u == v || f.dominance && used.contains(v, u)
}

func (f *failedSet) add(at spot, used *usedSets) {
	key := at.key()
	i, isNew := f.keySet.add(key[:])
	if !f.byUsed {
		return
	}
	if isNew {
		f.lists = append(f.lists, nil)
	}
	list := f.lists[i]
	f.compared += len(list)
	kept := slices.DeleteFunc(list, func(u int32) bool { return f.covers(at.used, u, used) })
	f.lists[i] = append(kept, at.used)
	f.entries += int64(len(kept) + 1 - len(list))
}

// dropBefore forgets the configurations in which an earlier response is due.
func (f *failedSet) dropBefore(due int32) {
	old := f.lists
	f.lists, f.entries = f.lists[:0], 0
	f.keep(func(i int32, key []uint64) bool {
		if int32(key[1]>>32) < due {
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
	keySet
	bigger []uint64
}

func (u *usedSets) init(pendings int) {
	u.words = pendings/64 + 1
	u.bigger = make([]uint64, u.words)
	u.add(u.bigger)
}

func (u *usedSets) has(i, op int32) bool { return u.key(i)[op/64]>>(op%64)&1 != 0 }

// contains reports whether set i contains set j.
func (u *usedSets) contains(i, j int32) bool {
	if i == j || j == 0 {
		return true
	}
	a, b := u.key(i), u.key(j)
	for w := range a {
		if b[w]&^a[w] != 0 {
			return false
		}
	}
	return true
}

// with returns the number of set i with one more operation.
func (u *usedSets) with(i, op int32) int32 {
	copy(u.bigger, u.key(i))
	u.bigger[op/64] |= 1 << (op % 64)
	next, _ := u.add(u.bigger)
	return next
}
