package hitting

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/poset"
)

// randomMachine has a few states and sometimes fails.
type randomMachine struct{ next [][]int32 } // [state][element]

func newRandomMachine(r *rand.Rand, states, n int, failure float64) randomMachine {
	m := randomMachine{make([][]int32, states)}
	for s := range m.next {
		m.next[s] = make([]int32, n)
		for e := range m.next[s] {
			m.next[s][e] = int32(r.IntN(states))
			if r.Float64() < failure {
				m.next[s][e] = -1
			}
		}
	}
	return m
}

func (m randomMachine) Start() int32              { return 0 }
func (m randomMachine) Step(state, e int32) int32 { return m.next[state][e] }
func (m randomMachine) isWitness(sched []int32) bool {
	state := int32(0)
	for _, e := range sched {
		if state = m.Step(state, e); state < 0 {
			return false
		}
	}
	return true
}

// allSchedules calls f with every linear extension.
func allSchedules(p *poset.Poset, f func(s []int32)) {
	var s []int32
	used := make([]bool, p.Len())
	var extend func()
	extend = func() {
		if len(s) == p.Len() {
			f(s)
			return
		}
	candidates:
		for e := range int32(p.Len()) {
			if used[e] {
				continue
			}
			for o := range int32(p.Len()) {
				if !used[o] && p.Less(o, e) {
					continue candidates
				}
			}
			used[e] = true
			s = append(s, e)
			extend()
			s = s[:len(s)-1]
			used[e] = false
		}
	}
	extend()
}

// naiveExactDepth is Definition 4.2 word by word.
func naiveExactDepth(p *poset.Poset, m randomMachine) int {
	for d := 1; d <= p.Len(); d++ {
		found := false
		eachTuple(p.Len(), d, func(tuple []int32) {
			good, hit := true, false
			allSchedules(p, func(s []int32) {
				if Hits(p, s, tuple) {
					hit = true
					good = good && m.isWitness(s)
				}
			})
			found = found || good && hit
		})
		if found {
			return d
		}
	}
	return 0
}

func TestExactDepth(t *testing.T) {
	r := newRand(t)
	depths := map[int]int{}
	for k := range 400 {
		n := 1 + r.IntN(5)
		p, _ := randomInterval(r, n, 1+r.IntN(5))
		if k%2 == 1 {
			p, _ = randomGeneral(t, r, n)
		}
		m := newRandomMachine(r, 1+r.IntN(3), n, r.Float64()/2)
		want := naiveExactDepth(p, m)
		got, err := ExactDepth(p, m, Options{})
		if got != want || err != nil {
			t.Fatalf("history %d: exact depth %d, %v; by the definition %d", k, got, err, want)
		}
		depths[got]++
	}
	for _, d := range []int{0, 1, 2, 3} {
		if depths[d] == 0 {
			t.Errorf("no random history of depth %d: %v", d, depths)
		}
	}
}

// TestExactDepthIsAnUpperBound: the family of the exact depth always holds a
// witness, and sometimes a smaller one does, by luck.
func TestExactDepthIsAnUpperBound(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	lucky := 0
	for range 500 {
		n := 2 + r.IntN(6)
		p, chains := randomInterval(r, n, 2+r.IntN(4))
		m := newRandomMachine(r, 1+r.IntN(3), n, r.Float64()/3)
		exact, err := ExactDepth(p, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := NewFamily(p, chains, Options{})
		witness := 0
		for witness == 0 && !f.Done() {
			for _, s := range f.Grow() {
				if m.isWitness(s) {
					witness = f.Depth()
					break
				}
			}
		}
		switch {
		case (witness == 0) != (exact == 0), witness > exact:
			t.Fatalf("witness depth %d, exact depth %d", witness, exact)
		case witness < exact:
			lucky++
		}
	}
	if lucky == 0 {
		t.Error("witness depth and exact depth never differ; they should in one history of seven")
	}
}
