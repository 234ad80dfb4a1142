package state_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/replay/state"
)

// TestLongTables compares an index and transitions with what was added while they grow
// past the size from which a table moves slot by slot. No key takes much work then.
func TestLongTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 8 * state.LongTable
	var x state.Index
	var next state.Transitions
	hashes := make([]uint32, n)
	check := func(i int32) {
		if found := x.Find(hashes[i], func(k int32) bool { return k == i }); found != i {
			t.Fatalf("key %d has number %d, of %d", i, found, x.Len())
		}
		if to, known := next.Get(i%1000, i); !known || to != i+1 {
			t.Fatalf("the transition %d leads to %d (%v)", i, to, known)
		}
	}
	longest := 0
	for i := range int32(n) {
		hashes[i] = r.Uint32() >> 8 // some are the same
		if found := x.Find(hashes[i], func(k int32) bool { return k == i }); found >= 0 {
			t.Fatalf("key %d is known before it is added", i)
		}
		before := x.Left() + next.Left()
		x.Add(hashes[i])
		next.Put(i%1000, i, i+1)
		longest = max(longest, before-x.Left()-next.Left())
		check(i)
		check(r.Int32N(i + 1))
	}
	for i := range int32(n) {
		check(i)
	}
	if longest > 2*state.MovedAtOnce || longest == 0 {
		t.Errorf("%d slots moved at once", longest)
	}
	for left := x.Left(); left == 0; left = x.Left() { // reset it while it moves
		x.Add(r.Uint32())
	}
	x.Reset()
	if found := x.Find(hashes[0], func(int32) bool { return true }); found >= 0 || x.Left() > 0 {
		t.Errorf("%d is found after Reset, %d slots are left", found, x.Left())
	}
}
