package search

import "github.com/leadline/leadline/hitting/table"

// usedSets numbers sets of pending operations. Number 0 is the empty set.
type usedSets struct {
	table.Words
	bigger []uint64
}

func (u *usedSets) init(pendings int) {
	u.Length = pendings/64 + 1
	u.bigger = make([]uint64, u.Length)
	u.Add(u.bigger)
}

func (u *usedSets) has(i, op int32) bool { return u.At(i)[op/64]>>(op%64)&1 != 0 }

// with returns the number of set i with one more operation.
func (u *usedSets) with(i, op int32) int32 {
	copy(u.bigger, u.At(i))
	u.bigger[op/64] |= 1 << (op % 64)
	next, _ := u.Add(u.bigger)
	return next
}
