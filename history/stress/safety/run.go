package safety

import (
	"context"
	"math/rand/v2"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/gotest"
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
	Again      bool // only check whether a call still has not ended
}

// A response says what happened.
type response struct {
	Executions int
	Failure    *Failure
	Unclear    bool   // something else than a failure has ended the process
	Left       int    // goroutines that objects have left, or that have not ended
	Same       bool   // Again: nothing has moved
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
		return strings.Contains(output, gotest.NotReturning)
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

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`0x[0-9a-f]+|\d+`) })

// plain replaces the numbers and addresses in a text.
func plain(text string) string { return digits().ReplaceAllString(text, "#") }

const (
	// maxLeft bounds the goroutines that objects leave in a process.
	maxLeft = 100
	// lingers is how often a process waits for goroutines that objects have left, as they might
	// end it, and linger is for how long.
	lingers = 50
	linger  = time.Millisecond
)

// A runner runs tests in a process of its own.
type runner struct {
	library  *Library
	catalogs map[int]*catalog
	moves    atomic.Int64 // grows when a call begins or ends
	stuck    int64        // moves when the last run did not end
}

func newRunner(l *Library) *runner {
	debug.SetTraceback("all")
	runtime.GOMAXPROCS(max(runtime.NumCPU(), 4))
	return &runner{library: l, catalogs: map[int]*catalog{}}
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
		for n := 0; n < lingers && runtime.NumGoroutine() > base && !r.Again; n++ {
			time.Sleep(linger)
		}
		answer.Left = runtime.NumGoroutine() - base
		c.Send(answer)
	}
}

func (w *runner) answer(r *request, base int) (*response, error) {
	if r.Again {
		return &response{Same: w.moves.Load() == w.stuck}, nil
	}
	c := w.catalogs[r.Target]
	if c == nil {
		var err error
		if c, err = newCatalog(w.library, w.library.Targets[r.Target], r.Exclude); err != nil {
			return nil, err
		}
		w.catalogs[r.Target] = c
	}
	a, t := &response{}, &runs{runner: w, catalog: c, test: r.Test, before: base + 1}
	ended := func() bool { return t.failure.Load() != nil || runtime.NumGoroutine()-base >= maxLeft }
	begun, memory, instances := time.Now(), allocated(), 1
	for a.Executions < r.Executions && !ended() && time.Since(begun) < longBatch {
		t.parallel(instances)
		a.Executions += instances
		took, bytes := time.Since(begun)/time.Duration(a.Executions), (allocated()-memory)/uint64(a.Executions)
		instances = max(1, min(batch, r.Executions-a.Executions, int(longBatch/max(took, 1)), int(batchMemory/max(bytes, 1))))
	}
	for n := r.Begin; r.Executions == 0 && n < r.Repeat && !ended(); n++ {
		begun := time.Now()
		t.sequential(r.Order, 1, n%paces)
		if took := time.Since(begun); a.Took == 0 || took < a.Took {
			a.Took = took
		}
		if a.Executions++; n == 0 && r.Batch > 1 && !ended() {
			bytes := allocated() - memory
			t.sequential(r.Order, min(r.Batch, int(batchMemory/max(bytes, 1))), 0)
		}
	}
	a.Failure = t.failure.Load()
	return a, nil
}

// A batch has as many instances, but for those that need more memory or more time.
const (
	batch       = 100
	batchMemory = 64 << 20
	longBatch   = time.Second
)

// A test has failed if no thread moves for parallelWait, none of its linearizations fails
// within sequentialWait, and it still has not moved after patience. A linearization that
// takes longer is taken for one that fails, so a slow machine costs findings and makes none.
const (
	parallelWait   = time.Second
	sequentialWait = parallelWait / 2
)

// patience is variable for tests.
var patience = 20 * time.Second

// allocated returns how many bytes the process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// runs are runs of a test in package stress. The prefix is the initial part of a program, and
// each suffix a sequence.
type runs struct {
	*runner
	catalog *catalog
	test    *Test
	prefix  sync.Mutex // the prefixes of two instances do not run at once
	failure atomic.Pointer[Failure]
	before  int // goroutines of the process in sequential calls, but for those of objects
	pace    int // of sequential calls
}

