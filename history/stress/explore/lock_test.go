package explore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
)

// Correct objects whose calls wait, fail or may be misused, as the rewriter would make them.

// A mutex is a lock that looks whether it is held.
type mutex struct{ mu sync.Mutex }

func (m *mutex) Lock()         { m.mu.Lock() }
func (m *mutex) Unlock()       { m.mu.Unlock() }
func (m *mutex) TryLock() bool { return m.mu.TryLock() }

type rwMutex struct{ mu sync.RWMutex }

func (m *rwMutex) Lock()          { m.mu.Lock() }
func (m *rwMutex) Unlock()        { m.mu.Unlock() }
func (m *rwMutex) RLock()         { m.mu.RLock() }
func (m *rwMutex) RUnlock()       { m.mu.RUnlock() }
func (m *rwMutex) TryRLock() bool { return m.mu.TryRLock() }

// A ticketLock is unlocked by its holder alone, so that a load and a store will do.
type ticketLock struct{ next, serving atomic.Int64 }

func (l *ticketLock) Lock() {
	for ticket := l.next.Add(1) - 1; l.serving.Load() != ticket; {
	}
}

func (l *ticketLock) Unlock() { l.serving.Store(l.serving.Load() + 1) }

// A ticketCond serves those who wait in the order of their tickets. To unlock what is not locked panics, which
// depends on whether another call has a ticket by then: such programs are not violations.
type ticketCond struct {
	mu        sync.Mutex
	change    *sync.Cond
	next, now int
}

func newTicketCond() *ticketCond {
	l := &ticketCond{}
	l.change = sync.NewCond(&l.mu)
	return l
}

func (l *ticketCond) Lock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	ticket := l.next
	for l.next++; l.now != ticket; {
		l.change.Wait()
	}
}

func (l *ticketCond) Unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == l.next {
		panic("not locked")
	}
	l.now++
	l.change.Broadcast()
}

// A semaphore has two permits.
type semaphore struct{ permits chan bool }

func newSemaphore() *semaphore { return &semaphore{make(chan bool, 2)} }

func (s *semaphore) Acquire() { schedule.To(s.permits).Send(true) }

func (s *semaphore) TryAcquire() bool {
	return schedule.Select(true, schedule.To(s.permits).Case(true)) == 0
}

func (s *semaphore) Release() { schedule.Recv(s.permits) }

// A condQueue has room for one value.
type condQueue struct {
	mu     sync.Mutex
	change *sync.Cond
	values []int
}

func newCondQueue() *condQueue {
	q := &condQueue{}
	q.change = sync.NewCond(&q.mu)
	return q
}

func (q *condQueue) Put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) > 0 {
		q.change.Wait()
	}
	q.values = append(q.values, v)
	q.change.Broadcast()
}

func (q *condQueue) Take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 0 {
		q.change.Wait()
	}
	v := q.values[0]
	q.values = nil
	q.change.Broadcast()
	return v
}

// A handOver is an unbuffered channel.
type handOver struct{ c chan int }

func (h *handOver) Give(v int) { schedule.To(h.c).Send(v) }
func (h *handOver) Take() int  { return schedule.Recv(h.c) }

// A panicStack has a Pop that panics when it is empty.
type panicStack struct {
	mu     sync.Mutex
	values []int
}

func (s *panicStack) Push(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = append(s.values, v)
}

func (s *panicStack) Pop() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.values[len(s.values)-1]
	s.values = s.values[:len(s.values)-1]
	return v
}

// TestWaitingControls: correct objects have no violation, and each of their methods was exercised.
func TestWaitingControls(t *testing.T) {
	for name, class := range map[string]*stress.Class{
		"mutex":      classOf(t, func() *mutex { return &mutex{} }, stress.ReflectOptions{}),
		"RW mutex":   classOf(t, func() *rwMutex { return &rwMutex{} }, stress.ReflectOptions{}),
		"ticket":     classOf(t, func() *ticketLock { return &ticketLock{} }, stress.ReflectOptions{}),
		"tickets":    classOf(t, newTicketCond, stress.ReflectOptions{}),
		"semaphore":  classOf(t, newSemaphore, stress.ReflectOptions{}),
		"cond queue": classOf(t, newCondQueue, stress.ReflectOptions{}),
		"hand-over":  classOf(t, func() *handOver { return &handOver{make(chan int)} }, stress.ReflectOptions{}),
		"stack":      classOf(t, func() *panicStack { return &panicStack{} }, stress.ReflectOptions{}),
	} {
		o := stress.Options{Effort: stress.Effort{Schedules: 300, Time: patience}}
		if *full {
			o.Effort.Schedules = 1_000_000
		}
		r, err := search(class, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %s %s", name, f.Program, f.Outcome)
		}
		if len(r.Crashes) > 0 || r.Explored.Judged == 0 {
			t.Errorf("%s: %+v", name, r)
		}
		t.Logf("%s: %s\nleft out: %v", name, strings.Join(stress.Tried([]*stress.Report{r}), "\n"), r.Account.LeftOut)
		for _, m := range r.Account.Methods {
			if m.Exercised == 0 && m.Programs > 0 && m.Returned > 0 && r.Programs > 100 {
				t.Errorf("%s: %s is not exercised", name, m.Name)
			}
		}
	}
}

