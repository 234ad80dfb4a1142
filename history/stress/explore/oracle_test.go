package explore

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
)

// A meetingPoint is an unbuffered channel that can be closed.
type meetingPoint struct {
	c      chan int
	closed chan struct{}
	once   sync.Once
}

func newMeetingPoint() *meetingPoint {
	return &meetingPoint{c: make(chan int), closed: make(chan struct{})}
}

func (m *meetingPoint) Send(v int) error {
	if schedule.Select(false, schedule.To(m.c).Case(v), schedule.RecvCase(m.closed)) == 0 {
		return nil
	}
	return errClosed
}

func (m *meetingPoint) Recv() int {
	value := schedule.RecvCase(m.c)
	if schedule.Select(false, value, schedule.RecvCase(m.closed)) == 0 {
		return value.Value()
	}
	return -1
}

func (m *meetingPoint) TrySend(v int) bool {
	return schedule.Select(true, schedule.To(m.c).Case(v)) == 0
}

func (m *meetingPoint) Close() { m.once.Do(func() { schedule.Close(m.closed) }) }

var errClosed = errors.New("closed")

// A barrier lets two pass at a time.
type barrier2 struct {
	mu   sync.Mutex
	n    int
	next chan struct{}
}

func newBarrier2() *barrier2 { return &barrier2{next: make(chan struct{})} }

func (b *barrier2) Await() int {
	b.mu.Lock()
	n, next := b.n%2, b.next
	if b.n++; n == 1 {
		schedule.Close(next)
		b.next = make(chan struct{})
	}
	b.mu.Unlock()
	schedule.Recv(next)
	return n
}

// A condition is waited for until it is signalled.
type condition struct {
	mu sync.Mutex
	c  *sync.Cond
}

func newCondition() *condition {
	c := &condition{}
	c.c = sync.NewCond(&c.mu)
	return c
}

func (c *condition) Wait()   { c.mu.Lock(); c.c.Wait(); c.mu.Unlock() }
func (c *condition) Signal() { c.mu.Lock(); c.c.Signal(); c.mu.Unlock() }

// A faultyBox has room for one value.
type faultyBox struct {
	condition
	full, silent, held bool
	v, wrong           int
}

func newFaultyBox(silent, held bool, wrong int) func() *faultyBox {
	return func() *faultyBox {
		b := &faultyBox{silent: silent, held: held, wrong: wrong}
		b.c = sync.NewCond(&b.mu)
		return b
	}
}

func (b *faultyBox) Wait()   {}
func (b *faultyBox) Signal() {}

func (b *faultyBox) Put(v int) {
	b.mu.Lock()
	b.full, b.v = true, v
	if !b.silent {
		b.c.Signal()
	}
	b.mu.Unlock()
}

func (b *faultyBox) Take() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, waited := 0, !b.full
	if waited && b.held {
		schedule.Recv(make(chan int))
	}
	for !b.full {
		b.c.Wait()
	}
	if v = b.v; waited {
		v += b.wrong
	}
	b.full = false
	return v
}

func reflected[T any](t *testing.T, newObject func() T) *stress.Class {
	t.Helper()
	r, err := stress.Reflect(newObject, stress.ReflectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Class
}

// TestTogether: calls that wait for one another take effect together, but only where that is
// the only way for them to return. Faults that only such runs have remain faults.
func TestTogether(t *testing.T) {
	point, box := reflected(t, newMeetingPoint), newFaultyBox(false, false, 0)
	for _, test := range []struct {
		class         *stress.Class
		program, want string
	}{
		{point, "{ Send(0) } || { Recv() }", "(),0"},
		{point, "{ Recv(); Recv() } || { Send(0); Send(1) }", "0,1,(),()"},
		{point, "{ Send(0) } || { Send(1) } || { Recv() }", "(),W,0 W,(),1"},
		{point, "{ Send(0); Recv() } || { Recv(); Send(1) } [ Recv() ]", "(),1,0,(),W"},
		{point, "{ Recv() } || { Recv() }", "W,W"},
		{point, "{ Send(0) } || { Recv() } || { Close() }", "!closed,-1,() (),0,()"},
		{point, "{ Recv() } || { TrySend(1) }", "1,T W,F"},
		{reflected(t, newBarrier2), "{ Await() } || { Await() }", "0,1 1,0"},
		{reflected(t, newBarrier2), "{ Await() } || { Await() } || { Await() }", "0,1,W 0,W,1 1,0,W 1,W,0 W,0,1 W,1,0"},
		{reflected(t, newCondition), "{ Wait() } || { Signal() }", "(),() W,()"},
		{reflected(t, box), "{ Take() } || { Put(0) }", "0,()"},
		{reflected(t, newFaultyBox(false, false, 7)), "{ Take() } || { Put(0) }", "0,()"}, // and not 7
		{reflected(t, newFaultyBox(true, false, 0)), "{ Take() } || { Put(0) }", "0,()"},  // and not W,()
		{reflected(t, newFaultyBox(false, true, 0)), "{ Take() } || { Put(0) }", "0,()"},  // and not W,W
	} {
		p, err := stress.Parse(test.program, test.class)
		if err != nil {
			t.Fatal(err)
		}
		o := newOracle(test.class, p, plain)
		o.failure = o.runTogether()
		e, err := o.concluded()
		if err != nil {
			t.Fatalf("%s: %v", test.program, err)
		}
		var got []string
		complete := false
		for _, c := range e.Outcomes() {
			got = append(got, c.Outcome.String())
			complete = complete || !c.Outcome.Waits()
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != test.want || e.Complete != complete {
			t.Errorf("%s of %s: %s, want %s", test.program, test.class.Name, got, test.want)
		}
	}
}

// A boundedQueue has room for one value.
type boundedQueue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	values []int
}

func newBoundedQueue() *boundedQueue {
	q := &boundedQueue{}
	q.cond = sync.NewCond(&q.mu)
	return q
}

func (q *boundedQueue) Put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 1 {
		q.cond.Wait()
	}
	q.values = append(q.values, v)
	q.cond.Broadcast()
}

