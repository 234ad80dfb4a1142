package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A stackBeam looks for a witness of a history of a stack. A placement has the due response,
// which is the first one of an operation that has not been placed, and the set of
// open operations that have been placed.
//
// The operations placed while the same response was due are a group; the due
// operation is its last. Of all witnesses, take those in which the groups of pushes
// and removals come latest, by the sum of the numbers of their due responses. Of
// these, take those with the fewest pairs of pushes, or removals, of the same value in
// which the one with the later response comes first. Of these, take one in which peeks
// come as early as possible. It has the properties below, because otherwise it could
// be changed. All operations of a group are concurrent except for the order on the
// stack, and those that are not due may also come in the next group.
//
//   - A peek, or an operation that finds nothing, is placed as soon as possible.
//   - Of open pushes, or removals, of the same value, the one with the earliest
//     response comes first. Otherwise they could change places.
//   - Within a group, a push with its removal and everything between contains the due
//     operation. Otherwise all of it could come after the due operation. So a group
//     consists of removals of values from earlier groups, and then of pushes. Or, if a
//     removal is due, it consists of that and the push right before it, with peeks
//     between them.
//   - Let y be a push that is not due when it is placed. Some value on top of it is
//     still there at the response of y. Otherwise y could come after these values are
//     gone, with the peeks that saw it at once.
//   - Let r be a removal that is not due, and y the push right after it in the same
//     group. y is not removed before the response of r. Otherwise r could come after
//     that, with the peeks right after it.
//
// The pushes of a group before the last one are its bag. All of them are open at
// once, so any order of them is possible. The search does not fix the order: later
// removals and peeks decide which push of a bag is on top. While the bag is filled,
// each push is on top once, so that all peeks that see it are placed.
//
// These changes do not make groups earlier: an operation that moves forward was not
// due, and the operations placed when it was due are placed with a later one.
//
// For each placement, the beam stores the set of all stacks found so far; see
// stackSets. There are far more stacks than placements: 16 processes that use 8 values
// reach about 2^50 stacks on the way to a witness within 300 responses.
//
// Of the placements in which a group starts, the beam explores those in which the
// fewest operations have been placed early (a beam search). So it can lose all
// witnesses. When it gets stuck, it goes back, explores more placements, and draws
// others among equals. The lost witnesses have another stack, so it goes back to
// where an element of the stack was pushed: the 1st, 2nd, 4th, 8th and 16th from the
// top, one after another.
//
// If it gets stuck and has left nothing out, the history has no witness.
//
// When memory is short, the beam drops what it has explored, a segment of the history
// at a time, and keeps the arrivals at which the next segment begins. If many tries
// fail, it goes back to the segment before. To trace a witness, it explores the
// segments again in the same way, the last one first.
type stackBeam struct {
	stackOps
	*stackSets
	idle    []int32
	heights []int32  // due -> twice the elements on the stack, about
	lookers []uint64 // due -> slots of open peeks and of what finds nothing

	dues     []beamDue
	arrivals [][]beamArrival // due -> spots in which a group starts, in the order found
	spots    []beamSpot      // explored
	ways     []beamWay       // of the spots
	segments []beamSegment
	segment  int // the one in memory

	due     int32 // of what is explored
	last    int32 // the latest due response met
	cutAt   int32 // the first response in memory at which something is left out
	lost    bool  // something may have been left out before what is in memory
	tries   int32 // to get past stuckAt
	far     int32 // how many of these began in an earlier segment
	stuckAt int32
	began   int64 // the meter's work at the start
	stuck   int64 // and when stuckAt was met
	salt    int32 // the number of tries so far
	found   bool
	goal    beamWay // the last one of the witness
	path    []int32 // operations of the ways of the witness, last one first

	waiting, kept int64 // arrivals in memory, and in segments
	full          int64 // bytes to use before something is dropped
	maxBytes      int64
	// See beamRoom and what follows it. Tests choose others.
	room, patience int64
	width, bags    int
	least          int32

	// For one due response or one stack:
	levels   [2][65][]beamArrival // by number of placed operations; without early pushes, and with them
	groups   []beamGroup
	chosen   []beamGroup
	orders   []uint64
	grouped  []beamArrival
	groupOf  []int32 // arrival -> its group
	groupAt  []int32
	gathered []setEdge
	passed   []int32
	// inserts and removes are the open ones.
	inserts, removes []beamOp
}

// A beamOp can be placed once those before it are placed: the ones with its value and an
// earlier response.
type beamOp struct {
	slot, before uint64
	op, value    int32
}

func (q *beamOp) fits(mask uint64) bool { return mask&(q.slot|q.before) == q.before }

// A beamSpot is an explored placement with all stacks found.
type beamSpot struct {
	mask   uint64
	stacks int32
	ways   int32 // number of its first way; it has those up to that of the next one
}