// TestMisuse: a program that misuses a lock is not a violation. It does not end the search, and a program that
// cannot be run for another reason does not end it either.
func TestMisuse(t *testing.T) {
	class := classOf(t, func() *mutex { return &mutex{} }, stress.ReflectOptions{})
	const misuse, right = "{ Unlock() } || { Lock() }", "{ Lock(); Unlock() } || { TryLock() }"
	r, err := search(class, stress.Options{Programs: []string{misuse, right}})
	want := misuse + ": calls one after another end in a fatal error: sync: unlock of unlocked mutex"
	if err != nil || len(r.Findings)+len(r.Crashes) > 0 || len(r.Account.LeftOut) != 1 || r.Account.LeftOut[0].String() != want || r.Explored.Judged == 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, outcomes := range []bool{false, true} {
		r, err := search(class, stress.Options{Programs: []string{misuse}, Outcomes: outcomes})
		if err != nil {
			t.Fatal(err)
		}
		if line, _ := stress.NotExercised([]*stress.Report{r}); line != "not all of the given programs could be run" || r.Account.LeftOut[0].String() != want || len(r.Outcomes) > 0 {
			t.Errorf("outcomes %t: %+v", outcomes, r)
		}
	}
}

// An ownLock has a TryLock that checks, and then sets.
type ownLock struct{ held atomic.Bool }

func (g *ownLock) TryLock() bool {
	if g.held.Load() {
		return false
	}
	g.held.Store(true)
	return true
}

func (g *ownLock) Unlock() bool { return g.held.Swap(false) }

// TestOwnLock: a lock that lets two callers in.
func TestOwnLock(t *testing.T) {
	class := classOf(t, func() *ownLock { return &ownLock{} }, stress.ReflectOptions{})
	for _, programs := range [][]string{nil, {"{ TryLock() } || { TryLock() }"}} {
		r, err := search(class, stress.Options{Programs: programs, Effort: stress.Effort{Time: patience}})
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Program != "{ TryLock() } || { TryLock() }" || r.Findings[0].Outcome != "T,T" {
			t.Errorf("%q: %+v, %v", programs, r.Findings[0], err)
		}
	}
}

// A launcher has a method whose goroutine panics.
type launcher struct{ n cell }

func (l *launcher) Launch() {
	schedule.Go(func() { launched(nil) })
}

func launched(list []int) { list[0] = 1 }

func (l *launcher) Inc() int { l.n.store(l.n.load() + 1); return int(l.n.load()) }

// TestPanicOfGoroutine: a goroutine that panics whatever the schedule is reported once, by the
// smallest program and with its trace, and the other methods are tested.
func TestPanicOfGoroutine(t *testing.T) {
	class := classOf(t, func() *launcher { return &launcher{} }, stress.ReflectOptions{})
	r, err := search(class, stress.Options{Effort: stress.Effort{Time: patience}})
	if err != nil || len(r.Crashes) != 1 || len(r.Findings) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if c := r.Crashes[0]; c.Program != "{ Launch() }" || !c.Sequential || !strings.HasPrefix(c.What, "panic: runtime error: index out of range") ||
		!strings.Contains(c.Stack, "explore_test.launched") || strings.Contains(c.Stack, "schedule.(*thread)") {
		t.Errorf("%+v", c)
	}
	if f := r.Findings[0]; f.Program != "{ Inc() } || { Inc() }" {
		t.Errorf("%s", f.Program)
	}
}

// A herd starts goroutines one after another, as tests of a group with a limit do, or together.
type herd struct{ n atomic.Int64 }

func (h *herd) OneByOne(n int) {
	limit := make(chan bool, 1)
	var wg sync.WaitGroup
	for range n {
		schedule.To(limit).Send(true)
		wg.Add(1)
		schedule.Go(func() {
			defer func() { schedule.Recv(limit); wg.Done() }()
			h.n.Add(1)
		})
	}
	wg.Wait()
}

func (h *herd) Together(n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { h.n.Add(1) })
	}
	wg.Wait()
}

func (h *herd) Count() int64 { return h.n.Load() }

// TestHerd: as many goroutines as a call likes, if few run at the same time.
func TestHerd(t *testing.T) {
	class := classOf(t, func() *herd { return &herd{} }, stress.ReflectOptions{})
	r, err := search(class, stress.Options{Programs: []string{"{ OneByOne(1025) } [ Count() ]"}, Preemptions: 1, Effort: stress.Effort{Time: time.Second}})
	if err != nil || len(r.Findings) > 0 || r.Explored.Judged == 0 || r.Explored.Cut > 0 || complete(r, 1) {
		t.Errorf("%+v, %v", r.Explored, err)
	}
	r, err = search(class, stress.Options{Programs: []string{"{ Together(100) }"}})
	if err != nil || len(r.Account.LeftOut) != 1 || !strings.Contains(r.Account.LeftOut[0].Why, "more than 64 that run at the same time") {
		t.Errorf("%+v, %v", r.Account, err)
	}
}
