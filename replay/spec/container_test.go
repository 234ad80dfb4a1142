package spec

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// sizes are the sizes at which buffers grow and chunks split, and some larger
// ones.
var sizes = []int{0, 1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 5000}

// TestRing applies random steps to a ring and a slice, around each size.
func TestRing(t *testing.T) {
	r := newRandom(t)
	for _, size := range sizes {
		var got ring[int]
		var want []int
		for step := range 4*size + 50 {
			grow := len(want) < size || len(want) < 2*size && r.IntN(2) == 0
			ringStep(r, &got, &want, step, grow)
			if got.length() != len(want) || len(want) > 0 && (got.at(0) != want[0] || got.at(len(want)-1) != want[len(want)-1]) {
				t.Fatalf("size %d, step %d: the ends differ", size, step)
			}
		}
		c := got.clone()
		got.clear()
		for i, v := range want {
			if c.at(i) != v {
				t.Fatalf("size %d: element %d is %d, want %d", size, i, c.at(i), v)
			}
		}
		if c.length() != len(want) || got.length() != 0 {
			t.Fatalf("size %d: clone or clear is wrong", size)
		}
	}
}

func ringStep(r *rand.Rand, got *ring[int], want *[]int, v int, grow bool) {
	w := *want
	switch {
	case grow && r.IntN(2) == 0:
		got.pushFront(v)
		w = slices.Insert(w, 0, v)
	case grow || len(w) == 0:
		got.pushBack(v)
		w = append(w, v)
	case r.IntN(50) == 0:
		keep := func(v int) bool { return v%5 != 0 }
		got.filter(keep)
		w = slices.DeleteFunc(w, func(v int) bool { return !keep(v) })
	default:
		switch i := r.IntN(len(w)); r.IntN(3) {
		case 0:
			got.popFront()
			w = slices.Delete(w, 0, 1)
		case 1:
			got.popBack()
			w = w[:len(w)-1]
		default:
			got.removeAt(i)
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
		var got ordered[history.Value, int]
		want := map[int64]int{}
		for step := range 3 * size {
			k := r.Int64N(int64(2 * size))
			if removing := step > 2*size; removing || r.IntN(4) == 0 {
				_, there := want[k]
				if got.remove(history.IntValue(k)) != there {
					t.Fatalf("size %d: remove(%d) does not return %v", size, k, there)
				}
				delete(want, k)
			} else {
				p, added := got.getOrAdd(history.IntValue(k))
				if _, there := want[k]; added == there || *p != want[k] {
					t.Fatalf("size %d: getOrAdd(%d) is wrong", size, k)
				}
				*p, want[k] = step, step
			}
		}
		c := got.clone()
		got.clear()
		sameOrdered(t, &c, want)
		sameOrdered(t, &got, nil)
	}
}

func sameOrdered(t *testing.T, got *ordered[history.Value, int], want map[int64]int) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	i := 0
	for p := range got.all() {
		if i >= len(keys) || p.key.Int() != keys[i] || p.val != want[keys[i]] {
			t.Fatalf("pair %d is %v: %d", i, p.key, p.val)
		}
		i++
	}
	if i != len(keys) || got.length() != i {
		t.Fatalf("%d pairs, length %d, want %d", i, got.length(), len(keys))
	}
	for _, k := range keys {
		if p := got.get(history.IntValue(k)); p == nil || *p != want[k] {
			t.Fatalf("get(%d) is wrong", k)
		}
	}
	if got.get(history.IntValue(-1)) != nil {
		t.Fatal("get finds a missing key")
	}
	sameNear(t, got, keys)
	switch first, last := got.first(), got.last(); {
	case len(keys) == 0:
		if first != nil || last != nil {
			t.Fatal("an empty map has a first or last key")
		}
	case first.key.Int() != keys[0] || last.key.Int() != keys[len(keys)-1]:
		t.Fatal("first or last is wrong")
	}
}

// sameNear checks below and above for every key and every gap between keys.
func sameNear(t *testing.T, got *ordered[history.Value, int], keys []int64) {
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
			sameKey(t, "below", k, got.below(key, orEqual), keys, below)
			sameKey(t, "above", k, got.above(key, orEqual), keys, above)
		}
	}
}

