package stress

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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
	select {
	case m.c <- v:
		return nil
	case <-m.closed:
		return errClosed
	}
}

func (m *meetingPoint) Recv() int {
	select {
	case v := <-m.c:
		return v
	case <-m.closed:
		return -1
	}
}

func (m *meetingPoint) TrySend(v int) bool {
	select {
	case m.c <- v:
		return true
	default:
		return false
	}
}

func (m *meetingPoint) Close() { m.once.Do(func() { close(m.closed) }) }

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
		close(next)
		b.next = make(chan struct{})
	}
	b.mu.Unlock()
	<-next
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
		<-make(chan int)
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

func reflected[T any](t *testing.T, newObject func() T) *Class {
	t.Helper()
	r, err := Reflect(newObject, ReflectOptions{})
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
		class         *Class
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
		p, err := Parse(test.program, test.class)
		if err != nil {
			t.Fatal(err)
		}
		p.together = true
		e, err := newExpected(test.class, p, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.program, err)
		}
		var got []string
		complete := false
		for _, c := range e.Outcomes() {
			got = append(got, c.Outcome.String())
			complete = complete || !c.Outcome.waits()
		}
		slices.Sort(got)
		if got := strings.Join(got, " "); got != test.want || e.complete != complete {
			t.Errorf("%s of %s: %s, want %s", test.program, test.class.Name, got, test.want)
		}
	}
}

// A hurried meeting point is left after a time.
type hurriedPoint struct{ *meetingPoint }

func (h *hurriedPoint) Recv() int {
	select {
	case v := <-h.c:
		return v
	case <-time.After(300 * time.Millisecond):
		return -2
	}
}

// TestTogetherTimers: calls that give up after a time only seem to wait for another one, so
// nothing is known of such a program.
func TestTogetherTimers(t *testing.T) {
	for want, c := range map[bool]*Class{true: reflected(t, newMeetingPoint), false: reflected(t, func() *hurriedPoint { return &hurriedPoint{newMeetingPoint()} })} {
		p, err := Parse("{ Recv() } || { Send(1) }", c)
		if err != nil {
			t.Fatal(err)
		}
		p.together = true
		e, err := newExpected(c, p, nil)
		if err != nil || len(e.Outcomes()) != 1 || e.Outcomes()[0].Outcome.String() != "1,()" {
			t.Fatalf("%v, %v", e, err)
		}
		trials := trials{class: c, program: p, expected: e}
		if same, enough := trials.run(1, time.Minute); same != want || want && !enough {
			t.Errorf("%s: the same %v, enough %v", c.Name, same, enough)
		}
	}
}

// TestReflectWaiting: methods that wait for one another are kept, and one that waits for
// nothing that a call gives is not.
func TestReflectWaiting(t *testing.T) {
	for want, c := range map[string]*Class{"Close Recv Send TrySend": reflected(t, newMeetingPoint), "Await": reflected(t, newBarrier2), "Signal Wait": reflected(t, newCondition)} {
		if got := reflectedNames(c, func(*Method) bool { return true }); got != want {
			t.Errorf("%s: %s, want %s", c.Name, got, want)
		}
	}
	r, err := Reflect(func() *waitingForNothing { return &waitingForNothing{newMeetingPoint()} }, ReflectOptions{})
	if err != nil || len(r.LeftOut) != 1 || r.LeftOut[0] != (LeftOut{"Run", blockedReason}) {
		t.Errorf("%+v, %v", r, err)
	}
}

type waitingForNothing struct{ *meetingPoint }

func (w *waitingForNothing) Run() { <-make(chan int) }
