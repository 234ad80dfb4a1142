package depth

import (
	"cmp"
	"unsafe"

	"github.com/leadline/leadline/hitting/table"
)

// A node is a configuration of the search after some events. All elements called so far
// are placed, except the elements of tail and held.
type node[M mask] struct {
	tail   M      // open, and still to be placed in this segment
	held   M      // open and delayed
	chains uint64 // bit k stands for chain sweep.first + k
	state  int32  // of the machine
	cost   int32  // the number of elements delayed so far
	word   int32  // the delayed elements that are placed, in their order: see words
}

// A layer is a list of nodes, or a set to which all of them are added. If nodes of a set
// differ only in chains, cost and word, it keeps the best for each chain.
type layer[M mask] struct {
	nodes []node[M]
	index table.Index // of the nodes of a set
}

func (l *layer[M]) clear() {
	l.nodes = l.nodes[:0]
	l.index.Clear()
}

func (l *layer[M]) add(w *words, n node[M]) {
	hash, unused := n.hash(), int32(-1)
	l.index.Find(hash, func(i int32) bool {
		if o := &l.nodes[i]; n.isAt(o) {
			if divide(w, o, &n); o.chains == 0 {
				unused = i
			}
		}
		return n.chains == 0
	})
	switch {
	case n.chains == 0:
	case unused >= 0:
		l.nodes[unused] = n
	default:
		l.index.Add(hash)
		l.nodes = append(l.nodes, n)
	}
}

func (l *layer[M]) bytes() int64 {
	return int64(cap(l.nodes))*int64(unsafe.Sizeof(node[M]{})) + l.index.Bytes()
}

// isAt reports whether n and o differ at most in chains, cost and word.
func (n *node[M]) isAt(o *node[M]) bool {
	return o.state == n.state && o.tail == n.tail && o.held == n.held
}

func (n *node[M]) hash() uint32 {
	h := table.Mix(table.Seed, uint64(n.state))
	for w := range len(n.tail) {
		h = table.Mix(table.Mix(h, n.tail[w]), n.held[w])
	}
	return table.Fold(h)
}

// divide leaves each chain of two nodes at the same place to the better one, which has the
// smaller cost, or the same cost and the smaller word. (Words at one place have the same
// length if the costs are equal.) If they are equally good, o gets all chains.
func divide[M mask](w *words, o, n *node[M]) {
	order := cmp.Compare(n.cost, o.cost)
	if order == 0 {
		order = w.compare(n.word, o.word)
	}
	switch {
	case order < 0:
		o.chains &^= n.chains
	case order == 0:
		o.chains |= n.chains
	}
	if order >= 0 {
		n.chains &^= o.chains
	}
}

// words has the words of all nodes as linked lists from the last element to the
// first. Lists share their common beginnings. A word is the number of its last
// letter, or noWord.
type words []letter

type letter struct {
	element int32
	before  int32 // the word without this letter
}

const noWord = -1

func (w *words) append(word, element int32) int32 {
	*w = append(*w, letter{element, word})
	return int32(len(*w) - 1)
}

// compare compares words of the same length lexicographically.
func (w *words) compare(a, b int32) int {
	order := 0
	for a != b {
		x, y := (*w)[a], (*w)[b]
		if x.element != y.element {
			order = cmp.Compare(x.element, y.element)
		}
		a, b = x.before, y.before
	}
	return order
}

func (w words) elements(word int32) []int32 {
	var list []int32
	for ; word != noWord; word = w[word].before {
		list = append(list, w[word].element)
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// compact drops all letters that are in no word of the nodes.
func compact[M mask](w *words, nodes []node[M]) {
	moved := make([]int32, len(*w)) // letter -> new number + 1
	for i := range nodes {
		for at := nodes[i].word; at != noWord && moved[at] == 0; at = (*w)[at].before {
			moved[at] = 1
		}
	}
	n := int32(0)
	for at, l := range *w {
		if moved[at] == 0 {
			continue
		}
		if l.before != noWord {
			l.before = moved[l.before] - 1
		}
		(*w)[n] = l
		n++
		moved[at] = n
	}
	*w = (*w)[:n]
	for i := range nodes {
		if word := nodes[i].word; word != noWord {
			nodes[i].word = moved[word] - 1
		}
	}
}
