package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// A planted bug: make returns a program and a function that reports whether its last
// execution showed the bug.
type planted struct {
	name        string
	preemptions int // that it needs
	make        func() (*schedule.Program, func(r *schedule.Result) bool)
}

func deadlocks(r *schedule.Result) bool { return r.Deadlock }

var plantedBugs = []planted{
	{"lost update", 1, func() (*schedule.Program, func(r *schedule.Result) bool) {
		var c *cell
		inc := func() { c.store(c.load() + 1) }
		return &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){inc, inc}}, func(*schedule.Result) bool { return c.v == 1 }
	}},
	{"an update between two reads", 2, func() (*schedule.Program, func(r *schedule.Result) bool) {
		var c *cell
		var seen []int
		return &schedule.Program{Before: func() { c, seen = new(cell), nil }, Threads: []func(){
			func() { seen = append(seen, c.load(), c.load()) },
			func() { c.store(1); c.store(0) },
		}}, func(*schedule.Result) bool { return slices.Equal(seen, []int{1, 0}) }
	}},
	{"lost wake-up", 1, func() (*schedule.Program, func(r *schedule.Result) bool) {
		var set, sleeping, woken *cell
		return &schedule.Program{Before: func() { set, sleeping, woken = new(cell), new(cell), new(cell) }, Threads: []func(){
			func() {
				if set.load() == 0 {
					sleeping.store(1)
					schedule.Wait(schedule.Read, unsafe.Pointer(woken), &nonzero{woken}, "wake-up")
				}
			},
			func() {
				set.store(1)
				if sleeping.load() == 1 {
					woken.store(1)
				}
			},
		}}, deadlocks
	}},
	{"two locks in both orders", 1, func() (*schedule.Program, func(r *schedule.Result) bool) { return circle(2), deadlocks }},
	{"three locks in a circle", 1, func() (*schedule.Program, func(r *schedule.Result) bool) { return circle(3), deadlocks }},
	{"a goroutine of the object", 0, func() (*schedule.Program, func(r *schedule.Result) bool) {
		var c *cell
		var seen int
		return &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){func() {
			schedule.Invocation(0, 0)
			schedule.Go(func() { c.store(1) })
			schedule.Returned()
			schedule.Invocation(0, 1)
			seen = c.load()
			schedule.Returned()
		}}}, func(*schedule.Result) bool { return seen == 1 }
	}},
	{"a choice", 0, func() (*schedule.Program, func(r *schedule.Result) bool) {
		var n int
		return &schedule.Program{Threads: []func(){func() { n = 5*schedule.Choose(5) + schedule.Choose(5) }}}, func(*schedule.Result) bool { return n == 13 }
	}},
}

// circle: each thread takes its own lock and the next.
func circle(n int) *schedule.Program {
	var locks []*lock
	p := &schedule.Program{Before: func() {
		locks = nil
		for range n {
			locks = append(locks, new(lock))
		}
	}}
	for i := range n {
		p.Threads = append(p.Threads, func() {
			locks[i].lock()
			locks[(i+1)%n].lock()
			locks[(i+1)%n].unlock()
			locks[i].unlock()
		})
	}
	return p
}

func strategies() map[string]schedule.Strategy {
	return map[string]schedule.Strategy{
		"dfs":         schedule.NewDFS(everything),
		"filter":      schedule.NewDFS(schedule.DFSOptions{Bound: 2, Filter: true}),
		"preemptions": schedule.NewDFS(schedule.DFSOptions{Bound: 2}),
		"delays":      schedule.NewDFS(schedule.DFSOptions{Bound: 2, Delays: true}),
		"dpor":        schedule.NewDPOR(),
		"pos":         schedule.NewPOS(1),
	}
}

