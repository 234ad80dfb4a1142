package window

import (
	"math"
	"slices"

	"github.com/leadline/leadline/replay"
)

// used estimates the bytes in use, which grow with the explored part; bytes those of the
// tables as allocated.
func (b *stackBeam) used() int64 {
	return b.stackSets.used() + int64(len(b.spots))*beamSpotBytes + int64(len(b.ways))*beamWayBytes +
		(b.waiting+b.kept)*beamArrivalBytes
}

func (b *stackBeam) bytes() int64 {
	return b.stackSets.bytes() + int64(cap(b.spots))*beamSpotBytes + int64(cap(b.ways))*beamWayBytes +
		(2*b.waiting+b.kept)*beamArrivalBytes + int64(b.returned)*beamDueBytes
}

// drop drops about half of the explored part, up to the response at which the stack is
// lowest. If memory is still short, it drops more than beamLeast allows. It reports
// false if even that is not enough.
func (b *stackBeam) drop() bool {
	least := b.keptResponses
	for {
		quarter := (b.due - b.base().due) / 4
		isDropped := quarter >= least
		if to := b.base().due + quarter; isDropped {
			for due := to; due <= b.due-quarter; due++ {
				if b.heights[due] < b.heights[to] {
					to = due
				}
			}
			b.dropBefore(to)
		}
		b.collect()
		b.dropAbove = b.used() + b.room/2
		if b.bytes() <= b.maxBytes/2 || !isDropped && least == 1 {
			return b.bytes() <= b.maxBytes
		}
		least = 1
	}
}

// dropBefore drops what was explored before a due response and begins a segment there.
func (b *stackBeam) dropBefore(to int32) {
	d := b.dues[to]
	segment := beamSegment{to, d.spots, d.ways, b.arrivalsFrom(to, d.spots)}
	b.kept += int64(len(segment.arrivals))
	for due := b.base().due; due < to; due++ {
		b.waiting -= int64(len(b.arrivals[due]))
		b.arrivals[due] = nil
	}
	b.spots = shrink(append(b.spots[:0], b.spots[d.spots-b.base().spots:]...))
	b.ways = shrink(append(b.ways[:0], b.ways[d.ways-b.base().ways:]...))
	b.segments = append(b.segments, segment)
	b.segment++
	if b.cutBefore = b.cutBefore || b.cutAt < to; b.cutAt < to {
		b.cutAt = math.MaxInt32
		for due := to; due < b.due; due++ {
			if b.dues[due].isCut {
				b.cutAt = due
				break
			}
		}
	}
}

// arrivalsFrom returns the arrivals at a due response and later ones that come from spots
// with numbers below spots.
func (b *stackBeam) arrivalsFrom(due, spots int32) (list []dueArrival) {
	for ; due <= b.last && int(due) < b.returned; due++ {
		for _, a := range b.arrivals[due] {
			if a.from >= spots {
				break
			}
			list = append(list, dueArrival{a, due})
		}
	}
	return list
}

// collect drops the sets that are not needed any more.
func (b *stackBeam) collect() {
	marks := make([]int32, len(b.begin)-1)
	b.spend(len(marks) / setsCollected)
	b.eachSet(func(set *int32) { marks[*set] = 1 })
	numbers := b.stackSets.collect(marks)
	b.eachSet(func(set *int32) { *set = numbers[*set] })
}

