// Package twins has functions that compose operations, each with what leadline composed --check says.
package twins

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A Memo has a constructor; its zero value is of no use.
type Memo struct {
	m *sync.Map
	f func(string) int
}

// NewMemo returns a Memo of a function.
func NewMemo(f func(string) int) *Memo { return &Memo{&sync.Map{}, f} }

// want: none
func (m *Memo) Good(k string) int {
	if v, ok := m.m.Load(k); ok {
		return v.(int)
	}
	v, _ := m.m.LoadOrStore(k, m.f(k))
	return v.(int)
}

// want: violation
func (m *Memo) Bad(k string) int {
	if v, ok := m.m.Load(k); ok {
		return v.(int)
	}
	v := m.f(k)
	m.m.Store(k, v)
	return v
}

var global sync.Map

// want: none
func goodGlobal(k string) int {
	if v, ok := global.Load(k); ok {
		return v.(int)
	}
	v, _ := global.LoadOrStore(k, len(k))
	return v.(int)
}

// want: violation
func badGlobal(k string) int {
	if v, ok := global.Load(k); ok {
		return v.(int)
	}
	global.Store(k, len(k))
	return len(k)
}

// Constants and callbacks.
type counts struct{ m sync.Map }

// want: violation
func (c *counts) DropIfZero(name string) bool {
	v, ok := c.m.Load(name)
	if ok && v.(int) == 0 {
		c.m.Delete(name)
		return true
	}
	return false
}

// want: violation
func (c *counts) GetOrMake(name string, make func() int) int {
	if v, ok := c.m.Load(name); ok {
		return v.(int)
	}
	v := make()
	c.m.Store(name, v)
	return v
}

// want: none
func (c *counts) Update(k string, f func(int) int) int {
	for {
		v, ok := c.m.Load(k)
		if !ok {
			n := f(0)
			if _, loaded := c.m.LoadOrStore(k, n); !loaded {
				return n
			}
			continue
		}
		n := f(v.(int))
		if c.m.CompareAndSwap(k, v, n) {
			return n
		}
	}
}

// Pointers.
type entry struct {
	mu   sync.Mutex
	name string
}

type entries struct{ m sync.Map }

// want: none
func (e *entries) Get(name string) *entry {
	if v, ok := e.m.Load(name); ok {
		return v.(*entry)
	}
	v, _ := e.m.LoadOrStore(name, &entry{name: name})
	return v.(*entry)
}

// want: violation
func (e *entries) GetBad(name string) *entry {
	if v, ok := e.m.Load(name); ok {
		return v.(*entry)
	}
	v := &entry{name: name}
	e.m.Store(name, v)
	return v
}

// want: violation
func (e *entries) Panics(name string) string {
	v, _ := e.m.Load(name)
	e.m.Delete(name)
	return v.(*entry).name
}

// want: not exercised: alone, it waits for chan receive
func (e *entries) Blocks(name string, c chan int) int {
	e.m.Load(name)
	v := <-c
	e.m.Delete(name)
	return v
}

// want: not exercised: alone, it waits for sync.Mutex.Lock
func (e *entries) BlocksMutex(name string) {
	var mu sync.Mutex
	mu.Lock()
	e.m.Load(name)
	mu.Lock()
	e.m.Delete(name)
}

// want: not exercised: alone, it spins
func (e *entries) Spins(name string) {
	for {
		if _, ok := e.m.Load(name); ok {
			e.m.Delete(name)
		}
	}
}

// want: it waits for something outside of the scheduler, or does not end
func (e *entries) Busy(name string) {
	for i, n := 0, 0; ; i++ {
		if n += i; n == -1 {
			break
		}
	}
	e.m.Load(name)
	e.m.Delete(name)
}

// want: not exercised: alone, it panics: interface conversion
func (e *entries) Never(name string) {
	v, _ := e.m.Load(name + name + name)
	e.m.Delete(v.(*entry).name)
}

// want: violation
func (e *entries) Sleeps(ctx context.Context, name string) error {
	if _, ok := e.m.Load(name); ok || ctx.Err() != nil {
		return errors.New("there")
	}
	time.Sleep(time.Second)
	e.m.Store(name, 1)
	return nil
}

// want: none
func (e *entries) Times(name string) time.Time {
	if v, ok := e.m.Load(name); ok {
		return v.(time.Time)
	}
	v, _ := e.m.LoadOrStore(name, time.Now())
	return v.(time.Time)
}

// want: none
func (e *entries) Starts(name string) {
	if _, ok := e.m.Load(name); !ok {
		var wg sync.WaitGroup
		wg.Go(func() { e.m.LoadOrStore(name, 1) })
		wg.Wait()
		e.m.Load(name)
	}
}

// want: a goroutine ends the process: panic: x
func (e *entries) Ends(name string) {
	e.m.Load(name)
	e.m.Delete(name)
	go func() { panic("x") }()
}

// want: violation
func (e *entries) Drain() (n int) {
	e.m.Range(func(k, _ any) bool {
		n++
		e.m.Delete(k)
		return true
	})
	return n
}

// want: violation
func param(m *sync.Map, k string) {
	if _, ok := m.Load(k); !ok {
		m.Store(k, 7)
	}
}

// A table is a map with a lock.
type table struct {
	mu sync.Mutex
	m  map[string]int
}

func (t *table) get(k string) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.m[k]
	return v, ok
}

func (t *table) Get(k string) (int, bool) { return t.get(k) }

func (t *table) Set(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

type holder struct{ t table }

func newHolder() (*holder, error) { return &holder{table{m: map[string]int{}}}, nil }

// want: violation
func (h *holder) Count(k string) int {
	n, _ := h.t.Get(k)
	h.t.Set(k, n+1)
	return n + 1
}

type generic[K comparable, V any] struct{ m sync.Map }

// want: violation
func (g *generic[K, V]) Put(k K, v V) bool {
	if _, ok := g.m.Load(k); ok {
		return false
	}
	g.m.Store(k, v)
	return true
}

// want: none
func (g *generic[K, V]) PutIfMissing(k K, v V) bool {
	if _, ok := g.m.Load(k); ok {
		return false
	}
	_, loaded := g.m.LoadOrStore(k, v)
	return !loaded
}

type shards struct{ s [4]counts }

func (s *shards) shard(k string) *counts { return &s.s[len(k)%4] }

// want: violation
func (s *shards) Take(k string) any {
	v, ok := s.shard(k).m.Load(k)
	if ok {
		s.shard(k).m.Delete(k)
	}
	return v
}

// want: its collection depends on i, a variable of the function
func (s *shards) Each() {
	for i := range s.s {
		s.s[i].m.Load(1)
		s.s[i].m.Delete(1)
	}
}

// want: it has a type parameter S that int does not satisfy
func worded[S ~string](m *sync.Map, s S) {
	if _, ok := m.Load(s); ok {
		m.Delete(s)
	}
}

func returned() func(string) {
	var m sync.Map
	// want: it is a function literal
	return func(k string) { m.Load(k); m.Delete(k) }
}
