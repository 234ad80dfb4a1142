package schedule

import (
	"math/bits"
	"math/rand/v2"
)

// A Random draws schedules. It has no last one: Next always returns true. Numbers of choices are
// drawn uniformly, apart from threads.
type Random struct {
	random   *rand.Rand
	pick     func(r *Random, d *Decision) int
	begin    func(r *Random)
	priority [MaxThreads]float64
	depth    int
	length   int   // the most decisions of an execution so far
	count    int   // of this one
	change   []int // the decisions at which a priority falls
	lowest   float64
	seen     int // steps of the trace
}

func newRandom(seed uint64) *Random {
	return &Random{random: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), begin: func(*Random) {}}
}

// NewWalk returns a strategy that takes each thread that can go on with the same probability.
func NewWalk(seed uint64) *Random {
	r := newRandom(seed)
	r.pick = func(r *Random, d *Decision) int {
		m := d.Enabled
		for range r.random.IntN(bits.OnesCount64(m)) {
			m &= m - 1
		}
		return bits.TrailingZeros64(m)
	}
	return r
}

// NewPCT returns probabilistic concurrency testing: threads have random priorities, the
// one with the highest goes on, and at depth-1 random decisions it falls below all others. It finds a bug
// of that depth in n threads of k decisions with probability 1/(n k^(depth-1)) at least.
//
// Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
// guarantees of finding bugs (ASPLOS 2010). Unlike in the paper, k is the largest number of decisions
// seen so far, so the first execution has no change.
func NewPCT(depth int, seed uint64) *Random {
	r := newRandom(seed)
	r.depth = depth
	r.begin = func(r *Random) {
		r.drawPriorities()
		r.change = r.change[:0]
		for range r.depth - 1 {
			r.change = append(r.change, r.random.IntN(r.length+1))
		}
	}
	r.pick = func(r *Random, d *Decision) int {
		for _, at := range r.change {
			if at == r.count {
				r.lowest--
				r.priority[r.highest(d.Enabled)] = r.lowest
			}
		}
		return r.highest(d.Enabled)
	}
	return r
}

// NewPOS returns partial order sampling: each pending step has a random priority,
// the highest is taken, and those that conflict with it draw again.
//
// Yuan, Yang, Gu: Partial order aware concurrency sampling (CAV 2018).
func NewPOS(seed uint64) *Random {
	r := newRandom(seed)
	r.begin = (*Random).drawPriorities
	r.pick = func(r *Random, d *Decision) int {
		for trace := d.Trace(); r.seen < len(trace); r.seen++ {
			a := &trace[r.seen]
			r.priority[a.Thread] = r.random.Float64()
			for m := d.Enabled &^ (1 << a.Thread); m != 0; m &= m - 1 {
				t := bits.TrailingZeros64(m)
				if b := d.Pending(t); b.conflicts(a) {
					r.priority[t] = r.random.Float64()
				}
			}
		}
		return r.highest(d.Enabled)
	}
	return r
}

// conflicts reports whether the order of two steps of different threads matters.
func (a *Access) conflicts(b *Access) bool {
	switch {
	case (a.Flags|b.Flags)&Global != 0, a.Flags&b.Flags&Clock != 0:
		return true
	case a.Kind > Write || b.Kind > Write || a.Kind == Read && b.Kind == Read:
		return false
	}
	return a.Addr == b.Addr
}

func (r *Random) drawPriorities() {
	for i := range r.priority {
		r.priority[i] = r.random.Float64()
	}
}

func (r *Random) highest(enabled uint64) int {
	best := bits.TrailingZeros64(enabled)
	for m := enabled; m != 0; m &= m - 1 {
		if t := bits.TrailingZeros64(m); r.priority[t] > r.priority[best] {
			best = t
		}
	}
	return best
}

func (r *Random) Begin() {
	r.count, r.lowest, r.seen = 0, 0, 0
	r.begin(r)
}

func (r *Random) Pick(d *Decision) int {
	n := r.pick(r, d)
	r.count++
	return n
}

func (r *Random) Choose(n int) int { return r.random.IntN(n) }

func (r *Random) Next(*Result) bool {
	r.length = max(r.length, r.count)
	return true
}
