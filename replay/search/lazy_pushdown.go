package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A pushdown decides histories of a stack. A configuration says which response
// is due, the first one of an operation that has not been placed, and which
// open operations have been placed; with the stack it is a state of a pushdown
// system, the runs of which are the witnesses. As what lies on the stack below
// its top can only be seen when the top is gone, it is not kept: a cell stands
// for a push in one configuration and knows the cells on which it was pushed
// (the post* of Bouajjani, Esparza and Maler). So the work is bounded by the
// number of configurations, times that of cells, and not by that of stacks.
//
// Operations that have been placed while the same response was due are a
// group; the due one is its last. Of all witnesses take one in which the groups
// of pushes and removals come latest, by the sum of the numbers of their due
// responses; of these, one with the fewest pairs of pushes, or removals, of the
// same value in which the one with the later response comes first; of these,
// one in which looks come as early as can be. It has these properties, as it
// could be changed otherwise. All that is in a group is concurrent but for
// order on the stack, and may also come in the next one, if it is not due.
//
//   - A look, and what finds nothing, is placed as soon as it can.
//   - Of open pushes, or removals, of the same value, the one with the earliest
//     response comes first: else they change places.
//   - In a group, what is balanced, a push with its removal and all between,
//     contains the due operation: else it could come behind it. So a group
//     consists of removals of what was there before and of pushes, in this
//     order; or, if a removal is due, of it and the push right before it, with
//     looks between them.
//   - Let y be a push that is not due when it is placed. What lies on it is not
//     all gone before its response: else y, with the looks that saw it at once,
//     could come behind that.
//   - Let r be a removal that is not due, y the push right behind it, in the
//     same group. y is not removed before the response of r: else r, with looks
//     right behind it, could come behind that.
//
// Changes do not make groups earlier: an operation that comes earlier is not due
// any more, and what was placed when it was due is placed with a later one.
//
// Configurations are not explored one response after the other, but in passes:
// each goes along the responses and explores some more of the configurations
// there. So a witness is often found soon, and nothing is left out in the end.
type pushdown struct {
	pushdownOps
	idle       []int32
	impossible bool

	items  []pushdownItem
	cells  []pushdownCell
	links  []pushdownLink
	pops   []pushdownPop
	tables [3]indexTable
	starts [][]int32 // due -> unexplored first items of groups
	within [][]int32 // due -> other unexplored items
	due    int32     // of what is explored
	last   int32     // the latest due response met
	goal   int32     // an item in which all has been placed, or -1
	random uint64

	maxBytes int64
	most     int // items, links
	width    int // see pushdownWidth
	meter    *meter.Meter
	gaveUp   replay.Cause
}

// A pushdownItem is a configuration with a cell on top of the stack, and how
// it was reached.
type pushdownItem struct {
	mask uint64
	due  int32
	cell int32
	// lock is the earliest response of the removal right before, in the same
	// group, and of looks right behind that; or atStart of a group, or pushing
	// if a push came before.
	lock int32
	prev int32 // the item before, or -1
	op   int32 // what was placed, or -1; or both - o if a push was placed right before o
	link int32 // that was followed as a cell was removed, or -1
}

const (
	atStart = 1<<31 - 1
	pushing = -1
	both    = -2
)

// A pushdownCell is a push in some configuration. Number 0 is the bottom.
type pushdownCell struct {
	mask  uint64 // right behind it
	due   int32
	op    int32
	value int32
	lock  int32 // the last due response with which nothing may be left on it
	links int32 // the first one
	pops  int32 // the first one
}

// A pushdownLink says that a cell was pushed on another one.
type pushdownLink struct {
	cell, below int32
	source      int32 // the item in which it was
	lock        int32 // the last due response with which the cell must not be removed
	next        int32 // of the same cell, or -1
}

// A pushdownPop says that a cell was removed in some item.
type pushdownPop struct{ item, op, next int32 }

const (
	pushdownItemBytes = 32
	pushdownCellBytes = 32
	pushdownLinkBytes = 20
	pushdownPopBytes  = 12
	// pushdownWidth is how many configurations a pass explores for each
	// response at which groups begin, and as many within groups.
	pushdownWidth = 160
	// pushdownBack is how many responses before the last one met the next pass
	// begins, and twice as many each time that it does not get farther.
	pushdownBack = 16
)

// newPushdown returns nil if there is no room for all that is open.
func newPushdown(l *lazyHistory) *pushdown {
	p := &pushdown{idle: l.idle, impossible: l.impossible, goal: -1, most: math.MaxInt32 / 2, width: pushdownWidth}
	if !p.pushdownOps.read(l) {
		return nil
	}
	p.starts, p.within = make([][]int32, p.returned), make([][]int32, p.returned)
	p.cells = []pushdownCell{{op: -1, value: -1, lock: -1, links: -1, pops: -1}}
	return p
}

