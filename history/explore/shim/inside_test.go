package shim_test

import (
	"fmt"
	"maps"
	"math"
	standard "math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/rand"
	randv2 "github.com/leadline/leadline/history/explore/shim/randv2"
	"github.com/leadline/leadline/history/explore/shim/runtime"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/explore/shim/time"
)

// outcomes runs all schedules of the threads that start returns for each
// execution, and counts what is logged. Deadlocks are logged with their reasons.
func outcomes(t *testing.T, start func(log func(...any)) []func()) map[string]int {
	t.Helper()
	found := map[string]int{}
	var text []string
	log := func(args ...any) { text = append(text, strings.TrimSuffix(fmt.Sprintln(args...), "\n")) }
	var threads []func()
	p := &schedule.Program{Before: func() { threads = start(log) }}
	for i := range len(start(log)) {
		p.Threads = append(p.Threads, func() { threads[i]() })
	}
	s := schedule.NewDFS(schedule.DFSOptions{Bound: -1})
	for n := 0; ; n++ {
		text = nil
		r := schedule.Run(p, s, schedule.Limits{Ticks: -1})
		if r.Cut || r.Diverged || r.Foreign > 0 || n > 50000 {
			t.Fatalf("execution %d: cut %v, diverged %v, foreign %d", n, r.Cut, r.Diverged, r.Foreign)
		}
		if r.Panic != nil {
			log("panic:", r.Panic)
		}
		if r.Deadlock {
			for _, b := range r.Blocked {
				log("waits:", b.What)
			}
		}
		found[strings.Join(text, ", ")]++
		if !s.Next(r) {
			return found
		}
	}
}

// check compares the outcomes with those that are possible.
func check(t *testing.T, got map[string]int, want ...string) {
	t.Helper()
	slices.Sort(want)
	if found := slices.Sorted(maps.Keys(got)); !slices.Equal(found, want) {
		t.Errorf("outcomes are\n%s\nbut should be\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

func TestLostUpdate(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var x atomic.Int32
		var done sync.WaitGroup
		done.Add(2)
		add := func() { x.Store(x.Load() + 1); done.Done() }
		return []func(){add, add, func() { done.Wait(); log(x.Load()) }}
	}), "1", "2")
}

// TestLostWakeup: a signal before the wait is lost.
func TestLostWakeup(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var ready atomic.Bool
		c := sync.NewCond(&sync.Mutex{})
		return []func(){
			func() {
				c.L.Lock()
				if !ready.Load() {
					c.Wait()
				}
				c.L.Unlock()
				log("woken")
			},
			func() { ready.Store(true); c.Signal() },
		}
	}), "woken", "waits: sync.Cond.Wait")
}

// TestWriterPreference: a writer that waits keeps a second read lock out.
func TestWriterPreference(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var rw sync.RWMutex
		return []func(){
			func() {
				rw.RLock()
				rw.RLock()
				log("both")
				rw.RUnlock()
				rw.RUnlock()
			},
			func() { rw.Lock(); log("write"); rw.Unlock() },
		}
	}), "both, write", "write, both", "waits: sync.RWMutex.RLock, waits: sync.RWMutex.Lock")
}

// TestFatal: fatal errors of the real primitives are panics in an execution.
func TestFatal(t *testing.T) {
	for want, f := range map[string]func(){
		"sync: unlock of unlocked mutex":      func() { var m sync.Mutex; m.TryLock(); m.Unlock(); m.Unlock() },
		"sync: Unlock of unlocked RWMutex":    func() { var m sync.RWMutex; m.RLock(); m.Unlock() },
		"sync: RUnlock of unlocked RWMutex":   func() { var m sync.RWMutex; m.Lock(); m.RUnlock() },
		"sync: negative WaitGroup counter":    func() { var g sync.WaitGroup; g.Done() },
		"sync.Cond is copied":                 func() { c := copied(sync.NewCond(&sync.Mutex{})); c.Signal() },
		"send on closed channel":              func() { c := make(chan int); schedule.Close(c); schedule.To(c).Send(1) },
		"close of closed channel":             func() { c := make(chan int); schedule.Close(c); schedule.Close(c) },
		"close of nil channel":                func() { var c chan int; schedule.Close(c) },
		"non-positive interval for NewTicker": func() { time.NewTicker(0) },
	} {
		check(t, outcomes(t, func(log func(...any)) []func() {
			return []func(){func() {
				defer func() { log(recover()) }()
				f()
			}}
		}), want)
	}
}

