package depth_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/poset"
)

var (
	seed  = flag.Uint64("seed", rand.Uint64(), "of random tests")
	cases = flag.Int("cases", 20000, "random interval orders")
	size  = flag.Int("size", 9, "elements")
	maxD  = flag.Int("maxdepth", 4, "depth")
)

// arbitrary is a machine whose states and failures are arbitrary: a step fails
// once in so many.
type arbitrary struct {
	seed           uint64
	states, failed uint64
}

func (m arbitrary) Start() int32 { return 0 }

func (m arbitrary) Step(state, e int32) int32 {
	r := rand.New(rand.NewPCG(m.seed, uint64(state)<<32|uint64(e)))
	if r.Uint64N(100) < m.failed {
		return -1
	}
	return int32(r.Uint64N(m.states))
}

// random returns an interval order of n elements of so many processes.
func random(r *rand.Rand, n, processes int, lost float64) (call, ret, chain []int32) {
	open := make([]int32, processes)
	for p := range open {
		open[p] = -1
	}
	at := int32(0)
	for len(call) < n {
		at++
		p := r.IntN(len(open))
		if e := open[p]; e >= 0 {
			if open[p] = -1; r.Float64() >= lost {
				ret[e] = at
			} else {
				open = append(open, -1)
				open[p] = -2
			}
			continue
		}
		if open[p] == -2 {
			continue
		}
		open[p] = int32(len(call))
		call, ret, chain = append(call, at), append(ret, depth.Never), append(chain, int32(p))
	}
	for _, e := range open {
		if e >= 0 && r.Float64() >= lost {
			at++
			ret[e] = at
		}
	}
	number := map[int32]int32{}
	for e, p := range chain {
		if _, ok := number[p]; !ok {
			number[p] = int32(len(number))
		}
		chain[e] = number[p]
	}
	return call, ret, chain
}

// enumerated returns the first index of the families by replaying them.
func enumerated(call, ret, chain []int32, m hitting.Machine, maxDepth int) (hitting.Index, bool) {
	f := hitting.NewFamily(poset.Interval(call, ret), chain, hitting.Options{})
	for range maxDepth {
		for index, schedule := range f.Grow() {
			state := m.Start()
			for _, e := range schedule {
				if state = m.Step(state, e); state < 0 {
					break
				}
			}
			if state >= 0 {
				return index.Clone(), true
			}
		}
	}
	return hitting.Index{}, false
}

func TestFamilies(t *testing.T) {
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	depths := map[int]int{}
	for range *cases {
		n := 1 + r.IntN(*size)
		maxDepth := min(n, *maxD)
		call, ret, chain := random(r, n, 1+r.IntN(5), []float64{0, 0, 0.2}[r.IntN(3)])
		m := arbitrary{r.Uint64(), 1 + r.Uint64N(6), r.Uint64N(60)}
		want, ok := enumerated(call, ret, chain, m, maxDepth)
		s := search(call, ret, chain, m)
		var got hitting.Index
		found := false
		for d := 1; d <= maxDepth && !found; d++ {
			got, found = s.Try(d)
		}
		if found != ok || got.String() != want.String() {
			t.Fatalf("calls %v returns %v chains %v machine %v: %v %v, families say %v %v", call, ret, chain, m, got, found, want, ok)
		}
		if found {
			p := poset.Interval(call, ret)
			if w := hitting.Schedule(p, chain, got); !slices.Equal(w, depth.Schedule(s.Elements(), got)) {
				t.Fatalf("calls %v returns %v chains %v index %v: %v, Algorithm 1 says %v", call, ret, chain, got, depth.Schedule(s.Elements(), got), w)
			}
			depths[got.Depth()]++
		} else {
			depths[0]++
		}
	}
	t.Log(depths)
}

func search(call, ret, chain []int32, m hitting.Machine) *depth.Search {
	e := -1
	return depth.New(func() (depth.Element, bool) {
		if e++; e == len(call) {
			return depth.Element{}, false
		}
		return depth.Element{Call: call[e], Return: ret[e], Chain: chain[e]}, true
	}, m, depth.Options{})
}
