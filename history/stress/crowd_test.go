package stress_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/stresstest"
)

// A cleaner is a map with a goroutine that empties it again and again.
type cleaner struct {
	mu   sync.Mutex
	m    map[int]int
	done chan struct{}
}

func newCleaner() *cleaner {
	j := &cleaner{m: map[int]int{}, done: make(chan struct{})}
	go func() {
		for k := time.NewTicker(20 * time.Microsecond); ; {
			select {
			case <-k.C:
				j.mu.Lock()
				clear(j.m)
				j.mu.Unlock()
			case <-j.done:
				k.Stop()
				return
			}
		}
	}()
	return j
}

func (j *cleaner) Set(k, v int) { j.mu.Lock(); j.m[k] = v; j.mu.Unlock() }
func (j *cleaner) Len() int     { j.mu.Lock(); defer j.mu.Unlock(); return len(j.m) }

// serveCleaners is a child process that tests cleaners; they stop when they are closed, or
// never.
func serveCleaners(stops bool) int {
	return stress.ServeDerived(func(o stress.ReflectOptions) (*stress.Reflected, error) {
		if stops {
			o.Close = func(object any) { close(object.(*cleaner).done) }
		}
		return stress.Reflect(newCleaner, o)
	}, stresstest.Checker(nil))
}

// serveLate is a child process that makes one object only.
func serveLate() int {
	made := false
	return stress.ServeLike(&hits{}, func() any {
		if made {
			time.Sleep(patience)
		}
		made = true
		return &hits{}
	}, stresstest.Checker(nil))
}

// TestCleaners: objects with a goroutine that ticks for ever are searched, however many of
// them one process could bear.
func TestCleaners(t *testing.T) {
	t.Parallel() // it waits for other processes
	for _, name := range []string{"cleaner", "closed cleaner"} {
		executions, judged := int64(0), 0
		for limit := 200 * time.Millisecond; (executions < 10 || judged < 2) && limit < patience; limit *= 4 {
			r, err := stress.Supervise(context.Background(), child(name), stress.Options{Effort: stress.Effort{Time: limit, Program: time.Millisecond}})
			if err != nil || len(r.Findings)+len(r.Crashes) > 0 {
				t.Fatalf("%s: %v, %+v", name, err, r)
			}
			executions, judged = r.Executions, r.Programs-len(r.Unsteady)
		}
		if executions < 10 || judged < 2 {
			t.Errorf("%s: %d executions, %d programs judged", name, executions, judged)
		}
	}
}

// A busyCleaner has a goroutine that runs, and a method that takes no end after many calls, as when
// the goroutines of other objects take the processors.
type busyCleaner struct{ cleaner }

var busyCalls atomic.Int64

func (j *busyCleaner) Set(k, v int) {
	for busyCalls.Add(1) > 150 {
		runtime.Gosched()
	}
	j.cleaner.Set(k, v)
}

// serveBusyCleaners is a child process that tests busyCleaners.
func serveBusyCleaners() int {
	return stress.ServeDerived(func(o stress.ReflectOptions) (*stress.Reflected, error) {
		return stress.Reflect(func() *busyCleaner {
			j := &busyCleaner{cleaner{m: map[int]int{}}}
			go func() {
				for {
					time.Sleep(time.Microsecond)
					for start := time.Now(); time.Since(start) < 100*time.Microsecond; {
					}
				}
			}()
			return j
		}, o)
	}, stresstest.Checker(nil))
}

// TestBusyCleaners: the silence of a process with goroutines that keep the processors busy is no
// violation; another process continues.
func TestBusyCleaners(t *testing.T) {
	t.Parallel() // it waits for other processes
	r, err := stress.Supervise(context.Background(), child("busy cleaner"), stress.Options{Silence: 10 * time.Second,
		Effort: stress.Effort{Time: 3 * time.Second, Program: time.Millisecond}})
	if err != nil || len(r.Crashes) > 0 || r.Programs == 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestSilent: the error about a process without a program does not blame a constructor that
// has returned.
func TestSilent(t *testing.T) {
	t.Parallel() // it waits for another process
	_, err := stress.Supervise(context.Background(), child("late"), stress.Options{Silence: 10 * time.Second,
		Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err == nil || !strings.Contains(err.Error(), "after the constructor returned") {
		t.Error(err)
	}
}

// TestLeaves: goroutines that objects leave do not end a search if they only wait,
// nor are those that calls leave.
func TestLeaves(t *testing.T) {
	for name, newObject := range map[string]func() *cleaner{
		"nothing": func() *cleaner { return &cleaner{m: map[int]int{}} },
		"waits": func() *cleaner {
			go func() { select {} }()
			return &cleaner{m: map[int]int{}}
		},
	} {
		r, err := stress.Reflect(newObject, stress.ReflectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		leaves, crowded := stress.Crowd(r.Class, 300)
		if leaves != (name == "waits") || crowded {
			t.Errorf("%s: it leaves goroutines: %v; they crowd the process: %v", name, leaves, crowded)
		}
	}
}
