package subject

import "sync/atomic"

// A sleepySemaphore has a flag by which acquirers see at once that there is
// no permit. Whoever takes the last one sets it, and a release takes it back.
// But a release may come between the two: then the flag is set after it, and
// nobody is told of the permit, as by a wake-up that is missed.
type sleepySemaphore struct {
	*atomicSemaphore
	empty atomic.Bool
}

func (s *sleepySemaphore) tryAcquire() bool {
	if s.empty.Load() {
		return false
	}
	left, ok := s.acquire()
	if ok && left == 0 {
		linger()
		s.empty.Store(true)
	}
	return ok
}

func (s *sleepySemaphore) release() {
	s.atomicSemaphore.release()
	s.empty.Store(false)
}