// copied returns a copy of c after its first use, which vet would not allow.
func copied(c *sync.Cond) *sync.Cond {
	c.Signal()
	d := new(sync.Cond)
	reflect.ValueOf(d).Elem().Set(reflect.ValueOf(c).Elem())
	return d
}

// TestGroupReused: a group that is used again before its Wait has returned.
func TestGroupReused(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var g sync.WaitGroup
		return []func(){
			func() {
				defer func() { log(recover()) }()
				g.Wait()
			},
			func() { g.Add(1); g.Done(); g.Add(1); g.Done() },
		}
	}), "<nil>", "sync: WaitGroup is reused before previous Wait has returned")
}

// TestGroupOrder: the order in which goroutines are done makes no difference, but
// for the last.
func TestGroupOrder(t *testing.T) {
	const threads = 6
	var g *sync.WaitGroup
	ended := 0
	p := &schedule.Program{Before: func() { g, ended = new(sync.WaitGroup), 0; g.Add(threads) }}
	for range threads {
		p.Threads = append(p.Threads, func() { ended++; g.Done() })
	}
	p.Threads = append(p.Threads, func() {
		if g.Wait(); ended != threads {
			t.Errorf("Wait returns after %d of %d", ended, threads)
		}
	})
	s, n := schedule.NewDPOR(), 0
	for more := true; more; n++ {
		more = s.Next(schedule.Run(p, s, schedule.Limits{}))
	}
	if all := 720; n < threads || n >= all { // the orders of the threads
		t.Errorf("%d schedules, but %d threads can be the last, of %d orders", n, threads, all)
	}
	t.Log(n, "schedules")
}

// TestGroupReduced compares what a reduced search and a whole one find of random
// programs in which groups order loads and stores.
func TestGroupReduced(t *testing.T) {
	const seed, done = 1, 4
	t.Logf("seed %d", seed)
	random := standard.New(standard.NewPCG(seed, 0))
	n := 150
	if testing.Short() { // as under the race detector
		n /= 5
	}
	for range n {
		plan, dones := make([][]int, 2+random.IntN(2)), 0
		for left := 5; left > 0; left-- {
			i, op := random.IntN(len(plan)), random.IntN(done+1)
			if plan[i] = append(plan[i], op); op == done {
				dones++
			}
		}
		search := func(s schedule.Strategy) (found []string) {
			var g *sync.WaitGroup
			var x [2]atomic.Int32
			var seen [4]string
			p := &schedule.Program{Before: func() {
				g, x, seen = new(sync.WaitGroup), [2]atomic.Int32{}, [4]string{}
				g.Add(dones)
			}}
			for i, ops := range plan {
				p.Threads = append(p.Threads, func() {
					for _, op := range ops {
						switch {
						case op == done:
							g.Done()
						case op < 2:
							seen[i] += fmt.Sprint(x[op].Load())
						default:
							x[op-2].Store(int32(i + 1))
						}
					}
				})
			}
			p.Threads = append(p.Threads, func() { g.Wait(); seen[3] = fmt.Sprint(x[0].Load(), x[1].Load()) })
			for more := true; more; {
				r := schedule.Run(p, s, schedule.Limits{})
				if !r.Pruned {
					found = append(found, fmt.Sprint(seen, x[0].Load(), x[1].Load()))
				}
				more = s.Next(r)
			}
			slices.Sort(found)
			return slices.Compact(found)
		}
		all, reduced := search(schedule.NewDFS(schedule.DFSOptions{Bound: -1})), search(schedule.NewDPOR())
		if !slices.Equal(all, reduced) {
			t.Errorf("%v: the reduced search finds %v of %v", plan, reduced, all)
		}
	}
}

func TestOnce(t *testing.T) {
	var global sync.Once // is done anew in each execution
	check(t, outcomes(t, func(log func(...any)) []func() {
		value := sync.OnceValue(func() int { log("once"); return 5 })
		fails := sync.OnceFunc(func() { panic("failed") })
		do := func() {
			global.Do(func() { log("global") })
			value()
			defer func() { recover() }()
			fails()
		}
		return []func(){do, do}
	}), "global, once")
}

