package stresstest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay"
)

// A BoundedQueue holds one value. Put waits while it is full, Get while it is
// empty.
type BoundedQueue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	values []int
	wake   func(*sync.Cond)
}

func newBoundedQueue(wake func(*sync.Cond)) *BoundedQueue {
	q := &BoundedQueue{wake: wake}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *BoundedQueue) Put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 1 {
		q.cond.Wait()
	}
	q.values = append(q.values, v)
	q.wake(q.cond)
}

func (q *BoundedQueue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 0 {
		q.cond.Wait()
	}
	v := q.values[0]
	q.values = q.values[1:]
	q.wake(q.cond)
	return v
}

func (q *BoundedQueue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.values)
}

// A ChannelQueue is a channel.
type ChannelQueue struct{ c chan int }

func (q ChannelQueue) Put(v int) { q.c <- v }
func (q ChannelQueue) Get() int  { return <-q.c }

// TestBlocking: a queue whose methods wait is tested in one line, and passes. One
// that loses wake-ups does not.
func TestBlocking(t *testing.T) {
	t.Parallel() // it sleeps most of the time, and TestUser waits for other processes
	short := Options{Effort: stress.Effort{Time: 200 * time.Millisecond, Program: 10 * time.Millisecond}}
	Test(t, func() *BoundedQueue { return newBoundedQueue((*sync.Cond).Broadcast) }, short)
	Test(t, func() ChannelQueue { return ChannelQueue{make(chan int, 1)} }, short)

	for _, e := range []struct {
		name    string
		wake    func(*sync.Cond)
		program string // reducing a large one would take seconds
	}{
		{"Signal", (*sync.Cond).Signal, "{ Get() } || { Get() } || { Put(0); Put(0) }"},
		{"nobody", func(*sync.Cond) {}, "{ Get() } || { Put(0) }"},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			tb := &fakeTB{dir: t.TempDir()}
			long := Options{Dir: tb.dir, Effort: stress.Effort{Time: 5 * time.Minute, Program: 5 * time.Minute},
				Programs: []string{e.program}}
			Test(tb, func() *BoundedQueue { return newBoundedQueue(e.wake) }, long)
			text := strings.Join(tb.errors, "\n")
			for _, want := range []string{"BoundedQueue is not atomic", ": sync.Cond.Wait at blocking_test.go:", "would be possible ", "To explain it: "} {
				if !strings.Contains(text, want) {
					t.Errorf("it wakes %s, and %q is not in\n%s", e.name, want, text)
				}
			}
		})
	}
}

// A Stuck waits for nothing that a call of it gives.
type Stuck struct{}

func (Stuck) Get() int { select {} }

// TestRendezvous: methods that always wait for another one are tested together, and the log
// says so. A method that nothing wakes is left out.
func TestRendezvous(t *testing.T) {
	tb := &fakeTB{dir: t.TempDir()}
	effort := stress.Effort{Time: 5 * time.Minute, Program: 10 * time.Millisecond}
	Test(tb, func() ChannelQueue { return ChannelQueue{make(chan int)} }, Options{Effort: effort, Programs: []string{"{ Put(0) } || { Get() }"}})
	if text := strings.Join(tb.logs, "\n"); len(tb.errors) > 0 || !strings.Contains(text, "1 program was compared with runs in which calls that wait for one another are open together") {
		t.Errorf("%q, %s", tb.errors, text)
	}
	tb = &fakeTB{dir: t.TempDir()}
	Test(tb, func() Stuck { return Stuck{} }, Options{})
	if text := strings.Join(tb.errors, "\n"); !strings.Contains(text, "no method to call; Get is left out: blocks") {
		t.Errorf("%q", text)
	}
}

// TestObjectWaits: a method that waits has no transition in a specification made
// of objects.
func TestObjectWaits(t *testing.T) {
	c := subject.Lookup("blocking-channel").Class
	get, put := replay.Invocation{Method: "get"}, replay.Invocation{Method: "put", Args: []history.Value{history.IntValue(1)}}
	for _, e := range []struct {
		calls []replay.Invocation
		waits bool // the last one
	}{
		{[]replay.Invocation{get}, true},
		{[]replay.Invocation{put}, false},
		{[]replay.Invocation{put, put}, true},
		{[]replay.Invocation{put, get}, false},
		{[]replay.Invocation{put, get, put}, false},
		{[]replay.Invocation{put, get, get}, true},
	} {
		object := ObjectSpec(c).New()
		for i, inv := range e.calls {
			if _, ok := object.Apply(inv); ok == (e.waits && i == len(e.calls)-1) {
				t.Errorf("%v: call %d has a transition: %v", e.calls, i, ok)
			}
		}
	}
}
