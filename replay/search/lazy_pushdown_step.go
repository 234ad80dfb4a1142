package search

import "github.com/leadline/leadline/replay"

// explore enters what can come next; it reports false if a bound is reached.
func (p *pushdown) explore(i int32) bool {
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
func (p *pushdown) pair(i int32) {
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
	p.enter(pushdownItem{mask: mask, due: p.due, cell: it.cell, lock: atStart, prev: i, op: both - p.due, link: -1})
}

// push places a push on item i.
func (p *pushdown) push(i, y int32) {
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
	cell := p.cell(pushdownCell{mask: mask, due: p.due, op: y, value: p.ops[y].value, lock: lock, links: -1, pops: -1})
	link := pushdownLink{cell: cell, below: it.cell, source: i, lock: -1}
	if it.lock != atStart {
		link.lock = it.lock
	}
	p.link(link)
	p.enter(pushdownItem{mask: mask, due: p.due, cell: cell, lock: pushing, prev: i, op: y, link: -1})
}

// remove lets a removal take the cell on top of item i, now and whenever
// another cell is found below it.
func (p *pushdown) remove(i, o int32) {
	c := &p.cells[p.items[i].cell]
	p.pops = append(p.pops, pushdownPop{i, o, c.pops})
	c.pops = int32(len(p.pops) - 1)
	for l := c.links; l >= 0; l = p.links[l].next {
		p.follow(i, o, l)
	}
}

// follow places a removal in item i, of which the cell on top has this link.
func (p *pushdown) follow(i, o, l int32) {
	it, link := &p.items[i], &p.links[l]
	if link.lock >= it.due || p.cells[link.below].lock >= it.due {
		return
	}
	lock := o
	if o == it.due {
		lock = atStart
	}
	p.enter(pushdownItem{mask: it.mask | 1<<p.slot[o], due: it.due, cell: link.below, lock: lock, prev: i, op: o, link: l})
}

// settle places looks at once and passes responses of what has been placed; it
// calls placed, if not nil, for each.
func (p *pushdown) settle(it *pushdownItem, placed func(o int32)) {
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
func (p *pushdown) enter(it pushdownItem) {
	p.settle(&it, nil)
	t := &p.tables[0]
	if t.isFull() {
		t.grow(func(i int32) uint64 { return p.items[i].hash() })
	}
	for at := t.begin(it.hash()); ; at = t.next(at) {
		i := t.slots[at] - 1
		if i < 0 {
			t.set(at, int32(len(p.items)))
			break
		}
		if o := &p.items[i]; o.mask == it.mask && o.due == it.due && o.cell == it.cell && o.lock == it.lock {
			return
		}
	}
	i := int32(len(p.items))
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
func (p *pushdown) cell(c pushdownCell) int32 {
	t := &p.tables[1]
	if t.isFull() {
		t.grow(func(i int32) uint64 { return p.cells[i+1].hash() })
	}
	for at := t.begin(c.hash()); ; at = t.next(at) {
		i := t.slots[at] - 1
		if i < 0 {
			t.set(at, int32(len(p.cells)-1))
			p.cells = append(p.cells, c)
			return int32(len(p.cells) - 1)
		}
		if o := &p.cells[i+1]; o.mask == c.mask && o.due == c.due && o.op == c.op && o.lock == c.lock {
			return i + 1
		}
	}
}

// link enters a link, if it is new, and lets the removals of the cell follow
// it.
func (p *pushdown) link(l pushdownLink) {
	t := &p.tables[2]
	if t.isFull() {
		t.grow(func(i int32) uint64 { return p.links[i].hash() })
	}
	for at := t.begin(l.hash()); ; at = t.next(at) {
		i := t.slots[at] - 1
		if i < 0 {
			t.set(at, int32(len(p.links)))
			break
		}
		if o := &p.links[i]; o.cell == l.cell && o.below == l.below && o.lock == l.lock {
			return
		}
	}
	c := &p.cells[l.cell]
	l.next = c.links
	n := int32(len(p.links))
	c.links = n
	p.links = append(p.links, l)
	for k := c.pops; k >= 0; k = p.pops[k].next {
		p.follow(p.pops[k].item, p.pops[k].op, n)
	}
}