// TestPool: Get may return what was put, or a new object.
func TestPool(t *testing.T) {
	var p sync.Pool // is empty at the beginning of each execution
	check(t, outcomes(t, func(log func(...any)) []func() {
		p.New = func() any { return "new" }
		return []func(){func() {
			log(p.Get())
			p.Put("kept")
			log(p.Get())
		}}
	}), "new, kept", "new, new")
}

func TestMap(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var m sync.Map
		m.Store("a", 1)
		m.Store("b", 2)
		return []func(){
			func() { m.Range(func(k, v any) bool { log(k, v); return true }) },
			func() { m.CompareAndSwap("b", 2, 3); m.Delete("a") },
		}
	}), "a 1, b 2", "b 2, a 1", "a 1, b 3", "b 3, a 1", "b 2", "b 3")
}

// TestRangeMap: all orders, without what was deleted, with or without what was
// added meanwhile.
func TestRangeMap(t *testing.T) {
	visit := func(m map[string]int, each func(k string)) map[string]int {
		return outcomes(t, func(log func(...any)) []func() {
			m := maps.Clone(m)
			return []func(){func() {
				for it, k, v := schedule.RangeMap(m); it.Next(&k, &v); {
					log(k, v)
					if each != nil {
						each(k)
					}
					if k == "a" {
						delete(m, "c")
						m["d"] = 4
					}
				}
			}}
		})
	}
	check(t, visit(map[string]int{}, nil), "")
	check(t, visit(map[string]int{"x": 1, "y": 2}, nil), "x 1, y 2", "y 2, x 1")
	check(t, visit(map[string]int{"a": 1, "c": 3}, nil), "a 1", "a 1, d 4", "c 3, a 1", "c 3, a 1, d 4")
	if n := len(visit(map[string]int{"p": 1, "q": 2, "r": 3, "s": 4}, nil)); n != 24 {
		t.Errorf("%d orders of 4 keys", n)
	}
	if n := len(visit(map[string]int{"p": 1, "q": 2, "r": 3, "s": 4, "t": 5, "u": 6}, nil)); n != 12 {
		t.Errorf("%d orders of 6 keys", n)
	}
}

// TestRangeOrder: keys of any type have the same order in each execution.
func TestRangeOrder(t *testing.T) {
	type key struct {
		name string
		next *key
	}
	got := outcomes(t, func(log func(...any)) []func() {
		m := map[any]int{1: 1, "a": 2, 2.5: 3, math.NaN(): 4, [2]bool{true}: 5, &key{name: "x"}: 6, &key{name: "y", next: &key{name: "z"}}: 7, nil: 8, 1i: 9, uint8(3): 10}
		return []func(){func() {
			sum := 0
			var first int
			for it, _, v := schedule.RangeMap(m); it.Next(nil, &v); {
				if sum += v; first == 0 {
					first = v
				}
			}
			log(first, sum)
		}}
	})
	if len(got) != 10 || got["7 55"] != 2 {
		t.Errorf("outcomes are %v", got)
	}
}

// TestRangeMapOutside: outside of an execution it is a range clause.
func TestRangeMapOutside(t *testing.T) {
	type M map[string]func()
	m := M{"a": nil, "b": nil}
	var got []string
	for it, k, v := schedule.RangeMap(m); it.Next(&k, &v); {
		if v != nil {
			t.Error("not nil")
		}
		got = append(got, k)
		delete(m, "a")
		delete(m, "b")
	}
	if len(got) != 1 {
		t.Errorf("visited %v", got)
	}
}

// TestRandom: the first numbers are choices, and all numbers are a function of them.
func TestRandom(t *testing.T) {
	type draw func() any
	for name, f := range map[string]draw{
		"Intn":    func() any { return rand.Intn(2) },
		"Int31n":  func() any { return rand.Int31n(4) == 0 },
		"Float64": func() any { return rand.Float64() < 0.5 },
		"IntN":    func() any { return randv2.IntN(2) },
		"Float32": func() any { return randv2.Float32() < 0.5 },
		"N":       func() any { return randv2.N(time.Second) < time.Second/2 },
		"Uint32":  func() any { return randv2.Uint32() < 1<<31 },
		"bits":    func() any { return schedule.Rand64()&3 == 0 },
		"high":    func() any { return schedule.Rand64()>>62 == 0 },
	} {
		got := outcomes(t, func(log func(...any)) []func() {
			return []func(){func() {
				log(f(), f())
				_ = rand.Perm(5)
				log(rand.Int63())
			}}
		})
		if len(got) != 4 {
			t.Errorf("%s: %v", name, got)
		}
	}
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			rand.Seed(1)
			a := rand.Intn(1000)
			b := rand.New(rand.NewSource(1)).Intn(1000)
			log(a == b, randv2.New(randv2.NewPCG(1, 2)).IntN(1000))
		}}
	}), fmt.Sprint("true ", standard.New(standard.NewPCG(1, 2)).IntN(1000)))
}

