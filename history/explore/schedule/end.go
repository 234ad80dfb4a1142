package schedule

import "math/bits"

// lost is called by a thread that cannot be ended. Its coroutine is abandoned.
func (s *scheduler) lost(t *thread) {
	s.alive &^= t.bit
	t.abandoned = true
	s.result.Lost++
}

// finish ends all threads that are left.
func (s *scheduler) finish() {
	r := &s.result
	for m := s.waiting; m != 0; m &= m - 1 {
		if _, ok := s.threads[bits.TrailingZeros64(m)].waiter.(vacancy); ok && s.remaining > 0 {
			r.Cut, r.Crowded = true, true
		}
	}
	r.Deadlock = s.remaining > 0 && !r.Cut && !r.Pruned && !s.stopped
	for m := s.alive; m != 0; m &= m - 1 {
		if t := s.threads[bits.TrailingZeros64(m)]; t.daemon {
			r.DaemonsLeft++
			if t.index >= 0 && s.isLeft(t) {
				r.Left++
			}
		}
	}
	if r.Deadlock || r.Cut || r.Left > 0 || s.traced {
		s.report()
	}
	for i := range r.Blocked {
		r.Places = r.Blocked[i].hash(r.Places)
	}
	s.aborting = true
	if s.forever != 0 {
		s.spare(s.forever)
	}
	s.end(s.alive)
	current.Store(nil)
	s.reset()
	s.aborting, s.kept = false, nil
	for _, t := range s.threads[:s.live] {
		t.over = nil
	}
}

// reset drops what is kept of the execution.
func (s *scheduler) reset() {
	for _, r := range s.atEnd {
		r.Reset()
	}
	clear(s.atEnd)
	s.atEnd = s.atEnd[:0]
	clear(channels)
}

// end ends threads at their steps.
func (s *scheduler) end(set uint64) {
	for m := set; m != 0; m &= m - 1 {
		t := s.threads[bits.TrailingZeros64(m)]
		for t.started && s.alive&t.bit != 0 {
			current.Store(t)
			t.resume()
			if t.exited {
				t.renew()
			}
			if t.abandoned {
				t.abandoned = false
				t.start()
			}
		}
	}
}

// dismiss ends the threads that have nothing left to do. It is called by another thread.
func (s *scheduler) dismiss() {
	caller := current.Load()
	s.aborting = true
	for m := s.alive; m != 0; m &= m - 1 {
		switch t := s.threads[bits.TrailingZeros64(m)]; {
		case t.over == nil || !t.over():
		case !t.started:
			s.alive &^= t.bit
		case s.sleeping&t.bit != 0:
			s.end(t.bit)
		}
	}
	s.aborting = false
	current.Store(caller)
}
