package window

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
)

// A stackBeam searches for a witness of a history of a stack. A placement consists of the
// due response, which is the earliest response of an operation that has not been placed,
// and the set of open operations that have been placed.
//
// The operations placed while the same response was due are a group. The due operation is
// the last of its group. Take the witnesses in which the groups of pushes and removals come
// latest, by the sum of the numbers of their due responses. Among these, take the witnesses
// with the fewest pairs of pushes, or removals, of the same value in which the one with the
// later response comes first. Among these, take a witness in which peeks come as early as
// possible. It has the properties below, because otherwise it could be changed into one
// that should have been taken. All operations of a group are concurrent except for the
// order on the stack, and those that are not due may also come in the next group.
//
//   - A peek, or an operation that finds nothing, is placed as soon as possible.
//   - If several pushes, or removals, of the same value are open, the one with the
//     earliest response comes first. Otherwise they could change places.
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
// This is a beam search: among the placements in which a group starts, it explores those in
// which the fewest operations have been placed early. So it can lose all witnesses. When no
// placement is left to explore, it goes back, explores more placements, and draws others
// among equals. The lost witnesses have another stack, so it has to go back to where some
// element of the stack was pushed. It goes back twice as far in one try after another.
//
// If no placement is left and none was left out, the history has no witness.
type stackBeam struct {
	stackOps
	*stackSets
	readers []uint64 // due -> slots of open peeks and of open operations that find nothing

	dues     []beamDue
	arrivals [][]beamArrival // due -> placements in which a group starts, in the order found
	spots    []beamSpot      // the explored placements
	ways     []beamWay       // the ways to the spots, concatenated

	due       int32 // the response at which it explores
	last      int32 // the latest due response reached
	cutAt     int32 // the first response at which placements were left out
	tries     int32 // to get past stuckAt
	stuckAt   int32
	startWork int64 // the meter's work at the start
	stuckWork int64 // the meter's work at the first of the tries
	salt      int32 // the number of tries so far
	found     bool
	goal      beamWay // the last way of the witness
	path      []int32 // insertions and removals of the witness, last one first

	waiting  int64 // number of arrivals
	maxBytes int64
	// Set to the constants from beamWidth on. Tests choose other values.
	patience    int64
	width, bags int

	// Scratch for one due response or one stack:
	levels     [2][65][]beamArrival // by number of placed operations; without early pushes, and with them
	groups     []beamGroup
	chosen     []beamGroup
	orders     []uint64
	grouped    []beamArrival
	groupOf    []int32     // arrival -> its group
	groupIndex table.Index // of groups by mask
	gathered   []setEdge
	passed     []int32
	// inserts and removes are the open insertions and removals.
	inserts, removes []beamOp
}

// A beamOp is an open operation. It can be placed once the operations in before are placed:
// those with the same value and an earlier response.
type beamOp struct {
	slot, before uint64
	op, value    int32
}

func (q *beamOp) fits(mask uint64) bool { return mask&(q.slot|q.before) == q.before }

// A beamSpot is an explored placement with all stacks found.
type beamSpot struct {
	mask   uint64
	stacks int32
	ways   int32 // number of its first way; its ways end where those of the next spot begin
}

// A beamWay is a way to reach a spot: from another spot, or -1. op is the operation placed,
// or noOp, or both - o if a push and then o are placed. A way leads to the stacks of a set,
// with the value top on each of them if top is not noValue.
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

// A beamArrival is one way to reach a placement that is not explored yet.
type beamArrival struct {
	mask uint64
	beamWay
}

// A beamDue is where the exploration of a due response begins.
type beamDue struct{ spots, ways int32 }

const (
	beamDueBytes     = 24 + 8 + 4 + 8
	beamSpotBytes    = 16
	beamWayBytes     = 16
	beamArrivalBytes = 24
	// beamWidth is how many placements are explored for each response. With a quarter,
	// BenchmarkBeam decides 6 of 7 stacks. With four times as many, it decides 6, too, and
	// takes 4 times as long.
	beamWidth = 80
	// beamBags is how many placements with the same number of operations are explored
	// in which early pushes have been placed. With a quarter, BenchmarkBeam decides 6 of 7
	// stacks. With four times as many, it decides 5, and takes 4 times as long.
	beamBags = beamWidth / 8
	// beamBack is how many responses the beam goes back in the first try. After beamDepths
	// tries, each twice as far back as the one before, it begins anew. Without going back,
	// it decides no stack of 8 values with 10,000 operations by 8 threads. With a quarter, or
	// four times as many, or with 2 tries, BenchmarkBeam decides 6 of 7 stacks.
	beamBack   = 32
	beamDepths = 5
	// groupBits is the number of bits for the index of a group in stackBeam.choose.
	groupBits = 24
	// beamPatience is the work to spend on getting past one response before the beam gives
	// up. It is half of the work spent before that response, if that is more. A quarter or
	// four times of it change nothing in BenchmarkBeam. It bounds what a hopeless stack takes
	// from the engines that follow.
	beamPatience = 1 << 21
)