// TestSourceOutside: a source that was made outside begins anew in each execution.
func TestSourceOutside(t *testing.T) {
	r := rand.New(rand.NewSource(77))
	want := rand.New(rand.NewSource(77)).Intn(1e9)
	got := outcomes(t, func(log func(...any)) []func() {
		return []func(){func() { log(r.Intn(1e9), schedule.Choose(3)) }}
	})
	numbers := map[string]bool{}
	for o := range got {
		n, _, _ := strings.Cut(o, " ")
		numbers[n] = true
	}
	if len(got) != 3 || len(numbers) != 1 {
		t.Errorf("outcomes are %v", got)
	}
	if n := r.Intn(1e9); n != want {
		t.Errorf("outside the first number is %d, but is %d of the real one", n, want)
	}
}

func TestRuntime(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		return []func(){func() {
			runtime.LockOSThread()
			runtime.Gosched()
			runtime.UnlockOSThread()
			runtime.SetFinalizer(new(int), func(*int) { t.Error("finalized") })
			runtime.AddCleanup(new(int), func(int) { t.Error("cleaned up") }, 0).Stop()
			runtime.GC()
			_, file, _, ok := runtime.Caller(0)
			log(runtime.NumCPU(), runtime.GOMAXPROCS(1), runtime.NumGoroutine(), strings.HasSuffix(file, "inside_test.go"), ok)
		}}
	}), "4 4 1 true true")
}

// TestSpinning: a thread that yields until another writes is not cut.
func TestSpinning(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		var ready atomic.Bool
		return []func(){
			func() {
				for !ready.Load() {
					runtime.Gosched()
				}
				log("seen")
			},
			func() { ready.Store(true) },
		}
	}), "seen")
}

// TestCloseWithSender: a sender that waits at a channel that is closed panics;
// no thread receives from it any more.
func TestCloseWithSender(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		c := make(chan int)
		return []func(){
			func() {
				defer func() { log(recover()) }()
				schedule.To(c).Send(7)
			},
			func() { schedule.Close(c) },
			func() { log(schedule.Recv2(c)) },
		}
	}), "<nil>, 7 true", "7 true, <nil>", "0 false, send on closed channel", "send on closed channel, 0 false")
}

// TestRendezvous: a send that must not wait finds a receiver only where one waits.
func TestRendezvous(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		c := make(chan int)
		return []func(){
			func() { log(schedule.Select(true, schedule.To(c).Case(1))); schedule.Close(c) },
			func() { log(schedule.Recv2(c)) },
		}
	}), "0, 1 true", "-1, 0 false")
	check(t, outcomes(t, func(log func(...any)) []func() {
		c := make(chan int)
		try := func() { log(schedule.Select(true, schedule.To(c).Case(1), schedule.RecvCase(c))) }
		return []func(){try, try} // neither waits, so they never meet
	}), "-1, -1")
}

// TestSelectBoth: two selects of two cases each meet in one of them.
func TestSelectBoth(t *testing.T) {
	check(t, outcomes(t, func(log func(...any)) []func() {
		c, d := make(chan int), make(chan int)
		var sent, received int
		var done sync.WaitGroup
		done.Add(2)
		return []func(){
			func() {
				sent = schedule.Select(false, schedule.To(c).Case(1), schedule.To(d).Case(2))
				done.Done()
			},
			func() {
				a, b := schedule.RecvCase(c), schedule.RecvCase(d)
				schedule.Select(false, a, b)
				received = a.Value() + b.Value()
				done.Done()
			},
			func() { done.Wait(); log(sent, received) },
		}
	}), "0 1", "1 2")
}
