package search

import (
	"math"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// A stackSearch decides histories of a stack. A configuration has the due response,
// which is the first one of an operation that has not been placed, and the set of
// open operations that have been placed. Together with the stack, it is a state of a
// pushdown system, whose runs are the witnesses. The values below the top of the stack
// are visible only when the top is gone, so the stack is not stored. Instead, a cell
// stands for pushes in one configuration, and has links to the cells on which they
// were pushed (the post* of Bouajjani, Esparza and Maler). So the work is bounded by
// the number of configurations times that of cells, whatever the number of stacks.
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
// The search explores configurations in passes. Each pass goes along the responses
// and explores some more configurations at each. So a witness is often found soon, and
// in the end nothing is left out, unless memory is short; see forget. If a pass does
// not get farther, the search explores more at those responses at which a push can
// have hidden the value that is needed; see retry.
type stackSearch struct {
	stackOps
	idle []int32

	items                           []stackItem
	cells                           []stackCell
	links                           []stackLink
	pops                            []stackPop
	itemIndex, cellIndex, linkIndex engine.Index
	stackPlacements
	starts   [][]int32 // due -> unexplored first items of groups
	within   [][]int32 // due -> other unexplored items
	bags     [][]int32 // due -> items on which more pushes can be placed early
	due      int32     // of what is explored
	last     int32     // the latest due response met
	goal     int32     // an item in which all has been placed, or -1
	horizon  int32     // the due response before which nothing is explored any more
	forgotAt int32     // the latest due response met when the last items were forgotten
	kept     int64     // bytes used after that
	random   uint64

	maxBytes int64
	room     int64 // bytes to use before anything is forgotten
	reserve  int64 // work to leave once something is forgotten
	hurry    int64 // work for the whole, or 0 for any; a search that needs more gives up early
	most     int   // items, links
	width    int   // see stackWidth
	meter    *meter.Meter
	gaveUp   replay.Cause
}

// newStackSearch returns nil if more than 64 operations are open at once.
func newStackSearch(c *collected, maxBytes, room int64, m *meter.Meter) *stackSearch {
	p := &stackSearch{idle: c.idle, goal: -1, maxBytes: maxBytes, room: room, most: math.MaxInt32 / 2, width: stackWidth, meter: m}
	ops := c.asStack()
	if ops == nil {
		return nil
	}
	p.stackOps = *ops
	p.placementsAt = make([]int32, p.returned+1)
	p.starts, p.within, p.bags = make([][]int32, p.returned), make([][]int32, p.returned), make([][]int32, p.returned)
	p.cell(stackCell{value: -1, whole: -1}) // the bottom
	return p
}

// run looks for a witness; it leaves its last item in goal.
func (p *stackSearch) run() (bool, replay.Cause) {
	began := p.meter.Spent()
	p.enter(stackItem{lock: atStart, prev: -1, op: -1, link: -1})
	for from, stuck := int32(0), 1; ; {
		met := p.last
		if !p.pass(from) {
			return false, p.gaveUp
		}
		if p.last == met && p.goal < 0 && !p.retry(int32(min(luby(stuck)*stackAround, p.returned))) {
			return false, p.gaveUp
		}
		if p.goal >= 0 {
			return true, replay.NoCause
		}
		if p.hurry > 0 && p.last > met && p.meter.Spent()-began > max(p.hurry/stackTrial, p.hurry*int64(p.last)/int64(p.returned)) {
			return false, replay.Time
		}
		latest := p.unexplored()
		if latest < 0 {
			if p.horizon > 0 { // there may be a witness through what was forgotten
				return false, replay.Memory
			}
			return false, replay.NoCause
		}
		if stuck++; p.last > met {
			stuck = 1
		}
		from = max(p.horizon, min(latest, p.last-int32(min(stackBack*luby(stuck), p.returned))))
	}
}

// luby returns the i-th number of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, ..., from 1 on
// (Luby, Sinclair and Zuckerman 1993).
func luby(i int) int {
	for {
		n := bits.Len(uint(i + 1))
		if i+1 == 1<<(n-1) {
			return 1 << (n - 2)
		}
		i -= 1<<(n-1) - 1
	}
}

// unexplored returns the latest due response with something unexplored, or -1.
func (p *stackSearch) unexplored() int32 {
	due := min(p.last, int32(p.returned)-1)
	for due >= 0 && len(p.starts[due]) == 0 && len(p.within[due]) == 0 && len(p.bags[due]) == 0 {
		due--
	}
	return due
}

// pass explores some items for each response; it reports false if a bound is
// reached.
func (p *stackSearch) pass(from int32) bool {
	for p.due = from; p.due <= p.last && p.goal < 0; p.due++ {
		if p.isFull() && !p.forget() {
			return false
		}
		if !p.exploreSome(p.width) {
			return false
		}
	}
	return true
}

// exploreSome explores up to width configurations of the due response in which a
// group begins, as many within groups, and adds early pushes to fewer.
func (p *stackSearch) exploreSome(width int) bool {
	for range min(width, len(p.starts[p.due])) {
		if !p.explore(p.choose()) {
			return false
		}
	}
	for range width {
		if i := pop(&p.within[p.due]); i >= 0 && !p.explore(i) {
			return false
		}
	}
	for range max(1, width/stackBags) {
		if i := pop(&p.bags[p.due]); i >= 0 && !p.gather(i) {
			return false
		}
	}
	return true
}

// pop takes the first item from a list; -1 if it is empty.
func pop(list *[]int32) int32 {
	if len(*list) == 0 {
		return -1
	}
	i := (*list)[0]
	*list = (*list)[1:]
	return i
}

// choose draws three of the items that start a group, and takes the one in which the
// fewest operations have been placed early. Taking the best of all finds witnesses
// less often.
func (p *stackSearch) choose() int32 {
	list := p.starts[p.due]
	i := p.draw(len(list))
	for range 2 {
		if j := p.draw(len(list)); p.early(list[j]) < p.early(list[i]) {
			i = j
		}
	}
	last := len(list) - 1
	chosen := list[i]
	list[i] = list[last]
	p.starts[p.due] = list[:last]
	return chosen
}

// early returns how many open operations have been placed.
func (p *stackSearch) early(i int32) int { return bits.OnesCount64(p.items[i].mask) }

// draw returns a pseudo-random number below n. The sequence is always the same.
func (p *stackSearch) draw(n int) int {
	p.random = p.random*6364136223846793005 + 1442695040888963407
	hi, _ := bits.Mul64(p.random, uint64(n))
	return int(hi)
}

// explore enters the items that can follow item i. It reports false if a bound is
// reached.
func (p *stackSearch) explore(i int32) bool {
	if p.meter.Spend(configurationWork) && p.atBound() {
		return false
	}
	it := p.items[i]
	switch d := &p.ops[it.due]; d.role {
	case replay.Remove:
		if it.lock == atStart {
			p.pair(i)
		}
	case replay.Insert, replay.Look:
		if y := p.first(it.due, it.mask, replay.Insert, d.value); y >= 0 {
			p.push(i, y)
		}
		p.bags[it.due] = append(p.bags[it.due], i)
	}
	if it.bag == 0 && it.cell != 0 {
		p.take(i)
	}
	return true
}

// take places each removal that can take a push on top of item i, and each
// peek that decides which one is on top.
func (p *stackSearch) take(i int32) {
	it := p.items[i]
	c := p.cells[it.cell]
	for _, y := range p.opens[c.due] {
		if c.set>>p.slot[y]&1 == 0 {
			continue
		}
		value := p.ops[y].value
		if c.value == several && (p.isSecond(&c, y) || p.lockOf(c.due, y) >= it.due) || c.value != several && value != c.value {
			continue
		}
		for _, wanted := range [...]int32{value, -1} {
			if o := p.first(it.due, it.mask, replay.Remove, wanted); o >= 0 {
				p.remove(i, o, y)
			}
		}
		if c.value == several && p.first(it.due, it.mask, replay.Look, value) >= 0 {
			cell := p.part(it.cell, c.set, value)
			p.enter(stackItem{mask: it.mask, due: it.due, cell: cell, lock: it.lock, prev: i, op: -1, link: -1})
		}
		if c.value != several {
			break
		}
	}
}

// isSecond reports whether a push with the same value as y and an earlier
// response is left in the cell.
func (p *stackSearch) isSecond(c *stackCell, y int32) bool {
	for _, o := range p.opens[c.due] {
		if o == y {
			break
		}
		if c.set>>p.slot[o]&1 != 0 && p.ops[o].value == p.ops[y].value {
			return true
		}
	}
	return false
}

// lockOf returns the last due response at which push y, if it was placed when due was
// due, must still have something on top of it, or -1.
func (p *stackSearch) lockOf(due, y int32) int32 {
	if y == due {
		return -1
	}
	lock := y
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == replay.Look && q.value == p.ops[y].value {
			if o == due {
				return -1
			}
			lock = min(lock, o)
		}
	}
	return lock
}

