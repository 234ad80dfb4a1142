package depth

import (
	"unsafe"

	"github.com/leadline/leadline/hitting/table"
)

// A node is a configuration of the search after some events. All elements called so far
// are placed, except the elements of tail and held.
type node[M mask] struct {
	tail  M     // open, and still to be placed in this segment
	held  M     // open and delayed
	state int32 // of the machine
	cost  int32 // the number of elements delayed so far
	word  int32 // the delayed elements that are placed, in their order: see words
}

// A layer is a list of nodes, or a set to which all of them are added. If nodes of a set
// differ only in cost and word, it keeps the best.
type layer[M mask] struct {
	nodes []node[M]
	index table.Index // of the nodes of a set
}

func (l *layer[M]) clear() {
	l.nodes = l.nodes[:0]
	l.index.Clear()
}

func (l *layer[M]) add(w *words, n *node[M]) {
	hash := n.hash()
	if i := l.index.Find(hash, func(i int32) bool { return n.isAt(&l.nodes[i]) }); i >= 0 {
		improve(w, &l.nodes[i], n)
		return
	}
	l.index.Add(hash)
	l.nodes = append(l.nodes, *n)
}

func (l *layer[M]) bytes() int64 {
	return int64(cap(l.nodes))*int64(unsafe.Sizeof(node[M]{})) + l.index.Bytes()
}

// isAt reports whether n and o differ at most in cost and word.
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

// improve replaces o by n if n has a smaller cost, or the same cost and the
// smaller word. Both words have the same length then.
func improve[M mask](w *words, o, n *node[M]) {
	if n.cost < o.cost || n.cost == o.cost && w.less(n.word, o.word) {
		*o = *n
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

// less compares words of the same length lexicographically.
func (w *words) less(a, b int32) bool {
	less := false
	for a != b {
		x, y := (*w)[a], (*w)[b]
		if x.element != y.element {
			less = x.element < y.element
		}
		a, b = x.before, y.before
	}
	return less
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
