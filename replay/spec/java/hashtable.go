package java

import (
	"encoding/binary"
	"math/bits"
)

// A hashTable is the table of a java.util.concurrent.ConcurrentHashMap from
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
type hashTable struct {
	// heads has the first node of each bin, 0 for an empty one. It is nil until
	// the first entry, or putAll, allocates the table.
	heads []int32
	nodes []hashNode // nodes[0] is not used
	free  int32      // list of unused nodes
	n     int        // entries
	// initial is the size given to the constructor, 0 if none.
	initial int
	// tree is set if a bin has become a tree since the map was cleared. The entries
	// are then right, but the order within bins is not known.
	tree bool
}

type hashNode struct{ key, val, next int32 }

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

func (m *hashTable) bin(key int32) int32 { return spread(key) & int32(len(m.heads)-1) }

// limit is the number of entries at which the table doubles: three quarters
// of its size.
func (m *hashTable) limit() int { return len(m.heads) - len(m.heads)>>2 }

// tableFor is the smallest power of two that is at least n.
func tableFor(n int) int {
	if n <= 1 {
		return 1
	}
	return min(1<<bits.Len(uint(n-1)), maxTable)
}

// presize makes room for n entries and about half as many more.
func (m *hashTable) presize(n int) {
	want := maxTable
	if n < maxTable/2 {
		want = tableFor(n + n>>1 + 1)
	}
	if m.heads == nil {
		m.heads = make([]int32, max(m.initial, want))
	}
	for want > m.limit() && len(m.heads) < maxTable {
		m.double()
	}
}

// double moves every entry to a table of twice the size.
func (m *hashTable) double() {
	old := m.heads
	n := int32(len(old))
	m.heads = make([]int32, 2*n)
	for b, head := range old {
		if head != 0 {
			m.heads[b], m.heads[int32(b)+n] = m.splitList(head, n)
		}
	}
}

// splitList divides a list into the nodes whose hash does not have the bit and
// those whose hash has it. The longest tail whose nodes all go to one side is
// kept as it is. The nodes before it are prepended to the two lists one by one,
// which reverses them.
func (m *hashTable) splitList(head, bit int32) (low, high int32) {
	run := head // first node of the tail that is kept
	runBit := spread(m.nodes[head].key) & bit
	for p := m.nodes[head].next; p != 0; p = m.nodes[p].next {
		if b := spread(m.nodes[p].key) & bit; b != runBit {
			run, runBit = p, b
		}
	}
	if runBit == 0 {
		low = run
	} else {
		high = run
	}
	for p := head; p != run; {
		next := m.nodes[p].next
		if spread(m.nodes[p].key)&bit == 0 {
			m.nodes[p].next, low = low, p
		} else {
			m.nodes[p].next, high = high, p
		}
		p = next
	}
	return low, high
}

// find returns the node of key, the one before it in its bin, and the position
// of the node in the bin, starting at 1. A missing node is 0.
func (m *hashTable) find(key int32) (node, prev int32, position int) {
	if m.heads == nil {
		return 0, 0, 0
	}
	for node = m.heads[m.bin(key)]; node != 0; node = m.nodes[node].next {
		position++
		if m.nodes[node].key == key {
			return node, prev, position
		}
		prev = node
	}
	return 0, prev, position
}

// put sets the value of key and returns the old value. If onlyIfAbsent is set,
// it does not replace a value.
func (m *hashTable) put(key, val int32, onlyIfAbsent bool) (old int32, was bool) {
	if m.heads == nil {
		size := m.initial
		if size == 0 {
			size = defaultTable
		}
		m.heads = make([]int32, size)
	}
	node, prev, position := m.find(key)
	if node != 0 {
		old = m.nodes[node].val
		if !onlyIfAbsent {
			m.nodes[node].val = val
		}
	} else if added := m.newNode(key, val); prev == 0 {
		m.heads[m.bin(key)] = added
	} else {
		m.nodes[prev].next = added
	}
	if position >= treeifyAt { // also if the key existed, at this position in its bin
		if n := len(m.heads); n < minTreeTable {
			m.presize(2 * n)
		} else {
			m.tree = true
		}
	}
	if node != 0 {
		return old, true
	}
	m.n++
	for m.n >= m.limit() && len(m.heads) < maxTable {
		m.double()
	}
	return 0, false
}

func (m *hashTable) newNode(key, val int32) int32 {
	if i := m.free; i != 0 {
		m.free = m.nodes[i].next
		m.nodes[i] = hashNode{key: key, val: val}
		return i
	}
	if len(m.nodes) == 0 {
		m.nodes = make([]hashNode, 1, 4)
	}
	m.nodes = append(m.nodes, hashNode{key: key, val: val})
	return int32(len(m.nodes) - 1)
}

// remove removes key, which must exist.
func (m *hashTable) remove(key int32) {
	node, prev, _ := m.find(key)
	next := m.nodes[node].next
	if prev == 0 {
		m.heads[m.bin(key)] = next
	} else {
		m.nodes[prev].next = next
	}
	m.nodes[node].next = m.free
	m.free = node
	m.n--
}

func (m *hashTable) Clear() {
	clear(m.heads)
	m.nodes, m.free, m.n, m.tree = m.nodes[:min(1, len(m.nodes))], 0, 0, false
}

// each calls f for every entry in the order of iteration, until f returns
// false.
func (m *hashTable) each(f func(key, val int32) bool) {
	for _, i := range m.heads {
		for ; i != 0; i = m.nodes[i].next {
			if !f(m.nodes[i].key, m.nodes[i].val) {
				return
			}
		}
	}
}

func (m *hashTable) Clone() hashTable {
	c := *m
	c.heads = append([]int32(nil), m.heads...)
	c.nodes = append(make([]hashNode, 0, len(m.nodes)+1), m.nodes...)
	return c
}

// visibleSize is the part of the table size that can become visible. Keys that
// share a bin in one table but not in another distinguish two sizes, if there
// is room for two keys. A table that will be allocated with the requested size
// counts as allocated.
func (m *hashTable) visibleSize() int {
	size := len(m.heads)
	if m.heads == nil {
		size = m.initial
	}
	if size == 0 {
		return 0 // the next call decides: put allocates 16, putAll what it needs
	}
	return max(size, 4)
}

// AppendKey appends the size of the table, the entries in the order of
// iteration (within a bin, in the order of linking), and whether a bin has
// become a tree.
func (m *hashTable) AppendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.visibleSize()))
	dst = binary.AppendUvarint(dst, uint64(m.n))
	m.each(func(key, val int32) bool {
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(key)), int64(val))
		return true
	})
	if m.tree {
		dst = append(dst, 1)
	}
	return dst
}
