package subject

import (
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A semaphore has permits, at first one.
type semaphore interface {
	tryAcquire() bool
	release()
	available() int
}

// semaphores have no model: a mutex knows no more than one permit.
func semaphores() []*Subject {
	return subjects(model{}, []*stress.Method{
		nullary("tryAcquire", 0, func(s semaphore) history.Value { return history.BoolValue(s.tryAcquire()) }),
		nullary("release", 0, func(s semaphore) history.Value { s.release(); return history.NoValue }),
		nullary("available", readOnly, func(s semaphore) history.Value { return intValue(s.available()) }),
	}, variant{
		name: "semaphore", doc: "a semaphore with atomic permits",
		new: func() any { return newAtomicSemaphore() },
	}, variant{
		name: "semaphore-missed-release", doc: "a semaphore that remembers being empty, and may go on to after a release",
		new: func() any { return &sleepySemaphore{atomicSemaphore: newAtomicSemaphore()} }, twin: "semaphore",
	})
}

type atomicSemaphore struct{ permits atomic.Int64 }

func newAtomicSemaphore() *atomicSemaphore {
	s := &atomicSemaphore{}
	s.permits.Store(1)
	return s
}

func (s *atomicSemaphore) tryAcquire() bool {
	_, ok := s.acquire()
	return ok
}

// acquire also returns how many permits are left.
func (s *atomicSemaphore) acquire() (left int64, ok bool) {
	for {
		n := s.permits.Load()
		if n == 0 {
			return 0, false
		}
		if s.permits.CompareAndSwap(n, n-1) {
			return n - 1, true
		}
	}
}

func (s *atomicSemaphore) release()       { s.permits.Add(1) }
func (s *atomicSemaphore) available() int { return int(s.permits.Load()) }
