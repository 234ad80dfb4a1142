package search

import (
	"slices"

	"github.com/leadline/leadline/replay"
)

// A stackItem is a configuration with a cell on top of the stack, and how
// it was reached.
type stackItem struct {
	mask uint64
	bag  uint64 // the early pushes of this group; the cell is below them
	due  int32
	cell int32
	// lock is the earliest response of the removal right before the pushes, in
	// the same group, and of peeks right after that; or atStart of a group.
	lock int32
	prev int32 // the item before, or -1
	op   int32 // what was placed last, or -1; or both - o if a push was placed right before o
	link int32 // that was followed as a cell was removed, or -1
	same int32 // another item of its placement, or -1
}

const (
	atStart = 1<<31 - 1
	both    = -2
)

// A stackCell is the rest of a bag in some configuration. Number 0 is the bottom.
type stackCell struct {
	mask  uint64 // right after the pushes
	set   uint64 // the slots of those that are left
	due   int32
	value int32 // of the push on top, or several; -1 of the bottom
	whole int32 // the cell with the whole bag, which has the links and pops; -1: this one
	links int32 // the first one
	pops  int32 // the first one
}

// several is the value of a cell of which several pushes can be on top.
const several = -2

// A stackLink records that a cell was pushed on another one.
type stackLink struct {
	cell, below int32
	source      int32 // the item in which it was
	lock        int32 // the last due response with which the cell must not be removed
	next        int32 // of the same cell, or -1
}

// A stackPop records that a cell was removed in some item.
type stackPop struct{ item, op, next int32 }

const (
	stackItemBytes      = 48
	stackCellBytes      = 40
	stackLinkBytes      = 20
	stackPopBytes       = 12
	stackPlacementBytes = 16
	indexBytes          = 16 // of a key, about
	// stackWidth is how many configurations a pass explores for each response;
	// see exploreSome.
	stackWidth = 64
	// stackBags is the number of configurations that are explored for each one
	// to which an early push is added. Most groups of a witness have none.
	stackBags = 16
	// stackBack is how many responses before the last one met the next pass
	// begins. While passes do not get farther, luby multiplies it.
	stackBack = 16
	// stackRoom is how many bytes a search uses before it forgets for the first
	// time. It then forgets every few thousand responses of 16 processes; with
	// less room, it is stuck more often.
	stackRoom = 64 << 20
)

func (p *stackSearch) atBound() bool {
	p.gaveUp = giveUp(p.meter, func() bool { return p.bytes() <= p.maxBytes && max(len(p.items), len(p.links), len(p.pops)) <= p.most })
	return p.gaveUp != replay.NoCause
}

func (p *stackSearch) bytes() int64 {
	return int64(cap(p.items))*(stackItemBytes+8) + int64(cap(p.cells))*stackCellBytes +
		int64(cap(p.links))*stackLinkBytes + int64(cap(p.pops))*stackPopBytes +
		int64(cap(p.placements))*stackPlacementBytes +
		p.itemIndex.Bytes() + p.cellIndex.Bytes() + p.linkIndex.Bytes() + p.placementIndex.Bytes()
}

// enter settles an item and keeps it, if it is new.
func (p *stackSearch) enter(it stackItem) {
	if it.bag == 0 {
		p.settle(&it)
	}
	hash := it.hash()
	if p.itemIndex.Find(hash, func(i int32) bool {
		o := &p.items[i]
		return o.mask == it.mask && o.bag == it.bag && o.due == it.due && o.cell == it.cell && o.lock == it.lock
	}) >= 0 {
		return
	}
	i := p.itemIndex.Add(hash)
	p.items = append(p.items, it)
	p.last = max(p.last, it.due)
	switch {
	case int(it.due) == p.returned:
		p.goal = i
	case it.bag != 0:
	case it.lock == atStart:
		p.starts[it.due] = append(p.starts[it.due], i)
	default:
		p.within[it.due] = append(p.within[it.due], i)
	}
	if it.bag == 0 {
		p.join(i)
	}
}

// cell returns the number of a whole cell, which may be new.
func (p *stackSearch) cell(c stackCell) int32 {
	hash := c.hash()
	if i := p.cellIndex.Find(hash, func(i int32) bool {
		o := &p.cells[i]
		return o.mask == c.mask && o.set == c.set && o.due == c.due && o.whole < 0
	}); i >= 0 {
		return i
	}
	c.links, c.pops = -1, -1
	if c.set != 0 {
		c.value = p.valueOf(c.due, c.set)
	}
	p.cells = append(p.cells, c)
	return p.cellIndex.Add(hash)
}

