package safety

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// A thread is a goroutine that runs sequences.
type thread struct {
	id   int64
	jobs chan func()
	done chan struct{}
	busy bool
	// place grows before and after the calls of each instance, so that it is odd
	// during calls. Threads that wait for jobs, or for one another, make no calls.
	place atomic.Int64
}

func newThread() *thread {
	t := &thread{jobs: make(chan func()), done: make(chan struct{}, 1)}
	ready := make(chan struct{})
	go func() {
		t.id = stress.GoroutineID()
		close(ready)
		for job := range t.jobs {
			job()
			t.place.Store((t.place.Load() + 1) &^ 1) // the job may have panicked
			t.done <- struct{}{}
		}
	}()
	<-ready
	return t
}

// call runs the calls of an instance.
func (t *thread) call(calls func()) {
	t.place.Add(1)
	calls()
	t.place.Add(1)
}

func (w *worker) places() []int64 {
	list := make([]int64, len(w.threads))
	for i, t := range w.threads {
		list[i] = t.place.Load()
	}
	return list
}

// dump returns the state of the goroutines that make calls. They count as not waiting if
// one of them has moved in the meantime, or if there are none.
func (w *worker) dump() stress.Dump {
	places := w.places()
	var ids []int64
	for i, place := range places {
		if place%2 == 1 {
			ids = append(ids, w.threads[i].id)
		}
	}
	if len(ids) == 0 {
		return stress.Dump{}
	}
	d := stress.DumpOf(ids)
	d.Waits = d.Waits && slices.Equal(places, w.places())
	return d
}

// run runs a job in each of n threads, and waits.
func (w *worker) run(n int, job func(*thread, int)) (*Failure, string) {
	var failure atomic.Pointer[Failure]
	w.cut.Store(false)
	for i := range n {
		t := w.threads[i]
		t.busy = true
		t.place.Store(0)
		t.jobs <- func() {
			defer func() {
				if r := recover(); r != nil {
					_, implicit := r.(runtime.Error)
					text := panicText(r)
					failure.CompareAndSwap(nil, &Failure{Kind: kindPanic, Text: text, Stacks: []string{cut(string(debug.Stack()))},
						Implicit: implicit || strings.HasPrefix(text, "sync: ")})
					w.cut.Store(true)
				}
			}()
			job(t, i)
		}
	}
	unclear := w.await(w.threads[:n], &failure)
	if f := failure.Load(); f != nil {
		return f, "" // others may wait for one that has failed
	}
	return nil, unclear
}

// await waits until the threads are done. It sets the failure if they wait for one
// another or do not end.
func (w *worker) await(threads []*thread, failure *atomic.Pointer[Failure]) (unclear string) {
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	defer w.cut.Store(true)
	begun, pause := time.Now(), firstLook
	for w.stuck = nil; ; {
		left := false
		for _, t := range threads {
			if t.busy {
				select {
				case <-t.done:
					t.busy = false
				case <-timer.C:
					timer.Reset(0) // for the others
				}
			}
			left = left || t.busy
		}
		if !left {
			return ""
		}
		if places := w.places(); !slices.Equal(places, w.stuck) {
			w.stuck, w.computed, begun = places, cpuTime(), time.Now()
		}
		switch d := w.dump(); {
		case d.Waits && failure.Load() != nil: // for one that has failed
			return ""
		case d.Waits:
			failure.CompareAndSwap(nil, w.failure(kindDeadlock, "all goroutines of the test wait for one another", d))
			return ""
		case cpuTime()-w.computed > w.maxCPU && slices.ContainsFunc(d.Stacks, computes):
			failure.CompareAndSwap(nil, w.failure(kindEndless, "a call does not return, and computes", d))
			return ""
		case time.Since(begun) > unclearAfter && !slices.ContainsFunc(d.Stacks, computes):
			return "does not return"
		}
		pause = min(2*pause, lastLook)
		timer.Reset(pause)
	}
}

func (w *worker) failure(kind, text string, d stress.Dump) *Failure {
	f := &Failure{Kind: kind, Text: text, Locks: kind == kindDeadlock && d.Locks, Implicit: true}
	for _, s := range d.Stacks {
		f.Stacks = append(f.Stacks, cut(s))
	}
	return f
}

// computes reports whether the stack is of a goroutine that runs or can run.
func computes(stack string) bool {
	return strings.HasPrefix(stack, "[run")
}

// cut removes from a stack what is of this package and of the runtime.
func cut(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	var kept []string
	if len(lines) > 0 && (strings.HasPrefix(lines[0], "[") || strings.HasPrefix(lines[0], "goroutine ")) {
		kept, lines = append(kept, lines[0]), lines[1:]
	}
	for i := 0; i+1 < len(lines) && len(kept) < 40; i += 2 {
		name := lines[i]
		if strings.HasPrefix(name, "reflect.Value.") || strings.HasPrefix(name, ownPath+".(*bound).step") {
			break
		}
		if slices.ContainsFunc(unsaid, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		kept = append(kept, name, "    "+place)
	}
	return strings.Join(kept, "\n")
}

// unsaid are prefixes of function names that are left out of stacks.
var unsaid = []string{"runtime/debug.Stack", "panic(", "runtime.g", "internal/runtime/maps.fatal", "internal/sync.", "sync.runtime_", ownPath + ".(*worker)", ownPath + ".(*thread)", ownPath + ".newThread"}

var ownPath = reflect.TypeFor[Test]().PkgPath()

// stays reports whether the threads that did not end still wait, or have computed for
// long enough to count as never ending.
func (w *worker) stays() bool {
	for {
		d := w.dump()
		switch {
		case !slices.Equal(w.places(), w.stuck):
			return false
		case d.Waits:
			return true
		case !slices.ContainsFunc(d.Stacks, computes):
			return false
		case cpuTime()-w.computed > mostCPU:
			return true
		}
		time.Sleep(lastLook)
	}
}

// panicText writes the value of a panic as the runtime does, without calling a
// method that might fail itself.
func panicText(r any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a %T", r)
		}
	}()
	return fmt.Sprint(r)
}
