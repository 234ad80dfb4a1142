package poset

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// sizes cross machine words, growing slices and the size of most histories.
var sizes = []int{0, 1, 2, 7, 63, 64, 65, 1023, 1024, 1025, 5000}

func TestIntervalOrders(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for _, n := range sizes {
		if n > 1025 && !*full {
			n = 2500
		}
		call, ret := randomIntervals(r, n, 1+r.IntN(9))
		p := Interval(call, ret)
		m := intervalMatrix(call, ret)
		m.check(t, p)
		checkMeasures(t, p, m)
	}
}

func TestGeneralPosets(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for _, n := range []int{0, 1, 2, 7, 63, 64, 65, 200, 513} {
		edges, m := randomDAG(r, n)
		p, err := New(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		m.check(t, p)
		checkMeasures(t, p, m)
	}
}

// TestGeneralAsInterval compares the two kinds at the sizes at which the
// naive closure would take too long: the same order once as intervals, once
// as a relation.
func TestGeneralAsInterval(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for _, n := range []int{1023, 1024, 1025, 5000} {
		call, ret := randomIntervals(r, n, 5)
		p := Interval(call, ret)
		q, err := Extend(call, ret, []Edge{firstPair(p)}, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		if q.IsInterval() {
			t.Fatal("kept as an interval order; nothing is compared")
		}
		for i := range int32(n) {
			for j := range int32(n) {
				if p.Less(i, j) != q.Less(i, j) {
					t.Fatalf("n = %d: Less(%d, %d) = %v as intervals", n, i, j, p.Less(i, j))
				}
			}
		}
		if !slices.Equal(p.Blocks(), q.Blocks()) || !slices.Equal(p.Order(), q.Order()) {
			t.Errorf("n = %d: blocks or order differ", n)
		}
		c, cp := p.Concurrency()
		if c2, cp2 := q.Concurrency(); c != c2 || cp != cp2 {
			t.Errorf("n = %d: c = %d, cp = %d as intervals; %d, %d as a relation", n, c, cp, c2, cp2)
		}
	}
}

// firstPair returns an edge that p has already.
func firstPair(p *Poset) Edge {
	for i := range int32(p.Len()) {
		for j := range int32(p.Len()) {
			if p.Less(i, j) {
				return Edge{i, j}
			}
		}
	}
	panic("all elements are concurrent")
}

// checkMeasures compares order, chains, c, cp and blocks with the definition.
func checkMeasures(t *testing.T, p *Poset, m matrix) {
	t.Helper()
	order := p.Order()
	if !p.IsSchedule(order) || !isExtension(m, order) {
		t.Fatal("Order is no linear extension")
	}
	if len(m) <= 600 && !slices.Equal(order, naiveOrder(m)) {
		t.Fatal("Order does not always take the smallest element")
	}
	pairs := int64(0)
	for i := range m {
		for j := range i {
			if !m[i][j] && !m[j][i] {
				pairs++
			}
		}
	}
	of := p.MinimumChains()
	chains, err := p.CheckChains(of)
	if err != nil {
		t.Fatal(err)
	}
	c, cp := p.Concurrency()
	if c != chains || cp != pairs {
		t.Errorf("c = %d, cp = %d; %d chains and %d pairs", c, cp, chains, pairs)
	}
	if antichain := greedyAntichain(m); antichain > c {
		t.Errorf("c = %d, but there are %d mutually concurrent elements", c, antichain)
	}
	next := int32(0)
	for _, chain := range of {
		if chain > next {
			t.Fatalf("chain %d comes before chain %d", chain, next)
		}
		next = max(next, chain+1)
	}
	if want := naiveBlocks(m, order); !slices.Equal(p.Blocks(), want) {
		t.Errorf("blocks at %v, want %v", p.Blocks(), want)
	}
}

func isExtension(m matrix, order []int32) bool {
	for k, i := range order {
		for _, j := range order[:k] {
			if m[i][j] {
				return false
			}
		}
	}
	return true
}

func naiveOrder(m matrix) []int32 {
	var order []int32
	placed := make([]bool, len(m))
	for range m {
	next:
		for i := range m {
			if placed[i] {
				continue
			}
			for j := range m {
				if m[j][i] && !placed[j] {
					continue next
				}
			}
			placed[i] = true
			order = append(order, int32(i))
			break
		}
	}
	return order
}

// greedyAntichain is a lower bound of the width.
func greedyAntichain(m matrix) int {
	best := 0
	for start := range min(len(m), 50) {
		members := []int{start}
		for i := range m {
			if i != start && !slices.ContainsFunc(members, func(j int) bool { return m[i][j] || m[j][i] || i == j }) {
				members = append(members, i)
			}
		}
		best = max(best, len(members))
	}
	return best
}

func naiveBlocks(m matrix, order []int32) []int {
	starts := []int{0}
	for k := 1; k < len(order); k++ {
		if cutsAt(m, order, k) {
			starts = append(starts, k)
		}
	}
	if len(order) > 0 {
		starts = append(starts, len(order))
	}
	return starts
}

func cutsAt(m matrix, order []int32, k int) bool {
	for _, i := range order[:k] {
		for _, j := range order[k:] {
			if !m[i][j] {
				return false
			}
		}
	}
	return true
}

func TestExtend(t *testing.T) {
	r := newRand(t)
	for range 300 {
		n := 2 + r.IntN(12)
		call, ret := randomIntervals(r, n, 1+r.IntN(5))
		keep := n - r.IntN(3)
		// Element numbers: the kept ones first, both groups by call.
		perm := r.Perm(n)
		slices.Sort(perm[:keep])
		slices.Sort(perm[keep:])
		c, e := make([]int32, n), make([]int32, n)
		for k, i := range perm {
			c[k], e[k] = call[i], ret[i]
		}
		m := intervalMatrix(c, e)
		var edges []Edge
		for range r.IntN(4) {
			i, j := int32(r.IntN(n)), int32(r.IntN(n))
			edges = append(edges, Edge{i, j})
			m[i][j] = true
		}
		m.closeTransitively()
		cyclic := slices.ContainsFunc(edges, func(e Edge) bool { return m[e.From][e.From] })
		p, err := Extend(c, e, edges, keep, nil)
		if cyclic != (err != nil) {
			t.Fatalf("error %v of edges whose closure has a cycle: %v", err, cyclic)
		}
		if !cyclic {
			kept := m[:keep]
			for i := range kept {
				kept[i] = kept[i][:keep]
			}
			kept.check(t, p)
		}
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := New(MaxGeneral+1, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
}

func TestIsSchedule(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		n := 1 + r.IntN(6)
		call, ret := randomIntervals(r, n, 3)
		m := intervalMatrix(call, ret)
		p := Interval(call, ret)
		if r.IntN(2) == 0 {
			var edges []Edge
			edges, m = randomDAG(r, n)
			p, _ = New(n, edges)
		}
		s := make([]int32, n)
		for k, i := range r.Perm(n) {
			s[k] = int32(i)
		}
		if p.IsSchedule(s) != isExtension(m, s) {
			t.Fatalf("IsSchedule(%v) = %v", s, p.IsSchedule(s))
		}
		s[0] = s[n-1]
		if n > 1 && p.IsSchedule(s) {
			t.Fatalf("IsSchedule(%v) although an element comes twice", s)
		}
	}
}

func TestCheckChainsRefuses(t *testing.T) {
	p := Interval([]int32{0, 1, 4}, []int32{2, 3, 5}) // 0 and 1 concurrent, both before 2
	for _, of := range [][]int32{{0, 0, 0}, {0, 1}, {0, 2, 0}, {0, -1, 0}, {1, 2, 1}} {
		if _, err := p.CheckChains(of); err == nil {
			t.Errorf("chains %v are accepted", of)
		}
	}
	if m, err := p.CheckChains([]int32{0, 1, 1}); m != 2 || err != nil {
		t.Errorf("%d, %v, want 2 chains", m, err)
	}
}

func TestLinearExtensions(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for range 500 {
		n := r.IntN(8)
		call, ret := randomIntervals(r, n, 1+r.IntN(4))
		p, m := Interval(call, ret), intervalMatrix(call, ret)
		if r.IntN(2) == 0 {
			var edges []Edge
			edges, m = randomDAG(r, n)
			p, _ = New(n, edges)
		}
		want := uint64(naiveExtensions(m, make([]bool, n)))
		if got, ok := p.LinearExtensions(1 << 20); got != want || !ok {
			t.Fatalf("%d linear extensions, %v; want %d", got, ok, want)
		}
	}
	// k chains of m elements have (m+1)^k downsets, and as many linear
	// extensions as there are ways to shuffle them.
	chains := func(k, m int) *Poset {
		var edges []Edge
		for i := range k * m {
			if i%m > 0 {
				edges = append(edges, Edge{int32(i - 1), int32(i)})
			}
		}
		p, err := New(k*m, edges)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := binomial(42, 14) * binomial(28, 14)
	if got, ok := chains(3, 14).LinearExtensions(15 * 15 * 15); !ok || got != want {
		t.Errorf("three chains of 14: %d, %v; want %d", got, ok, want)
	}
	if _, ok := chains(3, 14).LinearExtensions(15*15*15 - 1); ok {
		t.Error("more downsets than allowed")
	}
	if _, ok := chains(4, 12).LinearExtensions(1 << 22); ok {
		t.Error("48!/12!^4 was said to fit into 64 bits")
	}
}

// TestAcceptedExtensions: an automaton accepts as many linear extensions as it does one by one.
func TestAcceptedExtensions(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for range 500 {
		n, states := r.IntN(8), 1+r.Int32N(4)
		p := Interval(randomIntervals(r, n, 1+r.IntN(4)))
		if r.IntN(2) == 0 {
			edges, _ := randomDAG(r, n)
			p, _ = New(n, edges)
		}
		next := map[[2]int32]int32{}
		for state := range states {
			for e := range int32(n) {
				next[[2]int32{state, e}] = r.Int32N(states+1) - 1 // or rejected
			}
		}
		step := func(state, e int32) int32 { return next[[2]int32{state, e}] }
		want := naiveAccepted(p, nil, 0, step)
		if got, ok := p.AcceptedExtensions(0, step, 1<<20); got != want || !ok {
			t.Fatalf("%d accepted linear extensions, %v; want %d", got, ok, want)
		}
	}
	if _, ok := sum(map[int32]uint64{0: 1 << 63, 1: 1 << 63}); ok {
		t.Error("2^64 was said to fit into 64 bits")
	}
}

// naiveAccepted counts the accepted linear extensions that begin with placed.
func naiveAccepted(p *Poset, placed []int32, state int32, step func(state, element int32) int32) uint64 {
	switch {
	case state < 0:
		return 0
	case len(placed) == p.Len():
		return 1
	}
	count := uint64(0)
next:
	for e := range int32(p.Len()) {
		if slices.Contains(placed, e) {
			continue
		}
		for f := range int32(p.Len()) {
			if p.Less(f, e) && !slices.Contains(placed, f) {
				continue next
			}
		}
		count += naiveAccepted(p, append(slices.Clip(placed), e), step(state, e), step)
	}
	return count
}

// TestExtensionsOfLongBlocks: one element concurrent with all others, which are a chain, has as
// many places as there are elements, up to 64 of them; a chain has no such limit.
func TestExtensionsOfLongBlocks(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 1024} {
		call, ret := make([]int32, n), make([]int32, n)
		for i := range n {
			call[i], ret[i] = int32(2*i), int32(2*i+1)
		}
		if got, ok := Interval(call, ret).LinearExtensions(2); got != 1 || !ok {
			t.Errorf("a chain of %d: %d, %v", n, got, ok)
		}
		ret[0] = int32(2 * n)
		if got, ok := Interval(call, ret).LinearExtensions(1 << 20); ok != (n <= 64) || ok && got != uint64(n) {
			t.Errorf("%d elements: %d, %v", n, got, ok)
		}
	}
}

func binomial(n, k int64) uint64 {
	var z big.Int
	return z.Binomial(n, k).Uint64()
}

func naiveExtensions(m matrix, placed []bool) int {
	count, complete := 0, true
next:
	for i := range m {
		if placed[i] {
			continue
		}
		complete = false
		for j := range m {
			if m[j][i] && !placed[j] {
				continue next
			}
		}
		placed[i] = true
		count += naiveExtensions(m, placed)
		placed[i] = false
	}
	if complete {
		return 1
	}
	return count
}

// TestMisuse: what only a wrong program does panics with a message of this package.
func TestMisuse(t *testing.T) {
	ascending := []int32{0, 1, 2}
	for name, f := range map[string]func(){
		"unequal lengths":                func() { Interval([]int32{0, 1}, []int32{5}) },
		"calls that descend":             func() { Interval([]int32{1, 0}, []int32{2, 3}) },
		"a return at its call":           func() { Interval([]int32{0}, []int32{0}) },
		"Extend: unequal lengths":        func() { Extend(ascending, []int32{5, 6}, nil, 1, nil) },
		"Extend: keep too large":         func() { Extend(ascending, []int32{5, 6, 7}, nil, 4, nil) },
		"Extend: negative keep":          func() { Extend(ascending, []int32{5, 6, 7}, nil, -1, nil) },
		"Extend: kept calls descend":     func() { Extend([]int32{1, 0, 2}, []int32{5, 6, 7}, nil, 2, nil) },
		"Extend: other calls descend":    func() { Extend([]int32{1, 2, 0}, []int32{5, 6, 7}, nil, 1, nil) },
		"Extend: a return before a call": func() { Extend([]int32{1, 0}, []int32{5, 0}, nil, 1, nil) },
		"a nil Poset":                    func() { (*Poset)(nil).Len() },
	} {
		func() {
			defer func() {
				if message, ok := recover().(string); !ok || !strings.HasPrefix(message, "poset: ") {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			f()
		}()
	}
}

// TestEdgesRefused: wrong edges are errors.
func TestEdgesRefused(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges []Edge
		want  string
	}{
		{-1, nil, "-1 elements"},
		{0, []Edge{{0, 0}}, "an edge from 0 to 0, but 0 elements"},
		{2, []Edge{{0, 2}}, "an edge from 0 to 2, but 2 elements"},
		{2, []Edge{{-1, 1}}, "an edge from -1 to 1, but 2 elements"},
		{2, []Edge{{1, 1}}, "cycle"},
		{3, []Edge{{0, 1}, {1, 2}, {2, 0}}, "cycle"},
	} {
		if _, err := New(c.n, c.edges); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%d, %v): %v, want %q", c.n, c.edges, err, c.want)
		}
		if c.n < 1 {
			continue
		}
		call, ret := make([]int32, c.n), make([]int32, c.n)
		for i := range call {
			call[i], ret[i] = int32(i), 100
		}
		if _, err := Extend(call, ret, c.edges, 1, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Extend by %v: %v, want %q", c.edges, err, c.want)
		}
	}
}

// TestStopped: the closure of a poset that is not an interval order and its
// matching stop when they must, and the matching is computed once.
func TestStopped(t *testing.T) {
	const n = 200
	call, ret := make([]int32, n), make([]int32, n) // all overlap
	for i := range call {
		call[i], ret[i] = int32(i), int32(n+i)
	}
	var upward, downward []Edge // for the second, the order is not 0..n-1
	for i := range int32(n) {
		for _, step := range []int32{3, 7, 50} {
			if i+step < n {
				upward, downward = append(upward, Edge{i, i + step}), append(downward, Edge{i + step, i})
			}
		}
	}
	for _, edges := range [][]Edge{upward, downward} {
		asked, work := 0, 0
		free, err := Extend(call, ret, edges, n, func(units int) bool { asked++; work += units; return false })
		if err != nil {
			t.Fatal(err)
		}
		built := asked
		if above := n*(n-1)/2 - int(free.apart); built < 3*n || work < above {
			t.Errorf("asked %d times for %d units, with %d ordered pairs", built, work, above)
		}
		c, cp := free.Concurrency()
		chains := free.MinimumChains()
		if asked < built+n || c != int(slices.Max(chains))+1 || cp == 0 {
			t.Errorf("asked %d times, c = %d, cp = %d", asked-built, c, cp)
		}
		if free.Concurrency(); asked > built+3*n {
			t.Errorf("asked %d times: the matching is computed again", asked-built)
		}
		for last := 1; last < asked; last += 1 + asked/40 {
			left := last
			p, err := Extend(call, ret, edges, n, func(int) bool { left--; return left <= 0 })
			switch {
			case last <= built:
				if p != nil || !errors.Is(err, ErrStopped) || left < 0 {
					t.Errorf("stopped at question %d: %v, %d more questions", last, err, -left)
				}
			case err != nil:
				t.Fatal(err)
			default:
				if c, cp := p.Concurrency(); c != 0 || cp != 0 || p.MinimumChains() != nil || left < 0 {
					t.Errorf("stopped at question %d: c = %d, cp = %d, %d more questions", last, c, cp, -left)
				}
			}
		}
	}
}

// TestStoppedBetweenEdges: an element with many edges is asked about edge by edge, and
// edges to elements that are known to be above it take no work.
func TestStoppedBetweenEdges(t *testing.T) {
	const n = 2000
	call, ret := make([]int32, n), make([]int32, n) // all overlap
	for i := range call {
		call[i], ret[i] = int32(i), int32(n+i)
	}
	chain, hub := []Edge{}, []Edge{}
	for i := int32(1); i < n; i++ {
		chain, hub = append(chain, Edge{i - 1, i}), append(hub, Edge{0, i})
	}
	work := func(edges []Edge) (sum, largest int) {
		_, err := Extend(call, ret, edges, n, func(units int) bool {
			sum, largest = sum+units, max(largest, units)
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		return sum, largest
	}
	if _, largest := work(hub); largest > 2*n {
		t.Errorf("%d units between two questions, for %d elements", largest, n)
	}
	few, _ := work(chain)
	if many, _ := work(append(chain, hub...)); many > few {
		t.Errorf("%d units with redundant edges, %d without", many, few)
	}
}
