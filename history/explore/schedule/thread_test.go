package schedule_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

// once runs p by its default schedule.
func once(p *schedule.Program) *schedule.Result {
	return schedule.Run(p, schedule.NewReplay(nil), schedule.Limits{})
}

// works checks that the scheduler is whole after something went wrong.
func works(t *testing.T) {
	t.Helper()
	p, popped := treibers(true, "+-", "+-")
	if outcomes, n := count(t, p, schedule.NewDPOR(), func(*schedule.Result) string { return fmt.Sprint(*popped) }); len(outcomes) != 2 || n != 254 {
		t.Errorf("afterwards a stack has %d outcomes in %d executions", len(outcomes), n)
	}
}

// A never is not ready.
type never struct{}

func (*never) Ready() bool { return false }

func block() {
	n := new(never)
	schedule.Wait(schedule.Write, unsafe.Pointer(n), n, "never")
}

// TestAborted: however a thread that is left treats its end, it ends.
func TestAborted(t *testing.T) {
	cleanups := 0
	for name, body := range map[string]func(){
		"plain": block,
		"deferred": func() {
			l := new(lock)
			l.lock()
			defer func() { cleanups++ }()
			defer l.unlock()
			block()
		},
		"recovers": func() {
			func() {
				defer func() {
					if p := recover(); !schedule.Aborted(p) {
						panic(p)
					}
				}()
				block()
			}()
			block()
		},
		"recovers for ever": func() {
			for {
				func() {
					defer func() { recover() }()
					block()
				}()
			}
		},
		"recovers for ever when deferred": func() {
			defer func() {
				for {
					func() {
						defer func() { recover() }()
						block()
					}()
				}
			}()
			block()
		},
		"defers for ever": func() {
			var again func()
			again = func() { defer again(); block() }
			again()
		},
		"goexit when aborted": func() {
			defer runtime.Goexit()
			block()
		},
		"panics when aborted": func() {
			defer func() { panic("again") }()
			block()
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := 0
			for i := range 300 {
				r := once(&schedule.Program{Threads: []func(){body, func() {
					schedule.Go(body)
					new(cell).load()
				}}})
				if !r.Deadlock || r.Panic != nil || r.DaemonsLeft != 1 || len(r.Blocked) != 2 || r.Blocked[0].What != "never" {
					t.Fatalf("%+v", r)
				}
				if lost := name == "defers for ever"; lost != (r.Lost > 0) {
					t.Fatalf("%d threads lost", r.Lost)
				} else if lost && i > 10 {
					break
				}
				if i == 20 {
					time.Sleep(10 * time.Millisecond)
					before = runtime.NumGoroutine()
				}
			}
			// On a busy machine, goroutines that end take a while.
			for n, end := runtime.NumGoroutine(), time.Now().Add(time.Minute); before > 0 && n > before+5; n = runtime.NumGoroutine() {
				if time.Now().After(end) {
					t.Fatalf("%d goroutines, %d before", n, before)
				}
				time.Sleep(10 * time.Millisecond)
			}
			works(t)
		})
	}
	if cleanups == 0 {
		t.Error("deferred functions did not run")
	}
}

// TestGoexit: a thread that exits has ended, and the others go on.
func TestGoexit(t *testing.T) {
	for range 1000 {
		var c *cell
		deferred := false
		r := once(&schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){
			func() { defer func() { deferred = true }(); c.store(1); runtime.Goexit() },
			func() { c.store(2) },
		}, After: func() { c.load(); runtime.Goexit() }})
		if r.Deadlock || r.Panic != nil || c.v != 2 || !deferred || r.Steps != 3 {
			t.Fatalf("%+v", r)
		}
	}
	works(t)
}

// TestPanic: a panic that nothing recovers ends the execution, in a thread, a goroutine, Before or After.
func TestPanic(t *testing.T) {
	crash := func() { new(cell).load(); panic("boom") }
	idle := func() { new(cell).load() }
	for name, p := range map[string]*schedule.Program{
		"thread":    {Threads: []func(){idle, crash}},
		"goroutine": {Threads: []func(){func() { schedule.Go(crash); block() }}},
		"before":    {Before: crash, Threads: []func(){idle}},
		"after":     {Threads: []func(){idle}, After: crash},
	} {
		r := once(p)
		if r.Panic != "boom" || r.Deadlock || r.Crash == nil || !strings.Contains(r.Crash.Stack, "TestPanic") || r.Crash.Daemon != (name == "goroutine") {
			t.Errorf("%s: %+v", name, r)
		}
		works(t)
	}
}

