package window

import (
	"math"
	"slices"

	"github.com/leadline/leadline/replay"
)

// bytes estimates the memory in use.
func (b *stackBeam) bytes() int64 {
	return b.stackSets.bytes() + int64(cap(b.spots))*beamSpotBytes + int64(cap(b.ways))*beamWayBytes +
		2*b.waiting*beamArrivalBytes + int64(b.returned)*beamDueBytes
}

// A tracedValue is a value on a stack, and a set that contains the stack from the bottom up
// to this value, or none if no such set is known.
type tracedValue struct{ value, set int32 }

// trace follows the ways from the goal back to the start along one stack, and leaves their
// operations in b.path.
func (b *stackBeam) trace() (bool, replay.Cause) {
	var stack []tracedValue // bottom first
	if b.goal.top != noValue {
		stack = append(stack, tracedValue{b.goal.top, none})
	}
	for set := b.goal.stacks; set != 0; {
		e := b.edgesOf(set)[0]
		stack = append(stack, tracedValue{e.value, set})
		set = e.below
	}
	slices.Reverse(stack)
	for way := b.goal; way.from >= 0; {
		stack = b.undo(way, stack)
		ways := b.waysTo(way.from)
		k := slices.IndexFunc(ways, func(w beamWay) bool { return b.leadsTo(w, stack) })
		if b.spend(len(ways)); b.stopped || k < 0 {
			return false, b.cause()
		}
		way = ways[k]
	}
	return true, replay.NoCause
}

// undo appends the operations of a way to b.path, and returns the stack before them.
func (b *stackBeam) undo(way beamWay, stack []tracedValue) []tracedValue {
	from := &b.spots[way.from]
	if o := both - way.op; o >= 0 { // also the number of the due response
		b.path = append(b.path, o, b.first(o, from.mask, replay.Insert, b.ops[o].value))
		return stack
	}
	b.path = append(b.path, way.op)
	switch q := &b.ops[way.op]; {
	case q.role == replay.Insert:
		return stack[:len(stack)-1]
	case q.value >= 0:
		return append(stack, tracedValue{q.value, none})
	}
	for _, e := range b.edgesOf(from.stacks) { // a pending removal, of any value
		if b.has(e.below, stack) {
			return append(stack, tracedValue{e.value, none})
		}
	}
	return stack
}

// cause returns why trace finds no witness although there is one: the meter stopped, or a
// union was too deep.
func (b *stackBeam) cause() replay.Cause {
	if b.stopped {
		return replay.Time
	}
	return replay.Memory
}

// leadsTo reports whether the way leads to the stack.
func (b *stackBeam) leadsTo(w beamWay, stack []tracedValue) bool {
	if w.top == noValue {
		return b.has(w.stacks, stack)
	}
	n := len(stack) - 1
	return n >= 0 && stack[n].value == w.top && b.has(w.stacks, stack[:n])
}

// has reports whether the set contains the stack. If so, it records sets in the stack.
func (b *stackBeam) has(set int32, stack []tracedValue) bool {
	b.passed = b.passed[:0]
	k := len(stack) - 1
	for ; k >= 0 && stack[k].set != set; k-- {
		b.passed = append(b.passed, set)
		if set = b.under(stack[k].value, set); set == none {
			return false
		}
	}
	for _, set := range b.passed {
		stack[len(stack)-1].set = set
		stack = stack[:len(stack)-1]
	}
	return true
}

// retry goes back to explore more placements. It reports false if the tries at this
// response have taken too much work; see beamPatience.
func (b *stackBeam) retry() bool {
	if spent := b.meter.Spent(); b.tries == 0 {
		b.stuckWork = spent
	} else if spent-b.stuckWork > max(b.patience, (b.stuckWork-b.startWork)/2) {
		return false
	}
	b.stuckAt = max(b.stuckAt, b.due+beamBack/4)
	b.salt++
	back := int32(beamBack) << (b.tries % beamDepths)
	b.tries++
	b.goBack(max(0, b.due-back))
	return true
}

// goBack undoes everything from a due response on.
func (b *stackBeam) goBack(to int32) {
	d := &b.dues[to]
	for due := to; due <= b.last && int(due) < b.returned; due++ {
		list := b.arrivals[due]
		for len(list) > 0 && list[len(list)-1].from >= d.spots {
			list = list[:len(list)-1]
			b.waiting--
		}
		b.arrivals[due] = list
	}
	b.spots = b.spots[:d.spots]
	b.ways = b.ways[:d.ways]
	for b.last > to && (int(b.last) == b.returned || len(b.arrivals[b.last]) == 0) {
		b.last--
	}
	if b.cutAt >= to {
		b.cutAt = math.MaxInt32
	}
	b.due = to
}

// witness returns the insertions and removals in order.
func (b *stackBeam) witness() []int32 {
	order := make([]int32, 0, len(b.path))
	for _, o := range slices.Backward(b.path) {
		order = append(order, b.ops[o].op)
	}
	return order
}