// part returns the number of the cell that has the pushes set of another cell, or
// those of them with the value that is on top.
func (p *stackSearch) part(cell int32, set uint64, value int32) int32 {
	c := p.cells[cell]
	if c.whole < 0 {
		c.whole = cell
	}
	if value == several {
		value = p.valueOf(c.due, set)
	}
	c.set, c.value, c.links, c.pops = set, value, -1, -1
	hash := c.hash()
	if i := p.cellIndex.Find(hash, func(i int32) bool {
		o := &p.cells[i]
		return o.whole == c.whole && o.set == set && o.value == value
	}); i >= 0 {
		return i
	}
	p.cells = append(p.cells, c)
	return p.cellIndex.Add(hash)
}

// valueOf returns the value of some pushes, or several.
func (p *stackSearch) valueOf(due int32, set uint64) int32 {
	value := int32(several)
	for _, y := range p.opens[due] {
		if set>>p.slot[y]&1 == 0 {
			continue
		}
		if value != several && value != p.ops[y].value {
			return several
		}
		value = p.ops[y].value
	}
	return value
}

// link enters a link, if it is new, and lets the removals of the cell follow
// it.
func (p *stackSearch) link(l stackLink) {
	hash := l.hash()
	if p.linkIndex.Find(hash, func(i int32) bool {
		o := &p.links[i]
		return o.cell == l.cell && o.below == l.below && o.lock == l.lock
	}) >= 0 {
		return
	}
	n := p.linkIndex.Add(hash)
	c := &p.cells[l.cell]
	l.next, c.links = c.links, n
	p.links = append(p.links, l)
	for k := c.pops; k >= 0; k = p.pops[k].next {
		p.follow(p.pops[k].item, p.pops[k].op, n)
	}
}

func (it *stackItem) hash() uint32 {
	return hashOf(it.mask, it.bag, uint64(it.due)<<32|uint64(it.cell), uint64(it.lock))
}

func (c *stackCell) hash() uint32 {
	if c.whole >= 0 {
		return hashOf(uint64(c.whole)<<32|uint64(uint32(c.value)), c.set)
	}
	return hashOf(c.mask, c.set, uint64(c.due))
}

func (l *stackLink) hash() uint32 {
	return hashOf(uint64(l.cell)<<32|uint64(l.below), uint64(l.lock))
}

func (p *stackSearch) wholeOf(cell int32) int32 {
	if w := p.cells[cell].whole; w >= 0 {
		return w
	}
	return cell
}

// isFull reports whether the search uses more than its room, and a quarter more than
// it kept the last time. So the time to forget is proportional to the work of the
// search.
func (p *stackSearch) isFull() bool {
	return p.last > p.forgotAt && p.used() > max(p.room, p.kept+p.kept/4)
}

func (p *stackSearch) used() int64 {
	keys := p.itemIndex.Keys() + p.cellIndex.Keys() + p.linkIndex.Keys() + p.placementIndex.Keys()
	return int64(len(p.items))*stackItemBytes + int64(len(p.cells))*stackCellBytes +
		int64(len(p.links))*stackLinkBytes + int64(len(p.pops))*stackPopBytes +
		int64(len(p.placements))*stackPlacementBytes + int64(keys)*indexBytes
}

