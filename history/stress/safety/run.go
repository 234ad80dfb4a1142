package safety

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/stress/worker"
)

// A request asks a worker to run a test.
type request struct {
	Target  int
	Exclude []string
	Test    *Test
	// Executions is how often the suffixes run in parallel. If it is 0, they run in an Order,
	// which has the suffix of each call.
	Executions int
	Order      []int
	Begin      int  // repetitions before, which set the pace
	Repeat     int  // the first repetition is number Begin
	Batch      int  // instances of repetition 0
	Again      bool // only check whether a sequence still has not ended
}

// A response says what happened.
type response struct {
	Executions int
	Failure    *Failure
	Unclear    bool   // something else than a failure has ended the process
	Left       int    // goroutines that objects have left
	Stuck      bool   // a sequence has not ended
	Same       bool   // Again: it has not ended, and nothing has moved
	Race       string `json:"-"` // a data race, from the standard error
	// Took is how long the quickest repetition took.
	Took time.Duration
}

// A Failure is how an execution fails.
type Failure struct {
	Kind   string // panic, fatal error or does not return
	Text   string
	Stacks []string // of the goroutines that it concerns
	// InPrefix means that the sequential prefix failed.
	InPrefix bool `json:",omitempty"`
	// Implicit means that the runtime reports it, not an explicit panic.
	Implicit bool
}

const (
	kindPanic = "panic"
	kindFatal = "fatal error"
	kindStuck = "does not return"
)

// same reports whether failures have the same reason.
func (f *Failure) same(g *Failure) bool {
	return f.Kind == g.Kind && (f.Kind == kindStuck || plain(f.Text) == plain(g.Text))
}

// In reports whether the output of a Go test that Finding.Source has shows the
// failure.
func (f *Failure) In(output string) bool {
	if f.Kind == kindStuck {
		return strings.Contains(output, notReturning)
	}
	line, _, _ := strings.Cut(f.Text, "\n")
	return strings.Contains(plain(output), plain(f.Kind+": "+line))
}

// endless reports whether a call does not end, or would not if the stack had no end.
func (f *Failure) endless() bool {
	return f.Kind == kindStuck || f.Kind == kindFatal && strings.Contains(f.Text, "stack overflow")
}

// Quick reports whether a test that fails does so as soon as it fails.
func (f *Failure) Quick() bool { return f.Kind == kindPanic || f.Kind == kindFatal }

// notReturning is what the Go test of calls that do not return reports.
const notReturning = "calls do not return"

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`0x[0-9a-f]+|\d+`) })

// plain replaces the numbers and addresses in a text.
func plain(text string) string { return digits().ReplaceAllString(text, "#") }

const (
	// maxLeft bounds the goroutines that objects leave in a process.
	maxLeft = 100
	// linger is how long a process waits for goroutines that objects have left, as they might
	// end it.
	linger = 50 * time.Millisecond
)

// A runner runs tests in a process of its own.
type runner struct {
	library  *Library
	catalogs map[int]*catalog
	threads  []*thread
	jitter   uint64
	pace     int           // of sequential calls
	limit    time.Duration // how long nothing may move
	cut      atomic.Bool   // the batch ends early
	stuck    []int64       // the places of threads that have not ended
}

func newRunner(l *Library) *runner {
	debug.SetTraceback("all")
	runtime.GOMAXPROCS(max(runtime.NumCPU(), 4))
	w := &runner{library: l, catalogs: map[int]*catalog{}, jitter: 1}
	for range 4 {
		w.threads = append(w.threads, newThread())
	}
	return w
}

// serve runs what requests ask for until they end.
func (w *runner) serve(c *worker.Conn) error {
	base := runtime.NumGoroutine()
	for {
		var r request
		if c.Receive(&r) != nil {
			return nil
		}
		answer, err := w.answer(&r, base)
		if err != nil {
			return err
		}
		if answer.Left = runtime.NumGoroutine() - base; answer.Left > 0 && !r.Again {
			time.Sleep(linger)
		}
		answer.Stuck = slices.ContainsFunc(w.threads, func(t *thread) bool { return t.busy })
		c.Send(answer)
	}
}

func (w *runner) answer(r *request, base int) (*response, error) {
	if r.Again {
		return &response{Same: slices.Equal(w.places(), w.stuck)}, nil
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
	ended := func() bool { return a.Failure != nil || runtime.NumGoroutine()-base >= maxLeft }
	begun, instances := time.Now(), 1
	for a.Executions < r.Executions && !ended() && time.Since(begun) < longBatch {
		w.limit, w.pace = parallelLimit, 0
		var n int
		n, a.Failure = w.execute(c, r.Test, nil, instances)
		a.Executions += n
		each := time.Since(begun) / time.Duration(a.Executions)
		instances = max(1, min(batch, r.Executions-a.Executions, int(longBatch/max(each, 1))))
	}
	for n := r.Begin; r.Executions == 0 && n < r.Repeat && !ended(); n++ {
		w.limit, w.pace = sequentialLimit, n%paces
		instances := 1
		if n == 0 {
			instances = r.Batch
		}
		begun := time.Now()
		_, a.Failure = w.execute(c, r.Test, r.Order, instances)
		if took := time.Since(begun); a.Took == 0 || took < a.Took {
			a.Took = took
		}
		a.Executions++
	}
	return a, nil
}

// A batch has as many instances, but for those with goroutines and those that need
// more memory or more time.
const (
	batch       = 100
	batchMemory = 64 << 20
	longBatch   = time.Second
)

// A test has failed if no thread moves for parallelLimit, none of its linearizations fails
// within sequentialLimit, and it still has not moved after patience. A linearization that
// takes longer is taken for one that fails, so a slow machine costs findings and makes none.
const (
	parallelLimit   = time.Second
	sequentialLimit = parallelLimit / 2
)

// patience is variable for tests.
var patience = 20 * time.Second

// let pauses between sequential calls, so that goroutines started by earlier calls can
// run: not at all, for some yields, or for some time, depending on the pace. Otherwise a
// linearization might not show failures that depend on them.
func (w *runner) let(before int) {
	switch {
	case w.pace == 0 || runtime.NumGoroutine() <= before:
	case w.pace == 1:
		for n := 0; n < letLooks && runtime.NumGoroutine() > before; n++ {
			time.Sleep(letPause)
		}
	default:
		for range w.random(20) {
			runtime.Gosched()
		}
	}
}

const (
	paces    = 3
	letLooks = 5
	letPause = 200 * time.Microsecond
)

// random returns a number less than n.
func (w *runner) random(n int) int {
	w.jitter = w.jitter*6364136223846793005 + 1442695040888963407
	return int(w.jitter>>33) % n
}

// execute runs a test with several instances, one after another: its suffixes in
// parallel, or in an order if that is not nil. All instances are made first, so that
// calls of the suffixes begin at once. It returns how many it has used.
func (w *runner) execute(c *catalog, t *Test, order []int, instances int) (int, *Failure) {
	var tests [][]*bound
	before := runtime.NumGoroutine()
	limit := allocated() + batchMemory
	f := w.run(1, func(th *thread, _ int) {
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
	if f != nil {
		f.InPrefix = true
		return 1, f
	}
	if order != nil {
		f = w.run(1, func(th *thread, _ int) {
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
		f = w.parallel(tests)
	}
	return max(1, int(w.threads[0].place.Load()+1)/2), f
}

// allocated returns how many bytes the process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// parallel runs the suffixes of each test in parallel, one test after another. The
// threads begin each test at the same time, except for short random delays.
func (w *runner) parallel(tests [][]*bound) *Failure {
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
// one, it keeps its own for some time, so that both run again.
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
