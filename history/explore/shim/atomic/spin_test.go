package atomic_test

import (
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
)

// TestUnchanged: a loop whose writes leave the values as they are spins forever. A loop
// with others may not.
func TestUnchanged(t *testing.T) {
	var (
		n       atomic.Int32
		u       atomic.Uint64
		b       atomic.Bool
		p       atomic.Pointer[int]
		word    int64
		pointer unsafe.Pointer
	)
	for _, c := range []struct {
		name  string
		spins bool
		loop  func()
	}{
		{"swap", true, func() { n.Swap(0) }},
		{"swap true", true, func() { b.Swap(false) }},
		{"swap pointers", true, func() { p.Swap(nil) }},
		{"swap a word", true, func() { atomic.SwapInt64(&word, 0) }},
		{"store", true, func() { u.Store(0) }},
		{"store a word", true, func() { atomic.StoreInt64(&word, 0) }},
		{"store a pointer", true, func() { atomic.StorePointer(&pointer, nil) }},
		{"and", true, func() { u.And(7) }},
		{"or", true, func() { n.Or(0) }},
		{"or a word", true, func() { atomic.OrInt64(&word, 0) }},
		{"compare", true, func() { n.CompareAndSwap(1, 2) }},

		{"swap others", false, func() { n.Swap(1); n.Swap(0) }},
		{"store others", false, func() { u.Store(1); u.Store(0) }},
		{"or others", false, func() { n.Or(1); n.And(0) }},
		{"add", false, func() { n.Add(1); n.Add(-1) }},
		{"compare others", false, func() { n.CompareAndSwap(0, 1); n.CompareAndSwap(1, 0) }},
	} {
		r := schedule.Run(&schedule.Program{Threads: []func(){func() {
			for {
				c.loop()
			}
		}}}, schedule.NewReplay(nil), schedule.Limits{Steps: 200})
		if r.Spins != c.spins || r.Cut == c.spins {
			t.Errorf("%s: spins %v, cut %v", c.name, r.Spins, r.Cut)
		}
		n.Store(0)
		u.Store(0)
	}
}
