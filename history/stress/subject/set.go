package subject

import (
	"maps"
	"slices"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A set is a set of numbers.
type set interface {
	add(v int) bool
	remove(v int) bool
	contains(v int) bool
	size() int
	elements() []int
}

func sets() []*Subject {
	return subjects(model{name: "set"}, []*stress.Method{
		unary("add", 0, func(s set, v int) history.Value { return history.BoolValue(s.add(v)) }),
		unary("remove", 0, func(s set, v int) history.Value { return history.BoolValue(s.remove(v)) }),
		unary("contains", readOnly, func(s set, v int) history.Value { return history.BoolValue(s.contains(v)) }),
		nullary("size", readOnly, func(s set) history.Value { return intValue(s.size()) }),
		nullary("elements", readOnly, func(s set) history.Value { return intList(s.elements()) }),
	}, variant{
		name: "set", doc: "a set under a lock",
		new: func() any { return newLockedSet() },
	}, variant{
		name: "set-stale-size", doc: "a set that counts its elements outside of its lock",
		new: func() any { return &countedSet{lockedSet: newLockedSet()} }, twin: "set",
	}, variant{
		name: "set-check-then-act", doc: "a set whose add looks and inserts under the lock, but gives it back in between",
		new: func() any { return &checkedSet{newLockedSet()} }, twin: "set",
	})
}

type lockedSet struct {
	mu sync.Mutex
	m  map[int]bool
}

func newLockedSet() *lockedSet { return &lockedSet{m: map[int]bool{}} }

func (s *lockedSet) add(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m[v] {
		return false
	}
	s.m[v] = true
	return true
}

func (s *lockedSet) remove(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.m[v]
	delete(s.m, v)
	return had
}

func (s *lockedSet) contains(v int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[v]
}

func (s *lockedSet) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.m)
}

func (s *lockedSet) elements() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.m))
}
