package explore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A cell is a word of shared memory, and a latch a lock, that call the hooks by
// hand.
type cell struct{ v int64 }

func (c *cell) load() int64 {
	schedule.Step(schedule.Read, unsafe.Pointer(c))
	return c.v
}

func (c *cell) store(v int64) {
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	c.v = v
}

func (c *cell) add(d int64) int64 {
	schedule.Step(schedule.Write, unsafe.Pointer(c))
	c.v += d
	return c.v
}

// Ready implements schedule.Waiter: a cell is waited for until it is not 0.
func (c *cell) Ready() bool { return c.v != 0 }

func (c *cell) await() { schedule.Wait(schedule.Write, unsafe.Pointer(c), c, "cell.await") }

type latch struct{ held bool }

func (l *latch) Ready() bool { return !l.held }

func (l *latch) lock() {
	schedule.Wait(schedule.Write, unsafe.Pointer(l), l, "latch.lock")
	l.held = true
}

func (l *latch) unlock() {
	schedule.Step(schedule.Write, unsafe.Pointer(l))
	l.held = false
}

func classOf[T any](t *testing.T, newObject func() T, o stress.ReflectOptions) *stress.Class {
	t.Helper()
	r, err := stress.Reflect(newObject, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Class
}

// A hit counts without and with a lock.
type hits struct {
	n    cell
	lock latch
}

func (h *hits) Inc() int {
	v := h.n.load() + 1
	h.n.store(v)
	return int(v)
}

func (h *hits) Locked() int {
	h.lock.lock()
	defer h.lock.unlock()
	return h.Inc()
}

func (h *hits) Atomic() int { return int(h.n.add(1)) }

func (h *hits) Get() int { return int(h.n.load()) }

// A claim is given to the first that asks, or so it should be.
type claim struct{ owner cell }

func (c *claim) Take(by int) bool {
	if c.owner.load() != 0 {
		return false
	}
	c.owner.store(int64(by) + 1)
	return true
}

// A gate lets Wait pass after Open, unless Open comes between its two steps.
type gate struct{ open, waiting, woken cell }

func (g *gate) Wait() {
	if g.open.load() == 0 {
		g.waiting.store(1)
		g.woken.await()
	}
}

func (g *gate) Open() {
	g.open.store(1)
	if g.waiting.load() != 0 {
		g.woken.store(1)
	}
}

// Opened opens for sure.
func (g *gate) Opened() {
	g.open.store(1)
	g.woken.store(1)
}

// A table has forks.
type table struct{ forks [3]latch }

func (t *table) eat(first, second int) {
	t.forks[first].lock()
	t.forks[second].lock()
	t.forks[second].unlock()
	t.forks[first].unlock()
}

func (t *table) AB() { t.eat(0, 1) }
func (t *table) BA() { t.eat(1, 0) }
func (t *table) BC() { t.eat(1, 2) }
func (t *table) CA() { t.eat(2, 0) }
func (t *table) AC() { t.eat(0, 2) }

// A bag returns its elements in any order.
type bag struct {
	lock   latch
	list   []int
	closed cell
}

func (b *bag) Put(v int) {
	b.lock.lock()
	b.list = append(b.list, v)
	b.lock.unlock()
}

func (b *bag) Take() []int {
	b.lock.lock()
	defer b.lock.unlock()
	if len(b.list) == 0 {
		return nil
	}
	i := schedule.Choose(len(b.list))
	v := b.list[i]
	b.list = slices.Delete(b.list, i, i+1)
	return []int{v}
}

// All returns all elements in any order.
func (b *bag) All() []int {
	b.lock.lock()
	defer b.lock.unlock()
	list, all := slices.Clone(b.list), []int(nil)
	for len(list) > 0 {
		i := schedule.Choose(len(list))
		all, list = append(all, list[i]), slices.Delete(list, i, i+1)
	}
	return all
}

// Two takes twice, which is not atomic.
func (b *bag) Two() []int { return append(b.Take(), b.Take()...) }

// Draw takes the element at a random place, which it draws before it locks.
func (b *bag) Draw() int {
	if b.closed.load() != 0 {
		return -1
	}
	random := schedule.Rand64()
	b.lock.lock()
	defer b.lock.unlock()
	i := int(random % uint64(len(b.list)))
	v := b.list[i]
	b.list = slices.Delete(b.list, i, i+1)
	return v
}

// Lax is Draw, but gives the lock back before it deletes the element.
func (b *bag) Lax() int {
	random := schedule.Rand64()
	b.lock.lock()
	v := b.list[random%uint64(len(b.list))]
	b.lock.unlock()
	b.lock.lock()
	defer b.lock.unlock()
	b.list = slices.DeleteFunc(b.list, func(other int) bool { return other == v })
	return v
}

// A level is drawn at random.
type levels struct{ max cell }

func (l *levels) Draw() int {
	n := int64(schedule.Choose(3))
	for {
		m := l.max.load()
		if n <= m {
			return int(m)
		}
		schedule.Step(schedule.Write, unsafe.Pointer(&l.max))
		if l.max.v == m {
			l.max.v = n
			return int(n)
		}
		schedule.Failed()
	}
}

// A mailbox has a goroutine for each letter.
type mailbox struct {
	lock    latch
	letters cell
}

func (m *mailbox) Send() {
	schedule.Go(func() {
		m.lock.lock()
		m.letters.add(1)
		m.lock.unlock()
	})
}

// Lose is Send with a goroutine that does not lock.
func (m *mailbox) Lose() {
	schedule.Go(func() { m.letters.store(m.letters.load() + 1) })
}

// Both sends a letter and waits for it.
func (m *mailbox) Both() int {
	done := &cell{}
	schedule.Go(func() {
		m.letters.add(1)
		done.store(1)
	})
	done.await()
	return int(m.letters.load())
}

func (m *mailbox) Count() int { return int(m.letters.load()) }

func explored(t *testing.T, c *stress.Class, program string, o explore.Plan) *explore.Exploration {
	t.Helper()
	p, err := stress.Parse(program, c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explore.Schedules(context.Background(), c, p, stresstest.Checker(nil), o)
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return e
}

// TestExplore explores planted faults and controls.
func TestExplore(t *testing.T) {
	classes := map[string]*stress.Class{
		"hits":    classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{}),
		"claim":   classOf(t, func() *claim { return &claim{} }, stress.ReflectOptions{}),
		"table":   classOf(t, func() *table { return &table{} }, stress.ReflectOptions{ReadOnly: []string{}}),
		"bag":     classOf(t, func() *bag { return &bag{} }, stress.ReflectOptions{}),
		"levels":  classOf(t, func() *levels { return &levels{} }, stress.ReflectOptions{}),
		"mailbox": {Name: "mailbox", New: func() any { return &mailbox{} }},
		"gate":    {Name: "gate", New: func() any { return &gate{} }},
	}
	method := func(class, name string, f func(object any) history.Value) {
		c := classes[class]
		c.Methods = append(c.Methods, &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call { return f }})
	}
	// Reflect would call these without a scheduler, where they wait for ever.
	method("mailbox", "Send", func(m any) history.Value { m.(*mailbox).Send(); return history.NoValue })
	method("mailbox", "Lose", func(m any) history.Value { m.(*mailbox).Lose(); return history.NoValue })
	method("mailbox", "Both", func(m any) history.Value { return history.IntValue(int64(m.(*mailbox).Both())) })
	method("mailbox", "Count", func(m any) history.Value { return history.IntValue(int64(m.(*mailbox).Count())) })
	method("gate", "Wait", func(g any) history.Value { g.(*gate).Wait(); return history.NoValue })
	method("gate", "Open", func(g any) history.Value { g.(*gate).Open(); return history.NoValue })
	method("gate", "Opened", func(g any) history.Value { g.(*gate).Opened(); return history.NoValue })
	for _, x := range []struct {
		class, program string
		bound          int
		outcome        string // of the violation; "" for none
		preemptions    int    // that it has
		realTime       bool
	}{
		{"hits", "{ Inc() } || { Inc() }", 1, "1,1", 1, false},
		{"hits", "{ Inc() } || { Inc() }", 0, "", 0, false},
		{"hits", "{ Inc(); Get() } || { Inc(); Get() }", 1, "1,1,1,1", 1, false},
		{"hits", "{ Locked() } || { Locked() } || { Locked() }", -1, "", 0, false},
		{"hits", "{ Atomic(); Get() } || { Atomic(); Get() }", -1, "", 0, false},
		{"hits", "{ Locked() } || { Atomic() } [ Get() ]", -1, "1,1,1", 1, false},
		{"claim", "{ Take(0) } || { Take(1) }", 2, "T,T", 1, false},
		{"claim", "[ Take(0) ] { Take(0) } || { Take(1) }", -1, "", 0, false},
		{"gate", "{ Wait() } || { Open() }", 1, "W,()", 1, false},
		{"gate", "{ Wait() } || { Opened() }", -1, "", 0, false},
		{"table", "{ AB() } || { BA() }", 1, "W,W", 1, false},
		{"table", "{ AB() } || { BC() } || { CA() }", 2, "W,W,W", 2, false},
		{"table", "{ AB() } || { BC() } || { AC() }", -1, "", 0, false},
		{"bag", "[ Put(0); Put(1) ] { Take() } || { Take() }", -1, "", 0, false},
		{"bag", "[ Put(0); Put(1) ] { All() } || { Take() } [ All() ]", -1, "", 0, false},
		{"bag", "[ Put(0); Put(1) ] { Two() } || { All() }", 1, "(),(),[", 1, false},
		{"bag", "[ Put(0); Put(1); Put(2); Put(3) ] { Draw() } || { Draw() }", 2, "", 0, false},
		{"bag", "[ Put(0); Put(1); Put(2); Put(3) ] { Lax() } || { Lax() }", 2, "(),(),(),(),", 2, false},
		{"levels", "{ Draw(); Draw() } || { Draw() }", -1, "", 0, false},
		{"mailbox", "{ Send(); Count() } || { Send(); Count() }", 2, "", 0, false},
		{"mailbox", "{ Lose() } || { Lose() } [ Count() ]", 2, "", 0, false}, // the goroutines lose one sequentially, too
		{"mailbox", "{ Both(); Count() } || { Both() }", 2, "2,2,2", 2, false},
	} {
		e := explored(t, classes[x.class], x.program, explore.Plan{Preemptions: x.bound})
		switch {
		case len(e.Violations) == 0 && x.outcome != "":
			t.Errorf("%s %s: no violation in %d executions, complete to %d", x.class, x.program, e.Executions, e.Complete)
		case len(e.Violations) > 0 && x.outcome == "":
			t.Errorf("%s %s: outcome %v of schedule %v is a violation", x.class, x.program, e.Violations[0].Outcome, e.Violations[0].Schedule)
		case x.outcome == "":
			if bound := x.bound; bound < 0 && e.Complete != explore.Unbounded || bound >= 0 && e.Complete < bound {
				t.Errorf("%s %s: complete to %d only, %d cut, %d diverged, %d undecided, %d executions", x.class, x.program, e.Complete, e.Cut, e.Diverged, e.Undecided, e.Executions)
			}
		default:
			v := e.Violations[0]
			if got := v.Outcome.String(); !strings.HasPrefix(got, x.outcome) || v.RealTime != x.realTime || v.Preemptions > max(x.preemptions, 0) && x.bound >= 0 {
				t.Errorf("%s %s: outcome %s with %d preemptions, real time %v; want %s", x.class, x.program, got, v.Preemptions, v.RealTime, x.outcome)
			}
		}
		if e.Diverged > 0 || e.Panic != "" {
			t.Errorf("%s %s: %d executions diverged, panic %q", x.class, x.program, e.Diverged, e.Panic)
		}
	}
}

