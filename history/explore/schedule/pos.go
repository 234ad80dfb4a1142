package schedule

import (
	"math/bits"
	"math/rand/v2"
)

// A POS is partial order sampling: each pending step has a random priority, the highest is
// taken, and those that conflict with it draw again. It has no last schedule: Next always
// returns true. Numbers of choices are drawn uniformly.
//
// Yuan, Yang, Gu: Partial order aware concurrency sampling (CAV 2018).
type POS struct {
	random   *rand.Rand
	priority [MaxThreads]float64
	seen     int // steps of the trace
}

// NewPOS returns a POS.
func NewPOS(seed uint64) *POS {
	return &POS{random: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

func (r *POS) Begin() {
	for i := range r.priority {
		r.priority[i] = r.random.Float64()
	}
	r.seen = 0
}

func (r *POS) Pick(d *Decision) int {
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
	best := bits.TrailingZeros64(d.Enabled)
	for m := d.Enabled; m != 0; m &= m - 1 {
		if t := bits.TrailingZeros64(m); r.priority[t] > r.priority[best] {
			best = t
		}
	}
	return best
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

func (r *POS) Choose(n int) int { return r.random.IntN(n) }

func (r *POS) Next(*Result) bool { return true }
