package history

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortByStamp(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	stamps := map[string]func(i int) int64{
		"in order": func(i int) int64 { return int64(i / 3) },
		"nearly":   func(i int) int64 { return int64(i) + r.Int64N(20) },
		"few":      func(int) int64 { return r.Int64N(3) - 1 },
		"any":      func(int) int64 { return int64(r.Uint64()) },
		"extremes": func(i int) int64 { return []int64{math.MaxInt64, math.MinInt64, 0, -1}[i%4] },
		"equal":    func(int) int64 { return -7 },
	}
	for name, stamp := range stamps {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 1023, 1024, 2047, 2048, 2049, 5000} {
			at, list := make([]int64, n), make([]int32, 0, n)
			for i := range at {
				at[i] = stamp(i)
			}
			for _, i := range r.Perm(n) {
				if name == "in order" {
					i = len(list)
				}
				list = append(list, int32(i))
			}
			want := slices.Clone(list)
			slices.SortStableFunc(want, func(x, y int32) int { return cmp.Compare(at[x], at[y]) })
			got, free := SortByStamp(list, make([]int32, n), at)
			if !slices.Equal(got, want) {
				t.Errorf("%s, n=%d: the order differs from that of a stable sort", name, n)
			}
			if len(free) < n || n > 0 && &free[0] == &got[0] {
				t.Errorf("%s, n=%d: the free slice has %d elements or is the sorted one", name, n, len(free))
			}
		}
	}
}

// TestProcessesSharedLate has operations that are processes of their own, until
// one is not.
func TestProcessesSharedLate(t *testing.T) {
	for _, order := range []Order{FileOrder, StampOrder} {
		var events []Event
		add := func(typ EventType, process, op int) {
			n := len(events)
			events = append(events, Event{Type: typ, Process: IntValue(int64(process)), Op: IntValue(int64(op)), Method: "m", At: int64(n), Line: n + 1})
		}
		for i := range 3 {
			add(Invoke, i, i)
		}
		add(OK, 1, 1)
		add(Invoke, 1, 3)
		add(OK, 1, 3)
		add(OK, 2, 2)
		h, err := New(Header{Order: order}, events)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []int32{0, 1, 2, 1} {
			if got := h.Ops[i].Process; got != want {
				t.Errorf("order %v: operation %d is of process %d, not %d", order, i, got, want)
			}
		}
		add(Invoke, 0, 4)
		if _, err := New(Header{Order: order}, events); err == nil {
			t.Errorf("order %v: two open operations of process 0 are accepted", order)
		}
	}
}
