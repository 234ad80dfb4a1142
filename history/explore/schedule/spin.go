package schedule

import "math/bits"

// If threads seem to spin, the execution is Cut or a hang. To find out, each thread that is
// left and not blocked takes Limits.Spin more steps, one thread after another. They are not
// part of the trace. The execution is a hang if no thread
//   - writes, apart from a Failed compare-and-swap and what leaves memory Unchanged
//   - ends, blocks, begins an invocation, returns from one, or starts a goroutine
//   - reads the clock, takes a random number, or makes another choice
//   - uses an address in the second half of its steps that it did not use in the first: it
//     may be on its way through a list or table.
//
// Then memory stays the same, and each thread reads the same values whatever the order of the
// steps. So no schedule ends the loops, and a fair one does not either. If a thread holds a
// spin lock and was only not scheduled, it releases the lock here, which is a write.
//
// Variables of the threads, and memory without hooks, are not visible. So a loop that gives up
// after more than Limits.Spin steps is taken for a hang. By default that is Limits.Steps, and no
// complete part of an execution has more: no other execution gets out of such a loop. Before a
// hang is reported, it should be repeated with a larger Limits.Spin.
type spinning struct {
	doubtful bool // the execution seems to spin
	trying   bool // threads take their last steps
	changed  bool // they do more than spin
	wrote    bool // its last step was a write, which may turn out to change nothing
	patience int  // steps of each thread
	fuel     int  // those that are left
	last     uintptr
	used     map[uintptr]bool // addresses in the first half
}

// hangs reports whether the threads that are left spin forever.
func (s *scheduler) hangs() bool {
	left := s.alive
	for m := s.waiting; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; !t.waiter.Ready() {
			left &^= t.bit
		}
	}
	if s.used == nil {
		s.used = map[uintptr]bool{}
	}
	s.trying, s.changed = true, false
	for ; left != 0 && !s.changed; left &= left - 1 {
		t := s.threads[bits.TrailingZeros64(left)]
		t.spun = true
		s.fuel, s.wrote, s.last = s.patience, false, 0
		clear(s.used)
		s.loop(t)
	}
	s.trying = false
	return !s.changed
}

// try is step while threads are tried. The thread stops if this is not a hang, or if it has
// taken enough steps. It is not resumed, except to end.
func (t *thread) try(k Kind, addr uintptr) {
	s := &the
	blocks := t.waiter != nil && !t.waiter.Ready()
	t.waiter = nil
	s.waiting &^= t.bit
	s.wakes(t)
	if s.wrote || blocks || k == Begin {
		s.changed = true
	}
	if s.wrote = k == Write; addr != s.last && addr != 0 {
		if s.last = addr; s.fuel > s.patience/2 {
			s.used[addr] = true
		} else if !s.used[addr] {
			s.changed = true
		}
	}
	if s.fuel--; s.changed || s.fuel <= 0 {
		s.next = nil
		t.suspend()
	}
}

// moves ends the trial: the thread does more than spin.
func (t *thread) moves() {
	the.changed, the.next = true, nil
	t.suspend()
}
