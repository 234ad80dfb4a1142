package spec

import (
	"cmp"
	"encoding/binary"
)

// A treeShape is the red-black tree over the keys of one bin of a hashTable,
// ordered by hash and then by key. It is not used for lookup: the bin's list
// has the entries. It is kept because a removal turns a small tree back into a
// list, and how small the JDK thinks a tree is depends on its shape. Insertion
// and removal are those of Cormen, Leiserson, Rivest and Stein, chapter 13.
// Unlike there, removal copies the successor's key where the JDK relinks the
// successor; the resulting shape is the same.
type treeShape struct {
	nodes []treeNode // nodes[0] is the nil node; it is black
	free  int32      // list of unused nodes, by parent
	root  int32
}

type treeNode struct {
	child  [2]int32 // left, right
	parent int32
	key    int32
	red    bool
}

func newTreeShape() *treeShape { return &treeShape{nodes: make([]treeNode, 1, 12)} }

func compareHashes(a, b int32) int {
	if c := cmp.Compare(spread(a), spread(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// small is the test by which the JDK guesses, before a removal, that few nodes
// are left. The JDK also checks the root's right child; but without that, the
// left child has no children.
func (t *treeShape) small() bool {
	left := t.nodes[t.root].child[0]
	return left == 0 || t.nodes[left].child[0] == 0
}

// side returns which child of its parent x is.
func (t *treeShape) side(x int32) int {
	if t.nodes[t.nodes[x].parent].child[1] == x {
		return 1
	}
	return 0
}

// replace puts y, which may be 0, in the place of x under x's parent.
func (t *treeShape) replace(x, y int32) {
	p := t.nodes[x].parent
	if p == 0 {
		t.root = y
	} else {
		t.nodes[p].child[t.side(x)] = y
	}
	if y != 0 {
		t.nodes[y].parent = p
	}
}

// rotate moves x down to the given side; its child on the other side comes up.
func (t *treeShape) rotate(x int32, side int) {
	y := t.nodes[x].child[1-side]
	inner := t.nodes[y].child[side]
	t.nodes[x].child[1-side] = inner
	if inner != 0 {
		t.nodes[inner].parent = x
	}
	t.replace(x, y)
	t.nodes[y].child[side] = x
	t.nodes[x].parent = y
}

// insert adds a key that is not in the tree.
func (t *treeShape) insert(key int32) {
	x := t.free
	if x != 0 {
		t.free = t.nodes[x].parent
	} else {
		x = int32(len(t.nodes))
		t.nodes = append(t.nodes, treeNode{})
	}
	t.nodes[x] = treeNode{key: key, red: true}
	if t.root == 0 {
		t.root = x
	}
	for p := t.root; p != x; {
		side := 0
		if compareHashes(key, t.nodes[p].key) > 0 {
			side = 1
		}
		next := t.nodes[p].child[side]
		if next == 0 {
			t.nodes[p].child[side], t.nodes[x].parent = x, p
			next = x
		}
		p = next
	}
	t.balanceInsert(x)
}

func (t *treeShape) balanceInsert(x int32) {
	for t.nodes[t.nodes[x].parent].red {
		p := t.nodes[x].parent
		g := t.nodes[p].parent
		side := t.side(p)
		if uncle := t.nodes[g].child[1-side]; t.nodes[uncle].red {
			t.nodes[p].red, t.nodes[uncle].red, t.nodes[g].red = false, false, true
			x = g
			continue
		}
		if t.side(x) != side {
			t.rotate(p, side)
			x, p = p, x
		}
		t.nodes[p].red, t.nodes[g].red = false, true
		t.rotate(g, 1-side)
	}
	t.nodes[t.root].red = false
}

// remove removes key, which must exist.
func (t *treeShape) remove(key int32) {
	x := t.root
	for t.nodes[x].key != key {
		side := 0
		if compareHashes(key, t.nodes[x].key) > 0 {
			side = 1
		}
		x = t.nodes[x].child[side]
	}
	if t.nodes[x].child[0] != 0 && t.nodes[x].child[1] != 0 {
		s := t.nodes[x].child[1]
		for t.nodes[s].child[0] != 0 {
			s = t.nodes[s].child[0]
		}
		t.nodes[x].key = t.nodes[s].key
		x = s
	}
	y := t.nodes[x].child[0] + t.nodes[x].child[1] // one of them is 0
	switch {
	case y != 0: // then x is black and y is a red leaf
		t.nodes[y].red = false
	case !t.nodes[x].red:
		t.balanceRemove(x)
	}
	t.replace(x, y)
	t.nodes[x].parent, t.free = t.free, x
}

// balanceRemove compensates for the black node that the paths through x are
// about to lose.
func (t *treeShape) balanceRemove(x int32) {
	for x != t.root && !t.nodes[x].red {
		p, side := t.nodes[x].parent, t.side(x)
		w := t.nodes[p].child[1-side]
		if t.nodes[w].red {
			t.nodes[w].red, t.nodes[p].red = false, true
			t.rotate(p, side)
			w = t.nodes[p].child[1-side]
		}
		near, far := t.nodes[w].child[side], t.nodes[w].child[1-side]
		if !t.nodes[near].red && !t.nodes[far].red {
			t.nodes[w].red = true
			x = p
			continue
		}
		if !t.nodes[far].red {
			t.nodes[near].red, t.nodes[w].red = false, true
			t.rotate(w, 1-side)
			w, far = near, w
		}
		t.nodes[w].red, t.nodes[p].red, t.nodes[far].red = t.nodes[p].red, false, false
		t.rotate(p, side)
		break
	}
	t.nodes[x].red = false
}

func (t *treeShape) clone() *treeShape {
	c := *t
	c.nodes = append(make([]treeNode, 0, len(t.nodes)+1), t.nodes...)
	return &c
}

// appendKey appends keys and colours in preorder, with a mark for each missing
// child.
func (t *treeShape) appendKey(dst []byte) []byte {
	stack := []int32{t.root}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x == 0 {
			dst = append(dst, 0)
			continue
		}
		n := &t.nodes[x]
		mark := byte(1)
		if n.red {
			mark = 2
		}
		dst = binary.AppendVarint(append(dst, mark), int64(n.key))
		stack = append(stack, n.child[1], n.child[0])
	}
	return dst
}
