package hitting

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// asLarge makes a family work as if it had many elements: it hashes schedules, and keeps no
// tails.
func asLarge(f *Family) *Family {
	f.gen.hash, f.gen.tails = newHasher(len(f.live.elements)), nil
	return f
}

// checkFamilies compares families with Algorithm 1 itself up to
// maxDepth: every schedule is a linear extension, none comes twice, those of
// a depth are just what the naive family has and smaller depths have not, in
// the same order and under the same indices; families are nested; and every
// d-tuple is strongly hit.
func checkFamilies(t *testing.T, p *poset.Poset, chains []int32, maxDepth int) {
	t.Helper()
	for name, f := range map[string]*Family{
		"default": NewFamily(p, chains, Options{}),
		"large":   asLarge(NewFamily(p, chains, Options{})),
	} {
		sofar := map[string]bool{}
		var all [][]int32
		for d := 1; d <= min(maxDepth, p.Len()); d++ {
			naive, indices := naiveFamily(p, chains, d)
			got := map[string]string{}
			var order []string
			for index, s := range f.Grow() {
				if !p.IsSchedule(s) {
					t.Fatalf("%s, d = %d: %v of %v is no linear extension", name, d, s, index)
				}
				key := keyOf(s)
				if sofar[key] {
					t.Fatalf("%s, d = %d: %v comes twice", name, d, s)
				}
				sofar[key] = true
				got[key] = index.String()
				order = append(order, key)
				all = append(all, slices.Clone(s))
			}
			var want []string
			for k, s := range naive {
				key := keyOf(s)
				if !sofar[key] {
					t.Fatalf("%s, d = %d: misses %v of %v", name, d, s, indices[k])
				}
				if at, found := got[key]; found {
					want = append(want, key)
					if at != indices[k].String() {
						t.Fatalf("%s, d = %d: %v has index %s, want %v", name, d, s, at, indices[k])
					}
				}
			}
			if !slices.Equal(order, want) {
				t.Fatalf("%s, d = %d: the order of indices is not kept", name, d)
			}
			if len(sofar) != len(naive) || f.Size() != int64(len(naive)) {
				t.Fatalf("%s, d = %d: %d schedules (Size %d), want %d: families are not nested", name, d, len(sofar), f.Size(), len(naive))
			}
			checkHits(t, p, all, d)
		}
		if p.Len() <= maxDepth {
			checkComplete(t, name, f, p)
		}
	}
}

func checkHits(t *testing.T, p *poset.Poset, family [][]int32, d int) {
	t.Helper()
	eachTuple(p.Len(), d, func(tuple []int32) {
		if !slices.ContainsFunc(family, func(s []int32) bool { return Hits(p, s, tuple) }) {
			t.Fatalf("d = %d: no schedule strongly hits %v", d, tuple)
		}
	})
}

func checkComplete(t *testing.T, name string, f *Family, p *poset.Poset) {
	t.Helper()
	want, ok := p.LinearExtensions(1 << 20)
	if !f.Done() || !ok || uint64(f.Size()) != want {
		t.Fatalf("%s: at d = n the family has %d schedules (done: %v), the poset %d linear extensions", name, f.Size(), f.Done(), want)
	}
}

func TestFamiliesOfIntervalOrders(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	for k := range 300 {
		p, chains := randomInterval(r, 1+r.IntN(7), 1+r.IntN(5))
		if k%3 == 0 {
			chains = p.MinimumChains()
		}
		checkFamilies(t, p, chains, 4)
	}
	for range 40 {
		p, chains := randomInterval(r, 5, 1+r.IntN(5))
		checkFamilies(t, p, chains, 5)
	}
}

func TestFamiliesOfGeneralPosets(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	rounds := 100
	if *full {
		rounds = 300
	}
	for range rounds {
		p, chains := randomGeneral(t, r, 1+r.IntN(7))
		checkFamilies(t, p, chains, 4)
	}
	for range 40 {
		p, chains := randomGeneral(t, r, 5)
		checkFamilies(t, p, chains, 5)
	}
}

// TestIdleChain: a chain whose elements are concurrent with nothing delays
// nothing, which no other chain does here. It comes last.
func TestIdleChain(t *testing.T) {
	p := poset.Interval([]int32{0, 1, 4, 5, 8}, []int32{2, 3, 6, 7, 9})
	checkFamilies(t, p, []int32{0, 1, 1, 0, 2}, 4)
}

