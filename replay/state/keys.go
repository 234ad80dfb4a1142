package state

import (
	"math/bits"
	"slices"
)

// HashOf returns a hash of the words of a key.
func HashOf(key ...uint64) uint32 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range key {
		hi, lo := bits.Mul64(h^w, 0xff51afd7ed558ccd)
		h = hi ^ lo
	}
	return uint32(h>>32 ^ h)
}

// A KeySet is a set of keys, numbered from 0 on. All keys have Words words each. If Words
// is 0, keys differ in length, and the first word of each key is its length.
type KeySet struct {
	index  Index
	Words  int
	keys   []uint64
	starts []uint32 // where each key begins; only if Words is 0
}

// Key returns the i-th key.
func (k *KeySet) Key(i int32) []uint64 {
	if k.Words > 0 {
		return k.keys[int(i)*k.Words : (int(i)+1)*k.Words]
	}
	start := int(k.starts[i])
	return k.keys[start : start+int(k.keys[start])]
}

// Number returns the number of a key, or -1.
func (k *KeySet) Number(key []uint64) int32 {
	return k.index.Find(HashOf(key...), func(i int32) bool { return slices.Equal(k.Key(i), key) })
}

// Add returns the number of a key, and whether it is new.
func (k *KeySet) Add(key []uint64) (int32, bool) {
	hash := HashOf(key...)
	if i := k.index.Find(hash, func(i int32) bool { return slices.Equal(k.Key(i), key) }); i >= 0 {
		return i, false
	}
	if k.Words == 0 {
		k.starts = append(k.starts, uint32(len(k.keys)))
	}
	k.keys = append(k.keys, key...)
	return k.index.Add(hash), true
}

// Keep drops the keys for which f returns false, and renumbers the others. It is
// called when memory is short, so it works in place and moves keys to the front.
func (k *KeySet) Keep(f func(i int32, key []uint64) bool) {
	n, end := int32(k.index.Len()), 0
	k.index.Reset()
	for i := range n {
		key := k.Key(i)
		if !f(i, key) {
			continue
		}
		start := end
		end += copy(k.keys[start:], key)
		if k.Words == 0 {
			k.starts[k.index.Len()] = uint32(start)
		}
		k.index.Add(HashOf(k.keys[start:end]...))
	}
	k.keys = k.keys[:end]
	if k.Words == 0 {
		k.starts = k.starts[:k.index.Len()]
	}
}

// Clear empties the set.
func (k *KeySet) Clear() {
	k.index.Clear()
	k.keys = k.keys[:0]
}

// Bytes estimates the memory of the set. If it will grow soon, that includes the growth.
func (k *KeySet) Bytes() int64 {
	words := k.Words
	if words == 0 && k.index.Len() > 0 { // keys get longer: assume twice the average
		words = 1 + 2*len(k.keys)/k.index.Len()
	}
	return k.index.Bytes() + 8*roomOf(len(k.keys), cap(k.keys), Soon*words) + 4*roomOf(len(k.starts), cap(k.starts), Soon)
}

// roomOf returns the capacity of a slice of n elements with room for room. If that many more
// elements do not fit, it adds the capacity of the larger slice to which append would copy
// it.
func roomOf(n, room, more int) int64 {
	if n+more > room {
		return int64(room) + max(int64(n+more), int64(room)+int64(room)/4)
	}
	return int64(room)
}

// Len returns the number of keys.
func (k *KeySet) Len() int { return k.index.Len() }