// A beamWay is how a spot is reached: from another one, or -1, by an operation, noOp, or
// both - o if a push is placed right before o. It leads to some of the stacks: those of
// a set, with a value on top of each if top is not noValue.
type beamWay struct {
	from   int32
	op     int32
	top    int32
	stacks int32
}

const (
	noOp    = -1
	noValue = -1
	both    = -2 // both - o is a push placed right before o
)

// A beamArrival is a spot that is not explored yet, reached in one way.
type beamArrival struct {
	mask uint64
	beamWay
}

// A beamDue is what is kept for each due response.
type beamDue struct {
	spots, ways int32 // how many there were before
	tries, salt int32 // how it was explored
	isCut       bool  // something was left out
}

// A beamSegment begins at a due response. It has the arrivals there and later that
// come from before.
type beamSegment struct {
	due         int32
	spots, ways int32 // how many there were before
	arrivals    []dueArrival
}

type dueArrival struct {
	beamArrival
	due int32
}

// A beamGroup is the grouped arrivals with the same mask.
type beamGroup struct {
	mask   uint64
	lo, hi int32
}

const (
	beamDueBytes     = 24 + 20 + 4 + 8
	beamSpotBytes    = 16
	beamWayBytes     = 16
	beamArrivalBytes = 24
	// beamWidth is how many placements are explored for each response.
	beamWidth = 80
	// beamBags is how many placements with the same number of operations are explored
	// in which early pushes have been placed.
	beamBags = 10
	// beamSlack is about how many responses the beam goes back beyond where something
	// was pushed.
	beamSlack = 16
	// beamDepths is how many tries go back farther each; then they begin anew.
	beamDepths = 5
	// beamFar is the number of tries after which the beam goes back to a segment
	// before that in memory, each time one farther than the last time.
	beamFar = 16
	// groupBits bound the groups among which some are chosen.
	groupBits = 24
	// beamRoom is how many bytes are used before something is dropped.
	beamRoom = 64 << 20
	// beamLeast is a quarter of the responses that are kept in any case, so that
	// it can go back.
	beamLeast = 256
	// beamPatience is the work to spend on one response before the beam gives up, or
	// half of the work spent before that response, if that is more.
	beamPatience = 1 << 21
)

func newStackBeam(c *collected, maxBytes int64, m *meter.Meter) *stackBeam {
	b := &stackBeam{stackSets: newStackSets(m), idle: c.idle, cutAt: math.MaxInt32, stuckAt: -1,
		room: min(beamRoom, maxBytes/4), maxBytes: maxBytes, width: beamWidth, bags: beamBags, least: beamLeast, patience: beamPatience}
	ops := c.asStack()
	if ops == nil {
		return nil
	}
	b.stackOps = *ops
	b.arrivals = make([][]beamArrival, b.returned)
	b.dues = make([]beamDue, b.returned)
	b.findHeights()
	b.findLookers()
	b.due = -1
	b.arrive(0, 0, beamArrival{0, beamWay{-1, noOp, noValue, 0}})
	b.due = 0
	b.segments = append(b.segments, beamSegment{arrivals: b.arrivalsFrom(0, 0)})
	return b
}

func (b *stackBeam) findHeights() {
	b.heights = make([]int32, b.returned)
	sign := func(o int32) int32 {
		switch b.ops[o].role {
		case replay.Insert:
			return 2
		case replay.Remove:
			return -2
		}
		return 0
	}
	height := int32(0)
	for due := range int32(b.returned) {
		open := int32(0)
		for _, o := range b.opens[due] {
			if int(o) < b.returned {
				open += sign(o)
			}
		}
		b.heights[due] = height + open/2
		height += sign(due)
	}
}

func (b *stackBeam) findLookers() {
	b.lookers = make([]uint64, b.returned)
	for due := range b.lookers {
		for _, o := range b.opens[due] {
			if role := b.ops[o].role; role == replay.Look || role == replay.Nothing {
				b.lookers[due] |= 1 << b.slot[o]
			}
		}
	}
}

// findOpens finds the open insertions and removals.
func (b *stackBeam) findOpens() {
	b.inserts, b.removes = b.inserts[:0], b.removes[:0]
	enter := func(list []beamOp, o int32) []beamOp {
		q := beamOp{slot: 1 << b.slot[o], op: o, value: b.ops[o].value}
		for _, earlier := range list {
			if earlier.value == q.value {
				q.before |= earlier.slot
			}
		}
		return append(list, q)
	}
	for _, o := range b.opens[b.due] {
		switch b.ops[o].role {
		case replay.Insert:
			b.inserts = enter(b.inserts, o)
		case replay.Remove:
			b.removes = enter(b.removes, o)
		}
	}
}

