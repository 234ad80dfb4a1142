package hitting

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/poset"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

// randomInterval returns an interval order of n elements issued by
// processes, and its chains by process.
func randomInterval(r *rand.Rand, n, processes int) (*poset.Poset, []int32) {
	call, ret, chains := make([]int32, 0, n), make([]int32, n), make([]int32, 0, n)
	open := make([]int32, processes)
	for i := range open {
		open[i] = -1
	}
	position := int32(0)
	for len(call) < n || slices.ContainsFunc(open, func(o int32) bool { return o >= 0 }) {
		who := r.IntN(processes)
		switch {
		case open[who] >= 0:
			ret[open[who]] = position
			open[who] = -1
		case len(call) < n:
			open[who] = int32(len(call))
			call = append(call, position)
			chains = append(chains, int32(who))
		default:
			continue
		}
		position++
	}
	return poset.Interval(call, ret), denseChains(chains)
}

func denseChains(chains []int32) []int32 {
	number := map[int32]int32{}
	for i, c := range chains {
		if _, ok := number[c]; !ok {
			number[c] = int32(len(number))
		}
		chains[i] = number[c]
	}
	return chains
}

// randomGeneral returns a poset made of random edges, whose elements are
// numbered at random, with a minimum chain partition.
func randomGeneral(t testing.TB, r *rand.Rand, n int) (*poset.Poset, []int32) {
	name := r.Perm(n)
	density := r.Float64()
	var edges []poset.Edge
	for i := range n {
		for j := range i {
			if r.Float64() < density/2 {
				edges = append(edges, poset.Edge{From: int32(name[j]), To: int32(name[i])})
			}
		}
	}
	p, err := poset.New(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return p, p.MinimumChains()
}

// eachTuple calls f with every tuple of k distinct elements of 0..n-1, in
// lexicographic order.
func eachTuple(n, k int, f func(tuple []int32)) {
	tuple := make([]int32, 0, k)
	var extend func()
	extend = func() {
		if len(tuple) == k {
			f(tuple)
			return
		}
		for x := range int32(n) {
			if !slices.Contains(tuple, x) {
				tuple = append(tuple, x)
				extend()
				tuple = tuple[:len(tuple)-1]
			}
		}
	}
	extend()
}

// naiveFamily returns the schedules of all feasible indices of depth d by
// Algorithm 1 itself, in index order, duplicates left out, and the index that
// gave each first.
func naiveFamily(p *poset.Poset, chains []int32, d int) (schedules [][]int32, indices []Index) {
	seen := map[string]bool{}
	m := int32(0)
	for _, c := range chains {
		m = max(m, c+1)
	}
	for chain := range m {
		eachTuple(p.Len(), d-1, func(tuple []int32) {
			if !Feasible(p, tuple) {
				return
			}
			index := Index{chain, slices.Clone(tuple)}
			s := Schedule(p, chains, index)
			if key := keyOf(s); !seen[key] {
				seen[key] = true
				schedules = append(schedules, s)
				indices = append(indices, index)
			}
		})
	}
	return schedules, indices
}

func keyOf(s []int32) string {
	b := make([]byte, 0, 2*len(s))
	for _, e := range s {
		b = append(b, byte(e), byte(e>>8))
	}
	return string(b)
}
