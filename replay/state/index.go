package state

// An Index is a hash table with open addressing. It numbers keys from 0 on in
// the order in which they are added; its user keeps the keys. The zero value is
// empty.
//
// When a long table is full, its slots move to a larger one step by step, some with each
// key that is added. Moving all of them at once would take tenths of a second.
type Index struct {
	slots   []uint64 // number + 1 in the upper half, hash in the lower half; 0 if empty
	old     []uint64 // the previous table, while slots of it have to be moved
	moved   int      // old[:moved] has been moved to slots
	n       int
	skipped int // numbers without a slot; see Skip
}

// Len returns how many numbers there are.
func (x *Index) Len() int { return x.n }

// Keys returns how many keys can be found.
func (x *Index) Keys() int { return x.n - x.skipped }

// Find returns the number of the key with this hash for which same reports
// true, or -1.
func (x *Index) Find(hash uint32, same func(i int32) bool) int32 {
	if x.Keys() == 0 {
		return -1
	}
	i := find(x.slots, hash, same)
	if i < 0 && x.old != nil {
		i = find(x.old, hash, same)
	}
	return i
}

func find(slots []uint64, hash uint32, same func(i int32) bool) int32 {
	mask := uint32(len(slots) - 1)
	for at := hash & mask; slots[at] != 0; at = (at + 1) & mask {
		if slot := slots[at]; uint32(slot) == hash && same(int32(slot>>32)-1) {
			return int32(slot>>32) - 1
		}
	}
	return -1
}

// Add numbers a key that Find did not find.
func (x *Index) Add(hash uint32) int32 {
	if 4*(x.Keys()+1) > 3*len(x.slots) {
		x.old, x.moved = x.slots, 0
		x.slots = make([]uint64, max(64, 2*len(x.old)))
		if len(x.old) < longTable {
			x.move(len(x.old))
		}
	}
	if x.old != nil {
		x.move(movedAtOnce)
	}
	x.n++
	x.put(uint64(x.n)<<32 | uint64(hash))
	return int32(x.n - 1)
}

const (
	// longTable is the number of slots from which a table moves slot by slot.
	longTable = 1 << 16
	// movedAtOnce is the number of slots that move when a key is added. The old table
	// is empty long before the next one is full.
	movedAtOnce = 16
)

// move moves the next slots of the old table, at most as many as slots says.
func (x *Index) move(slots int) {
	end := min(x.moved+slots, len(x.old))
	for _, slot := range x.old[x.moved:end] {
		if slot != 0 {
			x.put(slot)
		}
	}
	if x.moved = end; end == len(x.old) {
		x.old, x.moved = nil, 0
	}
}

// Skip uses up a number for a key that Find is not to find.
func (x *Index) Skip() {
	x.n++
	x.skipped++
}

func (x *Index) put(slot uint64) {
	mask := uint32(len(x.slots) - 1)
	at := uint32(slot) & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = slot
}

// Clear empties the index, in time proportional to the keys added since the last
// call: a table with few keys shrinks. A table with many keys keeps its size, for the
// next search.
func (x *Index) Clear() {
	if len(x.slots) > 256 && x.Keys() < len(x.slots)/64 {
		x.slots = x.slots[:len(x.slots)/2]
	}
	clear(x.slots)
	x.old, x.moved, x.n, x.skipped = nil, 0, 0, 0
}

// Reset empties the index and keeps its table.
func (x *Index) Reset() {
	clear(x.slots)
	x.old, x.moved, x.n, x.skipped = nil, 0, 0, 0
}

// Soon is the number of keys that can be added before Bytes is called again.
const Soon = 4096

// Bytes estimates the memory of the index. If it will grow soon, that includes the
// next table.
func (x *Index) Bytes() int64 {
	slots := len(x.slots)
	if 4*(x.Keys()+Soon) > 3*slots {
		slots += 2 * slots
	}
	return 8 * int64(slots+len(x.old))
}
