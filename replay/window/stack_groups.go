package window

import (
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/table"
)

// A beamGroup is the arrivals with the same mask: grouped[lo:hi].
type beamGroup struct {
	mask   uint64
	lo, hi int32
}

// choose groups arrivals by mask and sets b.groups to the groups to explore, at most most
// of them: those with the fewest placed operations outside the slots leftOut, chosen
// pseudo-randomly among equals.
func (b *stackBeam) choose(list []beamArrival, most int, leftOut uint64) {
	b.group(list)
	if len(b.groups) <= most {
		return
	}
	b.orders = b.orders[:0]
	for k, g := range b.groups {
		order := uint64(bits.OnesCount64(g.mask&^leftOut))<<32 | uint64(table.Hash(g.mask, uint64(b.salt)))
		b.orders = append(b.orders, order<<groupBits|uint64(k))
	}
	slices.Sort(b.orders)
	for _, order := range b.orders[:most] {
		b.chosen = append(b.chosen, b.groups[order&(1<<groupBits-1)])
	}
	b.groups, b.chosen = b.chosen, b.groups[:0]
	b.cutAt = min(b.cutAt, b.due)
}

// group groups arrivals by mask.
func (b *stackBeam) group(list []beamArrival) {
	b.groupIndex.Clear()
	b.groups, b.groupOf = b.groups[:0], b.groupOf[:0]
	b.grouped = slices.Grow(b.grouped[:0], len(list))[:len(list)]
	for k := range list {
		mask := list[k].mask
		hash := table.Hash(mask)
		g := b.groupIndex.Find(hash, func(g int32) bool { return b.groups[g].mask == mask })
		if g < 0 {
			g = b.groupIndex.Add(hash)
			b.groups = append(b.groups, beamGroup{mask: mask})
		}
		b.groups[g].hi++
		b.groupOf = append(b.groupOf, g)
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