// TestGoroutines: neither goroutines nor memory grow with the number of executions.
func TestGoroutines(t *testing.T) {
	executions := 50_000
	if *full {
		executions = 1_000_000
	}
	p := &schedule.Program{Before: func() { schedule.Go(block) }, Threads: []func(){
		func() { schedule.Go(func() { new(cell).load(); block() }); new(cell).load() },
		func() { new(cell).load() },
	}}
	s := schedule.NewPOS(1)
	var goroutines int
	var memory uint64
	for i := range executions {
		if r := schedule.Run(p, s, schedule.Limits{}); r.DaemonsLeft != 2 || r.Deadlock {
			t.Fatalf("%+v", r)
		}
		if i == executions/10 || i == executions-1 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			if goroutines == 0 {
				goroutines, memory = runtime.NumGoroutine(), m.HeapInuse+m.StackInuse
			} else if n, now := runtime.NumGoroutine(), m.HeapInuse+m.StackInuse; n > goroutines || now > memory+1<<20 {
				t.Errorf("%d goroutines and %d bytes, of %d and %d", n, now, goroutines, memory)
			}
		}
	}
}

// TestForeign: a goroutine that the scheduler does not know is reported and
// changes nothing.
func TestForeign(t *testing.T) {
	var c *cell
	reported := 0
	p := &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){func() {
		c.store(1)
		done := make(chan bool)
		go func() {
			if schedule.Active() {
				t.Error("a foreign goroutine is active")
			}
			new(cell).store(1)
			schedule.Choose(3)
			done <- true
		}()
		<-done
		c.store(2)
	}, func() { c.store(3) }}}
	for range 100 {
		r := once(p)
		if r.Steps != 3 || r.Panic != nil {
			t.Fatalf("%+v", r)
		}
		reported += r.Foreign
	}
	if reported != 300 {
		t.Errorf("%d calls reported", reported)
	}
	if schedule.Active() {
		t.Error("active outside of an execution")
	}
	works(t)
}

// TestOutsiders: goroutines that an object started outside of any execution may go on
// during one. They count as little as the objects do.
func TestOutsiders(t *testing.T) {
	ping, pong := make(chan bool), make(chan bool)
	schedule.Go(func() {
		for range ping {
			new(cell).store(1)
			schedule.Go(func() {
				schedule.Choose(3)
				pong <- true
			})
		}
	})
	defer close(ping)
	var c *cell
	r := once(&schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){func() {
		c.store(1)
		ping <- true
		<-pong
		c.store(2)
	}, func() { c.store(3) }}})
	if r.Steps != 3 || r.Foreign != 0 {
		t.Errorf("%d steps, %d foreign", r.Steps, r.Foreign)
	}
}

// grow needs a stack of about n KiB.
func grow(c *cell, n int) byte {
	var b [1024]byte
	if n > 0 {
		b[n%1024] = grow(c, n-1)
	}
	c.load()
	return b[0]
}

// TestStacks: a stack that moves is still known.
func TestStacks(t *testing.T) {
	for range 3 {
		c := new(cell)
		r := once(&schedule.Program{Threads: []func(){func() { grow(c, 500) }, func() { grow(c, 3); runtime.GC(); grow(c, 100) }}})
		if r.Steps != 501+4+101 || r.Foreign != 0 {
			t.Fatalf("%d steps, %d foreign", r.Steps, r.Foreign)
		}
		runtime.GC()
	}
}

// TestTime: sleepers wake in order, and time passes for them when nothing else can run.
func TestTime(t *testing.T) {
	var woken []int64
	sleep := func(d int64) func() {
		return func() {
			at := schedule.Now() + d
			schedule.SleepUntil(at, "sleep")
			if now := schedule.Now(); now < at {
				t.Errorf("woken at %d, not %d", now, at)
			}
			woken = append(woken, d)
		}
	}
	p := &schedule.Program{Before: func() { woken = nil }, Threads: []func(){sleep(3e9), sleep(1e9), sleep(2e9)}}
	for _, s := range strategies() {
		for n, more := 0, true; more && n < 100; n++ {
			r := schedule.Run(p, s, schedule.Limits{Ticks: -1})
			if r.Deadlock || r.Cut || fmt.Sprint(woken) != "[1000000000 2000000000 3000000000]" {
				t.Fatalf("%v %+v", woken, r)
			}
			more = s.Next(r)
		}
	}
	// A goroutine that ticks for ever keeps nothing from ending.
	r := once(&schedule.Program{Before: func() {
		schedule.Go(func() {
			for {
				schedule.SleepUntil(schedule.Now()+1e6, "tick")
			}
		})
	}, Threads: []func(){sleep(5e6)}})
	if r.Deadlock || r.Cut || r.DaemonsLeft != 1 || r.Steps > 20 {
		t.Errorf("%+v", r)
	}
}

