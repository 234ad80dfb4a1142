package schedule_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
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

func (l *lock) Ready() bool              { return l.held == 0 }
func (l *lock) Holders() []schedule.Hold { return []schedule.Hold{{Thread: l.by}} }
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
	d := schedule.NewDFS(everything)
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
	d := schedule.NewDFS(everything)
	found := 0
	for {
		r := schedule.Run(p, d, schedule.Limits{})
		if r.Deadlock {
			found++
			if len(r.Blocked) != 2 || r.Blocked[0].Holder != 1 || r.Blocked[1].Holder != 0 || r.Blocked[0].What != "lock" {
				t.Fatalf("%+v", r.Blocked)
			}
			if line := r.Blocked[0].String(); !strings.HasPrefix(line, "thread 0 waits for lock, held by thread 1, at ") || !strings.Contains(line, "schedule_test.go:") {
				t.Error(line)
			}
		}
		if !d.Next(r) {
			break
		}
	}
	if found == 0 {
		t.Fatal("no deadlock found")
	}
}

// TestCircle: a deadlock of n threads names for each what it waits for and who holds it.
func TestCircle(t *testing.T) {
	for n := 2; n <= 5; n++ {
		d := schedule.NewDFS(schedule.DFSOptions{Bound: 1, Filter: true})
		p := circle(n)
		found := false
		for !found {
			r := schedule.Run(p, d, schedule.Limits{})
			if found = r.Deadlock; found {
				if len(r.Blocked) != n {
					t.Errorf("%d threads: %v", n, r.Blocked)
				}
				for i, b := range r.Blocked {
					if b.Thread != i || b.Holder != (i+1)%n || b.What != "lock" || b.Daemon || !strings.Contains(b.Where(), "schedule_test.go:") {
						t.Errorf("%d threads: %v", n, b.String())
					}
				}
			}
			if !d.Next(r) && !found {
				t.Fatalf("%d threads: no deadlock found", n)
			}
		}
	}
}

// TestAllocations: steps, switches and decisions allocate nothing.
func TestAllocations(t *testing.T) {
	c := new(cell)
	body := func() {
		for range 200 {
			c.store(c.load())
		}
	}
	p := &schedule.Program{Threads: []func(){body, body}}
	for name, s := range map[string]schedule.Strategy{
		"pos": schedule.NewPOS(1), "replay": schedule.NewReplay(nil),
		"dfs": schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true}),
	} {
		run := func() { s.Next(schedule.Run(p, s, schedule.Limits{})) }
		for range 5 {
			run()
		}
		if n := testing.AllocsPerRun(20, run); n > 2 {
			t.Errorf("%s: %v allocations in an execution of 800 steps", name, n)
		}
	}
}

// A treiber is Treiber's stack, with points at its atomic accesses.
type treiber struct {
	top   cell // 1 + index in nodes
	n     []*struct{ value, next cell }
	plain bool // points at its plain accesses, too
}

func (s *treiber) get(c *cell) int {
	if s.plain {
		return c.load()
	}
	return c.v
}

func (s *treiber) set(c *cell, v int) {
	if s.plain {
		c.store(v)
	}
	c.v = v
}

