package spec

// double moves every entry to a table of twice the size.
func (m *hashTable) double() {
	old, trees := m.heads, m.trees
	n := int32(len(old))
	m.heads, m.trees = make([]int32, 2*n), nil
	for b, head := range old {
		if head == 0 {
			continue
		}
		if t := trees[int32(b)]; t != nil {
			m.splitTree(int32(b), n, head, t)
		} else {
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

// splitTree divides the nodes of a tree bin, keeping their order. A part that
// is large enough is a tree again: the old tree if it has all the nodes,
// otherwise a new one.
func (m *hashTable) splitTree(b, n, head int32, t *treeShape) {
	var parts, tails, counts [2]int32
	for p := head; p != 0; {
		next := m.nodes[p].next
		side := 0
		if spread(m.nodes[p].key)&n != 0 {
			side = 1
		}
		if tails[side] == 0 {
			parts[side] = p
		} else {
			m.nodes[tails[side]].next = p
		}
		m.nodes[p].next = 0
		tails[side] = p
		counts[side]++
		p = next
	}
	for side, head := range parts {
		bin := b + int32(side)*n
		m.heads[bin] = head
		switch {
		case counts[side] <= untreeifyAt:
		case counts[1-side] == 0:
			m.setTree(bin, t)
		default:
			m.setTree(bin, m.newTree(head))
		}
	}
}

// treeify makes a tree of the long list in bin b, or doubles the table if it is
// still small.
func (m *hashTable) treeify(b int32) {
	if n := len(m.heads); n < minTreeTable {
		m.presize(2 * n)
		return
	}
	m.setTree(b, m.newTree(m.heads[b]))
}

func (m *hashTable) setTree(b int32, t *treeShape) {
	if m.trees == nil {
		m.trees = map[int32]*treeShape{}
	}
	m.trees[b] = t
}

func (m *hashTable) newTree(head int32) *treeShape {
	t := newTreeShape()
	for p := head; p != 0; p = m.nodes[p].next {
		t.insert(m.nodes[p].key)
	}
	return t
}