// TestInfeasibleTuple is the smallest case in which the printed algorithm
// gives an infeasible index a schedule that is not a linear extension.
func TestInfeasibleTuple(t *testing.T) {
	p, err := poset.New(4, []poset.Edge{{From: 0, To: 1}, {From: 2, To: 3}})
	if err != nil {
		t.Fatal(err)
	}
	index := Index{1, []int32{1, 3, 0}}
	if Feasible(p, index.Tuple) {
		t.Error("<1, (1, 3, 0)> is called feasible")
	}
	if s := schedule(p, []int32{0, 0, 1, 1}, index); p.IsSchedule(s) || !slices.Equal(s, []int32{3, 0, 2, 1}) {
		t.Errorf("Algorithm 1 gives %v, want 3 0 2 1, which is no schedule", s)
	}
}

// TestInsertionOrder is the smallest case in which the order of insertion
// changes the number of schedules: 2 < 1 and 0 concurrent with both, as three
// chains. In the order of invocations there are 2 or 3 at d = 1, depending on
// which of 0 and 2 is invoked first.
func TestInsertionOrder(t *testing.T) {
	for _, c := range []struct {
		call, ret []int32
		want      int64
	}{
		{[]int32{0, 1, 3}, []int32{2, 5, 4}, 2}, // "2" first, then "0", then "1"
		{[]int32{0, 1, 3}, []int32{5, 2, 4}, 3}, // "0" first, then "2", then "1"
	} {
		p := poset.Interval(c.call, c.ret)
		counts, ok := Counts(p, []int32{0, 1, 2}, 1, Options{})
		if !ok || counts[0] != c.want {
			t.Errorf("calls %v, returns %v: %v schedules at d = 1, want %d", c.call, c.ret, counts, c.want)
		}
	}
}

// TestSizes crosses the limits of packed schedules (16 live elements), of machine words, of kept tails (512) and of growing tables.
func TestSizes(t *testing.T) {
	r := newRand(t)
	for _, n := range []int{15, 16, 17, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 5000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p, chains := randomInterval(r, n, 6)
			f := NewFamily(p, chains, Options{})
			for d := 1; d <= 3; d++ {
				seen := 0
				for index, s := range f.Grow() {
					if want := Schedule(p, chains, index); !slices.Equal(s, want) {
						t.Fatalf("d = %d: %v gives %v, Algorithm 1 %v", d, index, s, want)
					}
					if !p.IsSchedule(s) {
						t.Fatalf("d = %d: the schedule of %v is no linear extension", d, index)
					}
					if seen++; seen*n > 60_000 && seen > 5 {
						break
					}
				}
				if seen == 0 {
					t.Fatalf("d = %d: no schedule", d)
				}
			}
		})
	}
}

func TestFamilyBounds(t *testing.T) {
	p, chains := randomInterval(newRand(t), 14, 7)
	free := NewFamily(p, chains, Options{})
	bound := NewFamily(p, chains, Options{MaxBytes: 2048})
	for range 4 {
		free.Count()
		bound.Count()
	}
	if !free.Exact() || bound.Exact() {
		t.Errorf("exact: %v without a bound, %v with 2 KiB", free.Exact(), bound.Exact())
	}
	if bound.Size() < free.Size() {
		t.Errorf("%d schedules under a bound, %d without: some were lost", bound.Size(), free.Size())
	}
	asked := 0
	stopped := NewFamily(p, chains, Options{Meter: meter.New(func() bool { asked++; return asked == 3 })})
	for range 14 {
		stopped.Count()
	}
	if !stopped.Stopped() || stopped.Done() || asked != 3 {
		t.Errorf("stopped %v, done %v, asked %d times", stopped.Stopped(), stopped.Done(), asked)
	}
}

// concurrentChains returns an order of n elements that is not an interval order: there are
// m chains, and the first element is below all but the last of them.
func concurrentChains(t testing.TB, n, m int32) (*poset.Poset, []int32) {
	var edges []poset.Edge
	chains := make([]int32, n)
	for i := range n {
		chains[i] = i % m
		if i >= m {
			edges = append(edges, poset.Edge{From: i - m, To: i})
		} else if i > 0 && i < m-1 {
			edges = append(edges, poset.Edge{From: 0, To: i})
		}
	}
	p, err := poset.New(int(n), edges)
	if err != nil {
		t.Fatal(err)
	}
	return p, chains
}

