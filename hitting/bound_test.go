package hitting

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/poset"
)

// eachPoset calls f with every poset of n elements whose smaller elements have smaller
// numbers.
func eachPoset(t *testing.T, n int, f func(p *poset.Poset)) int {
	t.Helper()
	var pairs []poset.Edge
	for j := range int32(n) {
		for i := range j {
			pairs = append(pairs, poset.Edge{From: i, To: j})
		}
	}
	count := 0
	for set := range 1 << len(pairs) {
		less := func(i, j int32) bool { return set>>(j*(j-1)/2+i)&1 != 0 }
		var edges []poset.Edge
		for k, e := range pairs {
			if set>>k&1 != 0 {
				edges = append(edges, e)
			}
		}
		if !isTransitive(edges, less) {
			continue
		}
		p, err := poset.New(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		count++
		f(p)
	}
	return count
}

func isTransitive(edges []poset.Edge, less func(i, j int32) bool) bool {
	for _, a := range edges {
		for _, b := range edges {
			if a.To == b.From && !less(a.From, b.To) {
				return false
			}
		}
	}
	return true
}

// naiveBound is the bound by its two definitions.
func naiveBound(p *poset.Poset) int {
	n := p.Len()
	component := make([]int, n)
	for i := range component {
		component[i] = i
	}
	for range n {
		for i := range n {
			for j := range n {
				if p.Concurrent(int32(i), int32(j)) {
					component[i] = min(component[i], component[j])
				}
			}
		}
	}
	byComponents := n
	for i, c := range component {
		if i == c {
			byComponents--
		}
	}
	cover := n
	for rest := range 1 << n {
		size, chain := 0, true
		for i := range n {
			if rest>>i&1 == 0 {
				continue
			}
			size++
			for j := range i {
				chain = chain && (rest>>j&1 == 0 || !p.Concurrent(int32(i), int32(j)))
			}
		}
		if chain {
			cover = min(cover, n-size)
		}
	}
	return max(1, min(byComponents, 2*cover))
}

// checkBound checks the value of the bound, and that families have all schedules there.
func checkBound(t *testing.T, p *poset.Poset, chains []int32) int {
	t.Helper()
	b := Bound(p)
	if want := naiveBound(p); b != want {
		t.Fatalf("bound %d, want %d: %v", b, want, relation(p))
	}
	want, _ := p.LinearExtensions(1 << 20)
	for name, f := range map[string]*Family{"default": NewFamily(p, chains, Options{}), "large": asLarge(NewFamily(p, chains, Options{}))} {
		for f.Depth() < b {
			f.Count()
		}
		if uint64(f.Size()) != want || !f.Done() {
			t.Fatalf("%s: at the bound %d the family has %d of %d schedules (done: %v): %v", name, b, f.Size(), want, f.Done(), relation(p))
		}
	}
	return b
}

func relation(p *poset.Poset) (pairs []poset.Edge) {
	for i := range int32(p.Len()) {
		for j := range int32(p.Len()) {
			if p.Less(i, j) {
				pairs = append(pairs, poset.Edge{From: i, To: j})
			}
		}
	}
	return pairs
}

// TestBoundOfAllPosets: 4824 posets of 6 elements have numbers that agree with the
// order, and so on for fewer (OEIS A006455).
func TestBoundOfAllPosets(t *testing.T) {
	t.Parallel()
	largest := 6
	if testing.Short() {
		largest = 5
	}
	for k, want := range []int{1, 2, 7, 40, 357, 4824}[:largest] {
		n := k + 1
		count := eachPoset(t, n, func(p *poset.Poset) { checkBound(t, p, p.MinimumChains()) })
		if count != want {
			t.Errorf("%d posets of %d elements, want %d", count, n, want)
		}
	}
}

// TestBoundByDefinition: each schedule has a tuple of exactly as many elements as the
// bound says that it alone strongly hits.
func TestBoundByDefinition(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 5; n++ {
		eachPoset(t, n, func(p *poset.Poset) {
			var all [][]int32
			allSchedules(p, func(s []int32) { all = append(all, append([]int32{}, s...)) })
			alone := map[int]bool{}
			eachTuple(n, Bound(p), func(tuple []int32) {
				hit := -1
				for k, s := range all {
					switch {
					case !Hits(p, s, tuple):
					case hit >= 0:
						return
					default:
						hit = k
					}
				}
				if hit >= 0 {
					alone[hit] = true
				}
			})
			if len(alone) != len(all) {
				t.Fatalf("only %d of %d schedules have a tuple of %d elements to themselves: %v", len(alone), len(all), Bound(p), relation(p))
			}
		})
	}
}

// touchingIntervals returns intervals whose events fall on few stamps, as a poset kept
// as an interval order. Closed: equal stamps are concurrent; otherwise a response
// at a stamp precedes an invocation at it, and operations may take no time.
func touchingIntervals(r *rand.Rand, n, stamps int, closed bool) *poset.Poset {
	var calls, returns = make([][]int32, stamps), make([][]int32, stamps)
	ret := make([]int32, n)
	from := make([]int, n)
	for i := range n {
		from[i] = r.IntN(stamps)
	}
	order := make([]int32, 0, n)
	for s := range stamps {
		for i, f := range from {
			if f == s {
				e := int32(len(order))
				order = append(order, int32(i))
				calls[s] = append(calls[s], e)
				to := s + r.IntN(stamps-s)
				returns[to] = append(returns[to], e)
			}
		}
	}
	call := make([]int32, n)
	position := int32(0)
	place := func(list []int32, of []int32) {
		for _, e := range list {
			of[e] = position
			position++
		}
	}
	for s := range stamps {
		r.Shuffle(len(returns[s]), func(i, j int) { returns[s][i], returns[s][j] = returns[s][j], returns[s][i] })
		if closed {
			place(calls[s], call)
			place(returns[s], ret)
			continue
		}
		// What began earlier returns first; what takes no time comes after that, one
		// by one; then the rest is called.
		var instant []int32
		for _, e := range returns[s] {
			if from[order[e]] < s {
				place([]int32{e}, ret)
			} else {
				instant = append(instant, e)
			}
		}
		for _, e := range calls[s] {
			place([]int32{e}, call)
			for _, i := range instant {
				if i == e {
					place([]int32{e}, ret)
				}
			}
		}
	}
	return poset.Interval(call, ret)
}

func TestBoundOfRandomPosets(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	bounds := map[int]int{}
	for k := range 600 {
		var p *poset.Poset
		var chains []int32
		n := 1 + r.IntN(8)
		switch k % 4 {
		case 0:
			p, chains = randomInterval(r, n, 1+r.IntN(4))
		case 1:
			p, chains = randomGeneral(t, r, n)
		default:
			p = touchingIntervals(r, n, 1+r.IntN(6), k%4 == 2)
			chains = p.MinimumChains()
		}
		bounds[checkBound(t, p, chains)]++
		m := newRandomMachine(r, 1+r.IntN(3), n, r.Float64()/3)
		if d, err := ExactDepth(p, m, Options{}); err != nil || d > Bound(p) {
			t.Fatalf("exact depth %d, %v; bound %d: %v", d, err, Bound(p), relation(p))
		}
	}
	for b := 1; b <= 6; b++ {
		if bounds[b] == 0 {
			t.Errorf("no random poset with bound %d: %v", b, bounds)
		}
	}
}

// TestBoundOfKnownShapes has the posets that the theorems name.
func TestBoundOfKnownShapes(t *testing.T) {
	chain := poset.Interval([]int32{0, 2, 4}, []int32{1, 3, 5})
	antichain := poset.Interval([]int32{0, 1, 2, 3}, []int32{4, 5, 6, 7})
	// One long operation over a sequence of others: removing it leaves a chain.
	over := poset.Interval([]int32{0, 1, 3, 5, 7}, []int32{9, 2, 4, 6, 8})
	for name, test := range map[string]struct {
		p    *poset.Poset
		want int
	}{
		"empty": {poset.Interval(nil, nil), 1}, "chain": {chain, 1}, "antichain": {antichain, 3}, "one over many": {over, 2},
	} {
		if got := Bound(test.p); got != test.want {
			t.Errorf("%s: bound %d, want %d", name, got, test.want)
		}
	}
	// Two processes with [0,1] and [1,2] each, where equal stamps are concurrent: 2+2.
	two, err := poset.Extend([]int32{0, 1, 2, 3}, []int32{4, 5, 6, 7}, []poset.Edge{{From: 0, To: 2}, {From: 1, To: 3}}, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := Bound(two); got != 3 {
		t.Errorf("2+2: bound %d, want 3", got)
	}
}