// run looks for a witness.
func (b *stackBeam) run() (bool, replay.Cause) {
	b.began = b.meter.Spent()
	for !b.found {
		if b.used() > max(b.full, b.room) && !b.drop() || b.waysEnd() > math.MaxInt32/2 {
			return false, replay.Memory
		}
		b.dues[b.due] = beamDue{spots: b.spotsEnd(), ways: b.waysEnd(), tries: b.tries, salt: b.salt}
		b.explore()
		switch {
		case b.stopped:
			return false, replay.Time
		case b.last > b.due:
			if b.due++; b.due > b.stuckAt {
				b.tries, b.far = 0, 0
			}
		case b.cutAt < math.MaxInt32 || b.lost:
			if !b.again() {
				return false, replay.Time
			}
		case b.shallow:
			return false, replay.Memory
		default:
			return false, replay.NoCause
		}
	}
	return b.trace()
}

// explore explores the spots in which a group starts, and all that the group can lead
// to.
func (b *stackBeam) explore() {
	due := &b.ops[b.due]
	first := b.spotsEnd()
	b.findOpens()
	b.choose(b.arrivals[b.due], b.width*(2+int(b.tries))/2, b.lookers[b.due])
	for _, g := range b.groups {
		level := &b.levels[0][bits.OnesCount64(g.mask)]
		*level = append(*level, b.grouped[g.lo:g.hi]...)
	}
	for n := range b.levels[0] {
		list := b.levels[0][n]
		b.levels[0][n] = list[:0]
		b.choose(list, len(list), 0)
		for _, g := range b.groups {
			group := b.grouped[g.lo:g.hi]
			i := b.enter(group)
			if b.stopped {
				break
			}
			if due.role == replay.Remove {
				b.pair(i, group, first)
			} else if due.role != replay.Nothing {
				b.push(i)
			}
			b.take(i)
		}
	}
	for n := range b.levels[1] {
		list := b.levels[1][n]
		b.levels[1][n] = list[:0]
		b.choose(list, b.bags*(4+int(b.tries))/4, 0)
		for _, g := range b.groups {
			i := b.enter(b.grouped[g.lo:g.hi])
			if b.stopped {
				break
			}
			b.push(i)
		}
	}
}

// choose groups arrivals by mask and sets b.groups to the groups to explore: those
// with the fewest placed operations outside the slots leftOut, chosen
// pseudo-randomly among equals.
func (b *stackBeam) choose(list []beamArrival, most int, leftOut uint64) {
	b.group(list)
	if len(b.groups) <= most {
		return
	}
	b.orders = b.orders[:0]
	for k, g := range b.groups {
		order := uint64(bits.OnesCount64(g.mask&^leftOut))<<32 | uint64(hashOf(g.mask, uint64(b.salt)))
		b.orders = append(b.orders, order<<groupBits|uint64(k))
	}
	slices.Sort(b.orders)
	for _, order := range b.orders[:most] {
		b.chosen = append(b.chosen, b.groups[order&(1<<groupBits-1)])
	}
	b.groups, b.chosen = b.chosen, b.groups[:0]
	b.dues[b.due].isCut = true
	b.cutAt = min(b.cutAt, b.due)
}

// group groups arrivals by mask.
func (b *stackBeam) group(list []beamArrival) {
	size := 2 << bits.Len(uint(len(list)))
	if len(b.groupAt) < size {
		b.groupAt = make([]int32, size)
	}
	table := b.groupAt[:size] // by hash, the number of a group and one more
	clear(table)
	b.groups, b.groupOf = b.groups[:0], b.groupOf[:0]
	b.grouped = slices.Grow(b.grouped[:0], len(list))[:len(list)]
	for k := range list {
		mask := list[k].mask
		at := hashOf(mask, 0)
		for ; ; at++ {
			g := &table[at&uint32(size-1)]
			if *g == 0 {
				b.groups = append(b.groups, beamGroup{mask: mask})
				*g = int32(len(b.groups))
			}
			if b.groups[*g-1].mask == mask {
				b.groups[*g-1].hi++
				b.groupOf = append(b.groupOf, *g-1)
				break
			}
		}
	}
	begin := int32(0)
	for k := range b.groups {
		g := &b.groups[k]
		n := g.hi
		g.lo, g.hi = begin, begin
		begin += n
	}
	for k, i := range b.groupOf {
		g := &b.groups[i]
		b.grouped[g.hi] = list[k]
		g.hi++
	}
}