func sameKey(t *testing.T, where string, k int64, p *pair[history.Value, int], keys []int64, want int) {
	t.Helper()
	if there := want >= 0 && want < len(keys); p != nil != there || there && p.key.Int() != keys[want] {
		t.Fatalf("%s %d: got %v, want key %d of %d", where, k, p, want, len(keys))
	}
}

// TestOrderedSplit inserts at every position of a full chunk.
func TestOrderedSplit(t *testing.T) {
	for at := range int64(maxChunk + 1) {
		var got ordered[history.Value, int]
		want := map[int64]int{2*at - 1: 0}
		for k := range int64(maxChunk) {
			got.getOrAdd(history.IntValue(2 * k))
			want[2*k] = 0
		}
		got.getOrAdd(history.IntValue(2*at - 1))
		if at == 0 { // sameOrdered uses -1 as a missing key
			got.remove(history.IntValue(-1))
			delete(want, -1)
		}
		sameOrdered(t, &got, want)
	}
}

// TestTreeBins: once a bin has become a tree, and until the map is cleared, a hash map
// refuses to list its content, and nothing else.
func TestTreeBins(t *testing.T) {
	for _, test := range []struct {
		model   string
		keys    int // that share a bin
		then    string
		refuses bool
	}{
		{"ConcurrentHashMap:64", 7, "put 768 1 = ", false},
		{"ConcurrentHashMap:64", 8, "put 768 1 = ", false},
		{"ConcurrentHashMap:64", 8, "put 896 1 = ", true}, // the last key of the bin again
		{"ConcurrentHashMap:64", 8, "replace 896 1 = ", false},
		{"ConcurrentHashMap:64", 9, "get 0 = ", true},
		{"ConcurrentHashMap:64", 9, "remove 0 = ; remove 128 = ", true},
		{"ConcurrentHashMap:64", 9, "clear = ; put 0 1 = ", false},
		{"ConcurrentHashMap", 9, "get 0 = ", false}, // a small table grows instead
		{"ConcurrentHashMap:20", 9, "get 0 = ", false},
		{"ConcurrentHashMap", 10, "get 0 = ", true},
	} {
		s, err := Parse(test.model)
		if err != nil {
			t.Fatal(err)
		}
		state := s.New().(replay.State)
		for k := range test.keys {
			run(t, state, fmt.Sprintf("put %d 0 = ", 128*k))
		}
		run(t, state, test.then)
		for _, m := range concurrentHashMapTable.list {
			args := make([]history.Value, len(m.params))
			for i := range args {
				args[i] = history.NullValue
			}
			lists := m.result == kinds(1)<<history.String
			if refused := refuses(state.Clone(), replay.Invocation{Method: m.names[0], Args: args}); refused != (lists && test.refuses) {
				t.Errorf("%s, %d keys, then %s: %s refused: %v", test.model, test.keys, test.then, m.text, refused)
			}
		}
	}
}

// refuses reports whether the result of an invocation is not modelled.
func refuses(s replay.State, inv replay.Invocation) (refused bool) {
	defer func() {
		if value := recover(); value != nil {
			_ = value.(replay.Unmodelled)
			refused = true
		}
	}()
	s.Apply(inv)
	return false
}

// TestTreeKeys: a map with a bin that became a tree is not the same state as one of the
// same entries without.
func TestTreeKeys(t *testing.T) {
	s, err := Parse("ConcurrentHashMap:64")
	if err != nil {
		t.Fatal(err)
	}
	few, many := s.New().(replay.State), s.New().(replay.State)
	for k := range 9 {
		run(t, many, fmt.Sprintf("put %d 0 = ", 128*k))
		if k < 8 {
			run(t, few, fmt.Sprintf("put %d 0 = ", 128*k))
		}
	}
	if run(t, many, "remove 1024 = "); key(few) == key(many) {
		t.Error("the keys of a map that lists its content and of one that refuses are equal")
	}
}