// An instance is an object of package stress: the prefix and the suffixes with fresh arguments.
type instance []*bound

func (t *runs) instance() instance {
	prefix := t.catalog.bind(t.test.Prefix, nil)
	i := instance{prefix}
	for _, calls := range t.test.Suffixes {
		i = append(i, t.catalog.bind(calls, prefix.results))
	}
	return i
}

// step runs the next call of a sequence of an instance; number 0 is the prefix.
func (t *runs) step(i instance, sequence int) {
	if t.failure.Load() != nil {
		return // others may wait for one that has failed
	}
	if sequence == 0 {
		t.prefix.Lock()
		defer t.prefix.Unlock()
	}
	t.moves.Add(1)
	defer t.moves.Add(1)
	defer func() {
		if r := recover(); r != nil {
			_, implicit := r.(runtime.Error)
			text := panicText(r)
			t.fail(&Failure{Kind: kindPanic, Text: text, Stacks: []string{cut(string(debug.Stack()))},
				InPrefix: sequence == 0, Implicit: implicit || strings.HasPrefix(text, "sync: ")})
		}
	}()
	i[sequence].step()
}

func (t *runs) fail(f *Failure) { t.failure.CompareAndSwap(nil, f) }

// waits sets the failure of a run that did not end.
func (t *runs) waits() {
	t.stuck = t.moves.Load()
	t.fail(&Failure{Kind: kindStuck, Text: "a call waits or computes for ever", Stacks: stuckStacks(), Implicit: true})
}

// parallel runs the suffixes of several instances in parallel, one instance after another.
func (t *runs) parallel(instances int) {
	c, p := &stress.Class{New: func() any { return t.instance() }}, &stress.Program{}
	for n := range 1 + len(t.test.Suffixes) {
		m := &stress.Method{Name: strconv.Itoa(n), Prepare: func([]history.Value) stress.Call {
			return func(object any) history.Value { t.step(object.(instance), n); return history.NoValue }
		}}
		if n == 0 {
			p.Initial = slices.Repeat([]stress.Invocation{{Method: m}}, len(t.test.Prefix))
		} else {
			p.Sequences = append(p.Sequences, slices.Repeat([]stress.Invocation{{Method: m}}, len(t.test.Suffixes[n-1])))
		}
	}
	run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: time.Hour, Seed: rand.Uint64(), Executions: int64(instances), Batch: instances, Wait: parallelWait, Recorded: -1})
	if run.Waits != nil {
		t.waits()
	}
}

// sequential runs the calls of several instances in one order of the suffixes, all prefixes
// first.
func (t *runs) sequential(order []int, instances, pace int) {
	t.pace = pace
	c := &stress.Class{New: func() any {
		all := make([]instance, instances)
		for i := range all {
			all[i] = t.instance()
		}
		return all
	}}
	var calls []stress.Invocation
	suffixes := slices.Clone(order)
	for i := range suffixes {
		suffixes[i]++
	}
	for _, sequences := range [][]int{make([]int, len(t.test.Prefix)), suffixes} {
		m := &stress.Method{Prepare: func(args []history.Value) stress.Call {
			return func(object any) history.Value {
				for _, s := range sequences {
					t.step(object.([]instance)[args[0].Int()], s)
					t.let()
				}
				return history.NoValue
			}
		}}
		for i := range instances {
			calls = append(calls, stress.Invocation{Method: m, Args: []history.Value{history.IntValue(int64(i))}})
		}
	}
	if len(stress.Sequential(c, calls, sequentialWait)) < len(calls) {
		t.waits()
	}
}

// let pauses between sequential calls, so that goroutines started by earlier calls can
// run: not at all, for some yields, or for some time, depending on the pace. Otherwise a
// linearization might not show failures that depend on them.
func (t *runs) let() {
	switch {
	case t.pace == 0 || runtime.NumGoroutine() <= t.before:
	case t.pace == 1:
		for n := 0; n < letLooks && runtime.NumGoroutine() > t.before; n++ {
			time.Sleep(letPause)
		}
	default:
		for range rand.IntN(20) {
			runtime.Gosched()
		}
	}
}

const (
	paces    = 3
	letLooks = 5
	letPause = 200 * time.Microsecond
)