// enter makes arrivals a spot.
func (b *stackBeam) enter(group []beamArrival) int32 {
	b.spend(configurationWork + len(group))
	i, ways := b.spotsEnd(), b.waysEnd()
	b.gathered = b.gathered[:0]
	for k := range group {
		way := &group[k].beamWay
		b.ways = append(b.ways, *way)
		if way.top != noValue {
			b.gather(way.top, way.stacks)
			continue
		}
		for _, e := range b.edgesOf(way.stacks) {
			b.gather(e.value, e.below)
		}
	}
	stacks := int32(0) // no other set lacks edges
	if len(b.gathered) > 0 {
		slices.SortFunc(b.gathered, func(x, y setEdge) int { return cmp.Compare(x.value, y.value) })
		stacks = b.set(b.gathered...)
	}
	b.spots = append(b.spots, beamSpot{group[0].mask, stacks, ways})
	return i
}

// gather adds stacks with a value on top to those of the spot that is entered.
func (b *stackBeam) gather(value, below int32) {
	for k := range b.gathered {
		if e := &b.gathered[k]; e.value == value {
			e.below = b.union(e.below, below)
			return
		}
	}
	b.gathered = append(b.gathered, setEdge{value, below})
}

// base returns the segment that is in memory.
func (b *stackBeam) base() *beamSegment { return &b.segments[b.segment] }

func (b *stackBeam) spotsEnd() int32        { return b.base().spots + int32(len(b.spots)) }
func (b *stackBeam) waysEnd() int32         { return b.base().ways + int32(len(b.ways)) }
func (b *stackBeam) spot(i int32) *beamSpot { return &b.spots[i-b.base().spots] }

// waysTo returns how a spot was reached.
func (b *stackBeam) waysTo(i int32) []beamWay {
	k := i - b.base().spots
	end := int32(len(b.ways))
	if int(k+1) < len(b.spots) {
		end = b.spots[k+1].ways - b.base().ways
	}
	return b.ways[b.spots[k].ways-b.base().ways : end]
}

// pair places the due removal with a push right before it, at the start of a group.
func (b *stackBeam) pair(i int32, group []beamArrival, first int32) {
	it := *b.spot(i)
	value := b.ops[b.due].value
	y := b.first(b.due, it.mask, replay.Insert, value)
	if y < 0 {
		return
	}
	mask := it.mask | 1<<b.slot[y] | 1<<b.slot[b.due] | b.peeks(b.due, value)
	for _, a := range group {
		if a.from < first {
			b.arrive(b.due, 0, beamArrival{mask, beamWay{i, both - b.due, a.top, a.stacks}})
		}
	}
}

// push places the push that ends a group, and each that can be early.
func (b *stackBeam) push(i int32) {
	it := *b.spot(i)
	for k := range b.inserts {
		if q := &b.inserts[k]; q.fits(it.mask) {
			b.arrive(b.due, 1, beamArrival{it.mask | q.slot, beamWay{i, q.op, q.value, it.stacks}})
		}
	}
}

// take places each removal that can be.
func (b *stackBeam) take(i int32) {
	it := *b.spot(i)
	for _, e := range b.edgesOf(it.stacks) {
		for k := range b.removes {
			if q := &b.removes[k]; (q.value == e.value || q.value < 0) && q.fits(it.mask) {
				b.arrive(b.due, 0, beamArrival{it.mask | q.slot, beamWay{i, q.op, noValue, e.below}})
			}
		}
	}
}

// arrive passes the responses of placed operations and places peeks. Then it stores
// the arrival for later.
func (b *stackBeam) arrive(due int32, phase int, a beamArrival) {
	for again := true; again; {
		again = false
		for int(due) < b.returned && b.isPlaced(a.mask, due) {
			a.mask &^= 1 << b.slot[due]
			due++
		}
		b.last = max(b.last, due)
		if int(due) == b.returned {
			b.goal, b.found = a.beamWay, true
			return
		}
		if b.lookers[due]&^a.mask == 0 {
			break
		}
		for _, o := range b.opens[due] {
			q := &b.ops[o]
			switch {
			case b.lookers[due]&^a.mask>>b.slot[o]&1 == 0:
			case q.role == replay.Nothing:
				if a.top == noValue && a.stacks == 0 {
					a.mask |= 1 << b.slot[o]
					again = true
				}
			case a.top != noValue:
				if a.top == q.value {
					a.mask |= b.peeks(due, q.value)
					again = true
				}
			case b.under(q.value, a.stacks) == none:
			case len(b.edgesOf(a.stacks)) == 1:
				a.mask |= b.peeks(due, q.value)
				again = true
			default: // some stacks have the value on top
				b.arrive(due, phase, beamArrival{a.mask | b.peeks(due, q.value), beamWay{a.from, a.op, q.value, b.under(q.value, a.stacks)}})
				a.stacks = b.without(q.value, a.stacks)
			}
		}
	}
	if due != b.due {
		b.arrivals[due] = append(b.arrivals[due], a)
		b.waiting++
	} else {
		level := &b.levels[phase][bits.OnesCount64(a.mask)]
		*level = append(*level, a)
	}
}