func (s *treiber) push(v int) {
	n := &struct{ value, next cell }{}
	s.n = append(s.n, n)
	i := len(s.n)
	s.set(&n.value, v)
	for {
		top := s.top.load()
		s.set(&n.next, top)
		if s.top.cas(top, i) {
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
		if s.top.cas(i, s.get(&s.n[i-1].next)) {
			return s.get(&s.n[i-1].value)
		}
	}
}

// treibers returns a program on a stack, one string of pushes (+) and pops (-) for each
// thread, and the values popped.
func treibers(plain bool, threads ...string) (*schedule.Program, *[]string) {
	var s *treiber
	popped := make([]string, len(threads))
	p := &schedule.Program{Before: func() { s = &treiber{plain: plain}; clear(popped) }}
	for i, ops := range threads {
		p.Threads = append(p.Threads, func() {
			for j, op := range ops {
				schedule.Invocation(i, j)
				if op == '+' {
					s.push(10*i + j)
				} else {
					popped[i] += fmt.Sprint(s.pop(), " ")
				}
				schedule.Returned()
			}
		})
	}
	return p, &popped
}

// count runs all schedules of a strategy and returns the outcomes that show returns.
func count(t testing.TB, p *schedule.Program, s schedule.Strategy, show func(r *schedule.Result) string) (outcomes map[string]int, executions int) {
	t.Helper()
	outcomes = map[string]int{}
	for {
		r := schedule.Run(p, s, schedule.Limits{})
		executions++
		if r.Diverged || r.Cut || r.Panic != nil || r.Lost > 0 || r.Foreign > 0 {
			t.Fatalf("%+v", r)
		}
		if !r.Pruned {
			outcomes[show(r)]++
		}
		if !s.Next(r) {
			return outcomes, executions
		}
	}
}

// TestTreiber: exhaustive exploration of a stack, in few executions if it is reduced.
func TestTreiber(t *testing.T) {
	for _, c := range []struct {
		plain   bool
		threads []string
		most    int  // executions of DPOR
		brute   bool // plain search is feasible
	}{
		{false, []string{"+-", "+-"}, 50, true},
		{true, []string{"+-", "+-"}, 300, false},
		{false, []string{"+-", "+", "-"}, 200, true},
		{true, []string{"+-", "+", "-"}, 1000, false},
	} {
		p, popped := treibers(c.plain, c.threads...)
		show := func(r *schedule.Result) string { return fmt.Sprint(*popped) }
		reduced, n := count(t, p, schedule.NewDPOR(), show)
		t.Logf("%v: %d executions, %d outcomes", c, n, len(reduced))
		if n > c.most {
			t.Errorf("%v: %d executions", c, n)
		}
		if c.brute {
			all, _ := count(t, p, schedule.NewDFS(everything), show)
			if !maps.EqualFunc(all, reduced, func(int, int) bool { return true }) {
				t.Errorf("%v: outcomes %v, of %v", c, reduced, all)
			}
		}
	}
}

// everything has no bounds.
var everything = schedule.DFSOptions{Bound: -1}

// A mutexMap is a map with a lock.
type mutexMap struct {
	lock lock
	m    map[int]int
}

func (m *mutexMap) store(k, v int) {
	m.lock.lock()
	defer m.lock.unlock()
	m.m[k] = v
}

func (m *mutexMap) load(k int) int {
	m.lock.lock()
	defer m.lock.unlock()
	return m.m[k]
}

// BenchmarkExecution: executions of four invocations on a map with a lock, and
// of a stack whose plain accesses are steps, too.
func BenchmarkExecution(b *testing.B) {
	var m *mutexMap
	var seen [2]int
	body := func(i int) func() {
		return func() {
			schedule.Invocation(i, 0)
			m.store(i, i)
			schedule.Returned()
			schedule.Invocation(i, 1)
			seen[i] = m.load(1 - i)
			schedule.Returned()
		}
	}
	mutexes := &schedule.Program{Before: func() { m = &mutexMap{m: map[int]int{}} }, Threads: []func(){body(0), body(1)}}
	stack, _ := treibers(true, "+-", "+-")
	for _, c := range []struct {
		name string
		p    *schedule.Program
		make func() schedule.Strategy
	}{
		{"mutex/dfs", mutexes, func() schedule.Strategy { return schedule.NewDFS(everything) }},
		{"mutex/bound", mutexes, func() schedule.Strategy {
			return schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true})
		}},
		{"mutex/dpor", mutexes, func() schedule.Strategy { return schedule.NewDPOR() }},
		{"stack/dfs", stack, func() schedule.Strategy { return schedule.NewDFS(everything) }},
		{"stack/bound", stack, func() schedule.Strategy {
			return schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true})
		}},
		{"stack/dpor", stack, func() schedule.Strategy { return schedule.NewDPOR() }},
		{"stack/pos", stack, func() schedule.Strategy { return schedule.NewPOS(1) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := c.make()
			steps := 0
			b.ReportAllocs()
			for b.Loop() {
				r := schedule.Run(c.p, s, schedule.Limits{})
				steps += r.Steps
				if !s.Next(r) {
					s = c.make()
				}
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
