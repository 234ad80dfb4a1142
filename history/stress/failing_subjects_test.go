package stress_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// Types with one fault each, or none, for searches for failures.

// serveFailing serves one of them.
func serveFailing(name string) int {
	switch name {
	case "Slim":
		return serveLike(func() *Slim { return &Slim{} })
	case "Nested":
		return serveLike(NewNested)
	case "Latest":
		return serveLike(NewLatest)
	case "Latch":
		return serveLike(NewLatch)
	case "Table":
		return serveLike(NewTable)
	case "Pair":
		return serveLike(NewPair)
	case "Ring":
		return serveLike(NewRing)
	case "Safe":
		return serveLike(NewSafe)
	case "Picky":
		return serveLike(NewPicky)
	case "Bounded":
		return serveLike(NewBounded)
	case "Looping":
		return serveLike(NewLooping)
	case "Helped":
		return serveLike(NewHelped)
	case "Leaky":
		return serveLike(NewLeaky)
	case "Chain":
		return serveLike(NewChain)
	case "Clumsy":
		return serveLike(func() *Clumsy { return &Clumsy{} })
	case "Torn":
		return serveLike(func() *Torn { return NewTorn() })
	case "Mirror":
		return serveLike(func() *Mirror { return NewMirror(1) })
	}
	return 1
}

func serveLike[T any](newObject func() T) int {
	stress.SetWaitLimit(time.Second)
	stress.SetConfirmWait(2 * time.Second)
	return stress.ServeLike(newObject(), func() any { return newObject() }, nil, nil)
}

// Clumsy keeps its lock if a function of the caller panics, which it calls if it is not empty. Then calls
// wait beside that one.
type Clumsy struct {
	mu sync.Mutex
	n  int
}

func (c *Clumsy) Do(f func()) {
	c.mu.Lock()
	if runtime.Gosched(); c.n > 0 {
		f()
	}
	c.mu.Unlock()
}

func (c *Clumsy) Set(n uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = int(n)
}

func (c *Clumsy) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Chain is a list of links. Cut panics if its link is not in the list, which one call after another
// never sees: it looks first.
type Chain struct{ in sync.Map }

// A Link is a link of a Chain.
type Link struct{ n int }

func NewChain() *Chain { return &Chain{} }

func (c *Chain) Add(n int) *Link {
	l := &Link{n}
	c.in.Store(l, true)
	return l
}

func (c *Chain) Cut(l *Link) {
	if _, ok := c.in.Load(l); !ok {
		return
	}
	runtime.Gosched()
	if _, ok := c.in.LoadAndDelete(l); !ok {
		panic("cut twice")
	}
}

// Slim has calls of a few nanoseconds, which have to overlap.
type Slim struct{ list []int }

func (s *Slim) Push(v int) { s.list = append(s.list, v) }

func (s *Slim) Pop() (v int) {
	if n := len(s.list); n > 0 {
		v, s.list = s.list[n-1], s.list[:n-1]
	}
	return v
}

func (s *Slim) Clear() { s.list = nil }

// Nested can contain itself. Then Depth does not end in any order of calls, and there is
// a deadlock if Set runs meanwhile.
type Nested struct {
	mu    sync.RWMutex
	inner *Nested
}

func NewNested() *Nested { return &Nested{} }

func (n *Nested) Set(inner *Nested) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inner = inner
}

func (n *Nested) Depth() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	if n.inner == nil {
		return 0
	}
	return 1 + n.inner.Depth()
}

// Latest panics if there is a later one. In a batch there is.
type Latest struct{ n int64 }

var latest atomic.Int64

func NewLatest() *Latest { return &Latest{latest.Add(1)} }

func (l *Latest) Use() {
	if latest.Load() != l.n {
		panic("there is a later one")
	}
}

// Latch ends the program if it is closed twice, whether in turns or not.
type Latch struct{ mu sync.Mutex }

func NewLatch() *Latch   { l := &Latch{}; l.mu.Lock(); return l }
func (l *Latch) Close()  { l.mu.Unlock() }
func (l *Latch) Reopen() { l.mu.TryLock() }

// Table is a map without a lock.
type Table struct{ m map[int]int }

func NewTable() *Table           { return &Table{map[int]int{}} }
func (t *Table) Put(key, to int) { t.m[key] = to }

// Torn looks at its length and then at what may be gone.
type Torn struct {
	mu   sync.Mutex
	list []int
}