// forget moves the horizon halfway to the latest due response met, and drops
// what is unexplored before it. It keeps the following:
//
//   - all items from the horizon on;
//   - the stacks that these can have, with all links;
//   - the items that lead to them, and to the sources of these links.
//
// Cells from before the horizon get no more links, as their sources would be
// from before it too, so their removals are dropped. All paths that are left
// are runs as before, so a witness is still one. If none is found after that,
// the history is undecided. It reports false if the search is to stop.
func (p *stackSearch) forget() bool {
	forgotten := p.horizon
	if p.reserve > 0 {
		p.meter, p.reserve = p.meter.Share(p.meter.Left()-p.reserve), 0
	}
	p.horizon += (p.last - p.horizon) / 2
	p.forgotAt = p.last
	items, cells, links, ok := p.reachable()
	if !ok {
		p.gaveUp = replay.Time
		return false
	}
	p.pops = slices.DeleteFunc(p.pops, func(q stackPop) bool {
		return p.cells[p.items[q.item].cell].due < p.horizon
	})
	p.items = keep(p.items, items)
	p.cells = keep(p.cells, cells)
	p.links = keep(p.links, links)
	renumber := func(n *int32, numbers []int32) {
		if *n >= 0 {
			*n = numbers[*n]
		}
	}
	p.itemIndex.Reset()
	p.resetPlacements()
	for i := range p.items {
		it := &p.items[i]
		renumber(&it.prev, items)
		renumber(&it.cell, cells)
		renumber(&it.link, links)
		if it.due < p.horizon {
			p.itemIndex.Skip()
			continue
		}
		p.itemIndex.Add(it.hash())
		if it.bag == 0 {
			p.join(int32(i))
		}
	}
	p.cellIndex.Reset()
	for i := range p.cells {
		c := &p.cells[i]
		renumber(&c.whole, cells)
		c.links, c.pops = -1, -1
		if c.due < p.horizon && c.whole < 0 {
			p.cellIndex.Skip()
			continue
		}
		p.cellIndex.Add(c.hash())
	}
	p.linkIndex.Reset()
	for i := range p.links {
		l := &p.links[i]
		renumber(&l.cell, cells)
		renumber(&l.below, cells)
		renumber(&l.source, items)
		c := &p.cells[l.cell]
		l.next, c.links = c.links, int32(i)
		if c.due < p.horizon {
			p.linkIndex.Skip()
			continue
		}
		p.linkIndex.Add(l.hash())
	}
	for i := range p.pops {
		q := &p.pops[i]
		renumber(&q.item, items)
		c := &p.cells[p.wholeOf(p.items[q.item].cell)]
		q.next, c.pops = c.pops, int32(i)
	}
	for _, lists := range [...][][]int32{p.starts, p.within, p.bags} {
		clear(lists[forgotten:p.horizon])
		for _, list := range lists[p.horizon:min(int(p.last)+1, p.returned)] {
			for k := range list {
				renumber(&list[k], items)
			}
		}
	}
	p.kept = p.used()
	return true
}

// onStack marks a cell that may lie on the stack now, with all its links; others
// are kept for the witness, with those links that were followed. It also marks an
// item whose cell may lie on the stack now. For another item, the link is known with
// which its cell was removed later, so what leads to the push of that cell is the
// source of that link, and the items before the push are not needed.
const onStack = 2

// reachable returns new numbers of what forget keeps, -1 of the rest.
func (p *stackSearch) reachable() (items, cells, links []int32, ok bool) {
	items, cells, links = make([]int32, len(p.items)), make([]int32, len(p.cells)), make([]int32, len(p.links))
	var open []int32 // marked items, and -1 - o for marked cells
	item := func(i, mark int32) {
		if i >= 0 && items[i] < mark {
			items[i] = mark
			open = append(open, i)
		}
	}
	cell := func(c, mark int32) {
		if cells[c] < mark {
			cells[c] = mark
			open = append(open, -1-c)
		}
	}
	link := func(l, mark int32) {
		links[l] = 1
		cell(p.links[l].cell, 1)
		cell(p.links[l].below, mark)
		item(p.links[l].source, mark)
	}
	cell(0, 1)
	for i := len(p.items) - 1; i >= 0; i-- {
		if it := &p.items[i]; it.due >= p.horizon {
			item(int32(i), onStack)
			cell(it.cell, onStack)
		}
		for len(open) > 0 {
			if p.meter.Spend(1) && p.meter.Stopped() {
				return nil, nil, nil, false
			}
			o := open[len(open)-1]
			open = open[:len(open)-1]
			if o >= 0 {
				it := &p.items[o]
				cell(it.cell, 1)
				switch {
				case it.link >= 0:
					item(it.prev, 1)
					link(it.link, items[o])
				case items[o] == onStack || !p.isPush(it):
					item(it.prev, items[o])
				}
				continue
			}
			o = -1 - o
			cell(p.wholeOf(o), cells[o])
			if cells[o] == onStack {
				for l := p.cells[o].links; l >= 0; l = p.links[l].next {
					link(l, onStack)
				}
			}
		}
	}
	number(items)
	number(cells)
	number(links)
	return items, cells, links, true
}

// number replaces the marks that are not 0 by 0, 1, 2, ..., and the others by -1.
func number(marks []int32) {
	n := int32(0)
	for i, mark := range marks {
		marks[i] = -1
		if mark != 0 {
			marks[i] = n
			n++
		}
	}
}

// keep moves the elements that have a number to the front.
func keep[T any](list []T, numbers []int32) []T {
	n := 0
	for i := range list {
		if numbers[i] >= 0 {
			list[n] = list[i]
			n++
		}
	}
	return list[:n]
}
