package search

import (
	"encoding/binary"
	"math/bits"
)

// failedSet remembers configurations from which there is no witness.
//
// Without pending operations it is a hash table of configurations. With
// them, a configuration that failed speaks for all that differ from it only
// in having placed more pending operations: what is still possible there was
// possible here. So under each (due, state, mask) it keeps sets of pending
// operations, and has tells whether one of them is contained in a given one.
type failedSet struct {
	byUsed  bool
	slots   []slot
	n       int
	listed  map[listKey][]int32 // with dominance: failed sets of pending operations
	entries int64
	// compared counts sets of pending operations that were looked at, for the
	// meter.
	compared int
}

type slot struct {
	mask  uint64
	due   int32 // +1, so that an empty slot is all zero
	state int32
	used  int32
}

type listKey struct {
	mask       uint64
	due, state int32
}

const (
	slotBytes = 24
	listBytes = 64 // a map entry with a short list
)

func (f *failedSet) init(byUsed bool) {
	f.byUsed = byUsed
	if byUsed {
		f.listed = map[listKey][]int32{}
	}
}

// bytes estimates the memory of the set, with that of a larger table if one
// will be needed soon.
func (f *failedSet) bytes() int64 {
	slots := len(f.slots)
	if 8*(f.n+soon) > 5*slots {
		slots += 2 * len(f.slots) // both live while one is copied
	}
	return int64(slots)*slotBytes + int64(len(f.listed))*listBytes + 4*f.entries
}

// soon is how many configurations can fail before bytes is asked again.
const soon = 4096

func (f *failedSet) has(at spot, used *usedSets) bool {
	if f.byUsed {
		list := f.listed[listKey{at.mask, at.due, at.state}]
		f.compared += len(list)
		for _, u := range list {
			if used.contains(at.used, u) {
				return true
			}
		}
		return false
	}
	if len(f.slots) == 0 {
		return false
	}
	want := slot{mask: at.mask, due: at.due + 1, state: at.state, used: at.used}
	mask := uint64(len(f.slots) - 1)
	for i := want.hash() & mask; f.slots[i] != (slot{}); i = (i + 1) & mask {
		if f.slots[i] == want {
			return true
		}
	}
	return false
}

func (f *failedSet) add(at spot, used *usedSets) {
	if f.byUsed {
		key := listKey{at.mask, at.due, at.state}
		kept := f.listed[key][:0]
		f.compared += len(f.listed[key])
		for _, u := range f.listed[key] {
			if !used.contains(u, at.used) {
				kept = append(kept, u) // not dominated by the new one
			}
		}
		f.entries += int64(len(kept)+1) - int64(len(f.listed[key]))
		f.listed[key] = append(kept, at.used)
		return
	}
	if 8*(f.n+1) > 5*len(f.slots) {
		f.rebuild(max(2*len(f.slots), 64), 0)
	}
	f.insert(slot{mask: at.mask, due: at.due + 1, state: at.state, used: at.used})
}

func (f *failedSet) insert(s slot) {
	mask := uint64(len(f.slots) - 1)
	i := s.hash() & mask
	for f.slots[i] != (slot{}) {
		if f.slots[i] == s {
			return
		}
		i = (i + 1) & mask
	}
	f.slots[i] = s
	f.n++
}

// rebuild makes a table of the given size from what is due from some
// response on.
func (f *failedSet) rebuild(size int, from int32) {
	old := f.slots
	f.slots, f.n = make([]slot, size), 0
	for _, s := range old {
		if s != (slot{}) && s.due > from {
			f.insert(s)
		}
	}
}

// dropBefore forgets the configurations in which an earlier response is due.
func (f *failedSet) dropBefore(due int32) {
	if f.byUsed {
		for key, list := range f.listed {
			if key.due < due {
				f.entries -= int64(len(list))
				delete(f.listed, key)
			}
		}
		return
	}
	left := 0
	for _, s := range f.slots {
		if s != (slot{}) && s.due > due {
			left++
		}
	}
	size := 64
	for 8*(left+1) > 5*size {
		size *= 2
	}
	f.rebuild(size, due)
}

func (s slot) hash() uint64 {
	a := s.mask ^ 0x9e3779b97f4a7c15
	b := uint64(uint32(s.due))<<32 | uint64(uint32(s.state))
	hi, lo := bits.Mul64(a+uint64(uint32(s.used))*0xff51afd7ed558ccd, b^0xc4ceb9fe1a85ec53)
	return hi ^ lo ^ hi>>29
}

// usedSets interns sets of pending operations, as bit sets.
type usedSets struct {
	words int
	sets  []uint64 // set i at [i*words, (i+1)*words)
	index map[string]int32
	next  map[[2]int32]int32 // (set, operation) -> set with it
	key   []byte
}

func (u *usedSets) init(pendings int) {
	u.words = (pendings + 63) / 64
	u.index = map[string]int32{}
	u.next = map[[2]int32]int32{}
	u.intern(make([]uint64, u.words)) // number 0: nothing
}

func (u *usedSets) bytes() int64 {
	return int64(cap(u.sets))*8 + int64(len(u.index))*int64(8*u.words+48) + int64(len(u.next))*32
}

func (u *usedSets) set(i int32) []uint64 { return u.sets[int(i)*u.words : (int(i)+1)*u.words] }

func (u *usedSets) has(i, op int32) bool { return u.set(i)[op/64]>>(op%64)&1 != 0 }

// contains reports whether set i has everything that set j has.
func (u *usedSets) contains(i, j int32) bool {
	if i == j || j == 0 {
		return true
	}
	a, b := u.set(i), u.set(j)
	for w := range a {
		if b[w]&^a[w] != 0 {
			return false
		}
	}
	return true
}

func (u *usedSets) with(i, op int32) int32 {
	if next, ok := u.next[[2]int32{i, op}]; ok {
		return next
	}
	bigger := append([]uint64{}, u.set(i)...)
	bigger[op/64] |= 1 << (op % 64)
	next := u.intern(bigger)
	u.next[[2]int32{i, op}] = next
	return next
}

func (u *usedSets) intern(set []uint64) int32 {
	u.key = u.key[:0]
	for _, w := range set {
		u.key = binary.LittleEndian.AppendUint64(u.key, w)
	}
	if i, ok := u.index[string(u.key)]; ok {
		return i
	}
	i := int32(len(u.index))
	u.index[string(u.key)] = i
	u.sets = append(u.sets, set...)
	return i
}
