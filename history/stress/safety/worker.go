package safety

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// A request asks a worker to run a test.
type request struct {
	Target  int
	Exclude []string
	Test    *Test
	// Executions is how often the suffixes run in parallel. If it is 0, Orders has
	// the linearizations to run instead: the suffixes, one for each of their calls.
	Executions int
	Orders     [][]int
	Begin      int  // linearizations that have been repeated before, which set the pace
	Repeat     int  // of all linearizations
	Again      bool // only look again at the goroutines that wait
	Linger     bool // wait a moment after the executions, for other goroutines
}

// A response says what happened.
type response struct {
	Executions int
	Failure    *Failure
	Unclear    string // why an execution did not end, if that is not a failure
	Left       int    // goroutines that objects have left
	Stuck      bool   // a sequence has not ended
	Waits      bool   // Again: they still wait
}

// A Failure is how an execution fails.
type Failure struct {
	Kind   string // panic, fatal error, deadlock or never ends
	Text   string
	Stacks []string // of the goroutines that it concerns
	// Locks means that a deadlock is of locks only.
	Locks bool `json:",omitempty"`
	// Other means that a goroutine ended the process that no sequence runs in.
	Other bool `json:",omitempty"`
	// InPrefix means that the sequential prefix failed.
	InPrefix bool `json:",omitempty"`
	// Implicit means that the runtime reports it, not an explicit panic.
	Implicit bool
}

const (
	kindPanic    = "panic"
	kindFatal    = "fatal error"
	kindDeadlock = "deadlock"
	kindEndless  = "never ends"
)

// same reports whether failures have the same reason.
func (f *Failure) same(g *Failure) bool {
	return f.Kind == g.Kind && (f.Kind == kindDeadlock || f.Kind == kindEndless || plain(f.Text) == plain(g.Text))
}

// In reports whether the output of a Go test that Finding.Source has shows the
// failure.
func (f *Failure) In(output string) bool {
	switch f.Kind {
	case kindDeadlock, kindEndless:
		return strings.Contains(output, notReturning)
	}
	line, _, _ := strings.Cut(f.Text, "\n")
	return strings.Contains(plain(output), plain(f.Kind+": "+line))
}

// Quick reports whether a test that fails does so as soon as it fails.
func (f *Failure) Quick() bool { return f.Kind == kindPanic || f.Kind == kindFatal }

// notReturning is what the Go test of a deadlock reports.
const notReturning = "calls do not return"

// plain replaces the numbers and addresses of a text.
func plain(text string) string {
	var b strings.Builder
	number := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		hex := number && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' || c == 'x')
		if digit := c >= '0' && c <= '9'; digit || hex {
			if !number {
				b.WriteByte('#')
			}
			number = true
			continue
		}
		number = false
		b.WriteByte(c)
	}
	return b.String()
}

const (
	firstLook = 20 * time.Millisecond
	lastLook  = 200 * time.Millisecond
	// maxLeft bounds the goroutines that objects leave in a worker.
	maxLeft = 100
	// linger is how long a worker waits for goroutines that might end the process.
	linger = 50 * time.Millisecond
	// maxHeap bounds the memory of a worker.
	maxHeap = 1 << 30
	// unclearAfter is how long an execution may last that neither waits nor works.
	unclearAfter = 10 * time.Second
)

// memoryStatus is the exit status of a worker that uses too much memory.
const memoryStatus = 97

// A worker runs tests in a process of its own.
type worker struct {
	library  *Library
	catalogs map[int]*catalog
	threads  []*thread
	jitter   uint64
	pace     int // of sequential calls
	waiting  []*thread
	computed time.Duration // when they were first looked at
	// maxCPU is how long an execution may compute.
	maxCPU time.Duration
}

// A thread is a goroutine that runs sequences.
type thread struct {
	id   int64
	jobs chan func()
	done chan struct{}
	busy bool
	// inJob is set while the job runs. A goroutine that waits for a job waits, too.
	inJob atomic.Bool
}

func newThread() *thread {
	t := &thread{jobs: make(chan func()), done: make(chan struct{}, 1)}
	ready := make(chan struct{})
	go func() {
		t.id = stress.GoroutineID()
		close(ready)
		for job := range t.jobs {
			t.inJob.Store(true)
			job()
			t.inJob.Store(false)
			t.done <- struct{}{}
		}
	}()
	<-ready
	return t
}

