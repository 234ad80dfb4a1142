package visibility_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/hitting/visibility"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// brute decides by the definition: it tries each linearization, with or without each
// pending operation, and each set for each operation in turn. A bundle counts as one read of
// each key, with all results that give its own together.
func brute(h hist) bool {
	for i := range h {
		if h[i].level != visibility.Bundle {
			continue
		}
		for state := range 16 {
			if _, result, _ := apply(state, &h[i]); result == h[i].result && brute(divide(h, i, state)) {
				return true
			}
		}
		return false
	}
	n := int32(len(h))
	var order []int32
	sees := make([]uint, n)
	var extend func(placed uint) bool
	extend = func(placed uint) bool {
		complete := true
		for i := range n {
			if placed>>i&1 != 0 {
				continue
			}
			complete = complete && h[i].pending
			first := true
			for j := range n {
				first = first && (placed>>j&1 != 0 || !h.before(j, i))
			}
			if !first || !h.runs(append(order, i)) {
				continue
			}
			order = append(order, i)
			for set := range placed + 1 {
				if set&^placed == 0 && h.allows(sees, placed, set, i) && h.gives(order[:len(order)-1], set, i) {
					sees[i] = set
					if extend(placed | 1<<i) {
						return true
					}
				}
			}
			order = order[:len(order)-1]
		}
		return complete
	}
	return extend(0)
}

// divide returns h with operation i, a bundle, as reads that find a state.
func divide(h hist, i, state int) hist {
	var d hist
	for k := range h {
		if k != i {
			d = append(d, h[k])
			continue
		}
		for key := range 2 {
			get := h[i]
			get.method, get.key, get.result, get.level = "get", key, state>>(2*key)&3, visibility.Complete
			d = append(d, get)
		}
	}
	return d
}

// runs reports whether the operations run in this order, whatever they return.
func (h hist) runs(order []int32) bool {
	state := int32(0)
	for _, i := range order {
		if state = h.Run(state, i); state < 0 {
			return false
		}
	}
	return true
}

// gives reports whether operation i returns its result after those of set, in this order.
func (h hist) gives(order []int32, set uint, i int32) bool {
	state := int32(0)
	for _, w := range order {
		if set>>w&1 != 0 {
			if state = h.Run(state, w); state < 0 {
				return false
			}
		}
	}
	return h.Step(state, i) >= 0
}

// allows reports whether operation i may see set, given what those placed see.
func (h hist) allows(sees []uint, placed, set uint, i int32) bool {
	level := h[i].level
	if level == visibility.Complete {
		return set == placed
	}
	n := int32(len(h))
	for a := range n {
		if h.before(a, i) {
			if level >= visibility.Basic && set>>a&1 == 0 || level >= visibility.Monotonic && sees[a]&^set != 0 {
				return false
			}
		}
		if set>>a&1 == 0 {
			continue
		}
		for b := range n {
			if level >= visibility.Peer && h.before(b, a) && set>>b&1 == 0 {
				return false
			}
		}
		if level >= visibility.Causal && sees[a]&^set != 0 {
			return false
		}
	}
	return true
}

// compare checks Search on a history against brute force, and what it found against Check.
func compare(t *testing.T, h hist) bool {
	t.Helper()
	want := brute(h)
	check(t, h, h, want)
	if h.Parts() > 0 {
		check(t, h, struct{ visibility.Object }{h}, want) // without parts
	}
	return want
}

func check(t *testing.T, h hist, object visibility.Object, want bool) {
	t.Helper()
	o := h.operations()
	bounds := visibility.Bounds{}
	if _, isDivided := object.(visibility.Divided); !isDivided {
		bounds.First = o.Before.Order()
	}
	x, err := o.Search(object, bounds)
	if err != nil {
		t.Fatalf("%v: %v", h, err)
	}
	if (x != nil) != want {
		t.Fatalf("%v: found %v, brute force says %v", h, x, want)
	}
	if x == nil {
		return
	}
	if err := o.Check(x); err != nil {
		t.Fatalf("%v: %+v: %v", h, x, err)
	}
	along := o.Along(x.Order, func(op int32, seen []int32, next func() bool) bool {
		var set uint
		for _, w := range seen {
			set |= 1 << w
		}
		return h.gives(x.Order, set, op) && next()
	}, func() bool { return true })
	if !along {
		t.Fatalf("%v: %+v: Along does not find it", h, x)
	}
	for i := range h {
		var set uint
		for _, w := range x.Sees(int32(i)) {
			set |= 1 << w
		}
		placed := slices.Contains(x.Order, int32(i))
		if !placed && !h[i].pending || placed && (!h.gives(x.Order, set, int32(i)) || h[i].level == visibility.Complete && len(x.Unseen[i]) > 0) {
			t.Fatalf("%v: %+v: operation %d does not give its result", h, x, i)
		}
	}
}

