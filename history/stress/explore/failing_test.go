package explore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
)

// A rope has two locks that methods take in different orders, a counter that loses updates, and ends.
type rope struct {
	a, b  sync.Mutex
	count cell
	lit   cell
	bare  map[int]int
	full  chan int
}

// A ropeEnd is an end of a rope.
type ropeEnd struct{ cut cell }

func newRope() *rope { return &rope{bare: map[int]int{}, full: make(chan int, 1)} }

func (r *rope) both(first, second *sync.Mutex) {
	first.Lock()
	defer first.Unlock()
	second.Lock()
	defer second.Unlock()
}

func (r *rope) Forth() { r.both(&r.a, &r.b) }
func (r *rope) Back()  { r.both(&r.b, &r.a) }
func (r *rope) Inc() int {
	v := r.count.load() + 1
	r.count.store(v)
	return int(v)
}
func (r *rope) End() *ropeEnd { return &ropeEnd{} }

// Cut panics only if another call cuts the same end meanwhile.
func (r *rope) Cut(e *ropeEnd) {
	if e.cut.load() > 0 {
		return
	}
	v := e.cut.load() + 1
	e.cut.store(v)
	if e.cut.load() != 1 || v != 1 {
		panic("cut twice")
	}
}

// Take waits if nothing was given.
func (r *rope) Take() int  { return schedule.Recv(r.full) }
func (r *rope) Give(v int) { schedule.To(r.full).Send(v) }

// Spark starts a goroutine that panics if it sees each of three values, whatever else is called.
func (r *rope) Spark() {
	schedule.Go(func() {
		if r.lit.load() == 1 && r.lit.load() == 2 && r.lit.load() == 3 {
			panic("lit")
		}
	})
	for v := range int64(4) {
		r.lit.store(v)
	}
}

// Set counts, and writes a map without a lock.
func (r *rope) Set(k int) {
	r.count.add(1)
	schedule.MapWrite(r.bare)[k] = 1
}

// TestFailures: schedules show failures that no sequential run has, and another process replays them.
func TestFailures(t *testing.T) {
	for program, want := range map[string]string{
		"{ Forth() } || { Back() }":                "does not return: a call waits or computes for ever",
		"[ End() ] { Cut($1) } || { Cut($1) }":     "panic: cut twice",
		"{ Set(0) } || { Set(0) }":                 "fatal error: concurrent map writes",
		"{ Inc() } || { Inc() }":                   "", // results do not count
		"{ Give(0); Give(1) } || { Take() }":       "",
		"{ End(); Cut($1) } || { End(); Cut($3) }": "",
		"{ Spark() } || { Inc() }":                 "", // it panics alone, too
	} {
		r, err := stress.Supervise(t.Context(), child("rope"), stress.Options{Failures: true, Programs: []string{program},
			Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
		if err != nil || len(r.Unconfirmed) > 0 {
			t.Fatalf("%s: %v, %+v", program, err, r)
		}
		got := ""
		for _, f := range r.Findings {
			got = f.Failure.String()
			if s := f.Scheduled; s == nil || s.Elsewhere != 10 || len(s.Steps) == 0 || !strings.Contains(f.Program, "||") {
				t.Errorf("%s: %+v", f.Program, s)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
	r, err := stress.Supervise(t.Context(), child("rope"), stress.Options{Failures: true, Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err != nil || len(r.Findings) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
}