// isLocked reports whether none of the pushes in the cell may be on top yet.
func (p *stackSearch) isLocked(cell, due int32) bool {
	c := &p.cells[cell]
	if cell == 0 {
		return false
	}
	for _, y := range p.opens[c.due] {
		if c.set>>p.slot[y]&1 != 0 && p.lockOf(c.due, y) < due {
			return false
		}
	}
	return true
}

// pair places the due removal with a push right before it.
func (p *stackSearch) pair(i int32) {
	it := &p.items[i]
	value := p.ops[it.due].value
	y := p.first(it.due, it.mask, replay.Insert, value)
	if y < 0 {
		return
	}
	mask := it.mask | 1<<p.slot[y] | 1<<p.slot[it.due] | p.peeks(it.due, value)
	p.enter(stackItem{mask: mask, due: it.due, cell: it.cell, lock: atStart, prev: i, op: both - it.due, link: -1})
}

// peeks returns the slots of the open peeks that see a value.
func (p *stackOps) peeks(due, value int32) uint64 {
	mask := uint64(0)
	for _, o := range p.opens[due] {
		if q := &p.ops[o]; q.role == replay.Look && q.value == value {
			mask |= 1 << p.slot[o]
		}
	}
	return mask
}

// gather explores item i with each possible further early push.
func (p *stackSearch) gather(i int32) bool {
	from := p.items[i]
	for _, y := range p.opens[from.due] {
		q := &p.ops[y]
		if q.role != replay.Insert || q.value == p.ops[from.due].value || from.bag != 0 && y < from.op || p.first(from.due, from.mask, replay.Insert, q.value) != y {
			continue
		}
		it := from
		it.mask |= 1<<p.slot[y] | p.peeks(it.due, q.value)
		it.bag |= 1 << p.slot[y]
		it.prev, it.op, it.link = i, y, -1
		n := int32(len(p.items))
		if p.enter(it); len(p.items) > int(n) && !p.explore(n) {
			return false
		}
	}
	return true
}

