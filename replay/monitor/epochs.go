package monitor

import (
	"cmp"
	"slices"
	"sort"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// An epoch is the time from a write of a list to the next write, or from the beginning to the
// first one. Its operations are the write, and the appends and reads of lists that begin with
// the value that it wrote. Its inner interval is as in a register.
type epoch struct {
	inner
	key         int32   // the list that is written
	list        int32   // of the epoch alone
	write       int32   // the operation that begins it, or none
	early, late []int32 // the operation with the first response, or the last invocation; and the one that read its value
	longest     int32   // of the epochs of the key up to this one, the one that certainly lasts longest
	end         int32   // a moment after it
}

// begin orders the epochs of a key.
func (e *epoch) begin() int32 { return min(e.first, e.last) }

// take enters an operation. By is the operation that shows that it belongs to the epoch.
func (e *epoch) take(h *history.History, op, by int32) {
	if e.first > h.Ops[op].Return {
		e.first, e.early = h.Ops[op].Return, []int32{op, by}
	}
	if e.last < h.Ops[op].Call {
		e.last, e.late = h.Ops[op].Call, []int32{op, by}
	}
}

// decisive returns the operations that determine the inner interval.
func (e *epoch) decisive() []int32 {
	ops := slices.Concat(e.early, e.late)
	if e.write != none {
		ops = append(ops, e.write)
	}
	return ops
}

// divide gives each write a list of its own, with the known lists that begin with its value. It
// returns a conflict if a value is in the lists of several writes.
func (l *lists) divide() (conflict []int32) {
	for k := range l.list {
		for _, number := range l.list[k].writes {
			a := &l.appends[number]
			a.list, a.epoch = int32(len(l.list)), int32(len(l.list))
			l.list = append(l.list, listState{unusable: l.list[k].unusable, last: knownList{level: none}, op: none})
		}
	}
	for i := range l.known {
		k := &l.known[i]
		if on := &l.list[k.list]; on.unusable || len(on.writes) == 0 || len(k.values) == 0 {
			continue
		}
		if first := &l.appends[k.values[0]]; first.epoch != none {
			k.list = first.epoch
		}
		for _, number := range k.values {
			a := &l.appends[number]
			switch {
			case a.epoch != none && a.epoch != k.list: // written after another value
				return []int32{k.op, a.op}
			case a.readBy != none && a.list != k.list:
				return []int32{k.op, a.readBy}
			}
			a.list, a.readBy = k.list, k.op
		}
		if l.meter.MustStop(1 + len(k.values)/8) {
			return nil
		}
	}
	return nil
}

// orderEpochs returns the operations in an order that also explains writes of lists, or a
// conflict. p has all other precedences, and order respects them.
func (l *lists) orderEpochs(p *ordering, returned, order []int32) (_, conflict []int32) {
	epochs, of := l.epochs(p)
	if len(epochs) == 0 {
		return order, nil
	}
	held := 0 // the epoch before that is certain to last longest
	for i := range epochs {
		e, longest := &epochs[i], &epochs[held]
		switch {
		case e.key != longest.key || e.first >= longest.last && e.last > longest.last:
			held = i
		case e.first < longest.last && i > held:
			return nil, append(longest.decisive(), e.decisive()...)
		}
		e.longest, e.end = int32(held), p.addMoment()
		if i > 0 && epochs[i-1].key == e.key {
			p.add(epochs[i-1].end, e.end, none)
			if e.write != none {
				p.add(epochs[i-1].end, e.write, none)
			}
		}
	}
	l.each(p, of, func(e, op, _ int32) { p.add(op, epochs[e].end, none) })
	for i := range l.appends {
		if a := &l.appends[i]; l.isUnread(p, of, a) {
			if conflict = l.between(p, epochs, int(of[a.list]), a.op); conflict != nil {
				return nil, conflict
			}
		}
	}
	if order, conflict = p.run(returned); conflict != nil { // excluded by the theorem
		l.partial = replay.UnknownOperations
	}
	return order, nil
}

// epochs returns the epochs of lists that are written, by key, and for each list its epoch or
// none. Those of a key are in an order that real time allows, if there is one. The first is the
// one before all writes.
func (l *lists) epochs(p *ordering) (epochs []epoch, of []int32) {
	of = slices.Repeat([]int32{none}, len(l.list))
	for k := range l.list {
		key, on := int32(k), &l.list[k]
		if on.unusable || len(on.writes) == 0 {
			continue
		}
		epochs = append(epochs, epoch{inner: inner{none, none}, key: key, list: key, write: none})
		for _, number := range on.writes {
			if w := &l.appends[number]; p.shownBy[w.op] != none {
				epochs = append(epochs, epoch{inner: inner{history.NoReturn, none}, key: key, list: w.list, write: w.op})
			}
		}
	}
	number := func() {
		for i := range epochs {
			of[epochs[i].list] = int32(i)
		}
	}
	number()
	l.each(p, of, func(e, op, by int32) { epochs[e].take(l.h, op, by) })
	slices.SortFunc(epochs, func(a, b epoch) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.begin(), b.begin())) })
	number()
	return epochs, of
}

// each calls yield for each operation of an epoch, with one that shows that it belongs to it.
func (l *lists) each(p *ordering, of []int32, yield func(epoch, op, by int32)) {
	for i := range l.appends {
		a := &l.appends[i]
		if e := of[a.list]; e != none && p.shownBy[a.op] != none && !l.isUnread(p, of, a) {
			by := a.readBy
			if by == none {
				by = a.op
			}
			yield(e, a.op, by)
		}
	}
	for i := range l.known {
		k := &l.known[i]
		if e := of[k.list]; e != none && k.isRead {
			yield(e, k.op, k.op)
		}
	}
}

// isUnread reports whether an append to a written list took effect, and was never read.
func (l *lists) isUnread(p *ordering, of []int32, a *appendOp) bool {
	return of[a.list] != none && a.epoch == none && a.readBy == none && p.shownBy[a.op] != none
}

// between adds the precedences of an append that was never read. It comes after the last read of
// an epoch and before the next write, in its first slot that is in no inner interval. If there is
// none, it returns a conflict. From is the first epoch of its key.
func (l *lists) between(p *ordering, epochs []epoch, from int, op int32) (conflict []int32) {
	key := epochs[from].key
	begun := func(slot int32) int { // the first epoch that does not begin before a slot
		l.meter.Spend(1)
		return from + sort.Search(len(epochs)-from, func(i int) bool {
			return epochs[from+i].key != key || epochs[from+i].begin() >= slot
		})
	}
	next := begun(l.h.Ops[op].Call + 1)
	switch e := &epochs[epochs[next-1].longest]; {
	case e.last > l.h.Ops[op].Return:
		return append(e.decisive(), op)
	case e.last > l.h.Ops[op].Call:
		next = begun(e.last + 1)
	}
	p.add(epochs[next-1].end, op, none)
	if next < len(epochs) && epochs[next].key == key {
		p.add(op, epochs[next].write, none)
	}
	return nil
}