func NewTorn(list ...int) *Torn { return &Torn{list: list} }

func (t *Torn) Push(v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, v)
}

func (t *Torn) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.list)
}

func (t *Torn) Pop() int {
	n := t.length()
	if n == 0 {
		return 0
	}
	runtime.Gosched()
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.list[n-1]
	t.list = t.list[:n-1]
	return v
}

// Pair has two locks, which its methods take in different orders.
type Pair struct{ a, b sync.Mutex }

func NewPair() *Pair { return &Pair{} }

func both(a, b *sync.Mutex) {
	a.Lock()
	defer a.Unlock()
	runtime.Gosched()
	b.Lock()
	defer b.Unlock()
}

func (p *Pair) Forth() { both(&p.a, &p.b) }
func (p *Pair) Back()  { both(&p.b, &p.a) }

// Ring has three locks. Any two of its methods have them in an order.
type Ring struct {
	a, b, c sync.Mutex
}

func NewRing() *Ring    { return &Ring{} }
func (r *Ring) First()  { both(&r.a, &r.b) }
func (r *Ring) Second() { both(&r.b, &r.c) }
func (r *Ring) Third()  { both(&r.c, &r.a) }

// Mirror locks the other one twice if it is itself, for reading.
type Mirror struct {
	mu sync.RWMutex
	n  int
}

func NewMirror(n int) *Mirror { return &Mirror{n: n} }

func (m *Mirror) Equal(other *Mirror) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	runtime.Gosched()
	other.mu.RLock()
	defer other.mu.RUnlock()
	return m.n == other.n
}

func (m *Mirror) Set(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n = n
}

// Safe has a lock and uses it.
type Safe struct {
	mu sync.Mutex
	m  map[string][]int
}

func NewSafe() *Safe { return &Safe{m: map[string][]int{}} }

func (s *Safe) Add(key string, v ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = append(s.m[key], v...)
}

func (s *Safe) Range(f func(string, []int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, list := range s.m {
		if f != nil && !f(key, list) {
			return
		}
	}
}

func (s *Safe) Pop(key string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.m[key]
	if len(list) == 0 {
		return 0, errors.New("empty")
	}
	s.m[key] = list[1:]
	return list[0], nil
}

// Picky panics if it is closed twice, in any goroutine.
type Picky struct {
	mu     sync.Mutex
	closed bool
}

func NewPicky() *Picky { return &Picky{} }

func (p *Picky) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		panic("closed twice")
	}
	p.closed = true
}

// Bounded waits when it is full, or empty.
type Bounded struct{ c chan int }

func NewBounded() *Bounded     { return &Bounded{make(chan int, 1)} }
func (b *Bounded) Put(v int)   { b.c <- v }
func (b *Bounded) Take() int   { return <-b.c }
func (b *Bounded) Length() int { return len(b.c) }

// Looping loops for ever if both methods have run half.
type Looping struct {
	mu         sync.Mutex
	a, b, both bool
}

func NewLooping() *Looping { return &Looping{} }

func (l *Looping) begin(mine, other *bool) {
	l.mu.Lock()
	*mine = true
	l.mu.Unlock()
	for range 100 {
		runtime.Gosched()
	}
	l.mu.Lock()
	if *other {
		l.both = true
	}
	*mine = false
	both := l.both
	l.mu.Unlock()
	//lint:ignore SA5002 it never ends, like a program that spins
	for both {
	}
}

func (l *Looping) Left()  { l.begin(&l.a, &l.b) }
func (l *Looping) Right() { l.begin(&l.b, &l.a) }

// Helped waits for a goroutine of its own, which waits for time to pass.
type Helped struct{ c chan int }

func NewHelped() *Helped {
	h := &Helped{make(chan int)}
	go func() {
		time.Sleep(30 * time.Millisecond)
		close(h.c)
	}()
	return h
}

func (h *Helped) Wait() { <-h.c }

// Leaky has a goroutine that keeps the lock until its channel is read, as Iter of
// golang-set has. Whether Set waits for it depends on when it begins.
type Leaky struct {
	mu sync.RWMutex
	n  int
}

func NewLeaky() *Leaky { return &Leaky{} }

func (l *Leaky) Iterate() <-chan int {
	c := make(chan int)
	go func() {
		l.mu.RLock()
		defer l.mu.RUnlock()
		c <- l.n
	}()
	return c
}

func (l *Leaky) Set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}
