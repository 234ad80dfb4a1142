package stresstest

import (
	"sync"
	"testing"
	"time"
)

// A KeyedLock has a lock for each key. By the names of its methods, no program is known to misuse one.
type KeyedLock struct{ locks [2]sync.Mutex }

func (l *KeyedLock) TryLock(key bool) bool { return l.of(key).TryLock() }
func (l *KeyedLock) Unlock(key bool)       { l.of(key).Unlock() }

func (l *KeyedLock) of(key bool) *sync.Mutex {
	if key {
		return &l.locks[1]
	}
	return &l.locks[0]
}

// TestLock: on threads, programs that misuse a lock end a worker. If they ended this process, no other
// test would run.
func TestLock(t *testing.T) {
	Test(t, func() *KeyedLock { return &KeyedLock{} }, Options{Threads: true, Effort: Effort{Time: 500 * time.Millisecond, Program: time.Millisecond}})
}
