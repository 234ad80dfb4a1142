package schedule

import "math/bits"

// A Replay is a strategy that repeats one schedule, once. Where the schedule ends before the
// execution, the thread that runs goes on, or the first one that can.
//
// An execution whose decisions do not fit is Diverged: the program depends on more
// than its schedule, or is another one.
type Replay struct {
	schedule Schedule
	at       int
}

// NewReplay returns a Replay of s.
func NewReplay(s Schedule) *Replay { return &Replay{schedule: s} }

func (r *Replay) Begin() { r.at = 0 }

func (r *Replay) Pick(d *Decision) int {
	if r.at < len(r.schedule) {
		r.at++
		if n := int(r.schedule[r.at-1]); n < MaxThreads {
			return n
		}
		return MaxThreads
	}
	return d.first()
}

func (r *Replay) Choose(n int) int {
	if r.at < len(r.schedule) {
		r.at++
		return int(r.schedule[r.at-1])
	}
	return 0
}

// left reports whether decisions are left that the execution was to repeat.
func (r *Replay) left() bool { return r.at < len(r.schedule) }

func (r *Replay) Next(*Result) bool { return false }

// working returns the enabled threads that do not sleep. There is at least one.
func (d *Decision) working() uint64 {
	if d.Tick >= 0 {
		return d.Enabled &^ (1 << d.Tick)
	}
	return d.Enabled
}

// first returns the decision that is not a preemption: the current thread, or the first one.
func (d *Decision) first() int {
	if d.Current >= 0 {
		return d.Current
	}
	return bits.TrailingZeros64(d.working())
}
