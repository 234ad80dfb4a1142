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
)

// A thread is a goroutine that runs sequences.
type thread struct {
	jobs chan func()
	done chan struct{}
	busy bool
	// place grows before and after the calls of each instance, so that it is odd
	// during calls. Threads that wait for jobs, or for one another, make no calls.
	place atomic.Int64
}

func newThread() *thread {
	t := &thread{jobs: make(chan func()), done: make(chan struct{}, 1)}
	go func() {
		for job := range t.jobs {
			job()
			t.place.Store((t.place.Load() + 1) &^ 1) // the job may have panicked
			t.done <- struct{}{}
		}
	}()
	return t
}

// call runs the calls of an instance.
func (t *thread) call(calls func()) {
	t.place.Add(1)
	calls()
	t.place.Add(1)
}

func (w *runner) places() []int64 {
	list := make([]int64, len(w.threads))
	for i, t := range w.threads {
		list[i] = t.place.Load()
	}
	return list
}

// run runs a job in each of n threads, and waits.
func (w *runner) run(n int, job func(*thread, int)) *Failure {
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
	w.await(w.threads[:n], &failure)
	return failure.Load() // others may wait for one that has failed
}

// await waits until the threads are done. It sets the failure if none of them moves any
// more.
func (w *runner) await(threads []*thread, failure *atomic.Pointer[Failure]) {
	defer w.cut.Store(true)
	w.stuck = w.places()
	moved := time.Now()
	timer := time.NewTimer(w.limit)
	defer timer.Stop()
	for _, t := range threads {
		for t.busy {
			select {
			case <-t.done:
				t.busy = false
				continue
			case <-timer.C:
			}
			if places := w.places(); !slices.Equal(places, w.stuck) {
				w.stuck, moved = places, time.Now()
			}
			switch left := w.limit - time.Since(moved); {
			case left > 0:
				timer.Reset(min(left, w.limit/4))
			case failure.Load() != nil:
				return
			default:
				failure.CompareAndSwap(nil, &Failure{Kind: kindStuck, Text: "a call waits or computes for ever", Stacks: stuckStacks(), Implicit: true})
				return
			}
		}
	}
}

// stuckStacks returns the stacks of the goroutines that make calls.
func stuckStacks() (list []string) {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		if strings.Contains(stack, inStep) {
			_, state, _ := strings.Cut(stack, " [")
			list = append(list, cut("["+state))
		}
	}
	return list
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
		if strings.HasPrefix(name, "reflect.Value.") || strings.HasPrefix(name, inStep) {
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
var unsaid = []string{"runtime/debug.Stack", "panic(", "runtime.g", "internal/runtime/maps.fatal", "internal/sync.", "sync.runtime_", ownPath + ".(*runner)", ownPath + ".(*thread)", ownPath + ".newThread"}

var ownPath = reflect.TypeFor[Test]().PkgPath()

// inStep is in the stacks of goroutines that make calls.
var inStep = ownPath + ".(*bound).step"

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