// TestUndecided: outcomes that sequential runs may have beyond the limit are not
// violations.
func TestUndecided(t *testing.T) {
	defer explore.SetSequentialLimits(explore.SetSequentialLimits(100, 1000))
	c := classOf(t, func() *bag { return &bag{list: []int{0, 1, 2, 3, 4, 5, 6, 7}} }, stress.ReflectOptions{})
	e := explored(t, c, "{ All() } || { All() }", explore.Plan{Strategy: "pos", Executions: 5})
	if len(e.Violations) > 0 || e.Undecided == 0 {
		t.Errorf("%d executions are undecided, violations %v", e.Undecided, e.Violations)
	}
	explore.SetSequentialLimits(100, 1<<17)
	e = explored(t, c, "[ Take(); Take(); Take(); Take() ] { All() } || { All() }", explore.Plan{Strategy: "pos", Executions: 5})
	if len(e.Violations) > 0 || e.Undecided > 0 {
		t.Errorf("%d executions are undecided, violations %v", e.Undecided, e.Violations)
	}
	e = explored(t, c, "[ Take(); Take(); Take(); Take() ] { Two() } || { All() }", explore.Plan{Strategy: "pos", Executions: 1000})
	if len(e.Violations) == 0 {
		t.Errorf("no violation; %d executions are undecided", e.Undecided)
	}
}

