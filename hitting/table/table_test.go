package table

import (
	"math/rand/v2"
	"testing"
)

// TestTable compares a table with a map, around the sizes at which it grows and at which a
// block of keys is full. Many hashes are the same.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var x Table[uint64]
	for _, n := range []int{0, 1, 5000, 47, 48, 49, 63, 64, 65, 191, 192, 193, 511, 512, 513, 1023, 1024, 1025, 3, 0} {
		want := map[uint64]int32{}
		for len(want) < n {
			key := uint64(r.IntN(2*n + 2))
			number, known := want[key]
			if !known {
				number = -1
			}
			hash := Hash(key) & 0xfff
			same := func(k *uint64) bool { return *k == key }
			if got := x.Find(hash, same); got != number {
				t.Fatalf("of %d keys, %d has number %d, want %d", n, key, got, number)
			}
			if known {
				continue
			}
			want[key] = int32(len(want))
			if got := x.Add(hash, key); got != want[key] || *x.At(got) != key || x.Len() != len(want) {
				t.Fatalf("of %d keys, %d is added as %d, want %d, and has key %d there, of %d", n, key, got, want[key], *x.At(got), x.Len())
			}
		}
		for key, number := range want {
			if *x.At(number) != key {
				t.Fatalf("of %d keys, %d is at %d, want %d", n, *x.At(number), number, key)
			}
		}
		if x.Bytes() < int64(16*n) {
			t.Fatalf("%d keys take %d bytes", n, x.Bytes())
		}
		x.Clear()
		if got := x.Find(Hash(0)&0xfff, func(*uint64) bool { return true }); got >= 0 || x.Len() > 0 {
			t.Fatalf("after Clear, key 0 has number %d, of %d", got, x.Len())
		}
	}
	if x.Bytes() > 1<<20 {
		t.Errorf("after Clear, the table keeps %d bytes", x.Bytes())
	}
}

// TestLongTable compares an index with what was added while it grows past the size from
// which a table moves slot by slot. No key takes much work then.
func TestLongTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 8 * longTable
	var x Index
	hashes := make([]uint32, n)
	check := func(i int32) {
		if found := x.Find(hashes[i], func(k int32) bool { return k == i }); found != i {
			t.Fatalf("key %d has number %d, of %d", i, found, x.Len())
		}
	}
	left := func() int { return len(x.old) - x.moved }
	longest := 0
	for i := range int32(n) {
		hashes[i] = r.Uint32() >> 8 // some are the same
		if found := x.Find(hashes[i], func(k int32) bool { return k == i }); found >= 0 {
			t.Fatalf("key %d is known before it is added", i)
		}
		before := left()
		x.Add(hashes[i])
		longest = max(longest, before-left())
		check(i)
		check(r.Int32N(i + 1))
	}
	for i := range int32(n) {
		check(i)
	}
	if longest > movedAtOnce || longest == 0 {
		t.Errorf("%d slots moved at once", longest)
	}
	for left() == 0 { // clear it while it moves
		x.Add(r.Uint32())
	}
	x.Clear()
	if found := x.Find(hashes[0], func(int32) bool { return true }); found >= 0 || left() > 0 {
		t.Errorf("%d is found after Clear, %d slots are left", found, left())
	}
}

// TestClear: clearing takes time proportional to the keys added since the last call.
func TestClear(t *testing.T) {
	var x Index
	for i := range uint32(1 << 16) {
		x.Add(Hash(uint64(i)))
	}
	cleared := 0
	for range 1000 {
		x.Clear()
		cleared += len(x.slots)
		x.Add(1)
	}
	if cleared > 1<<18+1000*4*leastSlots {
		t.Errorf("%d slots were cleared", cleared)
	}
	x.Clear()
	if x.Clear(); len(x.slots) == 0 {
		t.Error("an index that is empty lost its slots")
	}
}
