package stress_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/stresstest"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

// TestMain makes the test's program one that Supervise can start.
func TestMain(m *testing.M) {
	switch child := worker.Name(); child {
	case "":
		_ = flag.Set("test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)+1)) // one waits for seconds
		stress.SetSteadyTime(patience)
		os.Exit(m.Run())
	case "reduce":
		os.Exit(stress.Serve(hangsSmaller(), stresstest.Checker(nil), nil))
	case "spin":
		stress.SetWaitLimit(300 * time.Millisecond)
		os.Exit(stress.Serve(spinning(), stresstest.Checker(nil), nil))
	case "constructor":
		never := func() any {
			for {
				time.Sleep(time.Second)
			}
		}
		os.Exit(stress.ServeLike(new(atomic.Int64), never, stresstest.Checker(nil), nil))
	case "exits", "panics beside":
		os.Exit(stress.ServeLike(&mortal{}, func() any { return &mortal{how: child} }, stresstest.Checker(nil), nil))
	case "guard":
		stress.SetWaitLimit(300 * time.Millisecond)
		os.Exit(stress.ServeLike(&guard{}, func() any { return &guard{} }, stresstest.Checker(nil), nil))
	case "crash", "hang", "loud", "at once", "killed":
		os.Exit(stress.Serve(dangerous(child), stresstest.Checker(nil), nil))
	default:
		if name, ok := strings.CutPrefix(child, "failing "); ok {
			os.Exit(serveFailing(name))
		}
		os.Exit(stress.Serve(subject.Lookup(child).Class, stresstest.Checker(nil), nil))
	}
}

// patience is the time for what ends sooner by itself, however busy the
// machine is.
const patience = 5 * time.Minute

// search is Search with leadline's checker.
func search(c *stress.Class, o stress.Options) (*stress.Report, error) {
	return searchUntil(context.Background(), c, o)
}

func searchUntil(ctx context.Context, c *stress.Class, o stress.Options) (*stress.Report, error) {
	o.Checker = stresstest.Checker(nil)
	return stress.Search(ctx, c, o)
}

// child returns the test's program as the worker that searches a class.
func child(name string) worker.Program { return worker.Program{Path: os.Args[0], Name: name} }

var stdout = os.NewFile(1, "stdout") // as an object may have it

// dangerous returns a class of which one method ends the process, or never
// returns, after many calls with 1: more than the sequential runs of a program make.
func dangerous(how string) *stress.Class {
	method := func(name string, core bool, f func(int64)) *stress.Method {
		return &stress.Method{Name: name, Params: []stress.Param{stress.Int}, Core: core, Prepare: func(args []history.Value) stress.Call {
			return func(any) history.Value { f(args[0].Int()); return history.NoValue }
		}}
	}
	var calls atomic.Int64
	return &stress.Class{Name: how, New: func() any { return nil }, Methods: []*stress.Method{
		method("safe", true, func(int64) {
			if how == "loud" {
				fmt.Print("I am safe. ", "\n"[:rand.IntN(2)])
				stdout.WriteString("{\"Error\":\"no message\"}\n")
				os.Stderr.WriteString("fatal errors do not happen here\n")
			}
		}),
		method("other", false, func(int64) {}),
		method("danger", false, func(n int64) {
			if n == 1 && (calls.Add(1) > 100 || how == "at once") {
				for how == "hang" {
					time.Sleep(time.Second) // a goroutine that waits for another one would be noticed
				}
				if self, err := os.FindProcess(os.Getpid()); err == nil && how == "killed" {
					_ = self.Kill()
				}
				if os.Stderr.WriteString("fatal error: all is lost\nmore of it\n"); how == "crash" {
					panicking := make(chan bool)
					go func() { panic("as in a goroutine of the object") }()
					<-panicking
				}
				os.Exit(2)
			}
		}),
	}}
}

// rare are programs for subjects whose violations generated programs take long to
// show on a busy machine. Each run of a program is short, so there are many.
var rare = map[string][]string{
	"sharded-map-unlocked": slices.Repeat([]string{"{ put(0,1); put(1,1) } || { snapshot() }"}, 10_000),
}

// TestSubjects: a violation is found in every broken subject, with a history that
// is not linearizable, and none by some programs of a correct one.
func TestSubjects(t *testing.T) {
	t.Parallel() // it waits for other processes
	if testing.Short() {
		t.Skip("searches take a minute")
	}
	for i, s := range subject.All() {
		if !*full && i%3 > 0 {
			continue
		}
		t.Run(s.Class.Name, func(t *testing.T) {
			t.Parallel()
			effort := stress.QuickEffort
			enough := 20
			if effort.Time = patience; !*full && !s.Broken {
				effort.Program, enough = time.Millisecond, 10
			} else if !*full {
				effort.Program = 5 * time.Millisecond
			}
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			programs := 0
			r, err := stress.Supervise(ctx, child(s.Class.Name), stress.Options{Effort: effort, Seed: 1, Programs: rare[s.Class.Name],
				Starting: func(string, string) {
					if programs++; !s.Broken && programs > enough {
						stop()
					}
				},
				Found: func(*stress.Finding) { stop() }, // one is enough
			})
			switch {
			case err != nil:
				t.Fatal(err)
			case len(r.Crashes) > 0 && ctx.Err() == nil:
				t.Fatalf("crashes: %v", r.Crashes)
			case strings.HasPrefix(s.Class.Name, "blocking"):
				if len(r.MayWait) == 0 || len(r.Findings) > 0 {
					t.Fatalf("%+v", r)
				}
				return // only schedules can tell
			case s.Broken && len(r.Findings) == 0:
				t.Fatalf("nothing was found by %d programs", programs)
			case !s.Broken && len(r.Findings) > 0:
				t.Fatalf("%+v", *r.Findings[0])
			case !s.Broken && programs <= enough:
				t.Fatalf("%d programs were run", programs)
			}
			for _, f := range r.Findings {
				t.Logf("found by program %d: %s has outcome %s", programs, f.Program, f.Outcome)
				checkFound(t, s, f)
			}
		})
	}
}

// check checks the only history in text by the specification in its header.
func check(t *testing.T, text string) replay.Verdict {
	t.Helper()
	var v replay.Verdict
	n := 0
	for h, err := range codec.Decode(strings.NewReader(text), "found", codec.Options{}) {
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		n++
		s, err := spec.Lookup(h.Model, h.ModelArgs) // without the subject
		if err != nil {
			t.Fatal(err)
		}
		if v, err = decide.Check(context.Background(), h, s, replay.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if n != 1 {
		t.Errorf("%d histories in\n%s", n, text)
	}
	return v
}

// checkFound checks the history of a finding and parses its program.
func checkFound(t *testing.T, s *subject.Subject, f *stress.Finding) {
	t.Helper()
	if v := check(t, f.History); v.Answer != replay.NotLinearizable {
		t.Errorf("the checker says %v of\n%s", v.Answer, f.History)
	}
	if _, err := stress.Parse(f.Program, s.Class); err != nil {
		t.Errorf("program %s: %v", f.Program, err)
	}
}

// TestCrash: a process that crashes is followed by another, whatever the objects
// write to its standard streams.
func TestCrash(t *testing.T) {
	t.Parallel() // it waits for another process
	for _, how := range []string{"crash", "loud", "at once"} {
		r := &stress.Report{}
		for limit := 10 * time.Millisecond; limit < patience && len(r.Crashes) == 0; limit *= 4 { // a busy machine makes few calls in it
			var err error
			r, err = stress.Supervise(context.Background(), child(how),
				stress.Options{Effort: stress.Effort{Time: patience, Program: limit}, Exhaustive: true,
					Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 2}, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(r.Crashes) != 1 || r.Crashes[0].Method != "danger" || r.Crashes[0].What != map[bool]string{true: "panic: as in a goroutine of the object", false: "fatal error: all is lost"}[how == "crash"] ||
			!strings.Contains(r.Crashes[0].Program, "danger(1)") {
			t.Fatalf("%s: crashes: %+v", how, r.Crashes)
		}
		if r.Crashes[0].Sequential { // the process had run other programs in parallel
			t.Errorf("%s: in a sequential run", how)
		}
		if stack := r.Crashes[0].Stack; strings.Contains(stack, "dangerous") != (how == "crash") || strings.Contains(stack, "(*prepared).run") {
			t.Errorf("%s: the stack is\n%s", how, stack)
		}
		if other := r.Account.Method("other"); other.Exercised == 0 || other.Ordered || r.Executions == 0 { // it returns nothing
			t.Errorf("%s: after the crash nothing went on: %+v", how, *r)
		}
	}
}

// TestCrashAlone: a process that crashes before anything ran in parallel.
func TestCrashAlone(t *testing.T) {
	t.Parallel() // it waits for another process
	programs := []string{"{ danger(1) } || { safe(0) }", "{ safe(0); other(0) } || { safe(1) }"}
	r, err := stress.Supervise(context.Background(), child("at once"), stress.Options{Programs: programs, Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err != nil || len(r.Crashes) != 1 || !r.Crashes[0].Sequential || r.Crashes[0].Program != programs[0] || r.Programs != 2 || r.Executions == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A guard is a lock whose methods do not have the names of one.
type guard struct{ mu sync.Mutex }

func (g *guard) Enter() bool { return g.mu.TryLock() }
func (g *guard) Exit()       { g.mu.Unlock() }

// TestMisuse: a program that ends the process as it misuses a lock is left out, and others are run.
func TestMisuse(t *testing.T) {
	t.Parallel() // it waits for another process
	given := []string{
		"{ Exit() } || { Enter() }", "{ Enter() } || { Enter() }", "{ Exit() } || { Exit() }", "[ Enter() ] { Exit() } || { Enter() }"}
	o := stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond}, Programs: given}
	r, err := stress.Supervise(context.Background(), child("guard"), o)
	if err != nil || len(r.Findings)+len(r.Crashes) > 0 || len(r.Account.LeftOut) != 2 || r.Programs != 4 || r.Executions == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, o := range r.Account.LeftOut {
		if line, want := o.String(), given[2*i]+": calls one after another end in a fatal error: sync: unlock of unlocked mutex"; line != want || !o.Given {
			t.Errorf("%s\nwant %s", line, want)
		}
	}
	o = stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond}, Exhaustive: true, Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2}}
	r, err = stress.Supervise(context.Background(), child("guard"), o)
	if err != nil || len(r.Findings)+len(r.Crashes) > 0 || len(r.Account.LeftOut) != 1 || r.Account.LeftOut[0].Programs != 2 || r.Account.LeftOut[0].Given || r.Executions == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHang: a method whose call does not end is left to schedules.
func TestHang(t *testing.T) {
	t.Parallel() // it waits for another process
	r, err := stress.Supervise(context.Background(), child("hang"),
		stress.Options{Effort: stress.Effort{Time: patience, Program: 10 * time.Millisecond}, Methods: []string{"danger"}, Seed: 3})
	if err != nil || len(r.Crashes)+len(r.Findings) > 0 || !slices.Equal(r.MayWait, []string{"danger"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHangingConstructor: a constructor that does not return is named.
func TestHangingConstructor(t *testing.T) {
	t.Parallel() // it waits for another process
	_, err := stress.Supervise(context.Background(), child("constructor"), stress.Options{Silence: 300 * time.Millisecond,
		Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err == nil || !strings.Contains(err.Error(), "the constructor may not return") {
		t.Error(err)
	}
}

// increment is not atomic: another one has time to end between its two
// steps.
func increment(n *atomic.Int64) history.Value {
	v := n.Load() + 1
	for tries := 0; tries < 100 && n.Load() == v-1; tries++ {
	}
	n.Store(v)
	return history.IntValue(v)
}

// hangsSmaller returns a class with a violation. Without a call of mark, programs
// never end after many calls.
func hangsSmaller() *stress.Class {
	type object struct {
		n      atomic.Int64
		marked atomic.Bool
	}
	var calls atomic.Int64
	method := func(name string, f func(*object) history.Value) *stress.Method {
		return &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call {
			return func(o any) history.Value { return f(o.(*object)) }
		}}
	}
	return &stress.Class{Name: "reduce", New: func() any { return &object{} }, Methods: []*stress.Method{
		method("mark", func(o *object) history.Value { o.marked.Store(true); return history.NoValue }),
		method("increment", func(o *object) history.Value {
			for !o.marked.Load() && calls.Add(1) > 1000 {
				time.Sleep(time.Second)
			}
			return increment(&o.n)
		}),
	}}
}

// TestReduceHangs: a violation is not lost when a smaller program hangs.
func TestReduceHangs(t *testing.T) {
	t.Parallel() // it waits for another process
	if !*full {
		t.Skip("waits for seconds: with -full")
	}
	r, err := stress.Supervise(context.Background(), child("reduce"), stress.Options{Silence: 10 * time.Second,
		Effort:   stress.Effort{Time: patience, Program: 500 * time.Millisecond},
		Programs: []string{"[ mark() ] { increment(); increment() } || { increment() }"}})
	if err != nil || len(r.Findings) != 1 || len(r.Crashes) != 1 || strings.Contains(r.Crashes[0].Program, "mark") {
		t.Errorf("%+v, %v", r, err)
	}
}

// spinning returns a class with a method that polls for ever if it is called after
// one call of put.
func spinning() *stress.Class {
	return &stress.Class{Name: "spin", New: func() any { return &atomic.Int64{} }, Methods: []*stress.Method{
		{Name: "put", Core: true, Prepare: func([]history.Value) stress.Call {
			return func(o any) history.Value { return history.IntValue(o.(*atomic.Int64).Add(1)) }
		}},
		{Name: "pair", Prepare: func([]history.Value) stress.Call {
			return func(o any) history.Value {
				for o.(*atomic.Int64).Load() == 1 {
					runtime.Gosched()
				}
				return history.NoValue
			}
		}},
	}}
}

// TestSpin: a program whose sequential run never ends is not run, and is not a crash.
// Others are run.
func TestSpin(t *testing.T) {
	t.Parallel() // it waits for another process
	if testing.Short() {
		t.Skip("waits for seconds")
	}
	r := &stress.Report{}
	for limit := 700 * time.Millisecond; limit < patience && r.Executions == 0; limit *= 4 {
		var err error
		r, err = stress.Supervise(context.Background(), child("spin"), stress.Options{Seed: 1, Silence: 20 * time.Second,
			Effort: stress.Effort{Time: limit, Program: time.Millisecond}})
		if err != nil || len(r.Crashes) > 0 || len(r.Findings) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if r.Executions == 0 {
		t.Errorf("nothing was run: %+v", r)
	}
}

// TestInterrupt: a search that is interrupted has a report of what it did.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	programs := 0
	r, err := stress.Supervise(ctx, child("counter"), stress.Options{Effort: stress.Effort{Time: patience, Program: 10 * time.Millisecond},
		Starting: func(string, string) {
			if programs++; programs == 3 {
				cancel()
			}
		}})
	if err != nil || len(r.Crashes) > 0 || r.Programs < 3 || r.Executions == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestKill: a process killed by a signal is not a crash of a program.
func TestKill(t *testing.T) {
	r, err := stress.Supervise(context.Background(), child("killed"), stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err == nil || r == nil || len(r.Crashes) > 0 || r.Programs == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUnsteady: an object with random results makes no findings.
func TestUnsteady(t *testing.T) {
	defer stress.SetRareTime(stress.SetRareTime(patience)) // on a busy machine, there are few executions in a second
	searches := 2
	if *full {
		searches = 5
	}
	for _, one := range []int{2, 20, 3000, 100_000} { // one result in so many is true
		flip := func(any) history.Value { return history.BoolValue(rand.IntN(one) == 0) }
		c := &stress.Class{Name: "coin", New: func() any { return nil }, Methods: []*stress.Method{
			{Name: "flip", Prepare: func([]history.Value) stress.Call { return flip }},
		}}
		for range searches {
			r, err := search(c, stress.Options{Programs: []string{"{ flip(); flip() } || { flip() }"},
				Effort: stress.Effort{Time: time.Second, Program: 20 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != 0 || len(r.Unsteady) != 1 && one < 3000 { // which may not be seen at all
				t.Errorf("1 in %d: %d findings, %d programs are unsteady", one, len(r.Findings), len(r.Unsteady))
			}
			if seldom := len(r.Account.LeftOut) == 1 && strings.Contains(r.Account.LeftOut[0].String(), "too seldom"); seldom != (r.Left == 1) {
				t.Errorf("1 in %d: %d programs are left, %v", one, r.Left, r.Account.LeftOut)
			}
			if line, nothing := r.Unsteadiness(); nothing != (len(r.Unsteady)+r.Left == 1 || r.Overlap == 0) || nothing != strings.Contains(line, "nothing could be judged") {
				t.Errorf("1 in %d: %q", one, line)
			}
		}
	}
}

// TestClock: an object that reads the clock makes no findings, though its results
// are the same whenever it is called at once.
func TestClock(t *testing.T) {
	fresh := func(o any) history.Value {
		return history.BoolValue(time.Since(*o.(*time.Time)) < 200*time.Microsecond)
	}
	c := &stress.Class{Name: "clock", New: func() any { now := time.Now(); return &now }, Methods: []*stress.Method{
		{Name: "fresh", Prepare: func([]history.Value) stress.Call { return fresh }},
	}}
	for range 3 {
		r, err := search(c, stress.Options{Programs: []string{"{ fresh(); fresh() } || { fresh() }"},
			Effort: stress.Effort{Time: time.Second, Program: 20 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			t.Errorf("%s: %s in %d of %d", f.Program, f.Outcome, f.Times, f.Executions)
		}
	}
}

func TestBadOptions(t *testing.T) {
	_, err := stress.Supervise(context.Background(), child("counter"), stress.Options{Programs: []string{"{ launch() }"}})
	if err == nil || !strings.Contains(err.Error(), "launch") {
		t.Errorf("unknown method: %v", err)
	}
	_, err = stress.Supervise(context.Background(), child("counter"), stress.Options{Methods: []string{"launch"}})
	if err == nil || !strings.Contains(err.Error(), "launch") {
		t.Errorf("unknown method to blame: %v", err)
	}
}

// TestExhaustive: an exhaustive search ends when all programs have run.
func TestExhaustive(t *testing.T) {
	c := subject.Lookup("counter").Class
	r, err := search(c, stress.Options{Exhaustive: true, Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 1},
		Effort: stress.Effort{Time: patience, Program: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	all, err := stress.Generate(c, stress.GeneratorOptions{Exhaustive: true, Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for range all {
		n++
	}
	if lines := stress.Tried([]*stress.Report{r}); !slices.Contains(lines, fmt.Sprintf("2 sequences of 2 calls: %d of all %d programs", n, n)) {
		t.Errorf("%q", lines)
	}
	if n == 0 || r.Programs != n || len(r.Findings) > 0 {
		t.Errorf("%d of %d programs, findings %v", r.Programs, n, r.Findings)
	}
}

// TestWrongDesignation: a method wrongly designated read-only makes no false alarm.
func TestWrongDesignation(t *testing.T) {
	type toggle struct {
		mu sync.Mutex
		on bool
	}
	method := func(name string, readOnly bool, f func(*toggle) history.Value) *stress.Method {
		return &stress.Method{Name: name, ReadOnly: readOnly, Core: true, Prepare: func([]history.Value) stress.Call {
			return func(object any) history.Value {
				o := object.(*toggle)
				o.mu.Lock()
				defer o.mu.Unlock()
				return f(o)
			}
		}}
	}
	c := &stress.Class{Name: "toggle", New: func() any { return &toggle{} }, Methods: []*stress.Method{
		method("get", true, func(o *toggle) history.Value { o.on = !o.on; return history.BoolValue(o.on) }),
		method("reset", false, func(o *toggle) history.Value { o.on = false; return history.NoValue }),
	}}
	r, err := search(c, stress.Options{Effort: stress.Effort{Time: 300 * time.Millisecond, Program: 5 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Recorded == 0 {
		t.Errorf("%d recorded, findings %+v", r.Recorded, r.Findings)
	}
}

// TestBlame: the one method of a given program that is not core is to blame, and
// the report leaves out methods that were not called, or at most once in a program.
func TestBlame(t *testing.T) {
	c := subject.Lookup("map-bulk").Class
	for text, want := range map[string][2]string{
		"{ putAll({0=1,1=1}) } || { size() }":            {"putAll", ""},
		"{ put(0,1) } || { size() }":                     {"", ""},
		"{ putAll({0=1}) } || { size() }":                {"", ""}, // never beside itself
		"{ putAll({0=1}); size() } || { putAll({1=1}) }": {"", "putAll"},
	} {
		programs := []string{text}
		if want[0] != "" {
			programs = slices.Repeat(programs, 1000) // until one shows the violation
		}
		ctx, stop := context.WithCancel(context.Background())
		r, err := searchUntil(ctx, c, stress.Options{Programs: programs, Effort: stress.Effort{Time: patience, Program: 20 * time.Millisecond},
			Found: func(*stress.Finding) { stop() }})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{strings.Join(r.NonAtomic, " "), strings.Join(r.Atomic, " ")}; got != want {
			t.Errorf("%s: not atomic %q, seemingly atomic %q, want %q", text, got[0], got[1], want)
		}
	}
}

// TestReduce: only the invocations that a violation needs are left. How often smaller
// programs go wrong is known long before the time of a program is over.
func TestReduce(t *testing.T) {
	defer stress.SetReduceTime(stress.SetReduceTime(patience))
	step := func(object any) history.Value { return increment(object.(*atomic.Int64)) }
	c := &stress.Class{Name: "Counter", New: func() any { return &atomic.Int64{} }, Methods: []*stress.Method{
		{Name: "increment", Prepare: func([]history.Value) stress.Call { return step }},
		{Name: "nothing", Params: []stress.Param{stress.Int}, Prepare: func([]history.Value) stress.Call {
			return func(any) history.Value { return history.NoValue }
		}},
	}}
	r, err := search(c, stress.Options{Effort: stress.Effort{Time: patience, Program: patience},
		Programs: []string{"[ increment(); nothing(1) ] { nothing(1); increment(); increment() } || { increment() } [ nothing(0) ]"}})
	if err != nil || len(r.Findings) != 1 {
		t.Fatalf("%v, %v", r, err)
	}
	if got := r.Findings[0].Program; got != "{ increment() } || { increment() }" {
		t.Errorf("reduced to %s", got)
	}
}