// TestSearchSchedules searches for planted faults with generated programs.
func TestSearchSchedules(t *testing.T) {
	c := classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{Core: []string{"Atomic", "Get"}})
	r := &stress.Report{}
	for limit := 300 * time.Millisecond; limit < patience && (len(r.NonAtomic) < 2 || !complete(r, 2)); limit *= 4 {
		var err error
		r, err = stress.Search(context.Background(), c, stress.Options{Executor: explore.New, Preemptions: 2, Effort: stress.Effort{Time: limit, Program: time.Millisecond},
			Checker: stresstest.Checker(nil)})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(r.NonAtomic, []string{"Inc", "Locked"}) {
		t.Errorf("not atomic are %v", r.NonAtomic)
	}
	for _, f := range r.Findings {
		s := f.Scheduled
		if s == nil || s.Replayed != 1000 || s.Preemptions > 1 || len(s.Steps) == 0 {
			t.Errorf("%s: %+v", f.Program, s)
			continue
		}
		t.Log(fmt.Sprintln(f.Method, f.Program, f.Outcome, s.Schedule, s.Execution, f.Times, f.Executions))
		isViolation(t, f.History)
	}
	if len(r.Explored.Diverging) > 0 || !complete(r, 0) || !complete(r, 2) {
		t.Errorf("%+v", r)
	}
}

