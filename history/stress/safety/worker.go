package safety

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
	Batch      int  // instances of each linearization when it runs first
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
	pace     int           // of sequential calls
	cut      atomic.Bool   // the batch ends early
	stuck    []int64       // the places of threads that have not ended
	computed time.Duration // when they were first seen there
	// maxCPU is how long an execution may compute.
	maxCPU time.Duration
}

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

// dump returns what the goroutines do that make calls. They do not wait if one of them
// has gone on meanwhile, or if there are none.
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
	ended := func() bool {
		return a.Failure != nil || a.Unclear != "" || runtime.NumGoroutine()-base >= maxLeft
	}
	for a.Executions < r.Executions && !ended() {
		w.maxCPU, w.pace = parallelCPU, 0
		instances := min(batch, r.Executions-a.Executions)
		if a.Executions == 0 { // so that the batches of slow ones are short
			instances = 1
		}
		var n int
		n, a.Failure, a.Unclear = w.execute(c, r.Test, nil, instances)
		a.Executions += n
	}
	for n := 0; r.Executions == 0 && n < r.Repeat && !ended(); n++ {
		for i, order := range r.Orders {
			a.Executions++
			w.maxCPU = sequentialCPU
			w.pace = (r.Begin + n) % paces
			instances := 1
			if r.Batch > 0 && r.Begin+n == 0 {
				instances = r.Batch
				if i == 0 {
					instances = batch
				}
			}
			if _, a.Failure, a.Unclear = w.execute(c, r.Test, order, instances); a.Failure != nil || a.Unclear != "" {
				break
			}
		}
	}
	return a, nil
}

// A batch has as many instances, but for those with goroutines and those that need
// more memory.
const (
	batch       = 100
	batchMemory = 64 << 20
)

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
		d := w.dump()
		switch {
		case !slices.Equal(w.places(), w.stuck):
			return false
		case d.Waits:
			return true
		case !slices.ContainsFunc(d.Stacks, computes):
			return false
		case cpuTime()-w.computed > endlessCPU:
			return true
		}
		time.Sleep(lastLook)
	}
}

// execute runs a test with several instances, one after another: its suffixes in
// parallel, or in an order if that is not nil. All instances are made first, so that
// calls of the suffixes begin at once. It returns how many it has used.
func (w *worker) execute(c *catalog, t *Test, order []int, instances int) (int, *Failure, string) {
	var tests [][]*bound
	before := runtime.NumGoroutine()
	limit := allocated() + batchMemory
	f, unclear := w.run(1, func(th *thread, _ int) {
		for len(tests) < instances && (len(tests) == 0 || runtime.NumGoroutine()-before < maxLeft && (len(tests)%8 > 1 || allocated() < limit)) {
			first := c.bind(t.Prefix, nil)
			th.call(func() {
				for range first.calls {
					first.step()
					w.let(before)
				}
			})
			var suffixes []*bound
			for _, calls := range t.Suffixes {
				suffixes = append(suffixes, c.bind(calls, first.results))
			}
			tests = append(tests, suffixes)
		}
	})
	if f != nil || unclear != "" {
		if f != nil {
			f.InPrefix = true
		}
		return 1, f, unclear
	}
	if order != nil {
		f, unclear = w.run(1, func(th *thread, _ int) {
			for _, suffixes := range tests {
				th.call(func() {
					for _, n := range order {
						suffixes[n].step()
						w.let(before)
					}
				})
			}
		})
	} else {
		f, unclear = w.parallel(tests)
	}
	return int(w.threads[0].place.Load()+1) / 2, f, unclear
}

// allocated returns how many bytes the process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// parallel runs the suffixes of each test in parallel, one test after another. The
// threads begin each test at the same time but for short delays.
func (w *worker) parallel(tests [][]*bound) (*Failure, string) {
	n := len(tests[0])
	// A thread that has slept until all had arrived would begin late. So they meet twice.
	meetings := make([][2]atomic.Int32, len(tests))
	delays := make([]int, n*len(tests))
	for i := range delays {
		delays[i] = w.random(maxDelays[w.random(len(maxDelays))])
	}
	return w.run(n, func(th *thread, i int) {
		for k, suffixes := range tests {
			for m := range meetings[k] {
				meetings[k][m].Add(1)
				for spins := 0; meetings[k][m].Load() < int32(n); spins++ {
					if w.cut.Load() {
						return
					}
					relax(spins, n)
				}
			}
			for range delays[k*n+i] {
				spin.Load()
			}
			th.call(func() { runAll(suffixes[i]) })
		}
	})
}

// maxDelays bounds the iterations that delay a thread. One of them is chosen at random.
var maxDelays = []int{1, 50, 400, 400}

var spin atomic.Int32

// relax is called in each iteration of a loop that waits for another of n threads. After
// many iterations, that thread is probably waiting for a processor. If all could have
// one, it is worth while to keep the own one for some time, so that both run again.
func relax(iteration, n int) {
	spins := 50_000
	if n > runtime.NumCPU() {
		spins = 1000
	}
	switch {
	case iteration < spins:
	case iteration < spins+100:
		runtime.Gosched()
	default:
		time.Sleep(50 * time.Microsecond)
	}
}

func runAll(b *bound) {
	for b.at < len(b.calls) {
		b.step()
	}
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

// unsaid are beginnings of functions that a reader need not see.
var unsaid = []string{"runtime/debug.Stack", "panic(", "runtime.g", "internal/runtime/maps.fatal", "internal/sync.", "sync.runtime_", ownPath + ".(*worker)", ownPath + ".(*thread)", ownPath + ".newThread"}

var ownPath = reflect.TypeFor[Test]().PkgPath()