func (q *boundedQueue) Get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.values) == 0 {
		q.cond.Wait()
	}
	v := q.values[0]
	q.values = q.values[1:]
	q.cond.Broadcast()
	return v
}

// Locks are channels. Who has sent the value in one may go on.
type locks [2]chan struct{}

func (l locks) Lock(i int)   { schedule.To(l[i]).Send(struct{}{}) }
func (l locks) Unlock(i int) { schedule.Recv(l[i]) }
func (l locks) Both(i int)   { l.Lock(i); l.Lock(1 - i); l.Unlock(1 - i); l.Unlock(i) }

// TestExpectedWaits: an invocation that waits has no transition, and the outcomes
// in which some wait for ever are those in which none of them could go on.
func TestExpectedWaits(t *testing.T) {
	queue, both := reflected(t, newBoundedQueue), reflected(t, func() locks { return locks{make(chan struct{}, 1), make(chan struct{}, 1)} })
	for _, test := range []struct {
		class         *stress.Class
		program, want string
	}{
		{queue, "{ Get() } || { Put(0) }", "0,()"},
		{queue, "{ Get() } || { Get() }", "W,W"},
		{queue, "{ Get() } || { Put(1) } || { Get() }", "1,(),W W,(),1"},
		{queue, "{ Put(0); Get() } || { Put(1) }", "(),0,() W,-,()"},
		{queue, "[ Put(0); Put(1) ] { Get() } || { Get() } [ Get() ]", "(),W,-,-,-"},
		{queue, "{ Put(0) } || { Get() } [ Get(); Put(1) ]", "(),0,W,-"},
		{both, "{ Lock(0); Lock(1); Unlock(1); Unlock(0) } || { Lock(1); Lock(0) }", "(),(),(),(),(),() (),W,-,-,(),W W,-,-,-,(),()"},
		{both, "{ Both(0) } || { Both(1) }", "(),()"},
	} {
		p, err := stress.Parse(test.program, test.class)
		if err != nil {
			t.Fatal(err)
		}
		e, err := expectedOf(test.class, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range e.Outcomes() {
			got = append(got, c.Outcome.String())
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.program, test.class.Name, got, test.want)
		}
	}
}

// CheckerForTests is set by tests that may import a checker.
var CheckerForTests stress.Checker

// TestWaitsUnexpected: the history of an outcome that no order explains is not
// linearizable, whether it waits too much or too little.
func TestWaitsUnexpected(t *testing.T) {
	queue := reflected(t, newBoundedQueue)
	w, none, one := stress.Waiting, history.NoValue, history.IntValue(1)
	const both, alone = "{ Get() } || { Put(1) } || { Get() }", "{ Get() } || { Put(1) }"
	for _, test := range []struct {
		program string
		outcome stress.Outcome
		want    bool
	}{
		{both, stress.Outcome{one, none, w}, false},
		{both, stress.Outcome{w, none, w}, true},
		{both, stress.Outcome{one, none, one}, true},
		{both, stress.Outcome{one, w, w}, true},
		{both, stress.Outcome{w, w, w}, true},
		{alone, stress.Outcome{w, none}, true},
	} {
		p, err := stress.Parse(test.program, queue)
		if err != nil {
			t.Fatal(err)
		}
		e, err := expectedOf(queue, p)
		if err != nil {
			t.Fatal(err)
		}
		h, err := e.Unordered(test.outcome)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := CheckerForTests.Violates(t.Context(), h, nil); err != nil || got != test.want {
			t.Errorf("%s, %v: violates %v, want %v, %v", test.program, test.outcome, got, test.want, err)
		}
	}
}

// TestSequentialEnd: the end of a search is that of the sequential runs with which executions are compared.
func TestSequentialEnd(t *testing.T) {
	queue := reflected(t, newBoundedQueue)
	p, err := stress.Parse("{ Get() } || { Put(1) }", queue)
	if err != nil {
		t.Fatal(err)
	}
	e, err := expectedOf(queue, p)
	if err != nil {
		t.Fatal(err)
	}
	x := newExplorer(t.Context(), e, CheckerForTests)
	for _, end := range []time.Time{time.Now().Add(time.Hour), {}} {
		x.search.End = end
		rec := &executed{Execution: &stress.Execution{Outcome: stress.Outcome{history.IntValue(1), history.NoValue}}}
		rec.seen.Detail = rec
		found := &bodies.Found{}
		found.Detail = &Violation{Found: found, allowance: plain}
		if bad, err := x.Judge(&rec.seen, found, 0); bad || err != nil || !x.oracle.end.Equal(end) {
			t.Errorf("violates: %v, %v; sequential runs end at %v instead of %v", bad, err, x.oracle.end, end)
		}
	}
}
