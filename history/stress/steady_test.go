package stress_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A directory has entries of its own, or those of all directories.
type directory struct {
	mu      *sync.Mutex
	entries map[string]int
}

func (d *directory) Add(name string, n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.entries[name]
	if !ok {
		d.entries[name] = n
	}
	return !ok
}

func (d *directory) Has(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.entries[name]
	return ok
}

func (d *directory) Remove(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.entries, name)
}

// TestDisturbed: threads do not judge a program whose results other objects change.
func TestDisturbed(t *testing.T) {
	shared := &directory{&sync.Mutex{}, map[string]int{}}
	for _, c := range []struct {
		disturbed bool
		make      func() *directory
	}{
		{true, func() *directory { return &directory{shared.mu, shared.entries} }},
		{false, func() *directory { return &directory{&sync.Mutex{}, map[string]int{}} }},
	} {
		r, err := stress.Reflect(c.make, stress.ReflectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r.Class.Methods = append(r.Class.Methods, &stress.Method{Name: "Wait", Prepare: func([]history.Value) stress.Call {
			return func(any) history.Value { select {} }
		}})
		// Once both names are there, the results are the same from one run to the next.
		p, err := stress.Parse(`{ Add("0",0); Has("1") } || { Add("1",0) } [ Has("1") ]`, r.Class)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stress.NewExpected(r.Class, p); err != nil {
			t.Fatal(err)
		}
		if disturbed, err := stress.Disturbed(r.Class, p); disturbed != c.disturbed || err != nil {
			t.Errorf("disturbed: %v, %v, want %v", disturbed, err, c.disturbed)
		}
	}
}

// An issuer gives out numbers: the time, or one after another.
type issuer struct {
	mu    sync.Mutex
	n     int64
	clock bool
}

func (i *issuer) Next() int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.clock {
		return time.Now().UnixNano()
	}
	i.n++
	return i.n
}

// TestReplayThreads: that results are seen on real threads is not said of those that depend on the time.
func TestReplayThreads(t *testing.T) {
	for _, clock := range []bool{false, true} {
		r, err := stress.Reflect(func() *issuer { return &issuer{clock: clock} }, stress.ReflectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := stress.Parse("{ Next() } || { Next() }", r.Class)
		if err != nil {
			t.Fatal(err)
		}
		replayed, err := stress.NewThreads(r.Class, &stress.Options{}, &stress.Report{}).Replay(t.Context(), p, &stress.ReplayJob{Threads: 10 * time.Millisecond})
		if (err != nil) != clock || err == nil && replayed.Seen > 0 {
			t.Errorf("clock %v: %+v, %v", clock, replayed, err)
		}
	}
}

// TestRealTime: threads report an outcome that an order explains if a recorded execution had the calls in
// another order. Here only the goroutine that puts a value gets it.
func TestRealTime(t *testing.T) {
	routine := func() string {
		var buf [32]byte
		return string(buf[:runtime.Stack(buf[:], false)])
	}
	put := func(o *atomic.Value) history.Value { o.Store(routine()); return history.NoValue }
	get := func(o *atomic.Value) history.Value { return history.BoolValue(o.Load() == routine()) }
	c := &stress.Class{Name: "remote", New: func() any { return &atomic.Value{} }, Methods: []*stress.Method{nullary("put", put), nullary("get", get)}}
	r, err := search(c, stress.Options{Programs: []string{"{ put() } || { get() }"}, Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond}})
	if err != nil || len(r.Findings) != 1 || !r.Findings[0].RealTime {
		t.Errorf("%+v, %v", r, err)
	}
}
