// Package twins has objects that are not atomic, each with a correct twin that has the same
// methods.
package twins

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// A Counter is broken unless it is Correct.
type Counter struct {
	n       atomic.Int64
	Correct bool
}

func NewCounter(correct bool) *Counter { return &Counter{Correct: correct} }

func (c *Counter) Inc() int64 {
	if c.Correct {
		return c.n.Add(1)
	}
	n := c.n.Load() + 1
	c.n.Store(n)
	return n
}

// errFull is the error of a full store.
var errFull = errors.New("full")

// A User is a struct in results.
type User struct {
	Name string
	Tags []int
}

// A Store is a map with room for one key. If it is correct, it looks for room and inserts in one
// critical section.
type Store[K comparable, V any] struct {
	mu      sync.Mutex
	all     map[K]V
	correct bool
}

// An Option changes a store.
type Option func(correct *bool)

// Correct makes a correct store.
func Correct(correct *bool) { *correct = true }

// NewStore returns a value, not a pointer.
func NewStore[K comparable, V any](options ...Option) (Store[K, V], error) {
	s := Store[K, V]{all: map[K]V{}}
	for _, o := range options {
		o(&s.correct)
	}
	return s, nil
}

func (s *Store[K, V]) Put(ctx context.Context, k K, v V) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.all[k]; !ok && len(s.all) > 0 {
		return fmt.Errorf("put %v: %w", k, errFull)
	}
	if !s.correct { // others may see that there is room
		s.mu.Unlock()
		_ = fmt.Sprint(k, v)
		s.mu.Lock()
	}
	s.all[k] = v
	return nil
}

// Range calls f for each pair, as sync.Map does.
func (s *Store[K, V]) Range(f func(k K, v V) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.all {
		if !f(k, v) {
			return
		}
	}
}

// Remove panics without keys.
func (s *Store[K, V]) Remove(keys ...K) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	_ = keys[0]
	for _, k := range keys {
		if _, ok := s.all[k]; ok {
			n++
		}
		delete(s.all, k)
	}
	return n
}