// complete reports whether a program is complete to the bound.
func complete(r *stress.Report, bound int) bool {
	return slices.ContainsFunc(r.Account.Sizes, func(s *stress.SizeAccount) bool { return len(s.Complete) > bound && s.Complete[bound] > 0 })
}

// issued numbers objects of all executions.
var issued int64

// An outsider depends on more than the schedule.
type outsider struct {
	n    cell
	lock latch
}

// Issue returns numbers of a global variable.
func (o *outsider) Issue() int {
	o.n.add(1)
	issued++
	return int(issued)
}

// Now returns the real time.
func (o *outsider) Now() int {
	o.n.add(1)
	return int(time.Now().UnixNano())
}

// At returns a part of an address.
func (o *outsider) At() int {
	o.n.add(1)
	somewhere = new([100]int64)
	return int(uintptr(unsafe.Pointer(somewhere)) >> 7)
}

var somewhere *[100]int64

// Clock returns the virtual time.
func (o *outsider) Clock() int {
	o.lock.lock()
	defer o.lock.unlock()
	return int(schedule.Now())
}

// A partly is only partly instrumented: Own has no step.
type partly struct {
	gate
	own int
}

func (p *partly) Own() int { p.own++; return p.own }

// TestStepless: what has no step is known, and is not exercised. What waits has one.
func TestStepless(t *testing.T) {
	c := classOf(t, func() *partly { return &partly{} }, stress.ReflectOptions{ReadOnly: []string{}})
	for _, programs := range [][]string{{"{ Wait() } || { Open() } || { Own() }"}, {"{ Wait() } || { Own() }"}} {
		r, err := stress.Search(t.Context(), c, stress.Options{Executor: explore.New, Programs: programs, Checker: stresstest.Checker(nil), Effort: stress.Effort{Time: patience}})
		if err != nil {
			t.Fatal(err)
		}
		if a := &r.Account; a.Method("Own").Instrumented || a.Method("Own").Exercised > 0 || !a.Method("Wait").Instrumented {
			t.Errorf("%v: %+v", programs, a)
		}
	}
}

