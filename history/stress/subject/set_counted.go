package subject

import "sync/atomic"

// A countedSet changes the number of its elements after it has given back the
// lock: its size lags behind, and may be less than 0.
type countedSet struct {
	*lockedSet
	n atomic.Int64
}

func (s *countedSet) add(v int) bool {
	if !s.lockedSet.add(v) {
		return false
	}
	linger()
	s.n.Add(1)
	return true
}

func (s *countedSet) remove(v int) bool {
	if !s.lockedSet.remove(v) {
		return false
	}
	linger()
	s.n.Add(-1)
	return true
}

func (s *countedSet) size() int { return int(s.n.Load()) }
