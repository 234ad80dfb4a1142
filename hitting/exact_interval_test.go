package hitting

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// A registerMachine is a register. Each element writes a value or reads one.
type registerMachine []struct {
	write bool
	value int32
}

func (m registerMachine) Start() int32 { return 0 }
func (m registerMachine) Step(state, e int32) int32 {
	if !m[e].write && m[e].value != state {
		return -1
	}
	return m[e].value
}

// newRegisterMachine returns a register with three values whose results a random
// schedule of p gives.
func newRegisterMachine(r *rand.Rand, p *poset.Poset, writes float64) registerMachine {
	m := make(registerMachine, p.Len())
	waits := make([]int, p.Len()) // predecessors that are not in yet, -1: in
	for i := range int32(p.Len()) {
		for j := range int32(p.Len()) {
			if p.Less(i, j) {
				waits[j]++
			}
		}
	}
	value := int32(0)
	for range m {
		e := int32(r.IntN(p.Len()))
		for waits[e] != 0 {
			e = (e + 1) % int32(p.Len())
		}
		if m[e].write = r.Float64() < writes; m[e].write {
			value = int32(r.IntN(3))
		}
		m[e].value = value
		waits[e] = -1
		for j := range int32(p.Len()) {
			if p.Less(e, j) {
				waits[j]--
			}
		}
	}
	return m
}

// TestExactOnIntervals: on interval orders ExactDepth agrees with the search over
// downsets in a word, which knows nothing of intervals.
func TestExactOnIntervals(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	depths := map[int]int{}
	compare := func(p *poset.Poset, m Machine) {
		t.Helper()
		want, err := exactInWord(p, m, Options{Meter: meter.New(nil).Share(1 << 18)})
		if err != nil {
			return
		}
		if got, err := ExactDepth(p, m, Options{}); got != want || err != nil {
			t.Fatalf("exact depth %d, %v; by downsets in a word %d", got, err, want)
		}
		depths[want]++
	}
	rounds, deepest := 2000, 12
	if *full {
		rounds, deepest = 20000, 19
	}
	for range rounds {
		n := 1 + r.IntN(12)
		p, _ := randomInterval(r, n, 1+r.IntN(8))
		compare(p, newRandomMachine(r, 1+r.IntN(4), n, r.Float64()*r.Float64()/2))
	}
	for range rounds / 20 { // many sets of states
		p, _ := randomInterval(r, 8+r.IntN(3), 3+r.IntN(3))
		compare(p, newRandomMachine(r, 100, p.Len(), r.Float64()/50))
	}
	for range rounds / 20 {
		p, _ := randomInterval(r, 1+r.IntN(ExactMax), 1+r.IntN(8))
		compare(p, newRegisterMachine(r, p, r.Float64()))
	}
	t.Log(depths)
	for d := range deepest + 1 {
		if depths[d] == 0 {
			t.Errorf("no random history of depth %d", d)
		}
	}
}

// A countingMachine takes its elements in ascending order.
type countingMachine struct{}

func (countingMachine) Start() int32 { return 0 }
func (countingMachine) Step(state, e int32) int32 {
	if state != e {
		return -1
	}
	return state + 1
}

// TestExactDepthLimits: n elements that are all concurrent, of which one order is a
// witness, have depth n-1, up to ExactMax of them.
func TestExactDepthLimits(t *testing.T) {
	for n := ExactMax - 1; n <= ExactMax+1; n++ {
		call, ret := make([]int32, n), make([]int32, n)
		for i := range n {
			call[i], ret[i] = int32(i), int32(n+i)
		}
		general, err := poset.New(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []*poset.Poset{poset.Interval(call, ret), general} {
			d, err := ExactDepth(p, countingMachine{}, Options{})
			if n <= ExactMax && (d != n-1 || err != nil) || n > ExactMax && (d != 0 || !errors.Is(err, ErrOpen)) {
				t.Errorf("%d elements, kept as intervals: %v: exact depth %d, %v", n, p.IsInterval(), d, err)
			}
		}
	}
}

// TestExactDepthOfLongHistories: of n elements, pairs of neighbours are concurrent,
// and one element is concurrent with all others. One order is a witness.
func TestExactDepthOfLongHistories(t *testing.T) {
	t.Parallel()
	for _, pairs := range []int{31, 32, 33, 512, 2500} {
		n := 2*pairs + 1
		call, ret := make([]int32, n), make([]int32, n)
		for i := 1; i < n; i++ {
			k := int32(i-1) / 2 // pair
			call[i] = 4*k + int32(i-1)%2 + 1
			ret[i] = call[i] + 2
		}
		ret[0] = int32(2 * n)
		// F is element 0. The tuple has the first pair, and the second of each other
		// one: the element before it is above the one before that.
		if d, err := ExactDepth(poset.Interval(call, ret), countingMachine{}, Options{}); d != pairs+1 || err != nil {
			t.Errorf("%d pairs: exact depth %d, %v, want %d", pairs, d, err, pairs+1)
		}
	}
}

// TestExactDepthBounds: a bound of work or memory ends both searches.
func TestExactDepthBounds(t *testing.T) {
	p, _ := dense()
	m := newRandomMachine(newRand(t), 3, p.Len(), 0)
	for name, search := range map[string]func(*poset.Poset, Machine, Options) (int, error){"intervals": exactOnIntervals, "word": exactInWord} {
		for _, c := range []struct {
			opt  Options
			want error
		}{
			{Options{Meter: meter.New(nil).Share(10)}, ErrStopped},
			{Options{Meter: meter.New(func() bool { return true })}, ErrStopped},
			{Options{MaxBytes: 1000}, ErrMemory},
			{Options{MaxBytes: 10000}, ErrMemory},
			{Options{MaxBytes: 1 << 24}, nil},
		} {
			if d, err := search(p, m, c.opt); !errors.Is(err, c.want) || (err == nil) != (d > 0) {
				t.Errorf("%s: exact depth %d, %v, want the error %v", name, d, err, c.want)
			}
		}
	}
}
