package java

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/replay/spec/internal/container"
)

// A hashMap is the state of a java.util.concurrent.ConcurrentHashMap from
// Integer to Integer as one thread sees it. It follows JDK 17 (the class of that
// name in JSR 166, which its authors released to the public domain). The order of
// iteration is:
//   - bins in the order of their indices,
//   - entries of a bin in the order in which they were linked, reversed in part
//     by each doubling of the table,
//   - from eight in one bin on, a tree with an order of its own, which is not
//     modelled.
//
// The table never shrinks.
type hashMap struct {
	container.Ordered[hashPlace, entry]
	size    int // the number of bins; 0 until the first entry, or putAll, allocates them
	initial int // the size given to the constructor, 0 if none
	// tree is set if a bin has become a tree since the map was cleared. The entries
	// are then right, but the order within bins is not known.
	tree bool
}

// A hashPlace is the number of a bin, and in its lower half the order of linking in the bin.
type hashPlace uint64

const nextBin = hashPlace(1) << 32

// Compare compares as cmp.Compare does.
func (p hashPlace) Compare(other hashPlace) int { return cmp.Compare(p, other) }

const (
	defaultTable = 16
	maxTable     = 1 << 30
	treeifyAt    = 8  // a list of this many entries becomes a tree when another is added
	minTreeTable = 64 // smaller tables grow instead
)

// spread is the hash of a key; its low bits select the bin. Two keys may have
// the same hash.
func spread(key int32) int32 {
	h := uint32(key)
	return int32((h ^ h>>16) & 0x7fffffff)
}

// limit is the number of entries at which the table doubles: three quarters
// of its size.
func (m *hashMap) limit() int { return m.size - m.size>>2 }

// tableFor is the smallest power of two that is at least n.
func tableFor(n int) int {
	if n <= 1 {
		return 1
	}
	return min(1<<bits.Len(uint(n-1)), maxTable)
}

// presize makes room for n entries and about half as many more.
func (m *hashMap) presize(n int) {
	want := maxTable
	if n < maxTable/2 {
		want = tableFor(n + n>>1 + 1)
	}
	if m.size == 0 {
		m.size = max(m.initial, want)
	}
	for want > m.limit() && m.size < maxTable {
		m.double()
	}
}

// double moves every entry to a table of twice the size. In each bin, the longest tail whose
// entries all go to one new bin is kept as it is. The entries before it are prepended to the
// two new bins one by one, which reverses them.
func (m *hashMap) double() {
	old, bit := m.Ordered, int32(m.size)
	m.Ordered = container.Ordered[hashPlace, entry]{}
	m.size *= 2
	isHigh := func(e entry) bool { return spread(e.key)&bit != 0 }
	var bin []entry
	split := func() {
		tail := len(bin) - 1
		for tail > 0 && isHigh(bin[tail-1]) == isHigh(bin[len(bin)-1]) {
			tail--
		}
		slices.Reverse(bin[:max(tail, 0)])
		for _, e := range bin {
			_, place, _ := m.find(e.key)
			p, _ := m.GetOrAdd(place)
			*p = e
		}
	}
	last := hashPlace(0)
	for p := range old.All() {
		if p.Key/nextBin != last/nextBin {
			split()
			bin = bin[:0]
		}
		bin, last = append(bin, p.Val), p.Key
	}
	split()
}

// find returns the entry of key, or nil, the place of the entry or of a new one, and its
// position in the bin, starting at 1. The position of a missing key is that of the last entry.
func (m *hashMap) find(key int32) (found *entry, place hashPlace, position int) {
	place = hashPlace(spread(key)&int32(m.size-1)) * nextBin
	end := place + nextBin
	for p := m.Above(place, true); p != nil && p.Key < end; p = m.Above(place, true) {
		position++
		if p.Val.key == key {
			return &p.Val, p.Key, position
		}
		place = p.Key + 1
	}
	return nil, place, position
}

// put sets the value of key and returns the old value. If onlyIfAbsent is set,
// it does not replace a value.
func (m *hashMap) put(key, val int32, onlyIfAbsent bool) (old int32, was bool) {
	if m.size == 0 {
		m.size = cmp.Or(m.initial, defaultTable)
	}
	e, place, position := m.find(key)
	if was = e != nil; was {
		old = e.val
	} else {
		e, _ = m.GetOrAdd(place)
	}
	if !was || !onlyIfAbsent {
		*e = entry{key, val}
	}
	if position >= treeifyAt { // also if the key existed, at this position in its bin
		if m.size < minTreeTable {
			m.presize(2 * m.size)
		} else {
			m.tree = true
		}
	}
	for !was && m.Len() >= m.limit() && m.size < maxTable {
		m.double()
	}
	return old, was
}

// remove removes key, which must exist.
func (m *hashMap) remove(key int32) {
	_, place, _ := m.find(key)
	m.Ordered.Remove(place)
}

func (m *hashMap) Clone() *hashMap {
	c := *m
	c.Ordered = m.Ordered.Clone()
	return &c
}

func (m *hashMap) Clear() {
	m.Ordered.Clear()
	m.tree = false
}

// each yields the entries in the order of iteration, unless a bin is a tree.
func (m *hashMap) each(yield func(entry) bool) {
	for p := range m.All() {
		if !yield(p.Val) {
			return
		}
	}
}

func (m *hashMap) valueOf(key int32) *int32 {
	if e, _, _ := m.find(key); e != nil {
		return &e.val
	}
	return nil
}

// visibleSize is the part of the table size that can become visible. Keys that
// share a bin in one table but not in another distinguish two sizes, if there
// is room for two keys. A table that will be allocated with the requested size
// counts as allocated.
func (m *hashMap) visibleSize() int {
	size := cmp.Or(m.size, m.initial)
	if size == 0 {
		return 0 // the next call decides: put allocates 16, putAll what it needs
	}
	return max(size, 4)
}

// AppendKey appends the size of the table, the entries in the order of
// iteration (within a bin, in the order of linking), and whether a bin has
// become a tree.
func (m *hashMap) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.visibleSize()))
	dst = binary.AppendUvarint(dst, uint64(m.Len()))
	for e := range m.each {
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(e.key)), int64(e.val))
	}
	if m.tree {
		dst = append(dst, 1)
	}
	return dst
}
