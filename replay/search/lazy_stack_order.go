package search

import "slices"

// What stands behind a place is the taker of a move of the trail, from 0 on,
// or insertion e, as pushed - e, or nothing.
const (
	atEnd  = -1
	pushed = -2
)

// anchor notes that an insertion comes at place i.
func (k *lazyStack) anchor(e int32, i int) {
	k.anchors[e] = k.places[i].before
	k.places[i].before = pushed - e
}

// order returns all operations but idle ones and pending removals in the order
// of a witness. Every insertion stands right before something else.
func (k *lazyStack) order() []int32 {
	preceding := make([]int32, len(k.inserts)) // insertion -> the one right before it, or -1
	before := make([]int32, len(k.trail)+1)    // taker -> the insertion right before it, or -1; then that at the end
	for i := range preceding {
		preceding[i] = -1
	}
	for j := range before {
		before[j] = -1
	}
	enter := func(e int32) {
		switch at := k.anchors[e]; {
		case at == atEnd:
			before[len(k.trail)] = e
		case at >= 0:
			before[at] = e
		default:
			preceding[pushed-at] = e
		}
	}
	placed := make([]bool, len(k.inserts))
	for _, m := range k.trail {
		if m.insert >= 0 && !placed[m.insert] {
			placed[m.insert] = true
			enter(m.insert)
		}
	}
	for e := int32(len(k.inserts)) - 1; e >= 0; e-- {
		if !placed[e] && k.inserts[e].must {
			k.anchor(e, k.high(e))
			enter(e)
		}
	}
	var order, chain []int32
	for j := range before {
		chain = chain[:0]
		for e := before[j]; e >= 0; e = preceding[e] {
			chain = append(chain, k.inserts[e].op)
		}
		slices.Reverse(chain)
		order = append(order, chain...)
		if j < len(k.trail) {
			order = append(order, k.taker(k.trail[j].taker).op)
		}
	}
	for e := range k.inserts {
		if !placed[e] && !k.inserts[e].must {
			order = append(order, k.inserts[e].op)
		}
	}
	return order
}