// shapes returns all interval orders of n operations, by their events: which operation is
// invoked or returns.
func shapes(n int) (all [][][2]int32) {
	shape := make([][2]int32, n)
	var extend func(at int32, called int, open uint)
	extend = func(at int32, called int, open uint) {
		if int(at) == 2*n {
			all = append(all, slices.Clone(shape))
			return
		}
		if called < n {
			shape[called][0] = at
			extend(at+1, called+1, open|1<<called)
		}
		for i := range called {
			if open>>i&1 != 0 {
				shape[i][1] = at
				extend(at+1, called, open&^(1<<i))
			}
		}
	}
	extend(0, 0, 0)
	return all
}

// histories calls f with each history of n operations of these kinds.
func histories(n int, kinds []op, f func(hist)) {
	for _, shape := range shapes(n) {
		h := make(hist, n)
		number := make([]int, n)
		for more := true; more; {
			for i := range h {
				h[i] = kinds[number[i]]
				h[i].call, h[i].ret = shape[i][0], shape[i][1]
			}
			f(h)
			more = false
			for i := 0; i < n && !more; i++ {
				if number[i]++; number[i] == len(kinds) {
					number[i] = 0
				} else {
					more = true
				}
			}
		}
	}
}

// leveled returns the kinds with a level for those of some methods.
func leveled(kinds []op, level visibility.Level, methods string) []op {
	kinds = slices.Clone(kinds)
	for i := range kinds {
		if strings.Contains(methods, kinds[i].method) {
			kinds[i].level = level
		}
	}
	return kinds
}

var levels = []visibility.Level{visibility.Weak, visibility.Basic, visibility.Monotonic, visibility.Peer, visibility.Causal, visibility.Complete}

// TestSmall compares the search with brute force on all small histories, one level at a
// time.
func TestSmall(t *testing.T) {
	few := []op{{method: "add", key: 0, result: 1}, {method: "add", key: 1, result: 1}, {method: "del", key: 0, result: 1},
		{method: "read", result: 0}, {method: "read", result: 4}, {method: "read", result: 1}}
	many := append([]op{{method: "inc", key: 0}, {method: "add", key: 0}, {method: "take", result: 0}, {method: "take", result: -1},
		{method: "wait", result: 1}, {method: "get", key: 1}, {method: "len", result: 1}, {method: "len", result: 2}}, few...)
	sizes := map[int][]op{1: many, 2: many, 3: many[6:]}
	if *full {
		sizes[3], sizes[4] = many[1:], few
	}
	for n, kinds := range sizes {
		found := map[bool]int{}
		for _, level := range levels {
			for _, methods := range []string{"read len", "read len add take wait"} {
				histories(n, leveled(kinds, level, methods), func(h hist) { found[compare(t, h)]++ })
			}
		}
		if n >= 4 {
			kinds = []op{few[0], few[1], few[4], few[5]}[:8-n]
		}
		keyed := slices.DeleteFunc(slices.Clone(kinds), func(o op) bool { return o.method == "take" || o.method == "wait" })
		histories(n, leveled(keyed, visibility.Bundle, "read len"), func(h hist) { found[compare(t, h)]++ })
		t.Logf("%d operations: %d consistent, %d not", n, found[true], found[false])
	}
}

