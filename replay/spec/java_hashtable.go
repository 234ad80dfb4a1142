package spec

import (
	"encoding/binary"
	"math/bits"
)

// A hashTable is the table of a java.util.concurrent.ConcurrentHashMap from
// Integer to Integer as one thread sees it, done as JDK 17 does it (after the
// class of that name in JSR 166, which its authors released to the public
// domain), because the order of iteration depends on all of it: bins in the
// order of their indices, entries of a bin as they were linked, reversed in
// part by each doubling of the table, and from eight in one bin on a tree
// with an order of its own. The table never shrinks.
type hashTable struct {
	// heads holds the first node of each bin, 0 in an empty one. It is nil
	// until the first entry, or putAll, makes the table.
	heads []int32
	nodes []hashNode // nodes[0] is not used
	free  int32      // list of unused nodes
	n     int        // entries
	// initial is the size of the table asked for at construction, 0 if none.
	initial int
	trees   map[int32]*treeShape // of bins that are trees
}

type hashNode struct{ key, val, next int32 }

const (
	defaultTable = 16
	maxTable     = 1 << 30
	treeifyAt    = 8  // entries that a new one meets in a list to make it a tree
	untreeifyAt  = 6  // half of a split tree of so many, or fewer, becomes a list
	minTreeTable = 64 // smaller tables grow instead
)

// spread is the hash of a key; its low bits choose the bin. Two keys may have
// the same.
func spread(key int32) int32 {
	h := uint32(key)
	return int32((h ^ h>>16) & 0x7fffffff)
}

func (m *hashTable) bin(key int32) int32 { return spread(key) & int32(len(m.heads)-1) }

// limit is the number of entries at which the table doubles: three quarters
// of its size.
func (m *hashTable) limit() int { return len(m.heads) - len(m.heads)>>2 }

// tableFor is the smallest power of two that is not smaller than n.
func tableFor(n int) int {
	if n <= 1 {
		return 1
	}
	return min(1<<bits.Len(uint(n-1)), maxTable)
}

// presize makes room for n entries, and about half as many more.
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

// find returns the node of key and the one before it in its bin, 0 where
// there is none, and the position of the node in the bin, from 1 on.
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

// put sets the value of key, or only adds a new key if told so, and returns
// the value that was there before.
func (m *hashTable) put(key, val int32, onlyIfAbsent bool) (old int32, was bool) {
	if m.heads == nil {
		size := m.initial
		if size == 0 {
			size = defaultTable
		}
		m.heads = make([]int32, size)
	}
	b := m.bin(key)
	node, prev, position := m.find(key)
	if node != 0 {
		old = m.nodes[node].val
		if !onlyIfAbsent {
			m.nodes[node].val = val
		}
	} else {
		m.link(b, prev, m.newNode(key, val))
	}
	if position >= treeifyAt && m.trees[b] == nil { // also where the key was there, so deep in its bin
		m.treeify(b)
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

// link puts a new node into bin b: first in a tree, after the last otherwise.
func (m *hashTable) link(b, last, node int32) {
	switch t := m.trees[b]; {
	case t != nil:
		t.insert(m.nodes[node].key)
		m.nodes[node].next = m.heads[b]
		m.heads[b] = node
	case last == 0:
		m.heads[b] = node
	default:
		m.nodes[last].next = node
	}
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

// remove removes key, which must be there.
func (m *hashTable) remove(key int32) {
	node, prev, _ := m.find(key)
	b := m.bin(key)
	next := m.nodes[node].next
	if prev == 0 {
		m.heads[b] = next
	} else {
		m.nodes[prev].next = next
	}
	m.nodes[node].next = m.free
	m.free = node
	m.n--
	switch t := m.trees[b]; {
	case t == nil:
	case t.small(): // as it is when this was the last
		delete(m.trees, b)
	default:
		t.remove(key)
	}
}

func (m *hashTable) clear() {
	clear(m.heads)
	m.nodes, m.free, m.n, m.trees = m.nodes[:min(1, len(m.nodes))], 0, 0, nil
}

// each calls f for every entry in the order of iteration until it answers
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

func (m *hashTable) clone() hashTable {
	c := *m
	c.heads = append([]int32(nil), m.heads...)
	c.nodes = append(make([]hashNode, 0, len(m.nodes)+1), m.nodes...)
	if m.trees != nil {
		c.trees = make(map[int32]*treeShape, len(m.trees))
		for b, t := range m.trees {
			c.trees[b] = t.clone()
		}
	}
	return c
}

// visibleSize is what shows, sooner or later, of the size of the table: keys
// that share a bin in one table and not in the other tell two sizes apart, if
// there is room for two keys. A table that will be made in the size asked for
// is as good as made.
func (m *hashTable) visibleSize() int {
	size := len(m.heads)
	if m.heads == nil {
		size = m.initial
	}
	if size == 0 {
		return 0 // the next call decides: put makes 16, putAll what it needs
	}
	return max(size, 4)
}

// appendKey appends the size of the table, the entries in the order of
// iteration, in which those of a bin stand as they were linked, and the
// shapes of the trees.
func (m *hashTable) appendKey(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.visibleSize()))
	dst = binary.AppendUvarint(dst, uint64(m.n))
	m.each(func(key, val int32) bool {
		dst = binary.AppendVarint(binary.AppendVarint(dst, int64(key)), int64(val))
		return true
	})
	if len(m.trees) > 0 {
		for b := range m.heads {
			if t := m.trees[int32(b)]; t != nil {
				dst = t.appendKey(binary.AppendUvarint(dst, uint64(b)))
			}
		}
	}
	return dst
}
