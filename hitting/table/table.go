package table

import (
	"math/bits"
	"unsafe"
)

// An Index is a hash table with open addressing whose user keeps the keys. It numbers
// keys from 0 on in the order in which they are added. The zero value is empty.
//
// When a long table is full, its slots move to a larger one step by step, some with each
// key that is added. Moving all of them at once would take tenths of a second.
type Index struct {
	slots []uint64 // number + 1 in the upper half, hash in the lower half; 0 if empty
	old   []uint64 // the previous table, while slots of it have to be moved
	moved int      // old[:moved] has been moved to slots
	n     int
}

const (
	leastSlots = 64
	// longTable is the number of slots from which a table moves slot by slot.
	longTable = 1 << 16
	// movedAtOnce is the number of slots that move when a key is added. The old table
	// is empty long before the next one is full.
	movedAtOnce = 16
)

// Len returns how many keys there are.
func (x *Index) Len() int { return x.n }

// Find returns the number of the key with this hash for which same reports
// true, or -1.
func (x *Index) Find(hash uint32, same func(i int32) bool) int32 {
	if x.n == 0 {
		return -1
	}
	i := find(x.slots, hash, same)
	if i < 0 && x.old != nil {
		i = find(x.old, hash, same)
	}
	return i
}

func find(slots []uint64, hash uint32, same func(i int32) bool) int32 {
	mask := uint32(len(slots) - 1)
	for at := hash & mask; slots[at] != 0; at = (at + 1) & mask {
		if slot := slots[at]; uint32(slot) == hash && same(int32(slot>>32)-1) {
			return int32(slot>>32) - 1
		}
	}
	return -1
}

// Add numbers a key that Find did not find.
func (x *Index) Add(hash uint32) int32 {
	if 4*(x.n+1) > 3*len(x.slots) {
		x.grow()
	}
	if x.old != nil {
		x.move(movedAtOnce)
	}
	x.n++
	x.put(uint64(x.n)<<32 | uint64(hash))
	return int32(x.n - 1)
}

// grow begins a larger table.
func (x *Index) grow() {
	x.old, x.moved = x.slots, 0
	x.slots = make([]uint64, x.next())
	if len(x.old) < longTable {
		x.move(len(x.old))
	}
}

// next returns the number of slots of the next table: four times as many if the table is
// small, because most of these would soon grow again.
func (x *Index) next() int {
	if len(x.slots) < 1<<12 {
		return max(leastSlots, 4*len(x.slots))
	}
	return 2 * len(x.slots)
}

// move moves the next slots of the old table, at most as many as slots says.
func (x *Index) move(slots int) {
	end := min(x.moved+slots, len(x.old))
	for _, slot := range x.old[x.moved:end] {
		if slot != 0 {
			x.put(slot)
		}
	}
	if x.moved = end; end == len(x.old) {
		x.old, x.moved = nil, 0
	}
}

func (x *Index) put(slot uint64) {
	mask := uint32(len(x.slots) - 1)
	at := uint32(slot) & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = slot
}

// Clear empties the index, in time proportional to the keys added since the last
// call: a table with few keys shrinks. A table with many keys keeps its size, for the
// next search.
func (x *Index) Clear() {
	if x.n == 0 {
		return
	}
	if len(x.slots) > 4*leastSlots && x.n < len(x.slots)/64 {
		x.slots = x.slots[:len(x.slots)/2]
	}
	clear(x.slots)
	x.old, x.moved, x.n = nil, 0, 0
}

// Soon is the number of keys that can be added before Bytes is called again.
const Soon = 4096

// Bytes returns the memory of the index. If it will grow soon, that includes the
// next table.
func (x *Index) Bytes() int64 {
	slots := len(x.slots)
	if 4*(x.n+Soon) > 3*slots {
		slots += x.next()
	}
	return 8 * int64(slots+len(x.old))
}

// A Table is an Index that keeps its keys. They are in blocks, so that no key is copied
// when there are many. The zero value is empty.
type Table[K any] struct {
	Index
	blocks [][]K // of blockSize keys each; the first one grows to that size
}

const (
	blockBits = 9
	blockSize = 1 << blockBits
)

// At returns key i, until the next call of Add or Clear.
func (t *Table[K]) At(i int32) *K { return &t.blocks[i>>blockBits][i&(blockSize-1)] }

// Find returns the number of the key with this hash for which same reports true, or -1.
func (t *Table[K]) Find(hash uint32, same func(k *K) bool) int32 {
	return t.Index.Find(hash, func(i int32) bool { return same(t.At(i)) })
}

// Add numbers a key that Find did not find.
func (t *Table[K]) Add(hash uint32, k K) int32 {
	i := t.Index.Add(hash)
	at := int(i >> blockBits)
	if at == len(t.blocks) {
		room := blockSize
		if at == 0 {
			room = 16
		}
		t.blocks = append(t.blocks, make([]K, 0, room))
	}
	t.blocks[at] = append(t.blocks[at], k)
	return i
}

// Clear empties the table; see Index.Clear. It keeps the blocks that were in use.
func (t *Table[K]) Clear() {
	used := (t.n + blockSize - 1) >> blockBits
	for at, block := range t.blocks[:used] {
		clear(block) // the keys may have pointers
		t.blocks[at] = block[:0]
	}
	clear(t.blocks[used:])
	t.blocks = t.blocks[:used]
	t.Index.Clear()
}

// Bytes returns the memory of the index and the keys, without what keys point to.
func (t *Table[K]) Bytes() int64 {
	var k K
	keys := len(t.blocks) * blockSize
	if len(t.blocks) == 1 {
		keys = cap(t.blocks[0])
	}
	return t.Index.Bytes() + int64(keys)*int64(unsafe.Sizeof(k))
}

// Seed is the hash of no words; see Mix.
const Seed uint64 = 0x9e3779b97f4a7c15

// Mix returns the hash of the words of a hash and one more. A hash begins with Seed.
func Mix(hash, word uint64) uint64 {
	high, low := bits.Mul64(hash^word, 0xff51afd7ed558ccd)
	return high ^ low
}

// Fold returns the hash of a key in a table.
func Fold(hash uint64) uint32 { return uint32(hash>>32 ^ hash) }

// Random returns the i-th number of a pseudo-random sequence (splitmix64), which is the same
// in every run: for hashes of sets and sequences, which are sums over their elements.
func Random(i uint64) uint64 {
	z := (i + 1) * Seed
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Hash returns the hash of words.
func Hash(words ...uint64) uint32 {
	h := Seed
	for _, w := range words {
		h = Mix(h, w)
	}
	return Fold(h)
}