// run looks for a witness; it leaves its last item in goal.
func (p *pushdown) run() (bool, replay.Cause) {
	if p.impossible {
		return false, replay.NoCause
	}
	p.enter(pushdownItem{lock: atStart, prev: -1, op: -1, link: -1})
	for from, back := int32(0), int32(pushdownBack); ; {
		met := p.last
		if !p.pass(from) {
			return false, p.gaveUp
		}
		switch {
		case p.goal >= 0:
			return true, replay.NoCause
		case from == 0 && p.isExhausted():
			return false, replay.NoCause
		case p.last > met:
			back = pushdownBack
		default:
			back = min(2*back, int32(p.returned))
		}
		from = max(0, p.last-back)
	}
}

func (p *pushdown) isExhausted() bool {
	for due := range p.starts {
		if len(p.starts[due]) > 0 || len(p.within[due]) > 0 {
			return false
		}
	}
	return true
}

// pass explores some items for each response; it reports false if a bound is
// reached.
func (p *pushdown) pass(from int32) bool {
	for p.due = from; int(p.due) < p.returned && p.goal < 0; p.due++ {
		for range min(p.width, len(p.starts[p.due])) {
			if !p.explore(p.choose()) {
				return false
			}
		}
		for range p.width {
			list := p.within[p.due]
			if len(list) == 0 {
				break
			}
			p.within[p.due] = list[1:]
			if !p.explore(list[0]) {
				return false
			}
		}
	}
	return true
}

// choose takes one of three of the items that start a group. It is the one of
// which the top of the stack has been there longer, as less was placed early
// that is on top of it. To take it always finds witnesses less often.
func (p *pushdown) choose() int32 {
	list := p.starts[p.due]
	i := p.draw(len(list))
	for range 2 {
		if j := p.draw(len(list)); p.cells[p.items[list[j]].cell].due < p.cells[p.items[list[i]].cell].due {
			i = j
		}
	}
	last := len(list) - 1
	chosen := list[i]
	list[i] = list[last]
	p.starts[p.due] = list[:last]
	return chosen
}

// draw returns a number below n; always the same ones.
func (p *pushdown) draw(n int) int {
	p.random = p.random*6364136223846793005 + 1442695040888963407
	hi, _ := bits.Mul64(p.random, uint64(n))
	return int(hi)
}

func (p *pushdown) atBound() bool {
	p.gaveUp = giveUp(p.meter, func() bool { return p.bytes() <= p.maxBytes && max(len(p.items), len(p.links), len(p.pops)) <= p.most })
	return p.gaveUp != replay.NoCause
}

func (p *pushdown) bytes() int64 {
	b := int64(cap(p.items))*(pushdownItemBytes+4) + int64(cap(p.cells))*pushdownCellBytes +
		int64(cap(p.links))*pushdownLinkBytes + int64(cap(p.pops))*pushdownPopBytes
	for i := range p.tables {
		b += p.tables[i].bytes()
	}
	return b
}

// pushdownOps are the operations of a history as a pushdown reads them: by
// response, pending ones last.
type pushdownOps struct {
	ops      []lazyTaker
	returned int
	slot     []int32
	opens    [][]int32 // due -> what was invoked before the response and may be open
}

// read reports false if more than 64 are open at once.
func (p *pushdownOps) read(l *lazyHistory) bool {
	for _, e := range l.inserts {
		p.ops = append(p.ops, lazyTaker{e.op, e.call, e.ret, e.value, replay.Insert})
	}
	p.ops = append(append(p.ops, l.takers...), l.pendings...)
	slices.SortFunc(p.ops, func(a, b lazyTaker) int { return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.call, b.call)) })
	for p.returned < len(p.ops) && p.ops[p.returned].ret != history.NoReturn {
		p.returned++
	}
	byCall := indices(len(p.ops))
	slices.SortFunc(byCall, func(a, b int32) int { return cmp.Compare(p.ops[a].call, p.ops[b].call) })
	p.slot = make([]int32, len(p.ops))
	free := ^uint64(0)
	var open []int32
	for i := range int32(p.returned) {
		for len(byCall) > 0 && p.ops[byCall[0]].call < p.ops[i].ret {
			if free == 0 {
				return false
			}
			bit := bits.TrailingZeros64(free)
			free &^= 1 << bit
			p.slot[byCall[0]] = int32(bit)
			open = append(open, byCall[0])
			byCall = byCall[1:]
		}
		slices.Sort(open)
		p.opens = append(p.opens, slices.Clone(open))
		open = open[1:] // i
		free |= 1 << p.slot[i]
	}
	return true
}

func (p *pushdownOps) isPlaced(mask uint64, o int32) bool { return mask>>p.slot[o]&1 != 0 }

// first returns the open operation of a role and value that has the earliest
// response and is not placed, or -1.
func (p *pushdownOps) first(due int32, mask uint64, role replay.Role, value int32) int32 {
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == role && q.value == value && !p.isPlaced(mask, o) {
			return o
		}
	}
	return -1
}
