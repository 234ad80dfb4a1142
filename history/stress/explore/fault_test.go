package explore_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	scontext "github.com/leadline/leadline/history/explore/shim/context"
	"github.com/leadline/leadline/history/explore/shim/sync"
	stime "github.com/leadline/leadline/history/explore/shim/time"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A host has methods with faults inside one call, and methods without that are like them.
type host struct {
	a, b  sync.Mutex
	rw    sync.RWMutex
	wg    sync.WaitGroup
	cond  *sync.Cond
	jobs  chan int
	slot  chan int
	stop  chan struct{}
	later []func()
	chans map[string]any
	total cell
}

func newHost() *host {
	h := &host{jobs: make(chan int), slot: make(chan int, 1), stop: make(chan struct{}), chans: map[string]any{}}
	h.cond = sync.NewCond(&h.a)
	return h
}

// inBothOrders runs two goroutines that take two locks in both orders, and waits for them.
func inBothOrders(wg *sync.WaitGroup, a, b sync.Locker) {
	wg.Add(2)
	schedule.Go(func() { defer wg.Done(); both(a, b) })
	schedule.Go(func() { defer wg.Done(); both(b, a) })
	wg.Wait()
}

func (h *host) Locks() { var wg sync.WaitGroup; inBothOrders(&wg, &h.a, &h.b) }

func (h *host) LocksField() { inBothOrders(&h.wg, &h.a, &h.b) }

// Readers has a reader that waits for a lock, and a writer that waits for the reader.
func (h *host) Readers() {
	var wg sync.WaitGroup
	wg.Go(func() { both(h.rw.RLocker(), &h.a) })
	wg.Go(func() { both(&h.a, &h.rw) })
	wg.Wait()
}

func (h *host) SharedReaders() { var wg sync.WaitGroup; inBothOrders(&wg, h.rw.RLocker(), &h.a) }

func (h *host) WriteRead() { var wg sync.WaitGroup; inBothOrders(&wg, &h.rw, &h.a) }

// Lost misses a signal that comes before the wait.
func (h *host) Lost() {
	schedule.Go(h.cond.Signal)
	h.a.Lock()
	h.cond.Wait()
	h.a.Unlock()
}

// Early misses the result if its goroutine is early.
func (h *host) Early() {
	schedule.Go(func() {
		c := schedule.To(h.jobs).Case(1)
		schedule.Select(true, c)
	})
	schedule.Recv(h.jobs)
}

// Timeout returns without the result of its goroutine.
func (h *host) Timeout() bool {
	c := make(chan int)
	schedule.Go(func() { schedule.To(c).Send(1) })
	return schedule.Select(false, schedule.RecvCase(c), schedule.RecvCase(stime.After(stime.Second))) == 0
}

func (h *host) TimeoutRight() bool {
	c := make(chan int, 1)
	schedule.Go(func() { schedule.To(c).Send(1) })
	return schedule.Select(false, schedule.RecvCase(c), schedule.RecvCase(stime.After(stime.Second))) == 0
}

// FirstError is like an errgroup: it returns with the first of two results.
func (h *host) FirstError() {
	c := make(chan int)
	for i := range 2 {
		schedule.Go(func() { schedule.To(c).Send(i) })
	}
	schedule.Recv(c)
}

func (h *host) NeverDone() {
	wg := new(sync.WaitGroup)
	wg.Add(2)
	schedule.Go(wg.Done)
	schedule.Go(wg.Wait)
}

func (h *host) OnceInOnce() {
	once := new(sync.Once)
	schedule.Go(func() { once.Do(func() { once.Do(func() {}) }) })
}

func (h *host) NotCanceled() {
	ctx, _ := scontext.WithCancel(scontext.Background())
	schedule.Go(func() { schedule.Recv(ctx.Done()) })
}

func (h *host) Canceled() {
	ctx, cancel := scontext.WithCancel(scontext.Background())
	schedule.Go(func() { schedule.Recv(ctx.Done()) })
	cancel()
}

func (h *host) WithTimeout() {
	ctx, _ := scontext.WithTimeout(scontext.Background(), stime.Hour)
	schedule.Go(func() { schedule.Recv(ctx.Done()) })
}

// Varies returns the last of two writes.
func (h *host) Varies() int {
	var last cell
	wg := new(sync.WaitGroup)
	wg.Go(func() { last.store(1) })
	wg.Go(func() { last.store(2) })
	wg.Wait()
	return int(last.load())
}

func (h *host) Sums() int {
	var sum cell
	wg := new(sync.WaitGroup)
	wg.Go(func() { sum.add(1) })
	wg.Go(func() { sum.add(2) })
	wg.Wait()
	return int(sum.load())
}

// The goroutines of these wait for what the object refers to.

func (h *host) Worker() { schedule.Go(func() { schedule.Recv(h.jobs) }) }

func (h *host) Janitor() {
	t := stime.NewTicker(stime.Minute)
	schedule.Go(func() {
		for schedule.Select(false, schedule.RecvCase(t.C), schedule.RecvCase(h.stop)) == 0 {
			h.total.add(1)
		}
	})
}

func (h *host) Closure() {
	c := make(chan int)
	h.a.Lock()
	h.later = append(h.later, func() { schedule.Close(c) })
	h.a.Unlock()
	schedule.Go(func() { schedule.Recv(c) })
}

func (h *host) Hidden() {
	c := make(chan int)
	h.a.Lock()
	h.chans["c"] = struct{ c any }{&c}
	h.a.Unlock()
	schedule.Go(func() { schedule.Recv(c) })
}