// push places the last push of a group on item i.
func (p *stackSearch) push(i, y int32) {
	it := p.items[i]
	below, lock := it.cell, int32(-1)
	if it.lock != atStart {
		lock = it.lock
	}
	if it.bag != 0 {
		below = p.cell(stackCell{mask: it.mask, set: it.bag, due: it.due, whole: -1})
		p.link(stackLink{cell: below, below: it.cell, source: i, lock: lock})
		lock = -1
	}
	mask := it.mask | 1<<p.slot[y]
	cell := p.cell(stackCell{mask: mask, set: 1 << p.slot[y], due: it.due, whole: -1})
	p.link(stackLink{cell: cell, below: below, source: i, lock: lock})
	p.enter(stackItem{mask: mask, due: it.due, cell: cell, lock: 0, prev: i, op: y, link: -1})
}

// remove lets a removal take y from the cell on top of item i. If that was the
// last of the bag, it does so whenever another cell is found below.
func (p *stackSearch) remove(i, o, y int32) {
	it := p.items[i]
	c := p.cells[it.cell]
	if rest := c.set &^ (1 << p.slot[y]); rest != 0 {
		cell := p.part(it.cell, rest, several)
		if !p.isLocked(cell, it.due) {
			p.uncover(i, o, cell, -1)
		}
		return
	}
	whole := &p.cells[p.wholeOf(it.cell)]
	p.pops = append(p.pops, stackPop{i, o, whole.pops})
	whole.pops = int32(len(p.pops) - 1)
	for l := whole.links; l >= 0; l = p.links[l].next {
		p.follow(i, o, l)
	}
}