// eachSet calls f for each set that is needed.
func (b *stackBeam) eachSet(f func(set *int32)) {
	for i := range b.spots {
		f(&b.spots[i].stacks)
	}
	for i := range b.ways {
		f(&b.ways[i].stacks)
	}
	for _, segment := range b.segments[:b.segment+1] {
		for k := range segment.arrivals {
			f(&segment.arrivals[k].stacks)
		}
	}
	for _, list := range b.arrivals[b.base().due:min(int(b.last)+1, b.returned)] {
		for k := range list {
			f(&list[k].stacks)
		}
	}
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
		for way.from < b.base().spots {
			if !b.recall() {
				return false, b.cause()
			}
			for k := range stack {
				stack[k].set = none
			}
		}
		b.path = append(b.path, way.op)
		if o := way.op; o > both && o >= 0 {
			switch q := &b.ops[o]; {
			case q.role == replay.Insert:
				stack = stack[:len(stack)-1]
			case q.value >= 0:
				stack = append(stack, tracedValue{q.value, none})
			default: // a pending removal, of any value
				for _, e := range b.edgesOf(b.spot(way.from).stacks) {
					if b.has(e.below, stack) {
						stack = append(stack, tracedValue{e.value, none})
						break
					}
				}
			}
		}
		ways := b.waysTo(way.from)
		k := slices.IndexFunc(ways, func(w beamWay) bool { return b.leadsTo(w, stack) })
		if b.spend(len(ways)); b.stopped || k < 0 {
			return false, b.cause()
		}
		way = ways[k]
	}
	return true, replay.NoCause
}

// cause returns why trace finds no witness although there is one: the meter stopped, or
// unions were too deep when the segments were first explored.
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
	b.stuckAt = max(b.stuckAt, b.due+beamSlack/2)
	b.salt++
	if b.segment > 0 && (b.tries >= beamTriesPerSegment || b.cutAt == math.MaxInt32) {
		b.farTries++
		b.goToSegment(max(0, b.segment-int(b.farTries)))
		b.tries = b.farTries
		return true
	}
	elements := max(b.tries/beamDepths, 1<<(b.tries%beamDepths))
	b.tries++
	to := b.due - beamSlack
	for to > b.base().due && b.heights[to] > b.heights[b.due]-2*(elements-1) {
		to--
	}
	b.goBack(max(b.base().due, to-beamSlack))
	return true
}

// goToSegment goes back to the beginning of segment k, which is not after the segment in
// memory.
func (b *stackBeam) goToSegment(k int) {
	b.restore(k)
	for _, segment := range b.segments[k+1:] {
		b.kept -= int64(len(segment.arrivals))
	}
	b.segments = b.segments[:k+1]
	b.cutAt, b.cutBefore = math.MaxInt32, k > 0
	b.due = b.base().due
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
	b.spots = b.spots[:d.spots-b.base().spots]
	b.ways = b.ways[:d.ways-b.base().ways]
	for b.last > to && (int(b.last) == b.returned || len(b.arrivals[b.last]) == 0) {
		b.last--
	}
	if b.cutAt >= to {
		b.cutAt = math.MaxInt32
	}
	b.due = to
}

// restore brings a segment into memory in the state before it was explored.
func (b *stackBeam) restore(segment int) {
	b.segment = segment
	b.spots, b.ways = b.spots[:0], b.ways[:0]
	clear(b.arrivals[b.base().due:min(int(b.last)+1, b.returned)])
	b.collect()
	b.waiting, b.last = int64(len(b.base().arrivals)), b.base().due
	for _, a := range b.base().arrivals {
		b.arrivals[a.due] = append(b.arrivals[a.due], a.beamArrival)
		b.last = max(b.last, a.due)
	}
}

// recall explores the segment before the one in memory again. It reports false if the
// result is different, or if the meter stopped it.
func (b *stackBeam) recall() bool {
	end := *b.base()
	b.restore(b.segment - 1)
	for b.due = b.base().due; b.due < end.due; b.due++ {
		b.tries, b.salt = b.dues[b.due].tries, b.dues[b.due].salt
		if b.explore(); b.stopped {
			return false
		}
	}
	return b.spotsEnd() == end.spots
}

// witness returns all operations in order.
func (b *stackBeam) witness() []int32 {
	r := newStackReplay(&b.stackOps)
	for _, o := range slices.Backward(b.path) {
		if o <= both {
			o = both - o
			r.place(b.first(r.due, r.mask, replay.Insert, b.ops[o].value))
		}
		r.place(o)
	}
	return append(r.end(), b.idle...)
}