// TestDiverging: what depends on more than the schedule is named, and is
// not a violation.
func TestDiverging(t *testing.T) {
	c := classOf(t, func() *outsider { return &outsider{} }, stress.ReflectOptions{ReadOnly: []string{}})
	for _, program := range []string{"{ Issue() } || { Issue() }", "{ Now() } || { Now() }", "{ At() } || { At() }"} {
		r, err := search(c, stress.Options{Executor: explore.New, Programs: []string{program}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) > 0 || !slices.Equal(r.Explored.Diverging, []string{program}) {
			t.Errorf("%s: diverging are %v; findings %v", program, r.Explored.Diverging, r.Findings)
		}
	}
}

// hitsClass is a class for child processes. If it differs, results of its
// lost updates depend on the process.
func hitsClass(differs bool) *stress.Class {
	r, err := stress.Reflect(func() *hits { return &hits{} }, stress.ReflectOptions{})
	if err != nil {
		panic(err)
	}
	if inc := r.Class.Method("Inc"); differs {
		inc.Prepare = func([]history.Value) stress.Call {
			return func(h any) history.Value { return history.IntValue(int64(h.(*hits).Inc() * os.Getpid())) }
		}
	}
	return r.Class
}

// A dictionary is a map under a lock.
type dictionary struct {
	lock latch
	m    map[int]int
}

func (d *dictionary) Put(k, v int) int {
	d.lock.lock()
	defer d.lock.unlock()
	old := d.m[k]
	d.m[k] = v
	return old
}

func (d *dictionary) Get(k int) int {
	d.lock.lock()
	defer d.lock.unlock()
	return d.m[k]
}

// BenchmarkExplore explores a program of four invocations, judging every execution.
func BenchmarkExplore(b *testing.B) {
	r, err := stress.Reflect(func() *dictionary { return &dictionary{m: map[int]int{}} }, stress.ReflectOptions{})
	if err != nil {
		b.Fatal(err)
	}
	p, err := stress.Parse("{ Put(0,1); Get(0) } || { Put(0,2); Get(1) }", r.Class)
	if err != nil {
		b.Fatal(err)
	}
	executions, steps := int64(0), int64(0)
	for b.Loop() {
		e, err := explore.Schedules(context.Background(), r.Class, p, stresstest.Checker(nil), explore.Plan{Preemptions: 3})
		if err != nil || len(e.Violations) > 0 {
			b.Fatal(e, err)
		}
		executions += e.Executions
		steps += e.Steps
	}
	b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
	b.ReportMetric(float64(executions)/float64(b.N), "executions/op")
	b.ReportMetric(float64(steps)/float64(executions), "steps/execution")
}
