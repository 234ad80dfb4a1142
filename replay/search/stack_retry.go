package search

import (
	"slices"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// stackPlacements are the items by what has been placed. Lists of placements
// hold number + 1 and end with 0.
type stackPlacements struct {
	placements     []stackPlacement
	placementIndex engine.Index
	placementsAt   []int32       // due -> the last placement
	demands        []stackDemand // in the order in which they were found
	blamed         []int32       // due responses of placements with demands
}

// A stackPlacement is the items with the same mask and due response that have no
// bag.
type stackPlacement struct {
	last   int32  // item
	before int32  // the placement before, with the same due response
	values uint64 // those demanded on top; see bitOf
}

// A stackDemand means that an item of the placement with one of the values on top
// could lead past the last response met.
type stackDemand struct {
	placement int32
	values    uint64
}

const (
	// stackAround is how many responses before those with demands retry
	// explores. While it does not get farther, luby multiplies it.
	stackAround = 2
	// stackNear is how many configurations it explores for each of them, and
	// stackFresh how many new ones for other responses.
	stackNear  = 64
	stackFresh = 8
)

// join adds an item to its placement.
func (p *stackSearch) join(i int32) {
	it := &p.items[i]
	g := p.placementOf(it)
	if g < 0 {
		g = p.placementIndex.Add(it.placementHash())
		p.placements = append(p.placements, stackPlacement{last: -1, before: p.placementsAt[it.due]})
		p.placementsAt[it.due] = g + 1
	}
	it.same = p.placements[g].last
	p.placements[g].last = i
}

func (it *stackItem) placementHash() uint32 { return hashOf(it.mask, uint64(it.due)) }

// placementOf returns the number of an item's placement, or -1.
func (p *stackSearch) placementOf(it *stackItem) int32 {
	return p.placementIndex.Find(it.placementHash(), func(g int32) bool {
		o := &p.items[p.placements[g].last]
		return o.mask == it.mask && o.due == it.due
	})
}

func (p *stackSearch) resetPlacements() {
	p.placements, p.demands = p.placements[:0], p.demands[:0]
	p.placementIndex.Reset()
	clear(p.placementsAt)
}

// retry explores more at the responses that can be the reason why no configuration
// leads past the last one met: those at which something was pushed on a value other
// than the one that is needed now. Then it goes along the responses and explores new
// items. It reports false if a bound is reached.
func (p *stackSearch) retry(around int32) bool {
	last := p.last
	if !p.blame() {
		p.gaveUp = replay.Time
		return false
	}
	fresh, k := int32(len(p.items)), 0
	for p.due = max(p.horizon, p.blamed[0]-around); p.due <= p.last && p.goal < 0; p.due++ {
		for k < len(p.blamed) && p.blamed[k] < p.due {
			k++
		}
		if k < len(p.blamed) && p.blamed[k]-around <= p.due && !p.exploreSome(stackNear) {
			return false
		}
		for _, list := range [...]*[]int32{&p.starts[p.due], &p.within[p.due]} {
			for range stackFresh {
				n := len(*list) - 1
				if n < 0 || (*list)[n] < fresh {
					break
				}
				i := (*list)[n]
				if *list = (*list)[:n]; !p.explore(i) {
					return false
				}
			}
		}
		if p.last > last && p.due > last {
			break
		}
	}
	return true
}

// blame finds the responses with demands, starting with the last one met. An
// item of a placement with a demand that was reached by removing a cell demands
// the same of all items in which that cell was pushed. It reports false if it must
// stop.
func (p *stackSearch) blame() bool {
	for _, d := range p.demands {
		p.placements[d.placement].values = 0
	}
	p.demands, p.blamed = p.demands[:0], append(p.blamed[:0], p.last)
	for g := p.placementsAt[p.last]; g > 0; g = p.placements[g-1].before {
		p.demand(g-1, bitOf(p.ops[p.last].value))
	}
	for k := 0; k < len(p.demands); k++ {
		d := p.demands[k]
		for i := p.placements[d.placement].last; i >= 0; i = p.items[i].same {
			if p.meter.MustStop(1) {
				return false
			}
			p.demandBefore(&p.items[i], d.values)
		}
	}
	slices.Sort(p.blamed)
	p.blamed = slices.Compact(p.blamed)
	return true
}

// bitOf returns a bit for a value. Some values may share one, as demands only
// guide the search.
func bitOf(value int32) uint64 { return 1 << (uint32(value) % 64) }

// demand enters the new values of a demand.
func (p *stackSearch) demand(g int32, values uint64) {
	if g < 0 { // forgotten
		return
	}
	values &^= p.placements[g].values
	due := p.items[p.placements[g].last].due
	if values == 0 || due < p.horizon {
		return
	}
	p.placements[g].values |= values
	p.demands = append(p.demands, stackDemand{g, values})
	p.blamed = append(p.blamed, due)
}

// demandBefore enters the demands that follow for the items before one that has
// another value on top: before a push with its removal, or before the pushes of
// the cell that was removed.
func (p *stackSearch) demandBefore(it *stackItem, values uint64) {
	if value := p.cells[it.cell].value; value != several {
		values &^= bitOf(value)
	}
	switch {
	case it.prev >= 0 && it.op <= both:
		p.demand(p.placementOf(&p.items[it.prev]), values)
	case it.link >= 0:
		for l := p.cells[p.links[it.link].cell].links; l >= 0; l = p.links[l].next {
			from := &p.items[p.links[l].source]
			for from.bag != 0 {
				from = &p.items[from.prev]
			}
			p.demand(p.placementOf(from), values)
		}
	}
}
