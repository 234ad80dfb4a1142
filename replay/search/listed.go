package search

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// Listed looks for a witness under the supposition that lists which were read tell in what
// order their values came:
//
//   - the operation that brought a value comes before each read of it;
//   - values come in the order of the list, as those that were appended do;
//   - what is not in a list, though others of it are, comes after.
//
// These are edges of a history that Run searches. Without them, it would try the orders of
// concurrent insertions, which become visible only in the read. If the supposition is false,
// as for the elements of a set that may be removed, Listed declines, or tries without the
// second or third rule. It declines histories with edges.
func Listed(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) replay.Finding {
	if h.HasEdges() || len(h.Ghosts) > 0 {
		return replay.Declines("")
	}
	l := listings{h: h, meter: m.OrUnbounded()}
	if !l.read() {
		return replay.Declines("")
	}
	for _, rules := range []struct{ order, absence bool }{{true, true}, {false, true}, {true, false}} {
		supposed := *h
		supposed.Edges = l.edges(rules.order, rules.absence)
		if _, ok := inOrder(&supposed, l.meter); !ok {
			continue
		}
		// Without a witness under the supposition, there may be another one.
		if f := Run(&supposed, spec, maxBytes, l.meter.Share(l.meter.Left()/4)); f.Answer == replay.Linearizable {
			return f
		}
		if l.meter.Stopped() {
			return replay.GaveUp(replay.Time)
		}
	}
	return replay.Declines("")
}

// listings are the lists of values that were read in a history.
type listings struct {
	h     *history.History
	meter *meter.Meter
	by    map[uint64]int32 // value -> the operation that has it as an argument, or shared
	lists [][][]int32      // operation -> lists in its result, of the operations that brought the values
	kin   []int32          // operation -> another one with a value in the same list, or itself
}

// read reports whether a list tells an order: two of its values were brought by others.
func (l *listings) read() bool {
	n := len(l.h.Ops)
	l.by, l.lists, l.kin = map[uint64]int32{}, make([][][]int32, n), indices(n)
	for i := range l.h.Ops {
		eachArgument(&l.h.Ops[i], func(_ place, v uint64) {
			l.meter.Spend(1)
			if by, ok := l.by[v]; !ok {
				l.by[v] = int32(i)
			} else if by != int32(i) {
				l.by[v] = shared
			}
		})
	}
	tells := false
	for i := range l.h.Ops {
		op := &l.h.Ops[i]
		if op.Pending() {
			continue
		}
		listed := 0
		eachList(op.Result, func(values []uint64) {
			l.meter.Spend(len(values))
			var list []int32
			for _, v := range values {
				if by, ok := l.by[v]; ok && by != shared {
					list = append(list, by)
				}
			}
			for _, by := range list {
				l.kin[l.eldest(by)] = l.eldest(list[0])
			}
			if len(list) > 0 {
				l.lists[i] = append(l.lists[i], list)
			}
			listed += len(list)
		})
		tells = tells || listed > 1
		if l.meter.Stopped() {
			return false
		}
	}
	return tells
}

// eldest returns the same operation for all whose values are in lists together.
func (l *listings) eldest(i int32) int32 {
	for l.kin[i] != i {
		l.kin[i] = l.kin[l.kin[i]]
		i = l.kin[i]
	}
	return i
}

// edges returns what follows from the lists.
func (l *listings) edges(order, absence bool) []history.Edge {
	var edges []history.Edge
	known := map[history.Edge]bool{}
	add := func(from, to int32) {
		l.meter.Spend(1)
		e := history.Edge{From: from, To: to}
		if from != to && l.h.Ops[from].Return > l.h.Ops[to].Call && !known[e] {
			known[e] = true
			edges = append(edges, e)
		}
	}
	for i, lists := range l.lists {
		for _, list := range lists {
			for k, by := range list {
				if add(by, int32(i)); order && k > 0 {
					add(list[k-1], by)
				}
			}
		}
	}
	if !absence {
		return edges
	}
	var open []int32
	for i := range l.h.Ops {
		op := &l.h.Ops[i]
		open = slices.DeleteFunc(open, func(o int32) bool { return l.h.Ops[o].Return < op.Call })
		if l.meter.MustStop(len(open)) {
			return nil
		}
		for _, o := range open {
			l.addAbsence(o, int32(i), add)
			l.addAbsence(int32(i), o, add)
		}
		open = append(open, int32(i))
	}
	return edges
}

// addAbsence adds that o comes after a concurrent read if it is not in its lists. Nobody
// read what o brought, or in lists with values that are in these.
func (l *listings) addAbsence(read, o int32, add func(from, to int32)) {
	for _, list := range l.lists[read] {
		l.meter.Spend(len(list) / 8)
		if slices.Contains(list, o) {
			return
		}
	}
	alone := l.kin[o] == o
	for _, list := range l.lists[read] {
		if alone && l.brings(o) || !alone && l.eldest(list[0]) == l.eldest(o) {
			add(read, o)
			return
		}
	}
}

// brings reports whether o has a value that no other has.
func (l *listings) brings(o int32) bool {
	brings := false
	eachArgument(&l.h.Ops[o], func(_ place, v uint64) { brings = brings || l.by[v] == o })
	return brings
}

// inOrder returns the operations in an order that respects edges and real time. Pending ones
// that nothing follows by edges are left out. It places the operations by response, after
// those that have to come first. It returns false if no order exists, or if it must stop.
func inOrder(h *history.History, m *meter.Meter) (order []int32, ok bool) {
	in := make([][]int32, len(h.Ops))
	for _, e := range h.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	const begun, placed = 1, 2
	state := make([]int8, len(h.Ops))
	var place func(i, at int32) bool
	place = func(i, at int32) bool {
		m.Spend(1 + len(in[i]))
		switch {
		case state[i] == placed:
			return true
		case state[i] == begun || h.Ops[i].Call > at:
			return false
		}
		state[i] = begun
		for _, before := range in[i] {
			if !place(before, at) {
				return false
			}
		}
		state[i] = placed
		order = append(order, i)
		return true
	}
	for _, i := range engine.Responses(h) {
		if !place(i, h.Ops[i].Return) || m.Stopped() {
			return nil, false
		}
	}
	return order, true
}

// eachList calls f with the numbers and words of each list in v. The words of a text are
// one, too.
func eachList(v history.Value, f func(values []uint64)) {
	var values []uint64
	switch v.Kind() {
	case history.String:
		eachValue(v, 0, func(_ int, w uint64) { values = append(values, w) })
	case history.List, history.Map:
		for _, w := range v.List() {
			if kind := w.Kind(); kind == history.List || kind == history.Map {
				eachList(w, f)
			} else {
				eachValue(w, 0, func(_ int, w uint64) { values = append(values, w) })
			}
		}
	}
	f(values)
}
