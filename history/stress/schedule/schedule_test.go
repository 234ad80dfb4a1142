package schedule_test

import (
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/stress/schedule"
)

// A cell is a word of shared memory.
type cell struct{ v int }

func (c *cell) load() int {
	schedule.Step(schedule.Read, unsafe.Pointer(c))
	return c.v
}

func (c *cell) store(v int) {
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	c.v = v
}

func (c *cell) cas(old, v int) bool {
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	if c.v != old {
		schedule.Failed()
		return false
	}
	c.v = v
	return true
}

// A lock is a mutex.
type lock struct{ held, by int }

func (l *lock) Ready() bool { return l.held == 0 }
func (l *lock) Holder() int { return l.by }
func (l *lock) lock() {
	schedule.Wait(schedule.Write, unsafe.Pointer(l), l, "lock")
	l.held, l.by = 1, schedule.Self()
}
func (l *lock) unlock() {
	schedule.Step(schedule.Write, unsafe.Pointer(l))
	l.held = 0
}

func TestLostUpdate(t *testing.T) {
	var c *cell
	inc := func() {
		schedule.Invocation(0, 0)
		c.store(c.load() + 1)
		schedule.Returned()
	}
	seen := map[int]int{}
	p := &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){inc, inc}, After: func() { seen[c.load()]++ }}
	d := schedule.NewDFS(schedule.DFSOptions{Preemptions: -1, Delays: -1})
	n := 0
	for {
		n++
		r := schedule.Run(p, d, schedule.Limits{})
		if r.Deadlock || r.Diverged || r.Cut || r.Panic != nil {
			t.Fatalf("%+v", r)
		}
		if !d.Next(r) {
			break
		}
	}
	t.Log(n, seen)
	if seen[1] == 0 || seen[2] == 0 || len(seen) != 2 {
		t.Fatalf("saw %v", seen)
	}
}

func TestDeadlock(t *testing.T) {
	var a, b *lock
	p := &schedule.Program{Before: func() { a, b = new(lock), new(lock) }, Threads: []func(){
		func() { a.lock(); b.lock(); b.unlock(); a.unlock() },
		func() { b.lock(); a.lock(); a.unlock(); b.unlock() },
	}}
	d := schedule.NewDFS(schedule.DFSOptions{Preemptions: -1, Delays: -1})
	found := 0
	for {
		r := schedule.Run(p, d, schedule.Limits{})
		if r.Deadlock {
			found++
			if len(r.Blocked) != 2 || r.Blocked[0].Holder != 1 || r.Blocked[1].Holder != 0 || r.Blocked[0].What != "lock" {
				t.Fatalf("%+v", r.Blocked)
			}
			t.Log(r.Schedule, r.Blocked[0].Where(), r.Blocked[1].Where())
		}
		if !d.Next(r) {
			break
		}
	}
	if found == 0 {
		t.Fatal("no deadlock found")
	}
}

func BenchmarkExecution(b *testing.B) {
	var c *cell
	inc := func() {
		for i := range 2 {
			schedule.Invocation(0, i)
			c.store(c.load() + 1)
			c.store(c.load() + 1)
			schedule.Returned()
		}
	}
	p := &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){inc, inc}, After: func() { c.load() }}
	d := schedule.NewDFS(schedule.DFSOptions{Preemptions: -1, Delays: -1})
	steps := 0
	for range b.N {
		r := schedule.Run(p, d, schedule.Limits{})
		steps += r.Steps
		if !d.Next(r) {
			d = schedule.NewDFS(schedule.DFSOptions{Preemptions: -1, Delays: -1})
		}
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
}

// A treiber is Treiber's stack, with points at its atomic accesses.
type treiber struct {
	top cell // 1 + index in nodes
	n   []struct{ value, next int }
}

func (s *treiber) push(v int) {
	s.n = append(s.n, struct{ value, next int }{v, 0})
	for i := len(s.n); ; {
		s.n[i-1].next = s.top.load()
		if s.top.cas(s.n[i-1].next, i) {
			return
		}
	}
}

func (s *treiber) pop() int {
	for {
		i := s.top.load()
		if i == 0 {
			return -1
		}
		if s.top.cas(i, s.n[i-1].next) {
			return s.n[i-1].value
		}
	}
}

func TestTreiber(t *testing.T) {
	var s *treiber
	var popped [2]int
	body := func(i int) func() {
		return func() {
			schedule.Invocation(i, 0)
			s.push(i)
			schedule.Returned()
			schedule.Invocation(i, 1)
			popped[i] = s.pop()
			schedule.Returned()
		}
	}
	p := &schedule.Program{Before: func() { s = new(treiber) }, Threads: []func(){body(0), body(1)}}
	d := schedule.NewDFS(schedule.DFSOptions{Preemptions: -1, Delays: -1})
	seen := map[[2]int]int{}
	n := 0
	for {
		r := schedule.Run(p, d, schedule.Limits{})
		seen[popped]++
		n++
		if !d.Next(r) {
			break
		}
	}
	t.Log(n, seen)
	if len(seen) != 2 || seen[[2]int{0, 1}] == 0 || seen[[2]int{1, 0}] == 0 {
		t.Errorf("saw %v", seen)
	}
}
