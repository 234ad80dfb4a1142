package stress

import (
	"errors"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestStates: a goroutine that only another one can wake is known by its state,
// and one that may go on by itself is not taken for it.
func TestStates(t *testing.T) {
	var mu sync.Mutex
	var held, read sync.RWMutex
	var group sync.WaitGroup
	mu.Lock()
	held.Lock()
	read.RLock()
	group.Add(1)
	cond := sync.NewCond(&sync.Mutex{})
	closed, empty, never := make(chan int), make(chan int), chan int(nil)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var stop atomic.Bool
	defer stop.Store(true)
	for _, e := range []struct {
		state string
		waits bool
		f     func()
	}{
		{"sync.Mutex.Lock", true, mu.Lock},
		{"sync.RWMutex.Lock", true, read.Lock},
		{"sync.RWMutex.RLock", true, held.RLock},
		{"sync.WaitGroup.Wait", true, group.Wait},
		{"sync.Cond.Wait", true, func() { cond.L.Lock(); cond.Wait() }},
		{"chan receive", true, func() { <-closed }},
		{"chan send", true, func() { empty <- 1 }},
		{"chan receive (nil chan)", true, func() { <-never }},
		{"chan send (nil chan)", true, func() { never <- 1 }},
		{"select", true, func() {
			select {
			case <-closed:
			case empty <- 1:
			}
		}},
		{"select (no cases)", true, func() { select {} }},
		{"coroutine", true, func() {
			next, _ := iter.Pull(func(func(int) bool) { <-never })
			next()
		}},
		{"sleep", false, func() { time.Sleep(time.Hour) }},
		{"IO wait", false, func() { _, _ = r.Read(make([]byte, 1)) }},
		{"", false, func() { // it runs, or could
			for !stop.Load() {
			}
		}},
	} {
		started := make(chan int64)
		go func() {
			runtime.LockOSThread()
			started <- goroutineID()
			e.f()
		}()
		id := <-started
		var g *goroutine
		for n := 0; n < 1000 && (g == nil || g.state != e.state); n++ {
			if g = takeDump()[id]; g == nil {
				t.Fatalf("%s: not in the dump", e.state)
			}
			if e.state == "" {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if e.state != "" && g.state != e.state || g.waits() != e.waits {
			t.Errorf("state %q, waits %v, want %q, %v", g.state, g.waits(), e.state, e.waits)
		}
		if !g.ours || e.waits && !strings.Contains(g.where(), e.state) {
			t.Errorf("%s: %v, %s", e.state, g.ours, g.where())
		}
	}
}

// TestStopped: a goroutine that the runtime stops for the dump itself, or for a collection
// of garbage, does not wait for another.
func TestStopped(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	ids := make(chan int64)
	grow := func() { // a collection begins in a function of package internal/runtime/maps
		m := map[int]*[64]byte{}
		for i := range 1024 {
			m[i] = new([64]byte)
		}
	}
	for _, f := range []func(){runtime.GC, func() { runtime.ReadMemStats(new(runtime.MemStats)) }, grow, grow} {
		go func() {
			for ids <- goroutineID(); !stop.Load(); {
				f()
			}
		}()
	}
	of := []int64{<-ids, <-ids, <-ids, <-ids}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	seen, most := 0, 100_000
	if runtime.NumCPU() == 1 { // a dump may take as long as a thousand others
		most = 2000
	}
	for dumps := 0; seen < 30; dumps++ {
		if dumps == most {
			t.Skip("too seldom stopped")
		}
		d := takeDump()
		for _, id := range of {
			g := d[id]
			if g.waits() {
				t.Fatalf("waits: %+v", g)
			}
			if g != nil && g.state == "semacquire" {
				seen++
			}
		}
	}
}

// TestSemaphore: a goroutine waits for another that reads the same file.
func TestSemaphore(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ids := make(chan int64)
	for range 2 {
		go func() {
			ids <- goroutineID()
			r.Read(make([]byte, 1))
			ids <- 0
		}()
	}
	of := []int64{<-ids, <-ids}
	for d := takeDump(); !d[of[0]].waits() && !d[of[1]].waits(); d = takeDump() {
		time.Sleep(time.Millisecond)
	}
	w.Write([]byte("ab"))
	<-ids
	<-ids
	if err := errors.Join(r.Close(), w.Close()); err != nil {
		t.Error(err)
	}
}

// TestQuiet: goroutines that objects start are found by who started them.
func TestQuiet(t *testing.T) {
	d := dump{}
	for _, g := range []goroutine{
		{id: 1, state: "running"},
		{id: 2, creator: 1, ours: true, state: "sync.Cond.Wait"}, // a thread
		{id: 3, creator: 1, state: "sleep"},                      // not of an object
		{id: 4, creator: 2, state: "select"},
		{id: 5, creator: 4, state: "chan receive"},
	} {
		d[g.id] = &g
	}
	if !d.quiet() {
		t.Error("no goroutine of an object can run")
	}
	for _, id := range []int64{4, 5} {
		before := d[id].state
		for _, state := range []string{"sleep", "runnable", "syscall", "IO wait"} {
			if d[id].state = state; d.quiet() {
				t.Errorf("goroutine %d in state %s can wake another", id, state)
			}
		}
		d[id].state = before
	}
	if d[6] = (&goroutine{id: 6, creator: 9, state: "runnable"}); d.quiet() {
		t.Error("goroutine 6 was started by one that has ended, and can wake another")
	}
}
