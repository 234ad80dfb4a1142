package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Deque decides histories of a deque into which each value is inserted once. It
// declines others, and those with order beyond real time.
//
// The order of two concurrent insertions at one end becomes visible only when their
// values leave, so that Run would try all orders of many insertions. But the operations
// on two values of a witness are a witness by themselves: those on other values do not
// change which of the two is nearer to an end. So if all witnesses of two values have two
// operations in one order, that order is an edge. Run searches the history with these
// edges, which has the same witnesses. If two values have no witness, there is none.
//
// An edge narrows the intervals of its operations, which may rule out more orders. So
// the edges are found in rounds. A round takes O(n T) for T operations that are open
// at once.
func Deque(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) replay.Finding {
	if replay.TraitsOf(spec).Discipline != replay.BothEnds || h.HasEdges() || len(h.Ghosts) > 0 {
		return replay.Declines("")
	}
	d := readDeque(h, spec)
	if d == nil {
		return replay.Declines("")
	}
	conflict := d.disorder(m)
	for again := conflict == nil; again; {
		if m.MustStop(len(h.Ops)) {
			return replay.GaveUp(replay.Time)
		}
		again, conflict = d.order(m)
	}
	if conflict != nil {
		f := replay.Refuted(replay.SearchEngine)
		if !d.narrowed { // otherwise, the edges are part of the conflict
			f.Conflict = conflict
		}
		return f
	}
	if len(d.edges) == 0 {
		return replay.Declines("")
	}
	if !d.isAcyclic(h) {
		return replay.Refuted(replay.SearchEngine)
	}
	ordered := *h
	ordered.Edges = d.edges
	slices.SortFunc(ordered.Edges, func(a, b history.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return Run(&ordered, spec, maxBytes, m)
}

// dequeOrder finds edges between insertions.
type dequeOrder struct {
	call, ret []int32 // operation -> the interval that the edges leave it
	elements  []dequeElement
	edges     []history.Edge
	narrowed  bool // whether edges have narrowed the intervals
	known     map[history.Edge]bool
	byCall    []int32         // insertions and removals of elements
	of        []*dequeElement // operation -> its element
	looks     []pairLook      // of inOrder
	merged    []int32         // of orderPair
}

// A dequeElement is a value that was inserted.
type dequeElement struct {
	insert, remove           int32 // remove is -1 if the value was not removed
	insertFront, removeFront bool
	looks                    []dequeLook
	met                      []*dequeElement // those with which order has ordered it
}

// A dequeLook is a peek at the value, at an end.
type dequeLook struct {
	op    int32
	front bool
}

// readDeque returns nil if a value is inserted twice, or may be.
func readDeque(h *history.History, spec replay.Spec) *dequeOrder {
	d := &dequeOrder{call: make([]int32, len(h.Ops)), ret: make([]int32, len(h.Ops)), known: map[history.Edge]bool{}}
	byValue := map[string]*dequeElement{}
	at := func(v history.Value) *dequeElement {
		key := string(v.AppendKey(nil))
		if byValue[key] == nil {
			byValue[key] = &dequeElement{insert: -1, remove: -1}
		}
		return byValue[key]
	}
	lost := false // whether a value may be gone that no removal is known to have returned
	for i := range h.Ops {
		op := &h.Ops[i]
		d.call[i], d.ret[i] = op.Call, op.Return
		switch f := replay.FactsOf(spec, op); f.Role {
		case replay.Insert, replay.InsertFront:
			e := at(f.Value)
			if e.insert >= 0 {
				return nil
			}
			e.insert, e.insertFront = int32(i), f.Role == replay.InsertFront
		case replay.Remove, replay.RemoveFront:
			if op.Pending() {
				lost = true
				continue
			}
			e := at(f.Value)
			e.remove, e.removeFront = int32(i), f.Role == replay.RemoveFront
		case replay.Look, replay.LookFront:
			e := at(f.Value)
			e.looks = append(e.looks, dequeLook{int32(i), f.Role == replay.LookFront})
		case replay.Clear:
			lost = true
		case replay.Other:
			if !f.ReadOnly { // it may insert or remove any value
				return nil
			}
		}
	}
	for _, e := range byValue {
		if e.insert >= 0 && (e.remove >= 0 || !lost && h.Ops[e.insert].Return != history.NoReturn) {
			d.elements = append(d.elements, *e)
		}
	}
	slices.SortFunc(d.elements, func(a, b dequeElement) int { return cmp.Compare(a.insert, b.insert) })
	d.of = make([]*dequeElement, len(h.Ops))
	for i := range d.elements {
		e := &d.elements[i]
		for _, op := range e.ops() {
			d.of[op] = e
		}
	}
	for i := range h.Ops { // which are in the order of their invocations
		if d.of[i] != nil {
			d.byCall = append(d.byCall, int32(i))
		}
	}
	return d
}

// disorder returns the operations on two values that are in the deque at the same time,
// with no operation of one concurrent with one of the other, and that are removed or read
// in a wrong order. It returns nil if there are none, or after mostPairs for each value.
func (d *dequeOrder) disorder(m *meter.Meter) []int32 {
	var in []*dequeElement
	left := mostPairs * len(d.elements)
	for k := range d.elements {
		y := &d.elements[k]
		in = slices.DeleteFunc(in, func(x *dequeElement) bool { return x.remove >= 0 && d.ret[x.remove] < d.call[y.insert] })
		if left -= len(in); left < 0 || m.MustStop(len(in)/16) {
			return nil
		}
		for _, x := range in {
			if conflict := d.wrong(x, y); conflict != nil {
				return conflict
			}
		}
		in = append(in, y)
	}
	return nil
}

// mostPairs bounds the work of disorder: it is quadratic for a deque that only grows.
const mostPairs = 1 << 9

// wrong returns the operations by which x, which was inserted before y, is not behind y
// at the end where y was inserted.
func (d *dequeOrder) wrong(x, y *dequeElement) []int32 {
	before := func(p, q int32) bool { return p < 0 || q < 0 || d.ret[p] < d.call[q] }
	// Both are there from the insertion of y to the first removal.
	if !before(x.insert, y.insert) || x.remove >= 0 && !before(y.insert, x.remove) {
		return nil
	}
	nearer := y.insertFront
	switch {
	case x.remove >= 0 && x.removeFront == nearer && before(x.remove, y.remove):
		return withoutNone(x.insert, y.insert, x.remove, y.remove)
	case y.remove >= 0 && y.removeFront != nearer && before(y.remove, x.remove):
		return withoutNone(x.insert, y.insert, y.remove, x.remove)
	}
	for k, looks := range [2][]dequeLook{x.looks, y.looks} {
		for _, l := range looks {
			if (l.front == nearer) == (k == 0) && before(y.insert, l.op) && before(l.op, x.remove) && before(l.op, y.remove) {
				return withoutNone(x.insert, y.insert, l.op, x.remove, y.remove)
			}
		}
	}
	return nil
}

// withoutNone returns the operations that are not -1.
func withoutNone(ops ...int32) []int32 {
	return slices.DeleteFunc(ops, func(op int32) bool { return op < 0 })
}

// order adds the edges that pairs of values with concurrent operations force. It reports
// whether there are new ones, and returns a conflict if a pair has no order.
func (d *dequeOrder) order(m *meter.Meter) (more bool, conflict []int32) {
	d.narrow()
	d.narrowed = d.narrowed || len(d.edges) > 0
	for i := range d.elements {
		d.elements[i].met = d.elements[i].met[:0]
	}
	var open []int32
	for _, q := range d.byCall {
		open = slices.DeleteFunc(open, func(p int32) bool { return d.ret[p] < d.call[q] })
		for _, p := range open {
			x, y := d.of[p], d.of[q]
			if x == y || d.ret[q] < d.call[p] || slices.Contains(x.met, y) || slices.Contains(y.met, x) {
				continue
			}
			x.met = append(x.met, y)
			if m.MustStop(1) {
				return false, nil
			}
			added, fits := d.orderPair(x, y)
			if !fits {
				return false, slices.Concat(x.all(), y.all())
			}
			more = more || added
		}
		open = append(open, q)
	}
	return more, nil
}

// orderPair adds the edges between the operations on two values that all of their orders
// have. It reports false if they have none.
func (d *dequeOrder) orderPair(x, y *dequeElement) (added, fits bool) {
	xs, ys := x.ops(), y.ops()
	var first [2][2][2]bool // of xs, ys: whether it is first in some order, and the other one
	for _, merge := range merges[len(xs)-1][len(ys)-1] {
		d.merged = d.merged[:0]
		i, j := 0, 0
		for _, isX := range merge {
			if isX {
				d.merged = append(d.merged, xs[i])
				i++
			} else {
				d.merged = append(d.merged, ys[j])
				j++
			}
		}
		if !d.inOrder(x, y, d.merged) {
			continue
		}
		fits = true
		i, j = 0, 0
		for _, isX := range merge {
			if isX {
				for k := j; k < len(ys); k++ {
					first[i][k][0] = true
				}
				i++
			} else {
				for k := i; k < len(xs); k++ {
					first[k][j][1] = true
				}
				j++
			}
		}
	}
	if !fits {
		return false, false
	}
	for i, p := range xs {
		for j, q := range ys {
			switch {
			case d.ret[p] < d.call[q] || d.ret[q] < d.call[p]:
			case !first[i][j][1]:
				added = d.add(p, q) || added
			case !first[i][j][0]:
				added = d.add(q, p) || added
			}
		}
	}
	return added, true
}

// merges has the ways to merge one or two operations with one or two others.
var merges = [2][2][][]bool{
	{{{true, false}, {false, true}}, {{true, false, false}, {false, true, false}, {false, false, true}}},
	{{{true, true, false}, {true, false, true}, {false, true, true}},
		{{true, true, false, false}, {true, false, true, false}, {true, false, false, true}, {false, true, true, false}, {false, true, false, true}, {false, false, true, true}}},
}

// all returns the operations on the value.
func (e *dequeElement) all() []int32 {
	ops := e.ops()
	for _, l := range e.looks {
		ops = append(ops, l.op)
	}
	return ops
}

// ops returns the insertion and the removal.
func (e *dequeElement) ops() []int32 {
	if e.remove < 0 {
		return []int32{e.insert}
	}
	return []int32{e.insert, e.remove}
}

// isAcyclic reports whether some order of all operations has real time and the edges.
func (d *dequeOrder) isAcyclic(h *history.History) bool {
	n := len(h.Ops)
	before, after := make([]int32, n), make([][]int32, n) // how many edges lead to an operation; where they lead
	for _, e := range d.edges {
		before[e.To]++
		after[e.From] = append(after[e.From], e.To)
	}
	byReturn := indices(n)
	slices.SortFunc(byReturn, func(a, b int32) int { return cmp.Compare(h.Ops[a].Return, h.Ops[b].Return) })
	placed := make([]bool, n)
	var ready []int32
	invoked := 0 // before the first response of an operation that has not been placed
	for {
		for len(byReturn) > 0 && placed[byReturn[0]] {
			byReturn = byReturn[1:]
		}
		if len(byReturn) == 0 {
			return true
		}
		for ; invoked < n && h.Ops[invoked].Call < h.Ops[byReturn[0]].Return; invoked++ {
			if before[invoked] == 0 {
				ready = append(ready, int32(invoked))
			}
		}
		if len(ready) == 0 {
			return false
		}
		op := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		placed[op] = true
		for _, to := range after[op] {
			if before[to]--; before[to] == 0 && int(to) < invoked {
				ready = append(ready, to)
			}
		}
	}
}

// narrow narrows the intervals along the edges.
func (d *dequeOrder) narrow() {
	for again := true; again; {
		again = false
		for _, e := range d.edges {
			if d.call[e.To] < d.call[e.From] {
				d.call[e.To], again = d.call[e.From], true
			}
			if d.ret[e.From] > d.ret[e.To] {
				d.ret[e.From], again = d.ret[e.To], true
			}
		}
	}
}

// add adds an edge.
func (d *dequeOrder) add(from, to int32) bool {
	e := history.Edge{From: from, To: to}
	if d.known[e] {
		return false
	}
	d.known[e] = true
	d.edges = append(d.edges, e)
	return true
}

// inOrder reports whether real time and the deque allow this order of insertions and
// removals, with peeks between them. A peek is placed as soon as it can be.
func (d *dequeOrder) inOrder(x, y *dequeElement, ops []int32) bool {
	holdsX, holdsY, xInFront := false, false, false
	d.looks = d.looks[:0]
	for _, l := range x.looks {
		d.looks = append(d.looks, pairLook{l.op, true, l.front})
	}
	for _, l := range y.looks {
		d.looks = append(d.looks, pairLook{l.op, false, l.front})
	}
	reaches := func(isX, front bool) bool {
		if isX {
			return holdsX && (!holdsY || front == xInFront)
		}
		return holdsY && (!holdsX || front != xInFront)
	}
	for k := 0; ; k++ {
		for i := 0; i < len(d.looks); {
			if l := d.looks[i]; reaches(l.ofX, l.front) && d.isNext(l.op, ops[k:]) {
				d.looks = slices.Delete(d.looks, i, i+1)
				i = 0
				continue
			}
			i++
		}
		if k == len(ops) {
			return len(d.looks) == 0
		}
		op := ops[k]
		if !d.isNext(op, ops[k+1:]) {
			return false
		}
		switch op {
		case x.insert:
			holdsX, xInFront = true, x.insertFront
		case y.insert:
			holdsY, xInFront = true, !y.insertFront
		case x.remove:
			if !reaches(true, x.removeFront) {
				return false
			}
			holdsX = false
		case y.remove:
			if !reaches(false, y.removeFront) {
				return false
			}
			holdsY = false
		}
	}
}

// A pairLook is a peek at one of the two values of a pair, at an end.
type pairLook struct {
	op         int32
	ofX, front bool
}

// isNext reports whether real time allows an operation before others and the peeks left.
func (d *dequeOrder) isNext(op int32, others []int32) bool {
	return !slices.ContainsFunc(others, func(o int32) bool { return d.ret[o] < d.call[op] }) &&
		!slices.ContainsFunc(d.looks, func(l pairLook) bool { return d.ret[l.op] < d.call[op] })
}