func (h *host) CondField() {
	schedule.Go(func() { h.a.Lock(); h.cond.Wait(); h.a.Unlock() })
}

// An open iterator ends its goroutine when the caller closes it.
type openIterator struct{ c chan int }

func (i *openIterator) Close() { schedule.Close(i.c) }

func (h *host) Open() *openIterator {
	i := &openIterator{make(chan int)}
	schedule.Go(func() { schedule.Recv(i.c) })
	return i
}

// Take waits for a Give in every schedule, and starts a goroutine meanwhile.
func (h *host) Take() int {
	done := make(chan int)
	schedule.Go(func() { schedule.To(done).Send(schedule.Recv(h.jobs)) })
	return schedule.Recv(done)
}

func (h *host) Give() { schedule.To(h.jobs).Send(1) }

// Keeps leaves the lock locked: the next call waits.
func (h *host) Keeps() { h.a.Lock() }

func (h *host) Twice() { h.a.Lock(); h.a.Lock() }

// hostClass has all methods, also those that block. Reflect tries only Open: trials would leave
// goroutines behind.
func hostClass(t *testing.T) *stress.Class {
	t.Helper()
	var names []string
	all := reflect.TypeFor[*host]()
	for i := range all.NumMethod() {
		m := all.Method(i)
		if m.Name != "Open" {
			names = append(names, m.Name)
		}
	}
	c := classOf(t, newHost, stress.ReflectOptions{Exclude: names})
	for _, name := range names {
		c.Methods = append(c.Methods, &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call {
			return func(object any) history.Value {
				out := reflect.ValueOf(object).MethodByName(name).Call(nil)
				switch {
				case len(out) == 0:
					return history.NoValue
				case out[0].CanInt():
					return history.IntValue(out[0].Int())
				}
				return history.BoolValue(out[0].Bool())
			}
		}})
	}
	return c
}

func TestFaults(t *testing.T) {
	c := hostClass(t)
	for program, want := range map[string]string{
		"{ Locks() }":                      "Locks deadlock",
		"{ LocksField() }":                 "LocksField deadlock",
		"{ Readers() }":                    "Readers deadlock",
		"{ WriteRead() }":                  "WriteRead deadlock",
		"{ SharedReaders() }":              "",
		"{ Lost() }":                       "Lost deadlock",
		"{ Early() }":                      "Early deadlock",
		"{ Timeout() }":                    "Timeout leak",
		"{ FirstError() }":                 "FirstError leak",
		"{ NeverDone() }":                  "NeverDone leak",
		"{ OnceInOnce() }":                 "OnceInOnce leak",
		"{ NotCanceled() }":                "NotCanceled leak",
		"{ Varies() }":                     "Varies results",
		"{ TimeoutRight() }":               "",
		"{ Canceled() }":                   "",
		"{ WithTimeout() }":                "",
		"{ Sums() }":                       "",
		"{ Worker() }":                     "",
		"{ Janitor() }":                    "",
		"{ Closure() }":                    "",
		"{ Hidden() }":                     "",
		"{ CondField() }":                  "",
		"{ Open() }":                       "",
		"{ Take() }":                       "",
		"{ Twice() }":                      "",
		"{ Keeps() }":                      "",
		"{ Keeps(); Keeps() }":             "",
		"{ Take() } || { Give() }":         "",
		"{ Sums(); Give() } || { Take() }": "",
		"[ Worker() ] { Locks() } || { FirstError() } [ Sums() ]": "FirstError leak, Locks deadlock",
	} {
		r := scheduled(t, c, program)
		var got []string
		for _, f := range r.Findings {
			got = append(got, strings.TrimSpace(f.Method+" "+f.Fault))
			if f.Rank[0] != 1 || len(f.Waiting) == 0 && f.Fault != stress.ResultsFault {
				t.Errorf("%s: %s with %q", program, f.Program, f.Waiting)
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != want || len(r.Explored.Diverging) > 0 {
			t.Errorf("%s: %q, want %q; %+v", program, text, want, r.Explored)
		}
	}
}

// TestFaultsGenerated: generated programs find the faults of each method once, and only name
// results that vary.
func TestFaultsGenerated(t *testing.T) {
	c := hostClass(t)
	c.Methods = slices.DeleteFunc(c.Methods, func(m *stress.Method) bool {
		return !slices.Contains([]string{"Locks", "Timeout", "Varies", "Worker", "Open", "Sums"}, m.Name)
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	programs := 0
	r, err := stress.Search(ctx, c, stress.Options{Executor: explore.New, Preemptions: 1, Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Initial: -1, Final: -1}, Checker: stresstest.Checker(nil), Starting: func(string, string) {
		if programs++; programs == 60 {
			cancel()
		}
	}, Effort: stress.Effort{Time: time.Hour, Program: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, f.Program+" "+f.Fault)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"{ Locks() } deadlock", "{ Timeout() } leak"}) || len(r.NonAtomic) > 0 {
		t.Errorf("%q, not atomic: %q", got, r.NonAtomic)
	}
	if len(r.Explored.Varying) != 1 || !strings.Contains(r.Explored.Varying[0], "{ Varies() }: 2 or 1") {
		t.Errorf("%q", r.Explored.Varying)
	}
}

// both takes two locks.
func both(a, b sync.Locker) {
	a.Lock()
	defer a.Unlock()
	b.Lock()
	defer b.Unlock()
}