// TestStrategies: each strategy finds each planted bug, and its schedule shows it again 1,000 times.
func TestStrategies(t *testing.T) {
	for _, bug := range plantedBugs {
		for name, s := range strategies() {
			t.Run(bug.name+"/"+name, func(t *testing.T) {
				p, shows := bug.make()
				var found schedule.Schedule
				n := 0
				for more := true; more && n < 5000 && found == nil; n++ {
					r := schedule.Run(p, s, schedule.Limits{})
					if r.Diverged || r.Panic != nil {
						t.Fatalf("%+v", r)
					}
					if !r.Pruned && shows(r) {
						found = append(schedule.Schedule{}, r.Schedule...)
					}
					more = s.Next(r)
				}
				if found == nil {
					t.Fatalf("not found in %d executions", n)
				}
				t.Logf("%d executions, schedule %v", n, found)
				var trace string
				for i := range 1000 {
					r := schedule.Run(p, schedule.NewReplay(found), schedule.Limits{})
					if r.Diverged || !shows(r) || !slices.Equal(r.Schedule, found) {
						t.Fatalf("replay %d: %+v", i, r)
					}
					if now := plain(r); i == 0 {
						trace = now
					} else if now != trace {
						t.Fatalf("replay %d: %s\nnot %s", i, now, trace)
					}
				}
			})
		}
	}
}

// plain returns a trace without addresses.
func plain(r *schedule.Result) string {
	b := fmt.Append(nil, r.Fingerprint, " ")
	for _, a := range r.Trace {
		b = fmt.Appendf(b, "%d%v%d@%d ", a.Thread, a.Kind, a.Flags, a.Node)
	}
	return string(b)
}

// TestBounds: a bug that needs n preemptions is found at bound n, not before.
func TestBounds(t *testing.T) {
	for _, bug := range plantedBugs {
		for _, filter := range []bool{false, true} {
			p, shows := bug.make()
			d := schedule.NewDFS(schedule.DFSOptions{Bound: 4, Filter: filter})
			for {
				r := schedule.Run(p, d, schedule.Limits{})
				if r.Preemptions > d.Bound() {
					t.Fatalf("%s: %d preemptions at bound %d", bug.name, r.Preemptions, d.Bound())
				}
				if shows(r) {
					if d.Bound() != bug.preemptions || d.Complete() != bug.preemptions-1 || r.Preemptions != bug.preemptions {
						t.Errorf("%s: found at bound %d with %d preemptions, complete to %d", bug.name, d.Bound(), r.Preemptions, d.Complete())
					}
					break
				}
				if !d.Next(r) {
					t.Errorf("%s: not found", bug.name)
					break
				}
			}
		}
	}
}

// TestBoundsEnd: the bounds of a small program are exhausted, and the schedules of all
// bounds together are all.
func TestBoundsEnd(t *testing.T) {
	p, popped := treibers(false, "+-", "+-")
	key := func(r *schedule.Result) string { return r.Schedule.String() + fmt.Sprint(*popped) }
	all, _ := count(t, p, schedule.NewDFS(everything), key)
	for _, o := range []schedule.DFSOptions{{Bound: 20}, {Bound: 40, Delays: true}} {
		d := schedule.NewDFS(o)
		bounded, n := count(t, p, d, key)
		if !d.Exhausted() || d.Complete() != d.Bound() || d.Bound() >= 20 || len(bounded) != len(all) {
			t.Errorf("%+v: %d schedules of %d in %d executions; bound %d, complete %d, exhausted %v", o, len(bounded), len(all), n, d.Bound(), d.Complete(), d.Exhausted())
		}
	}
	for _, o := range []schedule.DFSOptions{{Bound: 0}, {Bound: 0, Delays: true}} {
		if _, n := count(t, p, schedule.NewDFS(o), key); n != 6 {
			t.Errorf("%+v: %d executions, not the 6 shuffles", o, n)
		}
	}
	d := schedule.NewDFS(schedule.DFSOptions{Bound: 1})
	if count(t, p, d, key); d.Exhausted() || d.Complete() != 1 {
		t.Errorf("bound 1: complete %d, exhausted %v", d.Complete(), d.Exhausted())
	}
}
