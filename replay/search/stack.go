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

// A stackSearch decides histories of a stack. A configuration says which response
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
type stackSearch struct {
	stackOps
	idle []int32

	items                           []stackItem
	cells                           []stackCell
	links                           []stackLink
	pops                            []stackPop
	itemIndex, cellIndex, linkIndex index
	starts                          [][]int32 // due -> unexplored first items of groups
	within                          [][]int32 // due -> other unexplored items
	due                             int32     // of what is explored
	last                            int32     // the latest due response met
	goal                            int32     // an item in which all has been placed, or -1
	random                          uint64

	maxBytes int64
	most     int // items, links
	width    int // see stackWidth
	meter    *meter.Meter
	gaveUp   replay.Cause
}

// A stackItem is a configuration with a cell on top of the stack, and how
// it was reached.
type stackItem struct {
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

// A stackCell is a push in some configuration. Number 0 is the bottom.
type stackCell struct {
	mask  uint64 // right behind it
	due   int32
	op    int32
	value int32
	lock  int32 // the last due response with which nothing may be left on it
	links int32 // the first one
	pops  int32 // the first one
}

// A stackLink says that a cell was pushed on another one.
type stackLink struct {
	cell, below int32
	source      int32 // the item in which it was
	lock        int32 // the last due response with which the cell must not be removed
	next        int32 // of the same cell, or -1
}

// A stackPop says that a cell was removed in some item.
type stackPop struct{ item, op, next int32 }

const (
	stackItemBytes = 32
	stackCellBytes = 32
	stackLinkBytes = 20
	stackPopBytes  = 12
	// stackWidth is how many configurations a pass explores for each
	// response at which groups begin, and as many within groups.
	stackWidth = 160
	// stackBack is how many responses before the last one met the next pass
	// begins, and twice as many each time that it does not get farther.
	stackBack = 16
)

// newStackSearch returns nil if there is no room for all that is open.
func newStackSearch(c *collected) *stackSearch {
	p := &stackSearch{idle: c.idle, goal: -1, most: math.MaxInt32 / 2, width: stackWidth}
	if !p.stackOps.read(c) {
		return nil
	}
	p.starts, p.within = make([][]int32, p.returned), make([][]int32, p.returned)
	p.cell(stackCell{op: -1, value: -1, lock: -1, links: -1, pops: -1}) // the bottom
	return p
}

// run looks for a witness; it leaves its last item in goal.
func (p *stackSearch) run() (bool, replay.Cause) {
	p.enter(stackItem{lock: atStart, prev: -1, op: -1, link: -1})
	for from, back := int32(0), int32(stackBack); ; {
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
			back = stackBack
		default:
			back = min(2*back, int32(p.returned))
		}
		from = max(0, p.last-back)
	}
}

func (p *stackSearch) isExhausted() bool {
	for due := range p.starts {
		if len(p.starts[due]) > 0 || len(p.within[due]) > 0 {
			return false
		}
	}
	return true
}

