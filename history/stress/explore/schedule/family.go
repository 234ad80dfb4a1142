package schedule

import (
	"math/bits"
	"math/rand/v2"
)

// A Family visits strong hitting families of the steps that the threads take: for the depths 1, 2, ...
// up to d, one schedule for each index <chain, (x1 ... x(d-1))>, where the chain is a thread and the x are steps.
// In it the thread goes on only if no other can, and each x waits for all that need not
// come after it, x1 first. It is PCT of depth d without chance: change points are the steps x, and
// the lowest priority is the chain's.
//
// If the steps of each thread were the same in all executions and none blocked, the schedules of depth d would
// strongly hit each d-tuple of steps. So each tuple of d+1 steps whose order is possible
// would come in that order in one of them: two steps for one schedule a thread, three steps for one a
// thread and step. Steps are the threads' own, counted from the start, as they were in
// executions so far. Where a thread takes others in another order, the schedule is followed as these
// priorities say, and nothing is guaranteed.
//
// Ozkan, Majumdar, Niksic: Checking linearizability using hitting families (PPoPP 2019), Algorithm 1;
// package hitting has it for histories. Unlike there, other threads go on one after another as long as
// they can, and schedules are not compared. Numbers of choices are 0 in the first execution and random later.
type Family struct {
	most   int   // depth
	index  []int // chain, then threads and steps of x1, x2, ...
	random *rand.Rand
	steps  [MaxThreads]int // the most steps of each thread in an execution
	bound  [MaxThreads]int // steps at the beginning of this depth
	taken  [MaxThreads]int // in this execution
	seen   int
	first  bool
}

// NewFamily returns the families up to depth d, at least 1.
func NewFamily(d int) *Family {
	return &Family{most: max(d, 1), random: rand.New(rand.NewPCG(1, 1)), first: true}
}

func (f *Family) Begin() {
	f.taken, f.seen = [MaxThreads]int{}, 0
}

// count updates the steps taken by each thread.
func (f *Family) count(trace []Access) {
	for ; f.seen < len(trace); f.seen++ {
		if a := &trace[f.seen]; a.Flags&Follows == 0 {
			f.taken[a.Thread]++
		}
	}
}

func (f *Family) Pick(d *Decision) int {
	if f.first {
		return d.first()
	}
	if f.seen == 0 {
		f.seen = d.From()
	}
	f.count(d.Trace())
	best, rank := -1, 0
	for m := d.Enabled; m != 0; m &= m - 1 {
		t := bits.TrailingZeros64(m)
		if r := f.rank(t); best < 0 || r < rank || r == rank && t == d.Current {
			best, rank = t, r
		}
	}
	return best
}

// rank returns how late a thread goes on.
func (f *Family) rank(t int) int {
	rank := 0
	if f.index[0] == t {
		rank = 1
	}
	for i := 1; i < len(f.index); i += 2 {
		if f.index[i] == t && f.index[i+1] == f.taken[t] {
			rank = 1 + i
		}
	}
	return rank
}

func (f *Family) Choose(n int) int {
	if f.first {
		return 0
	}
	return f.random.IntN(n)
}

func (f *Family) Next(r *Result) bool {
	f.taken, f.seen = [MaxThreads]int{}, r.From
	f.count(r.Trace[:r.To])
	for t := range f.steps {
		f.steps[t] = max(f.steps[t], f.taken[t])
	}
	if f.first {
		f.first = false
		return f.deepen()
	}
	for i := len(f.index) - 1; i >= 0; i-- {
		if f.increment(i) {
			return true
		}
	}
	return f.deepen()
}

// increment sets the next index that differs at i first, or reports that there is none.
func (f *Family) increment(i int) bool {
	for {
		f.index[i]++
		if i == 0 || i%2 == 1 {
			for f.index[i] < MaxThreads && f.bound[f.index[i]] == 0 {
				f.index[i]++
			}
		}
		switch {
		case (i == 0 || i%2 == 1) && f.index[i] >= MaxThreads:
			return false
		case i > 0 && i%2 == 0 && f.index[i] >= f.bound[f.index[i-1]]:
			return false
		case f.fill(i + 1):
			return true
		}
	}
}

// fill sets the places from i on to the first index that is feasible.
func (f *Family) fill(i int) bool {
	if i%2 == 1 && i > 1 && !f.feasible(i-2) {
		return false
	}
	if i == len(f.index) {
		return true
	}
	f.index[i] = -1
	return f.increment(i)
}

// feasible reports whether the step at i is not one before it, or earlier in the same thread.
func (f *Family) feasible(i int) bool {
	for j := 1; j < i; j += 2 {
		if f.index[j] == f.index[i] && f.index[j+1] >= f.index[i+1] {
			return false
		}
	}
	return true
}

// deepen begins with the next depth.
func (f *Family) deepen() bool {
	f.bound = f.steps
	for (len(f.index)+1)/2 < f.most {
		n := len(f.index) + 2
		if len(f.index) == 0 {
			n = 1
		}
		f.index = make([]int, n)
		if f.fill(0) {
			return true
		}
	}
	return false
}