// TestEarliestSet: the first bundle can see nothing, or the first and the last change of key 0.
// The complete read shows that the change of key 1 comes between these. So only if it sees
// nothing, the second bundle can miss that one.
func TestEarliestSet(t *testing.T) {
	h := hist{{method: "add", key: 0, result: 1}, {method: "add", key: 1, result: 1}, {method: "del", key: 0, result: 1}, {method: "read", result: 5},
		{method: "read", level: visibility.Bundle}, {method: "read", level: visibility.Bundle}}
	for i := range h {
		h[i].call, h[i].ret = int32(i), int32(10+i)
	}
	h[4].ret, h[5].call = 5, 6
	if !compare(t, h) {
		t.Error("not consistent")
	}
}

// TestRandom does the same on random histories with several levels, and with pending
// operations.
func TestRandom(t *testing.T) {
	t.Logf("seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 1))
	rounds, most := 5_000, 5
	if *full {
		rounds, most = 500, 6
	}
	found := map[bool]int{}
	for range rounds {
		found[compare(t, random(r, 2+r.IntN(most-1)))]++
	}
	t.Logf("%d consistent, %d not", found[true], found[false])
}

func random(r *rand.Rand, n int) hist {
	h := make(hist, n)
	at := r.Perm(2 * n)
	for i := range h {
		h[i].call, h[i].ret = int32(min(at[2*i], at[2*i+1])), int32(max(at[2*i], at[2*i+1]))
	}
	if r.IntN(2) == 0 { // more order
		for i := range h {
			h[i].ret = min(h[i].ret, h[i].call+1+r.Int32N(4))
		}
		h.spread()
	}
	slices.SortFunc(h, func(a, b op) int { return int(a.call - b.call) })
	bundles := r.IntN(3) == 0
	mutators, kinds := []string{"add", "inc", "del", "take", "wait"}, 1+r.IntN(3)
	if bundles {
		mutators = mutators[:3]
	}
	reader, mutator := levels[r.IntN(6)], levels[r.IntN(6)]
	for i := range h {
		o := &h[i]
		o.key, o.result = r.IntN(2), r.IntN(2)
		if r.IntN(1+kinds) == 0 {
			o.method = mutators[r.IntN(len(mutators))]
			o.level = mutator
			if o.method == "take" || o.method == "wait" {
				o.key, o.result = 0, r.IntN(3)-1
			}
			if r.IntN(8) == 0 {
				o.pending, o.ret = true, 1<<30
			}
		} else {
			o.method = []string{"read", "read", "len", "get"}[r.IntN(4)]
			o.level, o.result = reader, []int{0, 1, 4, 5, 2}[r.IntN(5)]
			if r.IntN(4) == 0 {
				o.level = levels[r.IntN(6)]
			}
		}
		if !bundles {
			continue
		}
		switch {
		case o.only() && o.method != "get" && r.IntN(4) > 0:
			o.level = visibility.Bundle
		case o.level > visibility.Basic:
			o.level = visibility.Level(r.IntN(3))
		}
	}
	if r.IntN(4) > 0 {
		h.simulate(r)
	}
	return h
}

// simulate sets most results to those of an order, in which operations of lower levels miss
// some of those that did not happen before them.
func (h hist) simulate(r *rand.Rand) {
	points := make([]int32, len(h))
	order := make([]int32, len(h))
	for i := range h {
		order[i], points[i] = int32(i), h[i].call+r.Int32N(min(h[i].ret-h[i].call, 8))
	}
	slices.SortStableFunc(order, func(i, j int32) int { return int(points[i] - points[j]) })
	for k, i := range order {
		state := int32(0)
		for _, w := range order[:k] {
			if h[i].level == visibility.Complete || h.before(w, i) || r.IntN(2) == 0 {
				state = h.run(state, w, true)
			}
		}
		if _, result, ok := apply(int(state), &h[i]); ok && r.IntN(12) > 0 {
			h[i].result = result
		}
	}
}

// spread makes all positions different and keeps their order.
func (h hist) spread() {
	var all []*int32
	for i := range h {
		h[i].call, h[i].ret = 2*h[i].call, 2*h[i].ret+1
		all = append(all, &h[i].call, &h[i].ret)
	}
	slices.SortStableFunc(all, func(a, b *int32) int { return int(*a - *b) })
	for k, at := range all {
		*at = int32(k)
	}
}
