package shim_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	standard "sync"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
)

var (
	seed = flag.Uint64("seed", rand.Uint64(), "of random programs")
	full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// A world is what the threads of a random program share. Its code is what the
// rewriter makes of the same program: outside of a scheduled execution the
// primitives are the real ones.
type world struct {
	unbuffered, buffered, none chan int

	mu    sync.Mutex
	cond  *sync.Cond
	rw    sync.RWMutex
	group sync.WaitGroup
	once  sync.Once
	x     atomic.Int64
	table map[string]int

	logging standard.Mutex // for goroutines that wait for ever
	logs    [][]string
}

// log adds what thread i saw.
func (w *world) log(i int, text string) {
	w.logging.Lock()
	defer w.logging.Unlock()
	w.logs[i] = append(w.logs[i], text)
}

func newWorld(threads int) *world {
	w := &world{unbuffered: make(chan int), buffered: make(chan int, 1), table: map[string]int{"a": 1, "b": 2, "c": 3}, logs: make([][]string, threads)}
	w.cond = sync.NewCond(&w.mu)
	return w
}

// outcome returns what the threads saw.
func (w *world) outcome() string {
	w.logging.Lock()
	defer w.logging.Unlock()
	var b strings.Builder
	for _, l := range w.logs {
		fmt.Fprintln(&b, strings.Join(l, " "))
	}
	return b.String()
}

// An op is an operation of a random program. It returns what it saw.
type op struct {
	name string
	do   func(w *world) any
	in   bool // only with the lock of the Cond held
}

func (w *world) channel(i int) chan int { return [...]chan int{w.unbuffered, w.buffered, w.none}[i] }

// ops are the operations on one of the channels.
func channelOps(i int) []op {
	name := [...]string{"unbuffered", "buffered", "none"}[i]
	return []op{
		{name: "send " + name, do: func(w *world) any { schedule.To(w.channel(i)).Send(7); return nil }},
		{name: "receive " + name, do: func(w *world) any { return schedule.Recv(w.channel(i)) }},
		{name: "receive2 " + name, do: func(w *world) any {
			v, ok := schedule.Recv2(w.channel(i))
			return fmt.Sprint(v, ok)
		}},
		{name: "close " + name, do: func(w *world) any { schedule.Close(w.channel(i)); return nil }},
		{name: "try to send " + name, do: func(w *world) any { return schedule.Select(true, schedule.To(w.channel(i)).Case(8)) }},
		{name: "try to receive " + name, do: func(w *world) any {
			c := schedule.RecvCase(w.channel(i))
			n := schedule.Select(true, c)
			v, ok := c.Value2()
			return fmt.Sprint(n, v, ok)
		}},
		{name: "range " + name, do: func(w *world) any {
			sum := 0
			for it, v := schedule.RangeChan(w.channel(i)); it.Next(&v); {
				sum += v
			}
			return sum
		}},
	}
}

var operations = slices.Concat(channelOps(0), channelOps(1), channelOps(0)[:2], channelOps(1)[:2], channelOps(2)[:1], channelOps(2)[4:6], []op{
	{name: "select: receive from either", do: func(w *world) any {
		a, b := schedule.RecvCase(w.unbuffered), schedule.RecvCase(w.buffered)
		n := schedule.Select(false, a, b)
		return fmt.Sprint(n, a.Value(), b.Value())
	}},
	{name: "select: send to either", do: func(w *world) any {
		return schedule.Select(false, schedule.To(w.unbuffered).Case(1), schedule.To(w.buffered).Case(2))
	}},
	{name: "select: send or receive unbuffered", do: func(w *world) any {
		a, b := schedule.RecvCase(w.unbuffered), schedule.To(w.unbuffered).Case(3)
		n := schedule.Select(false, a, b)
		return fmt.Sprint(n, a.Value())
	}},
	{name: "select: receive, send or default", do: func(w *world) any {
		a, b := schedule.RecvCase(w.buffered), schedule.To(w.unbuffered).Case(4)
		n := schedule.Select(true, a, b, schedule.RecvCase(w.none))
		return fmt.Sprint(n, a.Value())
	}},
	{name: "cond wait", in: true, do: func(w *world) any { w.cond.Wait(); return nil }},
	{name: "signal", do: func(w *world) any { w.cond.Signal(); return nil }},
	{name: "broadcast", do: func(w *world) any { w.cond.Broadcast(); return nil }},
	{name: "trylock", do: func(w *world) any {
		ok := w.mu.TryLock()
		if ok {
			w.mu.Unlock()
		}
		return ok
	}},
	{name: "write lock", do: func(w *world) any {
		w.rw.Lock()
		v := w.x.Load()
		w.x.Store(v + 100)
		w.rw.Unlock()
		return v
	}},
	{name: "read lock", do: func(w *world) any {
		w.rw.RLock()
		defer w.rw.RUnlock()
		a := w.x.Load()
		return fmt.Sprint(a, w.x.Load())
	}},
	{name: "read lock twice", do: func(w *world) any {
		w.rw.RLock()
		w.rw.RLock()
		v := w.x.Load()
		w.rw.RUnlock()
		w.rw.RUnlock()
		return v
	}},
	{name: "try write lock", do: func(w *world) any {
		ok := w.rw.TryLock()
		if ok {
			w.rw.Unlock()
		}
		return ok
	}},
	{name: "group add", do: func(w *world) any { w.group.Add(1); return nil }},
	{name: "group done", do: func(w *world) any { w.group.Done(); return nil }},
	{name: "group wait", do: func(w *world) any { w.group.Wait(); return w.x.Load() }},
	{name: "group go", do: func(w *world) any { w.group.Go(func() { w.x.Add(1000) }); return nil }},
	{name: "once", do: func(w *world) any { w.once.Do(func() { w.x.Add(10) }); return w.x.Load() }},
	{name: "add", do: func(w *world) any { return w.x.Add(1) }},
	{name: "compare and swap", do: func(w *world) any { return w.x.CompareAndSwap(w.x.Load(), 50) }},
	{name: "go", do: func(w *world) any {
		schedule.Go(func() {
			defer ignorePanic()
			w.x.Add(5)
			schedule.To(w.buffered).Send(9)
		})
		return nil
	}},
	{name: "map", do: func(w *world) any {
		order := ""
		for it, k, v := schedule.RangeMap(w.table); it.Next(&k, &v); {
			order += fmt.Sprint(k, v)
		}
		return order
	}},
})

// ignorePanic recovers from a send on a closed channel.
func ignorePanic() {
	if x := recover(); x != nil && schedule.Aborted(x) {
		panic(x)
	}
}

// A program is what each thread does. A thread may hold the mutex meanwhile.
type program struct {
	threads [][]op
	locked  []bool
}

func randomProgram(r *rand.Rand) *program {
	p := &program{}
	goes := r.IntN(2) == 0 // a group must not go down to zero before its goroutine is done
	for range 2 + r.IntN(2) {
		locked := r.IntN(3) == 0
		var ops []op
		for n := 1 + r.IntN(2); len(ops) < n; {
			if o := operations[r.IntN(len(operations))]; (locked || !o.in) && o.name != map[bool]string{true: "group done", false: "group go"}[goes] {
				ops = append(ops, o)
			}
		}
		p.threads, p.locked = append(p.threads, ops), append(p.locked, locked)
	}
	return p
}

func (p *program) String() string {
	var b strings.Builder
	for i, ops := range p.threads {
		fmt.Fprintf(&b, "thread %d, lock %v:", i, p.locked[i])
		for _, o := range ops {
			fmt.Fprintf(&b, " %s;", o.name)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// thread runs thread i; between is called before each operation.
func (w *world) thread(p *program, i int, between func()) {
	defer func() {
		if x := recover(); x != nil {
			if schedule.Aborted(x) {
				panic(x)
			}
			w.log(i, fmt.Sprint("panic: ", x))
		}
	}()
	if p.locked[i] {
		w.mu.Lock()
		defer w.mu.Unlock()
	}
	for _, o := range p.threads[i] {
		between()
		result := o.do(w)
		w.log(i, fmt.Sprintf("%s=%v", o.name, result))
	}
	w.log(i, "end")
}

// explored returns all outcomes under the scheduler, and false if there are
// too many executions.
func (p *program) explored(s schedule.Strategy, limit int) (map[string]bool, bool) {
	outcomes := map[string]bool{}
	var w *world
	q := &schedule.Program{Before: func() { w = newWorld(len(p.threads)) }}
	for i := range p.threads {
		q.Threads = append(q.Threads, func() { w.thread(p, i, func() {}) })
	}
	for n := 0; ; n++ {
		if n == limit {
			return outcomes, false
		}
		r := schedule.Run(q, s, schedule.Limits{})
		if r.Cut || r.Diverged || r.Panic != nil {
			return map[string]bool{fmt.Sprintf("cut %v, diverged %v, panic %v", r.Cut, r.Diverged, r.Panic): true}, true
		}
		if !r.Pruned {
			outcomes[w.outcome()] = true
		}
		if !s.Next(r) {
			return outcomes, true
		}
	}
}

var state = regexp.MustCompile(`^goroutine (\d+) .*\[([^\],]*)`)

// lost are goroutines of earlier runs that wait for ever.
var lost = map[string]bool{}

var stacks = make([]byte, 1<<20)

// run runs p on real goroutines, until they have ended or all of them wait.
func (p *program) run(r *rand.Rand) string {
	w := newWorld(len(p.threads))
	done := make(chan bool, len(p.threads))
	start := make(chan bool)
	for i := range p.threads {
		pauses := []int{r.IntN(3), r.IntN(3), r.IntN(3), 0}
		go func() {
			<-start
			w.thread(p, i, func() {
				for range pauses[len(w.logs[i])] {
					runtime.Gosched()
				}
			})
			done <- true
		}()
	}
	close(start)
	for left, polls := len(p.threads), 0; ; polls++ {
		for len(done) > 0 {
			<-done
			left--
		}
		if left == 0 {
			return w.outcome()
		}
		if polls%1000 != 999 || !allWait() {
			runtime.Gosched()
			continue
		}
		if len(done) == 0 {
			return w.outcome()
		}
	}
}

// allStacks returns the stacks of all goroutines, in memory that the next call
// overwrites. Tests leave a thousand goroutines.
func allStacks() []byte {
	n := runtime.Stack(stacks, true)
	for ; n == len(stacks); n = runtime.Stack(stacks, true) {
		stacks = make([]byte, 2*len(stacks))
	}
	return stacks[:n]
}

// waitStates are those in which a goroutine needs another one. In others, such as "GC
// assist wait", it soon goes on by itself.
var waitStates = []string{"chan receive", "chan send", "chan receive (nil chan)", "chan send (nil chan)", "select", "select (no cases)",
	"sync.Cond.Wait", "sync.Mutex.Lock", "sync.RWMutex.RLock", "sync.RWMutex.Lock", "sync.WaitGroup.Wait"}

// isOfRun reports whether a goroutine with this stack belongs to the run. One that was started
// and has not run yet has no function of this package in its stack.
func isOfRun(stack []byte) bool {
	return bytes.Contains(stack, []byte("shim_test.")) || bytes.Contains(stack, []byte("created by github.com/leadline/leadline/history/explore/schedule.Go"))
}

// allWait reports whether all goroutines of the run wait, and counts them as lost.
func allWait() bool {
	var waiting []string
	for g := range bytes.SplitSeq(allStacks(), []byte("\n\n")) {
		m := state.FindSubmatch(g)
		if m == nil || !isOfRun(g) || bytes.Contains(g, []byte("shim_test.(*program).run(")) || lost[string(m[1])] {
			continue
		}
		if !slices.Contains(waitStates, string(m[2])) {
			return false
		}
		waiting = append(waiting, string(m[1]))
	}
	for _, id := range waiting {
		lost[id] = true
	}
	return true
}

// TestIsOfRun: a goroutine belongs to the run even if it has not run yet.
func TestIsOfRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that it has not run yet, in most runs of the test
	count := func() (n int) {
		for g := range bytes.SplitSeq(allStacks(), []byte("\n\n")) {
			if isOfRun(g) {
				n++
			}
		}
		return n
	}
	before, end := count(), make(chan bool)
	schedule.Go(func() { <-end })
	if after := count(); after != before+1 {
		t.Errorf("%d goroutines, then %d", before, after)
	}
	close(end)
}

// TestDifferential: what random programs do on the real primitives, they do in
// some schedule, deadlocks included.
func TestDifferential(t *testing.T) {
	if underRace {
		t.Skip("the programs have races of close and send")
	}
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 1))
	programs := 30
	if *full {
		programs = 200
	}
	complete, deadlocks := 0, 0
	for range programs {
		p := randomProgram(r)
		outcomes, ok := p.explored(schedule.NewDFS(schedule.DFSOptions{Bound: -1}), 20000)
		if !ok {
			continue
		}
		if reduced, _ := p.explored(schedule.NewDPOR(), 20000); !maps.Equal(outcomes, reduced) {
			t.Fatalf("%swith reduction:\n%sand without:\n%s", p, list(reduced), list(outcomes))
		}
		complete++
		runs := 20
		for waits := 0; waits < 2 && runs > 0; runs-- {
			got := p.run(r)
			if strings.Contains(got, "misuse") {
				continue // a race of Add and Wait that the real WaitGroup notices sometimes
			}
			if strings.Count(got, "end") < len(p.threads) && !strings.Contains(got, "panic") {
				deadlocks++
				waits++ // its goroutines are never freed
			}
			if !outcomes[got] {
				t.Fatalf("%sreal outcome:\n%snot among those explored:\n%s", p, got, list(outcomes))
			}
		}
	}
	if complete < programs*3/4 || deadlocks < programs/4 {
		t.Errorf("only %d of %d programs are complete, only %d runs deadlocked", complete, programs, deadlocks)
	}
	t.Logf("%d programs, %d runs with deadlock", complete, deadlocks)
}

// TestReducedStarts: a thread that waits for a lock may take it first, even if the other
// one needs a goroutine that it starts to let it go.
func TestReducedStarts(t *testing.T) {
	named := func(names ...string) (ops []op) {
		for _, name := range names {
			i := slices.IndexFunc(operations, func(o op) bool { return o.name == name })
			ops = append(ops, operations[i])
		}
		return ops
	}
	holder := named("go", "receive2 buffered")
	for _, p := range []*program{
		{threads: [][]op{holder, named("send unbuffered")}, locked: []bool{true, true}},
		{threads: [][]op{holder, named("receive unbuffered"), named("add")}, locked: []bool{true, true, false}},
		{threads: [][]op{holder, named("select: send or receive unbuffered"), named("group wait")}, locked: []bool{true, true, false}},
	} {
		outcomes, all := p.explored(schedule.NewDFS(schedule.DFSOptions{Bound: -1}), 200_000)
		reduced, _ := p.explored(schedule.NewDPOR(), 200_000)
		if !all || !maps.Equal(outcomes, reduced) {
			t.Errorf("%swith reduction:\n%sand without (all: %v):\n%s", p, list(reduced), all, list(outcomes))
		}
	}
}

func list(outcomes map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(outcomes)), "\n")
}