// dumpOf returns what the goroutines of threads do. They do not wait if the job of
// one has ended, or has not begun.
func dumpOf(threads []*thread) stress.Dump {
	var ids []int64
	for _, t := range threads {
		ids = append(ids, t.id)
	}
	inJobs := func() bool {
		return !slices.ContainsFunc(threads, func(t *thread) bool { return !t.inJob.Load() })
	}
	before := inJobs()
	d := stress.DumpOf(ids)
	d.Waits = d.Waits && before && inJobs()
	return d
}

// serve runs what requests ask for until they end.
func serve(l *Library, in, out *os.File) int {
	debug.SetMaxStack(64 << 20)
	debug.SetTraceback("all")
	runtime.GOMAXPROCS(max(runtime.NumCPU(), 4))
	w := &worker{library: l, catalogs: map[int]*catalog{}, jitter: 1}
	go watchMemory()
	for range 4 {
		w.threads = append(w.threads, newThread())
	}
	requests, responses := json.NewDecoder(in), json.NewEncoder(out)
	base := runtime.NumGoroutine()
	for {
		var r request
		if requests.Decode(&r) != nil {
			return 0
		}
		answer, err := w.answer(&r, base)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if r.Linger {
			time.Sleep(linger)
		}
		answer.Stuck = slices.ContainsFunc(w.threads, func(t *thread) bool { return t.busy })
		answer.Left = runtime.NumGoroutine() - base
		if responses.Encode(answer) != nil {
			return 0
		}
	}
}

func watchMemory() {
	for {
		time.Sleep(lastLook)
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.HeapInuse+m.StackInuse > maxHeap {
			os.Exit(memoryStatus)
		}
	}
}

func (w *worker) answer(r *request, base int) (*response, error) {
	if r.Again {
		return &response{Waits: w.stays()}, nil
	}
	c := w.catalogs[r.Target]
	if c == nil {
		var err error
		if c, err = newCatalog(w.library, w.library.Targets[r.Target], r.Exclude); err != nil {
			return nil, err
		}
		w.catalogs[r.Target] = c
	}
	a := &response{}
	for a.Executions < r.Executions && a.Failure == nil && a.Unclear == "" && runtime.NumGoroutine()-base < maxLeft {
		a.Executions++
		w.maxCPU, w.pace = parallelCPU, 0
		a.Failure, a.Unclear = w.execute(c, r.Test, nil)
	}
	for n := 0; r.Executions == 0 && n < r.Repeat && a.Failure == nil && a.Unclear == "" && runtime.NumGoroutine()-base < maxLeft; n++ {
		for _, order := range r.Orders {
			a.Executions++
			w.maxCPU = sequentialCPU
			w.pace = (r.Begin + n) % paces
			if a.Failure, a.Unclear = w.execute(c, r.Test, order); a.Failure != nil || a.Unclear != "" {
				break
			}
		}
	}
	return a, nil
}

const (
	// endlessCPU is how long a parallel execution computes until it counts as
	// one that never ends.
	endlessCPU = 10 * time.Second
	// parallelCPU is how long one computes until its linearizations are run.
	parallelCPU = endlessCPU / 20
	// sequentialCPU is how long one may compute that is run sequentially. It is so
	// much less that a slow machine does not make a difference.
	sequentialCPU = endlessCPU / 50
)

// let gives goroutines that calls have started time between sequential calls, by the
// pace: none, some, or until they wait. Otherwise a linearization might not show what
// depends on them.
func (w *worker) let(before int) {
	switch {
	case w.pace == 0 || runtime.NumGoroutine() <= before:
	case w.pace == 1:
		for n := 0; n < letLooks && runtime.NumGoroutine() > before; n++ {
			time.Sleep(letPause)
			if stress.DumpOf(nil).Waits {
				return
			}
		}
	default:
		for range w.random(20) {
			runtime.Gosched()
		}
	}
}

const (
	paces    = 3
	letLooks = 20
	letPause = 200 * time.Microsecond
)

// random returns a number less than n.
func (w *worker) random(n int) int {
	w.jitter = w.jitter*6364136223846793005 + 1442695040888963407
	return int(w.jitter>>33) % n
}

// stays reports whether the threads that did not end still wait, or compute for so
// long that this counts.
func (w *worker) stays() bool {
	for {
		d := dumpOf(w.waiting)
		switch {
		case d.Waits:
			return true
		case !slices.ContainsFunc(d.Stacks, computes), slices.ContainsFunc(w.waiting, func(t *thread) bool { return !t.inJob.Load() }):
			return false
		case cpuTime()-w.computed > endlessCPU:
			return true
		}
		time.Sleep(lastLook)
	}
}

