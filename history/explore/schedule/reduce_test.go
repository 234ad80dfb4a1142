package schedule_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history/explore/schedule"
)

var (
	seed     = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of random programs")
	programs = flag.Int("programs", 100, "random programs, with -full")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// An action is one line of a random program.
type action struct {
	what string
	on   int
	body []action // of go
}

// A random program: threads, invocations, actions.
type random struct {
	threads [][][]action
}

func (p random) String() string {
	var b strings.Builder
	for i, t := range p.threads {
		fmt.Fprintf(&b, "thread %d:", i)
		for _, inv := range t {
			fmt.Fprintf(&b, " {%v}", inv)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (a action) String() string {
	if a.body != nil {
		return fmt.Sprintf("go %v", a.body)
	}
	return fmt.Sprintf("%s%d", a.what, a.on)
}

// parse reads a program: threads are separated by |, invocations by ;.
func parse(t *testing.T, text string) (p random) {
	for thread := range strings.SplitSeq(text, "|") {
		var invocations [][]action
		for invocation := range strings.SplitSeq(thread, ";") {
			var inv []action
			var body *action // of a goroutine that is not complete
			for _, word := range strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(invocation)) {
				a := action{what: word}
				switch {
				case word == "go":
					body = &a
					continue
				case word == "(":
					continue
				case word == ")":
					inv, body = append(inv, *body), nil
					continue
				case word[len(word)-1] == '0' || word[len(word)-1] == '1':
					a = action{what: word[:len(word)-1], on: int(word[len(word)-1] - '0')}
				default:
					t.Fatal(word)
				}
				if body != nil {
					body.body = append(body.body, a)
				} else {
					inv = append(inv, a)
				}
			}
			invocations = append(invocations, inv)
		}
		p.threads = append(p.threads, invocations)
	}
	return p
}

// TestReduced: programs on which wrong reductions failed.
func TestReduced(t *testing.T) {
	for i, text := range []string{
		"store1 store0 store0 | lock0 add0 | add1 ; lock0 add1",
		"go(load1) store1",
		"go(store0 wait0) load0",
		"store0 clear0 | wait0",
		"store0 spin1 yield1 | | yield0 store0 store1 ;",
		" | load1 clear1 ; yield1 clear0 clear1 | ; store1 yield1",
		"load0 store1 clear1 ; yield1 | store0 ; yield0 | load1 ; spin0",
		"clear1 spin0 ; | store0 store1 ; spin1 | yield1 yield1",
		"clear0 spin1 load0 ; clear1 | store0 | spin1 load1 spin0 ;",
		"store0 clear1 ; yield0 clear0 store0 | yield0 load0 yield0",
		"rlock1 wlock0 critical1 ; either1 critical1 | clear0 wlock1",
		"; store1 | ; go(wait1) go(store1)",
		"critical0 store1 ; store0 go(load1 critical1) wait0 | go(critical1 critical1)",
		"store1 go(store0 store1) critical0 | | ; load1",
		"clear0 yield0 store1 ; yield1 yield0 | yield0 yield1 store1 ;",
		"go(yield0 store0) load0 | store1 load0 yield1",
		"go(yield0 load1) go(yield0 store1) store0 yield0",
		"choose1 cas0 | choose0 load0 ; load1",
		"now0 store0 sleep1 | load0 sleep0 now1",
	} {
		if testing.Short() && i%6 > 0 || !*full && i%3 > 0 { // short under the race detector
			continue
		}
		n, fault := parse(t, text).compare(t)
		if fault != "" || n[0] == 0 {
			t.Errorf("%s: %s", text, fault)
		}
		t.Log(n, text)
	}
}

func draw(r *rand.Rand, kinds []string, threads, invocations, actions int) random {
	var p random
	var line func(deep bool) action
	line = func(deep bool) action {
		a := action{what: kinds[r.IntN(len(kinds))], on: r.IntN(2)}
		if a.what == "go" {
			if !deep {
				return line(false)
			}
			for range 1 + r.IntN(2) {
				a.body = append(a.body, line(false))
			}
		}
		return a
	}
	for range threads {
		var t [][]action
		for range 1 + r.IntN(invocations) {
			var inv []action
			for range r.IntN(actions + 1) {
				inv = append(inv, line(true))
			}
			t = append(t, inv)
		}
		p.threads = append(p.threads, t)
	}
	return p
}

// A heap is what random programs work on.
type heap struct {
	cells           [2]cell
	locks           [2]lock
	rw              readers
	guarded, shared [2]int        // by locks, by rw
	log             map[int][]int // of threads, and of daemons by the tag of what started them
}

type nonzero struct{ c *cell }

func (n *nonzero) Ready() bool { return n.c.v != 0 }

type either struct{ h *heap }

func (e *either) Ready() bool { return e.h.cells[0].v != 0 || e.h.cells[1].v != 0 }

// A readers is a lock of many readers or one writer.
type readers struct{ n, w int }

type readable struct{ r *readers }

func (r *readable) Ready() bool { return r.r.w == 0 }
func (r *readers) Ready() bool  { return r.n == 0 && r.w == 0 }

func (h *heap) do(a action, who int, tag int) {
	note := func(v int) { h.log[who] = append(h.log[who], v) }
	c, l := &h.cells[a.on], &h.locks[a.on]
	switch a.what {
	case "load":
		note(c.load())
	case "store":
		c.store(tag)
	case "cas":
		if c.cas(0, tag) {
			note(1)
		} else {
			note(0)
		}
	case "add":
		schedule.Step(schedule.Write, unsafe.Pointer(c))
		c.v++
		note(c.v)
	case "lock":
		l.lock()
	case "unlock":
		if l.held == 1 && l.by == schedule.Self() {
			l.unlock()
		}
	case "critical":
		l.lock()
		note(h.guarded[a.on])
		h.guarded[a.on] = tag
		l.unlock()
	case "rlock":
		schedule.Wait(schedule.Read, unsafe.Pointer(&h.rw), &readable{&h.rw}, "rlock")
		h.rw.n++
		note(h.shared[a.on])
		schedule.Step(schedule.Write, unsafe.Pointer(&h.rw))
		h.rw.n--
	case "wlock":
		schedule.Wait(schedule.Write, unsafe.Pointer(&h.rw), &h.rw, "wlock")
		h.rw.w = 1
		h.shared[a.on] = tag
		h.cells[a.on].store(tag)
		schedule.Step(schedule.Write, unsafe.Pointer(&h.rw))
		h.rw.w = 0
	case "wait":
		schedule.Wait(schedule.Read, unsafe.Pointer(c), &nonzero{c}, "wait")
		note(c.v)
	case "either":
		schedule.Wait(schedule.Read, nil, &either{h}, "either")
		note(h.cells[0].v + 100*h.cells[1].v)
	case "clear":
		c.store(0)
	case "choose":
		if n := schedule.Choose(2 + a.on); n > 0 {
			note(-n)
			h.cells[n-1].store(tag)
		}
	case "yield":
		schedule.Step(schedule.Yield, nil)
	case "now":
		note(int(schedule.Now()))
	case "sleep":
		schedule.SleepUntil(schedule.Now()+int64(1000+2000*a.on), "sleep")
	case "spin":
		for range 3 {
			if c.load() != 0 {
				break
			}
			schedule.Step(schedule.Yield, nil)
		}
	case "go":
		schedule.Go(func() {
			for i, b := range a.body {
				h.do(b, tag, 1000*tag+i)
			}
		})
	}
}

// An outcome is what an execution shows: results, and which invocations come before which.
type outcome struct {
	results string
	before  string // sorted pairs
}

// explore returns all outcomes, and the number of executions, or false if there are more than most.
//
// With steps, invocations begin with a step like others, not as the scheduler
// offers it, so that another thread may go on between it and the first access.
func (p random) explore(t *testing.T, s schedule.Strategy, steps bool, most int) (map[outcome]bool, int, bool) {
	t.Helper()
	var h *heap
	var events []schedule.Event
	prog := &schedule.Program{Before: func() { h, events = &heap{log: map[int][]int{}}, nil }, After: func() {}}
	total := 0
	for i, invocations := range p.threads {
		total += len(invocations)
		prog.Threads = append(prog.Threads, func() {
			for j, inv := range invocations {
				e := schedule.Event{Sequence: int16(i), Index: int16(j)}
				if steps {
					schedule.Step(schedule.Read, unsafe.Pointer(new(int)))
				} else {
					schedule.Invocation(i, j)
				}
				events = append(events, e)
				for k, a := range inv {
					h.do(a, i, 100+i*100+j*10+k)
				}
				schedule.Returned()
				e.Return = true
				events = append(events, e)
			}
		})
	}
	seen := map[outcome]bool{}
	n := 0
	for {
		// The reductions do not know how many ticks are left.
		r := schedule.Run(prog, s, schedule.Limits{Ticks: 1 << 20})
		n++
		if r.Diverged || r.Panic != nil || r.Cut || r.Foreign > 0 || r.Lost > 0 {
			t.Fatalf("%v%+v", p, r)
		}
		returns := 0
		for _, e := range r.Events {
			if e.Return {
				returns++
			}
		}
		if !steps && !r.Pruned && !r.Deadlock && returns != total {
			t.Fatalf("%v%d of %d invocations returned: %+v", p, returns, total, r)
		}
		for _, a := range r.Trace {
			if a.Node >= 0 && r.Schedule[a.Node] != int16(a.Thread) {
				t.Fatalf("%v%+v is not what decision %d of %v took", p, a, a.Node, r.Schedule)
			}
		}
		if !r.Pruned {
			seen[show(h, r, events)] = true
		}
		if !s.Next(r) {
			return seen, n, true
		}
		if n >= most {
			return seen, n, false
		}
	}
}

func show(h *heap, r *schedule.Result, events []schedule.Event) outcome {
	var b strings.Builder
	fmt.Fprint(&b, h.log, h.cells, h.guarded, h.shared, r.Deadlock, r.DaemonsLeft)
	var blocked []string
	for _, x := range r.Blocked {
		if !r.Deadlock {
			break // goroutines of an invocation are left: without Invocation, there are none
		}
		if x.Daemon {
			x.Thread = 99 // it depends on the order of starts
		}
		blocked = append(blocked, fmt.Sprint(x.Thread, x.What))
	}
	slices.Sort(blocked)
	fmt.Fprint(&b, blocked)
	var pairs []string
	for i, e := range events {
		for _, f := range events[i:] {
			if e.Return && !f.Return {
				pairs = append(pairs, fmt.Sprint(e.Sequence, e.Index, "<", f.Sequence, f.Index))
			}
		}
	}
	slices.Sort(pairs)
	return outcome{b.String(), strings.Join(pairs, ";")}
}

// covers reports which outcome of all is not in some with at least its precedences.
func covers(some, all map[outcome]bool) (outcome, bool) {
	byResult := map[string][][]string{}
	for o := range some {
		byResult[o.results] = append(byResult[o.results], strings.Split(o.before, ";"))
	}
next:
	for o := range all {
		for _, have := range byResult[o.results] {
			missing := false
			for _, p := range strings.Split(o.before, ";") {
				missing = missing || p != "" && !slices.Contains(have, p)
			}
			if !missing {
				continue next
			}
		}
		return o, false
	}
	return outcome{}, true
}

// TestReductions: on random programs, the reductions lose nothing that plain search shows.
func TestReductions(t *testing.T) {
	t.Logf("seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	kinds := [][]string{
		{"load", "store", "cas"},
		{"load", "store", "add", "lock", "unlock"},
		{"critical", "load", "wait", "store"},
		{"critical", "rlock", "wlock", "clear", "either"},
		{"load", "store", "choose", "cas"},
		{"go", "load", "store", "critical", "wait"},
		{"load", "store", "yield", "spin", "clear"},
		{"load", "store", "now", "sleep"},
		{"go", "load", "store", "sleep", "sleep"},
		{"go", "add", "now", "sleep"},
		{"load", "store", "cas", "add", "lock", "unlock", "critical", "rlock", "wlock", "wait", "either", "clear", "choose", "go", "yield"},
	}
	var total [3]int
	done := 0
	n := *programs
	if !*full {
		n /= 8
	}
	if testing.Short() { // as under the race detector
		n /= 5
	}
	for i := 0; done < n; i++ {
		p := draw(r, kinds[i%len(kinds)], 2+r.IntN(2), 2, 3)
		counts, fault := p.compare(t)
		if counts[0] == 0 {
			continue
		}
		done++
		for j := range counts {
			total[j] += counts[j]
		}
		if fault != "" {
			p, fault = p.shrink(t, fault)
			t.Fatalf("program %d: %s of\n%v", i, fault, p)
		}
	}
	t.Logf("%d programs: %d executions, DPOR %d, filter %d", done, total[0], total[1], total[2])
}

// compare returns how many executions plain search and the reductions need, and what is
// wrong. It returns 0 for a program that is too large.
func (p random) compare(t *testing.T) (n [3]int, fault string) {
	all, n0, ok := p.explore(t, schedule.NewDFS(everything), false, 20000)
	if !ok {
		return n, ""
	}
	n[0] = n0
	var reduced map[outcome]bool
	for i, s := range []schedule.Strategy{schedule.NewDPOR(), schedule.NewDFS(schedule.DFSOptions{Bound: -1, Filter: true})} {
		some, m, _ := p.explore(t, s, false, n0+1000)
		n[i+1] = m
		if o, ok := covers(some, all); !ok {
			return n, fmt.Sprintf("%T misses %v (%d of %d executions)", s, o, m, n0)
		}
		if o, ok := covers(all, some); !ok {
			return n, fmt.Sprintf("%T invents %v (%d of %d executions)", s, o, m, n0)
		}
		if i == 0 {
			reduced = some
		}
	}
	if strings.Contains(p.String(), "now") || strings.Contains(p.String(), "sleep") {
		return n, "" // times depend on what counts as a step
	}
	if stepped, _, ok := p.explore(t, schedule.NewDFS(everything), true, 20000); ok {
		if o, ok := covers(reduced, stepped); !ok {
			return n, fmt.Sprintf("free switches where invocations begin miss %v", o)
		}
	}
	return n, ""
}

// shrink removes what it can from a program while something is wrong.
func (p random) shrink(t *testing.T, fault string) (random, string) {
	try := func(set func(q [][][]action) [][][]action) bool {
		q := make([][][]action, len(p.threads))
		for i := range q {
			for _, inv := range p.threads[i] {
				q[i] = append(q[i], slices.Clone(inv))
			}
		}
		next := random{set(q)}
		if _, f := next.compare(t); f != "" {
			p, fault = next, f
			return true
		}
		return false
	}
again:
	for i := range p.threads {
		if try(func(q [][][]action) [][][]action { return slices.Delete(q, i, i+1) }) {
			goto again
		}
		for j := range p.threads[i] {
			if try(func(q [][][]action) [][][]action { q[i] = slices.Delete(q[i], j, j+1); return q }) {
				goto again
			}
			for k := range p.threads[i][j] {
				if try(func(q [][][]action) [][][]action { q[i][j] = slices.Delete(q[i][j], k, k+1); return q }) {
					goto again
				}
			}
		}
	}
	return p, fault
}