// pass explores some items for each response; it reports false if a bound is
// reached.
func (p *stackSearch) pass(from int32) bool {
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
func (p *stackSearch) choose() int32 {
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
func (p *stackSearch) draw(n int) int {
	p.random = p.random*6364136223846793005 + 1442695040888963407
	hi, _ := bits.Mul64(p.random, uint64(n))
	return int(hi)
}

func (p *stackSearch) atBound() bool {
	p.gaveUp = giveUp(p.meter, func() bool { return p.bytes() <= p.maxBytes && max(len(p.items), len(p.links), len(p.pops)) <= p.most })
	return p.gaveUp != replay.NoCause
}

func (p *stackSearch) bytes() int64 {
	return int64(cap(p.items))*(stackItemBytes+4) + int64(cap(p.cells))*stackCellBytes +
		int64(cap(p.links))*stackLinkBytes + int64(cap(p.pops))*stackPopBytes +
		p.itemIndex.bytes() + p.cellIndex.bytes() + p.linkIndex.bytes()
}

// stackOps are the operations of a history as a pushdown reads them: by
// response, pending ones last.
type stackOps struct {
	ops      []consumer
	returned int
	slot     []int32
	opens    [][]int32 // due -> what was invoked before the response and may be open
}

// read reports false if more than 64 are open at once.
func (p *stackOps) read(c *collected) bool {
	for _, e := range c.inserts {
		p.ops = append(p.ops, consumer{e.op, e.call, e.ret, e.value, replay.Insert})
	}
	p.ops = append(append(p.ops, c.consumers...), c.pendings...)
	slices.SortFunc(p.ops, func(a, b consumer) int { return cmp.Or(cmp.Compare(a.ret, b.ret), cmp.Compare(a.call, b.call)) })
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

func (p *stackOps) isPlaced(mask uint64, o int32) bool { return mask>>p.slot[o]&1 != 0 }

// first returns the open operation of a role and value that has the earliest
// response and is not placed, or -1.
func (p *stackOps) first(due int32, mask uint64, role replay.Role, value int32) int32 {
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == role && q.value == value && !p.isPlaced(mask, o) {
			return o
		}
	}
	return -1
}

// explore enters what can come next; it reports false if a bound is reached.
func (p *stackSearch) explore(i int32) bool {
	if p.meter.Spend(configurationWork) && p.atBound() {
		return false
	}
	it := p.items[i]
	d := &p.ops[p.due]
	switch d.role {
	case replay.Remove:
		if it.lock == atStart {
			p.pair(i)
		}
	case replay.Insert, replay.Look:
		for _, y := range p.opens[p.due] {
			if q := &p.ops[y]; q.role == replay.Insert && p.first(p.due, it.mask, replay.Insert, q.value) == y {
				p.push(i, y)
			}
		}
	}
	if value := p.cells[it.cell].value; value >= 0 && it.lock != pushing {
		for _, wanted := range [...]int32{value, -1} {
			if o := p.first(p.due, it.mask, replay.Remove, wanted); o >= 0 {
				p.remove(i, o)
			}
		}
	}
	return true
}

// pair places the due removal with a push right before it.
func (p *stackSearch) pair(i int32) {
	it := &p.items[i]
	value := p.ops[p.due].value
	y := p.first(p.due, it.mask, replay.Insert, value)
	if y < 0 {
		return
	}
	mask := it.mask | 1<<p.slot[y] | 1<<p.slot[p.due]
	for _, o := range p.opens[p.due] {
		if q := &p.ops[o]; q.role == replay.Look && q.value == value {
			mask |= 1 << p.slot[o]
		}
	}
	p.enter(stackItem{mask: mask, due: p.due, cell: it.cell, lock: atStart, prev: i, op: both - p.due, link: -1})
}

// push places a push on item i.
func (p *stackSearch) push(i, y int32) {
	it := &p.items[i]
	mask := it.mask | 1<<p.slot[y]
	lock := int32(-1)
	if y != p.due {
		lock = y
		if o := p.first(p.due, it.mask, replay.Look, p.ops[y].value); o == p.due {
			lock = -1
		} else if o >= 0 {
			lock = min(lock, o)
		}
	}
	cell := p.cell(stackCell{mask: mask, due: p.due, op: y, value: p.ops[y].value, lock: lock, links: -1, pops: -1})
	link := stackLink{cell: cell, below: it.cell, source: i, lock: -1}
	if it.lock != atStart {
		link.lock = it.lock
	}
	p.link(link)
	p.enter(stackItem{mask: mask, due: p.due, cell: cell, lock: pushing, prev: i, op: y, link: -1})
}

// remove lets a removal take the cell on top of item i, now and whenever
// another cell is found below it.
func (p *stackSearch) remove(i, o int32) {
	c := &p.cells[p.items[i].cell]
	p.pops = append(p.pops, stackPop{i, o, c.pops})
	c.pops = int32(len(p.pops) - 1)
	for l := c.links; l >= 0; l = p.links[l].next {
		p.follow(i, o, l)
	}
}

// follow places a removal in item i, of which the cell on top has this link.
func (p *stackSearch) follow(i, o, l int32) {
	it, link := &p.items[i], &p.links[l]
	if link.lock >= it.due || p.cells[link.below].lock >= it.due {
		return
	}
	lock := o
	if o == it.due {
		lock = atStart
	}
	p.enter(stackItem{mask: it.mask | 1<<p.slot[o], due: it.due, cell: link.below, lock: lock, prev: i, op: o, link: l})
}

// settle places looks at once and passes responses of what has been placed; it
// calls placed, if not nil, for each.
func (p *stackSearch) settle(it *stackItem, placed func(o int32)) {
	value := p.cells[it.cell].value
	from := it.due
	for again := true; again; {
		again = false
		for int(it.due) < p.returned && p.isPlaced(it.mask, it.due) {
			it.mask &^= 1 << p.slot[it.due]
			it.due++
		}
		if int(it.due) == p.returned {
			break
		}
		for _, o := range p.opens[it.due] {
			q := &p.ops[o]
			if sees := q.role == replay.Look && q.value == value || q.role == replay.Nothing && value < 0; !sees || p.isPlaced(it.mask, o) {
				continue
			}
			it.mask |= 1 << p.slot[o]
			if it.lock != atStart {
				it.lock = min(it.lock, o)
			}
			again = true
			if placed != nil {
				placed(o)
			}
		}
	}
	if it.due != from {
		it.lock = atStart
	}
}

// enter settles an item and keeps it, if it is new.
func (p *stackSearch) enter(it stackItem) {
	p.settle(&it, nil)
	hash := hashOf(it.mask, uint64(it.due)<<32|uint64(it.cell), uint64(it.lock))
	if p.itemIndex.find(hash, func(i int32) bool {
		o := &p.items[i]
		return o.mask == it.mask && o.due == it.due && o.cell == it.cell && o.lock == it.lock
	}) >= 0 {
		return
	}
	i := p.itemIndex.add(hash)
	p.items = append(p.items, it)
	p.last = max(p.last, it.due)
	switch {
	case int(it.due) == p.returned:
		p.goal = i
	case it.lock == atStart:
		p.starts[it.due] = append(p.starts[it.due], i)
	default:
		p.within[it.due] = append(p.within[it.due], i)
	}
}

// cell returns the number of a cell, which may be new.
func (p *stackSearch) cell(c stackCell) int32 {
	hash := hashOf(c.mask, uint64(c.due)<<32|uint64(uint32(c.op)), uint64(c.lock))
	if i := p.cellIndex.find(hash, func(i int32) bool {
		o := &p.cells[i]
		return o.mask == c.mask && o.due == c.due && o.op == c.op && o.lock == c.lock
	}); i >= 0 {
		return i
	}
	p.cells = append(p.cells, c)
	return p.cellIndex.add(hash)
}

// link enters a link, if it is new, and lets the removals of the cell follow
// it.
func (p *stackSearch) link(l stackLink) {
	hash := hashOf(uint64(l.cell)<<32|uint64(l.below), uint64(l.lock))
	if p.linkIndex.find(hash, func(i int32) bool {
		o := &p.links[i]
		return o.cell == l.cell && o.below == l.below && o.lock == l.lock
	}) >= 0 {
		return
	}
	n := p.linkIndex.add(hash)
	c := &p.cells[l.cell]
	l.next, c.links = c.links, n
	p.links = append(p.links, l)
	for k := c.pops; k >= 0; k = p.pops[k].next {
		p.follow(p.pops[k].item, p.pops[k].op, n)
	}
}

// witness returns all operations in order.
func (p *stackSearch) witness() []int32 {
	var order []int32
	placed := make([]bool, len(p.ops))
	enter := func(o int32) {
		order = append(order, p.ops[o].op)
		placed[o] = true
	}
	at := stackItem{lock: atStart}
	place := func(o int32) {
		enter(o)
		at.mask |= 1 << p.slot[o]
	}
	for _, i := range p.path() {
		it := &p.items[i]
		o := it.op
		if o <= both {
			o = both - o
			value := p.ops[o].value
			place(p.first(at.due, at.mask, replay.Insert, value))
			for l := p.first(at.due, at.mask, replay.Look, value); l >= 0; l = p.first(at.due, at.mask, replay.Look, value) {
				place(l)
			}
		}
		if o >= 0 {
			place(o)
		}
		at.cell = it.cell
		p.settle(&at, enter)
	}
	for _, role := range [...]replay.Role{replay.Insert, replay.Remove} {
		for o := range p.ops { // the pending ones
			if !placed[o] && p.ops[o].role == role {
				enter(int32(o))
			}
		}
	}
	return append(order, p.idle...)
}

// path returns the items that lead to the goal. Backwards, where a cell was
// removed it is known what lay below: that is where its push must go on.
func (p *stackSearch) path() []int32 {
	var path, links []int32
	for i := p.goal; i >= 0; {
		path = append(path, i)
		it := &p.items[i]
		i = it.prev
		switch n := len(links) - 1; {
		case it.link >= 0:
			links = append(links, it.link)
		case it.op >= 0 && n >= 0: // a push
			i = p.links[links[n]].source
			links = links[:n]
		}
	}
	slices.Reverse(path)
	return path
}