// TestSpin: a thread that polls waits for the others, however it polls.
func TestSpin(t *testing.T) {
	var c *cell
	for name, poll := range map[string]func(){
		"gosched": func() {
			for c.load() == 0 {
				schedule.Step(schedule.Yield, nil)
			}
		},
		"loads": func() {
			for c.load() == 0 {
			}
		},
		"compare-and-swap": func() {
			for !c.cas(1, 2) {
			}
		},
		"many loads": func() {
			d := new(cell)
			for c.load()+d.load() == 0 {
			}
		},
		"with stores": func() {
			d := new(cell)
			for c.load() == 0 {
				d.store(1)
			}
		},
	} {
		d := schedule.NewDFS(schedule.DFSOptions{Bound: 1, Filter: true})
		p := &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){poll, func() { c.load(); c.store(1) }}}
		n := 0
		for more := true; more; n++ {
			r := schedule.Run(p, d, schedule.Limits{})
			if r.Cut || r.Deadlock {
				t.Fatalf("%s: %+v", name, r)
			}
			more = d.Next(r)
			print, s := r.Fingerprint, slices.Clone(r.Schedule)
			if r := schedule.Run(p, schedule.NewReplay(s), schedule.Limits{}); r.Diverged || r.Fingerprint != print {
				t.Fatalf("%s: a replay of %v differs: %v", name, s, r.Schedule)
			}
		}
		t.Log(name, n)
	}
	// A write wakes who polls, at once; a compare-and-swap that fails does not.
	woken, polls := false, 0
	p := &schedule.Program{Before: func() { c, polls = new(cell), 0 }, Threads: []func(){
		func() {
			for c.load() == 0 {
				polls++
				schedule.Step(schedule.Yield, nil)
			}
			c.store(2)
		},
		func() {
			for range 5 {
				c.cas(5, 6)
			}
			c.store(1)
			woken = c.load() == 2 || woken
		},
	}}
	if r := once(p); polls != 1 || len(r.Schedule) != 3 {
		t.Errorf("%d polls, schedule %v", polls, r.Schedule)
	}
	if count(t, p, schedule.NewDFS(everything), func(*schedule.Result) string { return "" }); !woken {
		t.Error("a thread that polls is not woken by a write")
	}
	// No thread writes.
	p = &schedule.Program{Before: func() { c = new(cell) }, Threads: []func(){func() {
		for c.load() == 0 {
			schedule.Step(schedule.Yield, nil)
		}
	}}}
	if r := once(p); r.Cut || !r.Spins || r.Steps > 200 {
		t.Errorf("%+v", r)
	}
	if r := schedule.Run(&schedule.Program{Threads: []func(){func() {
		for i := 0; ; i++ {
			c.store(i)
		}
	}}}, schedule.NewReplay(nil), schedule.Limits{Steps: 77}); !r.Cut || r.Steps != 77 {
		t.Errorf("%+v", r)
	}
	if r := once(&schedule.Program{Threads: []func(){func() {
		for {
			schedule.Choose(2)
		}
	}}}); !r.Cut || len(r.Schedule) > 1<<20 {
		t.Errorf("%+v", r.Cut)
	}
	works(t)
}

// TestWithheld: a goroutine that polls when all others are done is left out, and this is known.
func TestWithheld(t *testing.T) {
	for loads, withheld := range map[int]bool{11: false, 30: true} {
		p := &schedule.Program{Threads: []func(){func() {
			schedule.Go(func() {
				c := new(cell)
				for range loads {
					c.load()
				}
				c.store(1)
			})
		}}}
		d, o := schedule.NewDFS(schedule.DFSOptions{Bound: 3}), schedule.NewDPOR()
		none := func(*schedule.Result) string { return "" }
		count(t, p, d, none)
		if count(t, p, o, none); d.Exhausted() == withheld || o.Exhausted() == withheld || withheld && d.Complete() != 0 {
			t.Errorf("%d loads: exhausted %v and %v, complete %d", loads, d.Exhausted(), o.Exhausted(), d.Complete())
		}
	}
}

