package schedule

import "math/bits"

// The clock advances a little with each reading. It does not count steps, as then the result of
// an execution would depend on how many these are. Time passes until the earliest sleeper wakes
//   - if no other thread can go on,
//   - or as a decision of the strategy, a tick, up to Limits.Ticks times.
//
// Sleepers go on in the order of their times, and there is no other tick before all whose time
// has come did.
//
// A goroutine may sleep again and again, as a janitor does, while the threads of the program
// wait for something else. If it has woken twice in vain, the next sleeper follows: so a timeout of an hour ends although another
// goroutine wakes each second. If sleepers have woken mostVain times in vain, they are taken
// to do so forever, and the threads of the program are in a deadlock; see also Limits.Test and Rest.
type clocked struct {
	due     uint64 // sleepers whose time has come
	ticks   int    // those that the strategy has left
	vain    int    // how often sleepers woke since a thread of the program took a step
	resting bool   // see Rest
}

const (
	fairVain = 2
	mostVain = 4
	testVain = 20_000 // of both, with Limits.Test
	restVain = 100    // of fairVain, in Rest

	// together is how much later others may wake that have the same time for a program with Limits.Test, in nanoseconds: it
	// began to sleep at once, but for what it did in between.
	together = 10_000
)

// earliest returns the thread of a set that wakes first, or nil if it is empty.
func (s *scheduler) earliest(set uint64) *thread {
	var first *thread
	for m := set; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; first == nil || t.wake < first.wake {
			first = t
		}
	}
	return first
}

// sleeper returns the thread that wakes if there is a tick now, or nil.
func (s *scheduler) sleeper() *thread {
	if !s.parallel || s.ticks <= 0 || s.due != 0 || s.sleeping == 0 {
		return nil
	}
	return s.earliest(s.sleeping)
}

// ticksFor lets time pass until a sleeper wakes, as the strategy has decided.
func (s *scheduler) ticksFor(t *thread) {
	s.ticks--
	s.result.Ticks++
	s.passTo(t.wake)
}

// asksAtEnd reports whether the strategy decides for a tick between the end of the threads and
// After. A reduction also learns there what the sleeper would do.
func (s *scheduler) asksAtEnd(sleeper *thread) bool {
	d, after := &s.decision, s.threads[s.after]
	*d = Decision{Current: after.id, Polls: -1, Tick: sleeper.id, Enabled: after.bit | sleeper.bit, Daemons: d.Daemons, Free: true, End: true, Before: s.fingerprint()}
	n := s.strategy.Pick(d)
	switch {
	case n < 0:
		s.result.Pruned = true
		return false
	case n != after.id && n != sleeper.id:
		s.result.Diverged = true
		n = after.id
	}
	s.record(n)
	if n == sleeper.id {
		s.ticksFor(sleeper)
		return true
	}
	s.ticks, s.node = 0, -1
	return false
}

// passTo lets time pass until at.
func (s *scheduler) passTo(at int64) {
	s.clock, s.result.Jumped = max(s.clock, at), true
	for m := s.sleeping; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; t.wake <= s.clock {
			s.due |= t.bit
		}
	}
}

// wakeNext lets time pass until the next sleeper wakes, and reports whether there is one.
func (s *scheduler) wakeNext() bool {
	asleep := s.sleeping &^ s.due
	patient, fair := asleep, fairVain
	if s.test {
		fair = testVain // in the order of their times
	}
	if s.resting {
		fair = restVain
	}
	for m := asleep; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; t.vain >= fair {
			patient &^= t.bit
		}
	}
	next := s.earliest(patient)
	if next == nil {
		next = s.earliest(asleep)
	}
	if next == nil {
		return false
	}
	if s.vain >= mostVain && (!s.test || s.vain >= testVain) {
		s.result.Cut = s.test
		return false
	}
	if next.daemon {
		s.vain++
		next.vain++
	}
	at := next.wake
	for m := asleep; s.test && s.step > 0 && m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; t.wake > at && t.wake <= next.wake+together {
			at = t.wake
		}
	}
	s.passTo(at)
	return true
}

// wakes is called when a sleeper goes on or ends.
func (s *scheduler) wakes(t *thread) {
	s.sleeping &^= t.bit
	s.due &^= t.bit
}

// works is called when a thread of the program has taken a step.
func (s *scheduler) works() {
	if s.vain == 0 {
		return
	}
	s.result.Ticks += s.vain
	s.vain = 0
	for _, t := range s.threads[:s.live] {
		t.vain = 0
	}
}