// follow places a removal in item i, of which the cell on top has this link.
func (p *stackSearch) follow(i, o, l int32) {
	it, link := &p.items[i], &p.links[l]
	if link.lock < it.due && !p.isLocked(link.below, it.due) {
		p.uncover(i, o, link.below, l)
	}
}

func (p *stackSearch) uncover(i, o, cell, l int32) {
	it := &p.items[i]
	lock := o
	if o == it.due {
		lock = atStart
	}
	p.enter(stackItem{mask: it.mask | 1<<p.slot[o], due: it.due, cell: cell, lock: lock, prev: i, op: o, link: l})
}

// settle places peeks at once and passes responses of what has been placed.
func (p *stackSearch) settle(it *stackItem) {
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
			if sees := q.role == replay.Look && q.value == value || q.role == replay.Nothing && it.cell == 0; !sees || p.isPlaced(it.mask, o) {
				continue
			}
			it.mask |= 1 << p.slot[o]
			if it.lock != atStart {
				it.lock = min(it.lock, o)
			}
			again = true
		}
	}
	if it.due != from {
		it.lock = atStart
	}
}

// witness returns all operations in order.
func (p *stackSearch) witness() []int32 {
	r := newStackReplay(&p.stackOps)
	path, early := p.path()
	for k, i := range path[1:] {
		it, before := &p.items[i], &p.items[path[k]]
		if it.bag != 0 {
			continue
		}
		o := it.op
		if o <= both {
			o = both - o
			r.place(p.first(before.due, before.mask, replay.Insert, p.ops[o].value))
		}
		for range bits.OnesCount64(before.bag) {
			last := len(early) - 1
			r.place(early[last])
			early = early[:last]
		}
		if o >= 0 {
			r.place(o)
		}
	}
	return append(r.end(), p.idle...)
}

// path returns the items that lead to the goal, and the early pushes, last
// group and top first. Backwards, where a cell was removed it is known what lay
// below: that is where its push must go on. And it is known in which order
// the pushes of a bag were removed: the last one lay lowest.
func (p *stackSearch) path() (path, early []int32) {
	var links, removed []int32
	for i := p.goal; i >= 0; {
		path = append(path, i)
		it := &p.items[i]
		i = it.prev
		isPush := p.isPush(it)
		if it.bag != 0 || i < 0 && !isPush {
			continue
		}
		if it.link >= 0 {
			links = append(links, it.link)
		}
		switch {
		case isPush:
			if n := len(removed) - 1; n >= 0 {
				removed = removed[:n]
			}
			if n := len(links) - 1; n >= 0 {
				i = p.links[links[n]].source
				links = links[:n]
			}
			bag, due := p.items[i].bag, p.items[i].due
			if n := len(links) - 1; n >= 0 && bag != 0 {
				i = p.links[links[n]].source
				links = links[:n]
			}
			for n := len(removed) - 1; n >= 0 && bag>>p.slot[removed[n]]&1 != 0 && slices.Contains(p.opens[due], removed[n]); n-- {
				early = append(early, removed[n])
				bag &^= 1 << p.slot[removed[n]]
				removed = removed[:n]
			}
			for _, y := range p.opens[due] {
				if bag>>p.slot[y]&1 != 0 {
					early = append(early, y)
				}
			}
		case it.op <= both, p.items[i].cell == it.cell:
		default: // a push is gone, or known to be on top
			y := p.taken(p.items[i].cell, it)
			if n := len(removed) - 1; n < 0 || removed[n] != y {
				removed = append(removed, y)
			}
		}
	}
	slices.Reverse(path)
	return path, early
}

// isPush reports whether an item is the last push of a group.
func (p *stackSearch) isPush(it *stackItem) bool {
	return it.bag == 0 && it.op >= 0 && p.ops[it.op].role == replay.Insert
}

// taken returns the push that was taken from the cell of the item before, or
// decided to be on top of it.
func (p *stackSearch) taken(cell int32, it *stackItem) int32 {
	c := &p.cells[cell]
	set, value := c.set, int32(several)
	switch {
	case it.op < 0:
		value = p.cells[it.cell].value
	case it.link < 0:
		set &^= p.cells[it.cell].set
	}
	for _, y := range p.opens[c.due] {
		if set>>p.slot[y]&1 != 0 && (it.op >= 0 || p.ops[y].value == value) {
			return y
		}
	}
	panic("search: nothing was taken")
}
