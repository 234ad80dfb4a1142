package twins

import (
	"math/rand"
	"slices"
	"strings"
	"sync"
	"time"
)

// A future is in the map before it has a value. The environment has futures that are never done.
type future struct {
	done chan struct{}
	val  int
}

type futures struct{ m sync.Map }

// want: none
func (f *futures) Get(k string, compute func() int) int {
	n := &future{done: make(chan struct{})}
	v, ok := f.m.Load(k)
	if !ok {
		v, ok = f.m.LoadOrStore(k, n)
	}
	if !ok {
		n.val = compute()
		close(n.done)
		return n.val
	}
	<-v.(*future).done
	return v.(*future).val
}

// want: none
func (f *futures) Random(k string) int {
	if v, ok := f.m.Load(k); ok {
		return v.(int)
	}
	v, _ := f.m.LoadOrStore(k, rand.Intn(1000))
	return v.(int)
}

// want: violation
func (f *futures) Keys() string {
	var keys []string
	f.m.Range(func(k, _ any) bool { keys = append(keys, k.(string)); return true })
	f.m.Range(func(k, _ any) bool { keys = append(keys, k.(string)); return true })
	slices.Sort(keys)
	return strings.Join(keys, ",")
}

// want: violation
func (f *futures) Flag(k string, again bool) int {
	if v, ok := f.m.Load(k); ok && !again {
		return v.(int)
	}
	f.m.Store(k, 1)
	return 1
}

// want: not exercised: alone, it panics: {1}
func (f *futures) PanicsAlways(k string) {
	f.m.Load(k)
	f.m.Delete(k)
	panic(struct{ n int }{1})
}

// want: not exercised: with each value of the environment, it panics: interface conversion
func (f *futures) OtherType(k string) *strings.Builder {
	if v, ok := f.m.Load(k); ok {
		f.m.Delete(k)
		return v.(*strings.Builder)
	}
	return nil
}

type tree []tree

// want: none
func (f *futures) Recursive(k tree, m map[string]map[string]int) int {
	f.m.Load(len(k))
	f.m.Delete(len(m))
	return 1
}

type item struct {
	v   string
	end time.Time
}

// A ttl is a map whose elements expire, with a goroutine that removes them.
type ttl struct {
	mu sync.RWMutex
	m  map[string]item
}

func newTTL() *ttl {
	t := &ttl{m: map[string]item{}}
	go func() {
		for range time.Tick(time.Minute) {
			t.mu.Lock()
			for k, i := range t.m {
				if time.Now().After(i.end) {
					delete(t.m, k)
				}
			}
			t.mu.Unlock()
		}
	}()
	return t
}

func (t *ttl) Get(k string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i, ok := t.m[k]
	return i.v, ok && time.Now().Before(i.end)
}

func (t *ttl) Set(k, v string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = item{v, time.Now().Add(time.Hour)}
}

func (t *ttl) SetIfAbsent(k, v string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.m[k]; ok {
		return false
	}
	t.m[k] = item{v, time.Now().Add(time.Hour)}
	return true
}

type user struct{ c *ttl }

func newUser() *user { return &user{newTTL()} }

// want: none
func (u *user) Good(k string) string {
	if v, ok := u.c.Get(k); ok {
		return v
	}
	if u.c.SetIfAbsent(k, "x") {
		return "x"
	}
	v, _ := u.c.Get(k)
	return v
}

// want: violation
func (u *user) Bad(k string) string {
	if v, ok := u.c.Get(k); ok {
		return v
	}
	u.c.Set(k, "x")
	return "x"
}

type set struct {
	mu sync.Mutex
	m  map[string]bool
}

func newSet() *set { return &set{m: map[string]bool{}} }

func (s *set) change(k string, to bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.m[k]
	s.m[k] = to
	return old != to
}

func (s *set) Add(k string) bool    { return s.change(k, true) }
func (s *set) Remove(k string) bool { return s.change(k, false) }

func (s *set) Contains(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

// want: violation
func (s *set) Rename(old, k string) bool {
	if s.Contains(old) {
		s.Remove(old)
		return s.Add(k)
	}
	return false
}

// want: none
func (s *set) AddOnce(k string) bool { return !s.Contains(k) && s.addNew(k) }

func (s *set) addNew(k string) bool { return s.Add(k) }

// A queue is a channel: its environment can wait.
type queue struct{ c chan int }

func newQueue() *queue { return &queue{make(chan int, 4)} }

func (q *queue) Put(v int) { q.c <- v }
func (q *queue) Take() int { return <-q.c }
func (q *queue) Size() int { return len(q.c) }

// want: violation
func (q *queue) Last() int {
	q.Put(7)
	return q.Size()
}

// want: none
func (q *queue) Drain() (sum int) {
	for q.Size() > 0 {
		sum += q.Take()
	}
	return sum
}

// want: it cannot be called: p.Load undefined
func deref(p **sync.Map) {
	(*p).Load(1)
	(*p).Delete(1)
}
