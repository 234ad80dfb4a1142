package search

import (
	"math/bits"
	"slices"
)

// keySet is a hash table of keys of some words each, the first of which is
// never zero.
type keySet struct {
	words int
	slots []uint64 // key i at [i*words, (i+1)*words)
	size  int      // how many slots; a power of two
	n     int
}

// bytes estimates the memory of the set, with that of a larger table if one
// will be needed soon.
func (k *keySet) bytes() int64 {
	size := k.size
	if 8*(k.n+soon) > 5*size {
		size += 2 * size
	}
	return int64(size*k.words) * 8
}

func (k *keySet) has(key []uint64) bool {
	return k.size > 0 && k.slots[k.find(key)] != 0
}

func (k *keySet) add(key []uint64) {
	if 8*(k.n+1) > 5*k.size {
		old := k.slots
		k.size = max(64, 2*k.size)
		k.slots = make([]uint64, k.size*k.words)
		for i := 0; i < len(old); i += k.words {
			if old[i] != 0 {
				copy(k.slots[k.find(old[i:i+k.words]):], old[i:i+k.words])
			}
		}
	}
	at := k.find(key)
	if k.slots[at] == 0 {
		copy(k.slots[at:], key)
		k.n++
	}
}

// find returns where the key begins in slots, or the empty place where it
// would.
func (k *keySet) find(key []uint64) int {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range key {
		hi, lo := bits.Mul64(h^w, 0xff51afd7ed558ccd)
		h = hi ^ lo
	}
	for i := int(h>>32^h) & (k.size - 1); ; i = (i + 1) & (k.size - 1) {
		at := i * k.words
		if k.slots[at] == 0 || slices.Equal(k.slots[at:at+k.words], key) {
			return at
		}
	}
}
