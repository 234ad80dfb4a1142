package subjects

import "sync"

// Locks are three locks. Each call holds two of them.
type Locks struct {
	locks   [3]sync.Mutex
	counts  [3]int
	ordered bool
}

// NewLocks returns locks that calls lock by number, if they are ordered. Otherwise,
// three calls can wait for one another.
func NewLocks(ordered bool) *Locks { return &Locks{ordered: ordered} }

// Use counts a use of a lock and of the next, and returns how often the first was
// used before.
func (l *Locks) Use(n int) int {
	n = ((n % 3) + 3) % 3
	first, second := n, (n+1)%3
	if l.ordered {
		first, second = min(first, second), max(first, second)
	}
	l.locks[first].Lock()
	defer l.locks[first].Unlock()
	l.locks[second].Lock()
	defer l.locks[second].Unlock()
	l.counts[n]++
	l.counts[(n+1)%3]++
	return l.counts[n] - 1
}
