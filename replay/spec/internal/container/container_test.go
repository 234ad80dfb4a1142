package container

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
)

// sizes are the sizes at which buffers grow and chunks split, and some larger
// ones.
var sizes = []int{0, 1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 5000}

// TestRing applies random steps to a ring and a slice, around each size.
func TestRing(t *testing.T) {
	r := newRandom(t)
	for _, size := range sizes {
		var got Ring[int]
		var want []int
		for step := range 4*size + 50 {
			grow := len(want) < size || len(want) < 2*size && r.IntN(2) == 0
			ringStep(r, &got, &want, step, grow)
			if got.Len() != len(want) || len(want) > 0 && (got.At(0) != want[0] || got.At(len(want)-1) != want[len(want)-1]) {
				t.Fatalf("size %d, step %d: the ends differ", size, step)
			}
		}
		c := got.Clone()
		got.Clear()
		for i, v := range want {
			if c.At(i) != v {
				t.Fatalf("size %d: element %d is %d, want %d", size, i, c.At(i), v)
			}
		}
		if c.Len() != len(want) || got.Len() != 0 {
			t.Fatalf("size %d: clone or clear is wrong", size)
		}
	}
}

func ringStep(r *rand.Rand, got *Ring[int], want *[]int, v int, grow bool) {
	w := *want
	switch {
	case grow && r.IntN(2) == 0:
		got.PushFront(v)
		w = slices.Insert(w, 0, v)
	case grow || len(w) == 0:
		got.PushBack(v)
		w = append(w, v)
	case r.IntN(50) == 0:
		keep := func(v int) bool { return v%5 != 0 }
		got.Filter(keep)
		w = slices.DeleteFunc(w, func(v int) bool { return !keep(v) })
	default:
		switch i := r.IntN(len(w)); r.IntN(3) {
		case 0:
			got.PopFront()
			w = slices.Delete(w, 0, 1)
		case 1:
			got.PopBack()
			w = w[:len(w)-1]
		default:
			got.RemoveAt(i)
			w = slices.Delete(w, i, i+1)
		}
	}
	*want = w
}

// TestOrdered compares an ordered with a map while it grows to each size and
// shrinks again.
func TestOrdered(t *testing.T) {
	r := newRandom(t)
	for _, size := range sizes {
		var got Ordered[history.Value, int]
		want := map[int64]int{}
		for step := range 3 * size {
			k := r.Int64N(int64(2 * size))
			if removing := step > 2*size; removing || r.IntN(4) == 0 {
				_, there := want[k]
				if got.Remove(history.IntValue(k)) != there {
					t.Fatalf("size %d: remove(%d) does not return %v", size, k, there)
				}
				delete(want, k)
			} else {
				p, added := got.GetOrAdd(history.IntValue(k))
				if _, there := want[k]; added == there || *p != want[k] {
					t.Fatalf("size %d: getOrAdd(%d) is wrong", size, k)
				}
				*p, want[k] = step, step
			}
		}
		c := got.Clone()
		got.Clear()
		sameOrdered(t, &c, want)
		sameOrdered(t, &got, nil)
	}
}

func sameOrdered(t *testing.T, got *Ordered[history.Value, int], want map[int64]int) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	i := 0
	for p := range got.All() {
		if i >= len(keys) || p.Key.Int() != keys[i] || p.Val != want[keys[i]] {
			t.Fatalf("pair %d is %v: %d", i, p.Key, p.Val)
		}
		i++
	}
	if i != len(keys) || got.Len() != i {
		t.Fatalf("%d pairs, length %d, want %d", i, got.Len(), len(keys))
	}
	for _, k := range keys {
		if p := got.Get(history.IntValue(k)); p == nil || *p != want[k] {
			t.Fatalf("get(%d) is wrong", k)
		}
	}
	if got.Get(history.IntValue(-1)) != nil {
		t.Fatal("get finds a missing key")
	}
	sameNear(t, got, keys)
	switch first, last := got.First(), got.Last(); {
	case len(keys) == 0:
		if first != nil || last != nil {
			t.Fatal("an empty map has a first or last key")
		}
	case first.Key.Int() != keys[0] || last.Key.Int() != keys[len(keys)-1]:
		t.Fatal("first or last is wrong")
	}
}

// sameNear checks below and above for every key and every gap between keys.
func sameNear(t *testing.T, got *Ordered[history.Value, int], keys []int64) {
	t.Helper()
	last := int64(0)
	if len(keys) > 0 {
		last = keys[len(keys)-1]
	}
	for k := int64(-1); k <= last+1; k++ {
		for _, orEqual := range []bool{false, true} {
			below, there := slices.BinarySearch(keys, k)
			above := below
			if there && !orEqual {
				above++
			}
			if !there || !orEqual {
				below--
			}
			key := history.IntValue(k)
			sameKey(t, "below", k, got.Below(key, orEqual), keys, below)
			sameKey(t, "above", k, got.Above(key, orEqual), keys, above)
		}
	}
}

func sameKey(t *testing.T, where string, k int64, p *Pair[history.Value, int], keys []int64, want int) {
	t.Helper()
	if there := want >= 0 && want < len(keys); p != nil != there || there && p.Key.Int() != keys[want] {
		t.Fatalf("%s %d: got %v, want key %d of %d", where, k, p, want, len(keys))
	}
}

// TestOrderedSplit inserts at every position of a full chunk.
func TestOrderedSplit(t *testing.T) {
	for at := range int64(maxChunk + 1) {
		var got Ordered[history.Value, int]
		want := map[int64]int{2*at - 1: 0}
		for k := range int64(maxChunk) {
			got.GetOrAdd(history.IntValue(2 * k))
			want[2*k] = 0
		}
		got.GetOrAdd(history.IntValue(2*at - 1))
		if at == 0 { // sameOrdered uses -1 as a missing key
			got.Remove(history.IntValue(-1))
			delete(want, -1)
		}
		sameOrdered(t, &got, want)
	}
}

var seedFlag = flag.Uint64("seed", 0, "`seed` of the random tests; 0 takes one from the clock")

// newRandom logs the seed, so that go test -run NAME -seed SEED repeats a run.
func newRandom(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
