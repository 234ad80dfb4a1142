package stresstest

import (
	"os"
	"os/exec"
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
	// On threads alone, nobody knows whether a call waits for ever.
	tb := &fakeTB{dir: t.TempDir()}
	Test(tb, func() *BoundedQueue { return newBoundedQueue(func(*sync.Cond) {}) }, Options{Dir: tb.dir, Threads: true, Effort: short.Effort,
		Programs: []string{"{ Get() } || { Put(0) }"}})
	if text := strings.Join(tb.logs, "\n"); len(tb.errors) > 0 || !strings.Contains(text, "may wait for ever") || !strings.Contains(text, "only schedules can tell") {
		t.Errorf("%q, %s", tb.errors, text)
	}
}

// losesWakeUps is TestLosesWakeUps in a process of its own, and in the workers of that.
func losesWakeUps(t *testing.T) {
	Test(t, func() *BoundedQueue { return newBoundedQueue((*sync.Cond).Signal) }, Options{Effort: stress.Effort{Time: 5 * time.Minute, Program: 10 * time.Millisecond},
		Dir: t.TempDir(), Programs: []string{"{ Get() } || { Get() } || { Put(0); Put(0) }"}})
}

// TestLosesWakeUps: a queue that loses wake-ups fails in schedules, and the failure says who
// waits where.
func TestLosesWakeUps(t *testing.T) {
	if os.Getenv("LOSES_WAKE_UPS") != "" {
		losesWakeUps(t)
		return
	}
	t.Parallel() // it waits for another process
	cmd := exec.Command(os.Args[0], "-test.run", "^TestLosesWakeUps$")
	cmd.Env = append(os.Environ(), "LOSES_WAKE_UPS=1")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"BoundedQueue is not atomic", "never returned", "waits at stresstest/blocking_test.go:", "The schedule is "} {
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
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