func newStackBeam(c *collected, maxBytes int64, m *meter.Meter) *stackBeam {
	b := &stackBeam{stackSets: newStackSets(m), cutAt: math.MaxInt32, stuckAt: -1,
		maxBytes: maxBytes, width: beamWidth, bags: beamBags, patience: beamPatience}
	if !b.read(c) {
		return nil
	}
	b.arrivals = make([][]beamArrival, b.returned)
	b.dues = make([]beamDue, b.returned)
	b.findReaders()
	b.due = -1
	b.arrive(0, 0, beamArrival{0, beamWay{-1, noOp, noValue, 0}})
	b.due = 0
	return b
}

func (b *stackBeam) findReaders() {
	b.readers = make([]uint64, b.returned)
	for due := range b.readers {
		for _, o := range b.opens[due] {
			if role := b.ops[o].role; role == replay.Look || role == replay.Nothing {
				b.readers[due] |= 1 << b.slot[o]
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

// run searches for a witness, and leaves its operations in b.path.
func (b *stackBeam) run() (bool, replay.Cause) {
	b.startWork = b.meter.Spent()
	for !b.found {
		if b.bytes() > b.maxBytes || len(b.ways) > math.MaxInt32/2 {
			return false, replay.Memory
		}
		b.dues[b.due] = beamDue{int32(len(b.spots)), int32(len(b.ways))}
		b.explore()
		switch {
		case b.stopped:
			return false, replay.Time
		case b.last > b.due:
			if b.due++; b.due > b.stuckAt {
				b.tries = 0
			}
		case b.cutAt < math.MaxInt32:
			if !b.retry() {
				return false, replay.Time
			}
		case b.incomplete:
			return false, replay.Memory
		default:
			return false, replay.NoCause
		}
	}
	return b.trace()
}

// explore explores the placements in which a group of the due response starts, and all
// placements that the group can lead to.
func (b *stackBeam) explore() {
	due := &b.ops[b.due]
	first := int32(len(b.spots))
	b.findOpens()
	b.choose(b.arrivals[b.due], b.width*(2+int(b.tries))/2, b.readers[b.due])
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

// enter makes the arrivals of a group a spot, and returns its number.
func (b *stackBeam) enter(group []beamArrival) int32 {
	b.spend(1 + len(group))
	i, ways := int32(len(b.spots)), int32(len(b.ways))
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
	stacks := int32(0) // the set without edges
	if len(b.gathered) > 0 {
		slices.SortFunc(b.gathered, func(x, y setEdge) int { return cmp.Compare(x.value, y.value) })
		stacks = b.set(b.gathered...)
	}
	b.spots = append(b.spots, beamSpot{group[0].mask, stacks, ways})
	return i
}

// gather adds the stacks that have the value on top of a stack of the set below to the
// stacks of the spot that is entered.
func (b *stackBeam) gather(value, below int32) {
	for k := range b.gathered {
		if e := &b.gathered[k]; e.value == value {
			e.below = b.union(e.below, below)
			return
		}
	}
	b.gathered = append(b.gathered, setEdge{value, below})
}

// waysTo returns the ways to a spot.
func (b *stackBeam) waysTo(i int32) []beamWay {
	end := int32(len(b.ways))
	if int(i+1) < len(b.spots) {
		end = b.spots[i+1].ways
	}
	return b.ways[b.spots[i].ways:end]
}

// pair places the due removal with a push right before it, at the start of a group.
func (b *stackBeam) pair(i int32, group []beamArrival, first int32) {
	it := b.spots[i]
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

// push places each push that can be placed: the last one of the group, or one of its bag.
func (b *stackBeam) push(i int32) {
	it := b.spots[i]
	for k := range b.inserts {
		if q := &b.inserts[k]; q.fits(it.mask) {
			b.arrive(b.due, 1, beamArrival{it.mask | q.slot, beamWay{i, q.op, q.value, it.stacks}})
		}
	}
}

// take places each removal that can be placed.
func (b *stackBeam) take(i int32) {
	it := b.spots[i]
	for _, e := range b.edgesOf(it.stacks) {
		for k := range b.removes {
			if q := &b.removes[k]; (q.value == e.value || q.value < 0) && q.fits(it.mask) {
				b.arrive(b.due, 0, beamArrival{it.mask | q.slot, beamWay{i, q.op, noValue, e.below}})
			}
		}
	}
}

// arrive passes the responses of placed operations, and places peeks and operations that
// find nothing. Then it stores the arrival, to be explored later.
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
		if b.readers[due]&^a.mask == 0 {
			break
		}
		for _, o := range b.opens[due] {
			q := &b.ops[o]
			switch {
			case b.readers[due]&^a.mask>>b.slot[o]&1 == 0:
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
