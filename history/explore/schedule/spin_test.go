package schedule_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

// TestHangs: threads that are left and spin forever are a hang. If they might go on, the
// execution is cut.
func TestHangs(t *testing.T) {
	var c, d *cell
	spin := func() {
		for c.load() == 0 {
		}
	}
	bounded := func(rounds int) func() {
		return func() {
			for i := 0; i < rounds && c.load() == 0; i++ {
			}
		}
	}
	held, list := new(lock), make([]cell, 20_000)
	for _, test := range []struct {
		name    string
		threads []func()
		limits  schedule.Limits
		hangs   bool
		blocked int // threads of a hang
	}{
		{name: "loads", threads: []func(){spin}, hangs: true, blocked: 1},
		{name: "two threads", threads: []func(){spin, func() { c.load() }, spin}, hangs: true, blocked: 2},
		{name: "loads of several", threads: []func(){func() {
			for c.load()+d.load() == 0 {
			}
		}}, hangs: true, blocked: 1},
		{name: "compare-and-swap", threads: []func(){func() {
			for !c.cas(1, 2) {
			}
		}}, hangs: true, blocked: 1},
		{name: "gosched", threads: []func(){func() {
			for c.load() == 0 {
				schedule.Step(schedule.Yield, nil)
			}
		}}, hangs: true, blocked: 1},
		{name: "sleep", threads: []func(){func() {
			for c.load() == 0 {
				schedule.Sleep(1e6, "sleep")
			}
		}}, hangs: true, blocked: 1},
		{name: "unchanged", threads: []func(){func() {
			for {
				d.store(0)
				schedule.Unchanged()
			}
		}, spin}, hangs: true, blocked: 2},
		{name: "another waits", threads: []func(){func() { held.lock(); spin() }, func() { held.lock() }}, hangs: true, blocked: 2},
		{name: "a goroutine spins", threads: []func(){func() { schedule.Go(spin); block() }}, hangs: true, blocked: 2},
		{name: "many rounds", threads: []func(){bounded(10_000)}, hangs: true, blocked: 1},

		{name: "many rounds, tried for longer", threads: []func(){bounded(10_000)}, limits: schedule.Limits{Spin: 10_000}},
		{name: "rounds", threads: []func(){bounded(4000)}},
		{name: "stores", threads: []func(){func() {
			for i := 0; ; i++ {
				d.store(i)
			}
		}, spin}},
		{name: "clock", threads: []func(){func() {
			for c.load() == 0 && schedule.Now() < 1<<62 {
			}
		}}},
		{name: "random numbers", threads: []func(){func() {
			for c.load() == 0 {
				schedule.Rand64()
			}
		}}},
		{name: "choices", threads: []func(){func() {
			for c.load() == 0 {
				schedule.Choose(2)
			}
		}}},
		{name: "a long list", threads: []func(){func() {
			for i := range list {
				list[i].load()
			}
		}}},
		{name: "panic", threads: []func(){func() { bounded(4000)(); panic("too late") }}},
		{name: "blocks", threads: []func(){func() { bounded(4000)(); block() }}},
		{name: "starts a goroutine", threads: []func(){func() { bounded(4000)(); schedule.Go(block); spin() }}},
		{name: "returns", threads: []func(){func() { bounded(4000)(); schedule.Returned(); spin() }}},
		{name: "begins", threads: []func(){func() { bounded(4000)(); schedule.Invocation(0, 1); spin() }}},
		// Another thread would end the loop, but the limit comes before its turn.
		{name: "holder", threads: []func(){spin, func() { d.load(); d.load(); c.store(1) }}, limits: schedule.Limits{Steps: 8, Spin: 100}},
		{name: "not begun", threads: []func(){spin, func() { schedule.Invocation(1, 0); c.store(1) }}, limits: schedule.Limits{Steps: 8, Spin: 100}},
		{name: "asleep", threads: []func(){func() { schedule.Go(func() { schedule.Sleep(3600e9, "sleep"); c.store(1) }); spin() }},
			limits: schedule.Limits{Steps: 8, Spin: 100}},
	} {
		p := &schedule.Program{Before: func() { c, d, held = new(cell), new(cell), new(lock) }, Threads: test.threads}
		r := schedule.Run(p, schedule.NewReplay(nil), test.limits)
		if r.Spins != test.hangs || r.Deadlock != test.hangs || r.Cut == test.hangs || r.Panic != nil || r.Diverged || r.Lost > 0 || r.Steps > 5100 {
			t.Errorf("%s: spins %v, deadlock %v, cut %v, panic %v, %d steps", test.name, r.Spins, r.Deadlock, r.Cut, r.Panic, r.Steps)
		}
		if test.hangs && len(r.Blocked) != test.blocked {
			t.Errorf("%s: %v", test.name, r.Blocked)
		}
		print, steps, events, choices := r.Fingerprint, len(r.Trace), len(r.Events), slices.Clone(r.Schedule)
		if r := schedule.Trace(p, choices, test.limits); r.Fingerprint != print || len(r.Trace) != steps || len(r.Details) != steps || len(r.Events) != events || r.Spins != test.hangs {
			t.Errorf("%s: a replay has %d steps, not %d", test.name, len(r.Trace), steps)
		}
	}
	works(t)
}

// TestHangsReport: the report of a hang says who spins, and what the others wait for.
func TestHangsReport(t *testing.T) {
	var c *cell
	var l *lock
	r := once(&schedule.Program{Before: func() { c, l = new(cell), new(lock) }, Threads: []func(){
		func() {
			l.lock()
			for c.load() == 0 {
			}
		},
		func() { l.lock() },
		func() { schedule.Wait(schedule.Write, unsafe.Pointer(c), new(never), "never") },
	}})
	if !r.Spins || len(r.Blocked) != 3 || !r.Blocked[0].Spins || r.Blocked[1].Spins || r.Blocked[1].Holder != 0 || r.Blocked[2].What != "never" {
		t.Fatalf("%v", r.Blocked)
	}
	if text := r.Blocked[0].String(); len(text) < 20 || text[:19] != "thread 0 spins, at " {
		t.Error(text)
	}
}
