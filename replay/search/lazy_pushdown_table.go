package search

import "math/bits"

// An indexTable is a hash table of numbers from 0 on, in the order in which
// they were entered; what they stand for is kept elsewhere.
type indexTable struct {
	slots []int32 // number + 1, or 0
	n     int
}

func (t *indexTable) isFull() bool { return 8*(t.n+1) > 5*len(t.slots) }

// grow doubles the table.
func (t *indexTable) grow(hash func(i int32) uint64) {
	t.slots = make([]int32, max(64, 2*len(t.slots)))
	for i := range int32(t.n) {
		at := t.begin(hash(i))
		for t.slots[at] != 0 {
			at = t.next(at)
		}
		t.slots[at] = i + 1
	}
}

func (t *indexTable) begin(hash uint64) int { return int(hash>>32^hash) & (len(t.slots) - 1) }
func (t *indexTable) next(at int) int       { return (at + 1) & (len(t.slots) - 1) }

func (t *indexTable) set(at int, i int32) {
	t.slots[at] = i + 1
	t.n++
}

// bytes counts the next table, too, if it will be needed soon.
func (t *indexTable) bytes() int64 {
	slots := len(t.slots)
	if 8*(t.n+soon) > 5*slots {
		slots += 2 * slots // both live while one is copied
	}
	return 4 * int64(slots)
}

func hashOf(a uint64, b, c, d int32) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd)
	hi, lo = bits.Mul64(hi^lo^uint64(uint32(b))<<32^uint64(uint32(c)), 0xc4ceb9fe1a85ec53)
	hi, lo = bits.Mul64(hi^lo^uint64(uint32(d)), 0x9e3779b97f4a7c15)
	return hi ^ lo
}

func (it *pushdownItem) hash() uint64 { return hashOf(it.mask, it.due, it.cell, it.lock) }
func (c *pushdownCell) hash() uint64  { return hashOf(c.mask, c.due, c.op, c.lock) }
func (l *pushdownLink) hash() uint64  { return hashOf(uint64(l.cell), l.below, l.lock, 0) }