// execute runs a test once: its suffixes in parallel, or in an order if that is
// not nil.
func (w *worker) execute(c *catalog, t *Test, order []int) (*Failure, string) {
	first := c.bind(t.Prefix, nil)
	before := runtime.NumGoroutine()
	if f, unclear := w.run([]*bound{first}, func(int) {
		for range first.calls {
			first.step()
			w.let(before)
		}
	}); f != nil || unclear != "" {
		if f != nil {
			f.InPrefix = true
		}
		return f, unclear
	}
	var suffixes []*bound
	for _, calls := range t.Suffixes {
		suffixes = append(suffixes, c.bind(calls, first.results))
	}
	if order != nil {
		return w.run([]*bound{first}, func(int) {
			for _, n := range order {
				suffixes[n].step()
				w.let(before)
			}
		})
	}
	var ready atomic.Int32
	n := int32(len(suffixes))
	delays := make([]int, n)
	for i := range delays {
		delays[i] = w.random(400)
	}
	return w.run(suffixes, func(i int) {
		ready.Add(1)
		for spins := 0; ready.Load() < n; spins++ {
			if spins > 1000 {
				runtime.Gosched()
			}
		}
		for range delays[i] {
			spin.Load()
		}
		runAll(suffixes[i])
	})
}

var spin atomic.Int32

func runAll(b *bound) {
	for b.at < len(b.calls) {
		b.step()
	}
}

// run runs a job for each sequence in a thread of its own, and waits.
func (w *worker) run(list []*bound, job func(int)) (*Failure, string) {
	var failure atomic.Pointer[Failure]
	for i := range list {
		t := w.threads[i]
		t.busy = true
		t.jobs <- func() {
			defer func() {
				if r := recover(); r != nil {
					_, implicit := r.(runtime.Error)
					text := panicText(r)
					failure.CompareAndSwap(nil, &Failure{Kind: kindPanic, Text: text, Stacks: []string{cut(string(debug.Stack()))},
						Implicit: implicit || strings.HasPrefix(text, "sync: ")})
				}
			}()
			job(i)
		}
	}
	unclear := w.await(w.threads[:len(list)], &failure)
	if f := failure.Load(); f != nil {
		return f, "" // others may wait for one that has failed
	}
	return nil, unclear
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

// await waits until the threads are done. It sets the failure if they wait for one
// another or do not end.
func (w *worker) await(threads []*thread, failure *atomic.Pointer[Failure]) (unclear string) {
	timer := time.NewTimer(firstLook)
	defer timer.Stop()
	begun, cpu, pause := time.Now(), time.Duration(-1), firstLook
	for {
		w.waiting = nil
		for _, t := range threads {
			if t.busy {
				select {
				case <-t.done:
					t.busy = false
				case <-timer.C:
					timer.Reset(0) // for the others
				}
			}
			if t.busy {
				w.waiting = append(w.waiting, t)
			}
		}
		if len(w.waiting) == 0 {
			return ""
		}
		if cpu < 0 {
			cpu = cpuTime()
			w.computed = cpu
		}
		switch d := dumpOf(w.waiting); {
		case d.Waits && failure.Load() != nil: // for one that has failed
			return ""
		case d.Waits:
			f := &Failure{Kind: kindDeadlock, Text: "all goroutines of the test wait for one another", Locks: d.Locks, Implicit: true}
			for _, s := range d.Stacks {
				f.Stacks = append(f.Stacks, cut(s))
			}
			failure.CompareAndSwap(nil, f)
			return ""
		case cpuTime()-cpu > w.maxCPU && slices.ContainsFunc(d.Stacks, computes):
			f := &Failure{Kind: kindEndless, Text: "a call does not return, and computes", Implicit: true}
			for _, s := range d.Stacks {
				f.Stacks = append(f.Stacks, cut(s))
			}
			failure.CompareAndSwap(nil, f)
			return ""
		case time.Since(begun) > unclearAfter && !slices.ContainsFunc(d.Stacks, computes):
			return "does not return"
		}
		pause = min(2*pause, lastLook)
		timer.Reset(pause)
	}
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

// unsaid are beginnings of functions that a reader need not see.
var unsaid = []string{"runtime/debug.Stack", "panic(", "runtime.g", "internal/runtime/maps.fatal", "internal/sync.", "sync.runtime_", ownPath + ".(*worker)", ownPath + ".(*thread)", ownPath + ".newThread"}

var ownPath = reflect.TypeFor[Test]().PkgPath()