// TestLongTails: building a schedule of many concurrent elements takes quadratic work,
// which is counted. It ends when the meter stops, and no incomplete schedule is yielded.
func TestLongTails(t *testing.T) {
	const n, m = 8000, 4
	p, chains := concurrentChains(t, n, m)
	count, last, longest := meter.New(nil), int64(0), int64(0)
	count = meter.New(func() bool {
		longest, last = max(longest, count.Spent()-last), count.Spent()
		return false
	})
	NewFamily(p, chains, Options{Meter: count}).Count()
	if least := int64(m * n * n / 8 * meter.AskEvery / tailSteps); count.Spent() < least || longest > n {
		t.Errorf("%d units, and %d between two questions, want at least %d, and at most %d",
			count.Spent(), longest, least, n)
	}

	p, chains = concurrentChains(t, 2*tailsMax, m)
	for questions := 1; questions < 200; questions += 3 {
		asked := 0
		f := NewFamily(p, chains, Options{Meter: meter.New(func() bool { asked++; return asked >= questions })})
		for !f.Stopped() {
			for index, s := range f.Grow() {
				if !p.IsSchedule(s) {
					t.Fatalf("stopped at question %d: the schedule of %v is incomplete", questions, index)
				}
			}
		}
		if asked != questions || f.Depth() > 2 {
			t.Errorf("asked %d times up to depth %d, want %d times", asked, f.Depth(), questions)
		}
	}
}

func TestEmptyPoset(t *testing.T) {
	f := NewFamily(poset.Interval(nil, nil), nil, Options{})
	if f.Count() != 0 || !f.Done() {
		t.Errorf("%d schedules of nothing, done %v", f.Size(), f.Done())
	}
}

// TestMisuse: what only a wrong program does panics with a message of this
// package or of poset.
func TestMisuse(t *testing.T) {
	p := poset.Interval([]int32{0, 1, 3, 5}, []int32{2, 4, 7, 6})
	chains := []int32{0, 1, 0, 1}
	for name, f := range map[string]func(){
		"NewFamily: a nil poset":          func() { NewFamily(nil, nil, Options{}) },
		"NewFamily: too few chains":       func() { NewFamily(p, chains[:3], Options{}) },
		"NewFamily: a negative chain":     func() { NewFamily(p, []int32{0, -1, 0, 1}, Options{}) },
		"NewFamily: a chain out of range": func() { NewFamily(p, []int32{0, 4, 0, 1}, Options{}) },
		"Counts: too many chains":         func() { Counts(p, []int32{0, 1, 0, 1, 2}, 1, Options{}) },
		"Schedule: too few chains":        func() { Schedule(p, nil, Index{}) },
		"Schedule: no such chain":         func() { Schedule(p, chains, Index{Chain: 2}) },
		"Schedule: not an element":        func() { Schedule(p, chains, Index{0, []int32{4}}) },
		"Schedule: an element twice":      func() { Schedule(p, chains, Index{0, []int32{1, 1}}) },
		"Schedule: not feasible":          func() { Schedule(p, chains, Index{0, []int32{2, 0}}) },
		"Hits: not in the schedule":       func() { Hits(p, []int32{0, 2, 1, 9}, []int32{1}) },
		"Hits: not in the tuple":          func() { Hits(p, []int32{0, 2, 1, 3}, []int32{-1}) },
		"Feasible: not an element":        func() { Feasible(p, []int32{0, 4}) },
		"ExactDepth: a nil machine":       func() { ExactDepth(p, nil, Options{}) },
		"ExactDepth: a nil poset":         func() { ExactDepth(nil, randomMachine{}, Options{}) },
		"Count of a zero Family":          func() { new(Family).Count() },
		"Grow of a zero Family": func() {
			for range new(Family).Grow() {
			}
		},
	} {
		func() {
			defer func() {
				message, ok := recover().(string)
				if !ok || !strings.HasPrefix(message, "hitting: ") && !strings.HasPrefix(message, "poset: ") {
					t.Errorf("%s: panic %q", name, message)
				}
			}()
			f()
		}()
	}
	if counts, ok := Counts(p, chains, -1, Options{}); len(counts) != 0 || !ok {
		t.Errorf("counts up to depth -1: %v, %v", counts, ok)
	}
}