// TestDiverging: a program that depends on more than its schedule is found out.
func TestDiverging(t *testing.T) {
	calls := 0
	var a, b *cell
	p := &schedule.Program{Before: func() { a, b = new(cell), new(cell); calls++ }, Threads: []func(){
		func() {
			if calls%2 == 0 {
				b.store(2)
			}
			a.load()
			b.load()
		},
		func() { a.store(1); b.store(1) },
	}}
	for _, s := range []schedule.Strategy{schedule.NewDFS(everything), schedule.NewDPOR()} {
		diverged := false
		for n, more := 0, true; more && n < 20; n++ {
			r := schedule.Run(p, s, schedule.Limits{})
			diverged = diverged || r.Diverged
			more = s.Next(r)
		}
		if !diverged {
			t.Errorf("%T does not notice", s)
		}
	}
	s, err := schedule.ParseSchedule("0 1^2 7")
	if err != nil {
		t.Fatal(err)
	}
	if r := schedule.Run(p, schedule.NewReplay(s), schedule.Limits{}); !r.Diverged {
		t.Error("a schedule that is too long is not noticed")
	}
}

// TestTooMany: an execution with too many goroutines is cut. Those that have ended do not count, up
// to a bound that keeps an endless chain of them from running for ever.
func TestTooMany(t *testing.T) {
	spawns := func(n int, waits bool) *schedule.Program {
		return &schedule.Program{Threads: []func(){func() {
			for range n {
				d := new(done)
				schedule.Go(func() { new(cell).load(); schedule.Step(schedule.Write, unsafe.Pointer(d)); d.ended = true })
				if waits {
					schedule.Wait(schedule.Read, unsafe.Pointer(d), d, "the goroutine")
				}
			}
		}}}
	}
	for _, c := range []struct {
		n      int
		waits  bool
		cut    bool
		reused bool
	}{
		{61, false, false, false}, {62, false, false, false}, {63, false, true, false}, {100, false, true, false},
		{62, true, false, false}, {63, true, false, true}, {1025, true, false, true},
		{schedule.MostSpawned, true, false, true}, {schedule.MostSpawned + 1, true, true, true},
	} {
		r := once(spawns(c.n, c.waits))
		if r.Cut != c.cut || r.Crowded != c.cut || r.Reused != c.reused || r.Deadlock || !c.cut && r.Spawned != c.n {
			t.Errorf("%d goroutines, waiting %t: cut %t, crowded %t, reused %t, %d spawned, %d steps", c.n, c.waits, r.Cut, r.Crowded, r.Reused, r.Spawned, r.Steps)
		}
		works(t)
	}
	all := schedule.NewDFS(schedule.DFSOptions{Bound: 1})
	dpor := schedule.NewDPOR()
	for _, s := range []schedule.Strategy{all, dpor} {
		for range 3 {
			s.Next(schedule.Run(spawns(70, true), s, schedule.Limits{}))
		}
	}
	if all.Exhausted() || all.Complete() > 0 || dpor.Exhausted() {
		t.Error("schedules of goroutines whose numbers are reused are not all there are")
	}
}

// done is ready when a goroutine has set it.
type done struct{ ended bool }

func (d *done) Ready() bool { return d.ended }

// TestTrace: a traced execution says where each step is, and what was noted.
func TestTrace(t *testing.T) {
	p := &schedule.Program{Threads: []func(){func() {
		schedule.Invocation(0, 0)
		new(cell).load()
		schedule.Note("0")
		schedule.Returned()
	}}}
	r := schedule.Trace(p, nil, schedule.Limits{})
	if len(r.Details) != 2 || r.Details[1].Note != "0" || !strings.Contains(r.Details[1].Where(), "schedule_test.go:") || !strings.Contains(r.Details[0].Where(), "thread_test.go:") {
		t.Errorf("%+v %s %s", r.Details, r.Details[0].Where(), r.Details[1].Where())
	}
	if len(r.Events) != 2 || r.Events[0].Stamp != 1 || r.Events[1].Stamp != 2 || !r.Events[1].Return {
		t.Errorf("%+v", r.Events)
	}
	unlocking := &schedule.Program{Threads: []func(){func() {
		defer func() { _ = recover() }()
		var m sync.Mutex
		m.Lock()
		defer m.Unlock() // the runtime calls it
		panic("between")
	}}}
	for _, d := range schedule.Trace(unlocking, nil, schedule.Limits{}).Details {
		if !strings.Contains(d.Where(), "thread_test.go:") {
			t.Errorf("a step at %s", d.Where())
		}
	}
}

func TestParseSchedule(t *testing.T) {
	for _, text := range []string{"", "0", "0^8 1 0^3", "12^2 3 12"} {
		s, err := schedule.ParseSchedule(text)
		if err != nil || s.String() != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"x", "-1", "0^", "0^0", "^2", "99999", "0^9999999", "1^-1", "0,1"} {
		if s, err := schedule.ParseSchedule(text); err == nil {
			t.Errorf("%q: %v", text, s)
		}
	}
}
