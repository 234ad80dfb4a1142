package stress_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// TestMain makes the test's program one that Supervise can start.
func TestMain(m *testing.M) {
	switch child := os.Getenv("STRESS_TEST_CHILD"); child {
	case "":
		os.Exit(m.Run())
	case "crash", "hang":
		os.Exit(stress.Serve(dangerous(child), os.Stdin, os.Stdout))
	default:
		os.Exit(stress.Serve(subject.Lookup(child).Class, os.Stdin, os.Stdout))
	}
}

// patience is the time for what ends sooner by itself, however busy the
// machine is.
const patience = 5 * time.Minute

// child returns what starts the test's program to hunt in a class.
func child(name string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), "STRESS_TEST_CHILD="+name)
		return cmd
	}
}

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
		method("safe", true, func(int64) {}),
		method("other", false, func(int64) {}),
		method("danger", false, func(n int64) {
			if n == 1 && calls.Add(1) > 100 {
				if how == "hang" {
					select {}
				}
				os.Stderr.WriteString("fatal error: all is lost\nmore of it\n")
				os.Exit(2)
			}
		}),
	}}
}

// A violation is found in every broken subject, and its history is not
// linearizable; none is found by twenty programs of a correct one.
func TestSubjects(t *testing.T) {
	if testing.Short() {
		t.Skip("hunts take a minute")
	}
	for _, s := range subject.All() {
		t.Run(s.Class.Name, func(t *testing.T) {
			effort, _ := stress.EffortCalled("quick")
			effort.Time = patience
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			programs := 0
			r, err := stress.Supervise(ctx, child(s.Class.Name), stress.Order{Effort: effort, Seed: 1}, stress.Watch{
				Starting: func(string, string) {
					if programs++; !s.Broken && programs > 20 {
						stop()
					}
				},
				Found: func(stress.Found) { stop() }, // one is enough
			})
			switch {
			case err != nil:
				t.Fatal(err)
			case len(r.Crashes) > 0 && ctx.Err() == nil:
				t.Fatalf("crashes: %v", r.Crashes)
			case s.Broken && len(r.Found) == 0:
				t.Fatalf("nothing was found by %d programs", programs)
			case !s.Broken && len(r.Found) > 0:
				t.Fatalf("%+v", r.Found[0])
			case !s.Broken && programs <= 20:
				t.Fatalf("%d programs were run", programs)
			}
			for _, f := range r.Found {
				t.Logf("found by program %d: %s answered %s", programs, f.Program, f.Outcome)
				checkFound(t, s, f)
			}
		})
	}
}

// checkFound reads the history of a finding back.
func checkFound(t *testing.T, s *subject.Subject, f stress.Found) {
	t.Helper()
	n := 0
	for h, err := range codec.Decode(strings.NewReader(f.History), "found", codec.Options{}) {
		if err != nil {
			t.Fatalf("%v:\n%s", err, f.History)
		}
		n++
		specification, err := spec.Lookup(h.Model, h.ModelArgs) // without the subject
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, specification, replay.Options{})
		if err != nil || v.Answer != replay.NotLinearizable {
			t.Errorf("the checker says %v, %v of\n%s", v.Answer, err, f.History)
		}
	}
	if n != 1 {
		t.Errorf("%d histories in\n%s", n, f.History)
	}
	if _, err := stress.Parse(f.Program, s.Class); err != nil {
		t.Errorf("program %s: %v", f.Program, err)
	}
}

func TestCrash(t *testing.T) {
	r, err := stress.Supervise(context.Background(), child("crash"),
		stress.Order{Effort: stress.Effort{Name: "test", Time: patience, Program: 10 * time.Millisecond}, Exhaustive: true,
			Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 2}, Seed: 3}, stress.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Crashes) != 1 || r.Crashes[0].Method != "danger" || r.Crashes[0].What != "fatal error: all is lost" ||
		!strings.Contains(r.Crashes[0].Program, "danger(1)") {
		t.Errorf("crashes: %+v", r.Crashes)
	}
	if !slices.Contains(r.Atomic, "other") || r.Executions == 0 {
		t.Errorf("after the crash nothing went on: %+v", r.Report)
	}
}

func TestHang(t *testing.T) {
	r, err := stress.Supervise(context.Background(), child("hang"),
		stress.Order{Effort: stress.Effort{Name: "test", Time: patience, Program: 10 * time.Millisecond}, Methods: []string{"danger"}, Seed: 3},
		stress.Watch{Silence: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Crashes) != 1 || r.Crashes[0].Method != "danger" || r.Crashes[0].What != "hangs" {
		t.Errorf("crashes: %+v", r.Crashes)
	}
}

// TestUnsteady: nothing is believed of what answers at random.
func TestUnsteady(t *testing.T) {
	for _, one := range []int{2, 20, 3000} { // in so many answers is true
		flip := func(any) history.Value { return history.BoolValue(rand.IntN(one) == 0) }
		c := &stress.Class{Name: "coin", New: func() any { return nil }, Methods: []*stress.Method{
			{Name: "flip", Prepare: func([]history.Value) stress.Call { return flip }},
		}}
		for range 5 {
			p, err := stress.Parse("{ flip(); flip() } || { flip() }", c)
			if err != nil {
				t.Fatal(err)
			}
			kept := func(_ *stress.Program, h *history.History, _ int64) {
				s, err := spec.Lookup(h.Model, h.ModelArgs)
				if err != nil {
					t.Fatal(err)
				}
				if v, err := decide.Check(context.Background(), h, s, replay.Options{}); err != nil || v.Answer != replay.Linearizable {
					t.Errorf("1 in %d: the checker says %v, %v of a history that was kept", one, v.Answer, err)
				}
			}
			r, err := stress.Hunt(context.Background(), c, stress.HuntOptions{Programs: []*stress.Program{p}, Keep: 5, History: kept,
				Effort: stress.Effort{Name: "test", Time: time.Second, Program: 20 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Findings) != 0 || len(r.Unsteady) != 1 && one < 3000 { // which may not be seen at all
				t.Errorf("1 in %d: %d findings, %d programs are unsteady", one, len(r.Findings), len(r.Unsteady))
			}
		}
	}
}

func TestBadOrder(t *testing.T) {
	_, err := stress.Supervise(context.Background(), child("counter"), stress.Order{Programs: []string{"{ launch() }"}}, stress.Watch{})
	if err == nil || !strings.Contains(err.Error(), "launch") {
		t.Errorf("unknown method: %v", err)
	}
	_, err = stress.Supervise(context.Background(), child("counter"), stress.Order{Methods: []string{"launch"}}, stress.Watch{})
	if err == nil || !strings.Contains(err.Error(), "launch") {
		t.Errorf("unknown method to blame: %v", err)
	}
}

// An exhaustive hunt ends by itself when all programs were run.
func TestExhaustive(t *testing.T) {
	c := subject.Lookup("counter").Class
	r, err := stress.Hunt(context.Background(), c, stress.HuntOptions{Exhaustive: true, Bounds: stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 1},
		Effort: stress.Effort{Name: "test", Time: patience, Program: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range stress.Enumerate(c, nil, stress.Bounds{MinInvocations: 2, MaxInvocations: 2, Values: 1}) {
		n++
	}
	if n == 0 || r.Programs != n || len(r.Findings) > 0 {
		t.Errorf("%d of %d programs, findings %v", r.Programs, n, r.Findings)
	}
}

// A method that is wrongly taken to be read-only makes no false alarm.
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
	r, err := stress.Hunt(context.Background(), c, stress.HuntOptions{Effort: stress.Effort{Name: "test", Time: time.Second, Program: 20 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Recorded == 0 {
		t.Errorf("%d recorded, findings %+v", r.Recorded, r.Findings)
	}
}

// TestBlame: of a given program the one method that is not trusted is blamed,
// and nothing is said of methods that were not called.
func TestBlame(t *testing.T) {
	c := subject.Lookup("map-bulk").Class
	for text, want := range map[string][2]string{
		"{ putAll({0=1,1=1}) } || { size() }": {"putAll", ""},
		"{ put(0,1) } || { size() }":          {"", ""},
		"{ putAll({0=1}) } || { size() }":     {"", "putAll"},
	} {
		p, err := stress.Parse(text, c)
		if err != nil {
			t.Fatal(err)
		}
		effort := stress.Effort{Name: "test", Time: patience, Program: 20 * time.Millisecond}
		if want[0] != "" {
			effort.Program = time.Second
		}
		r, err := stress.Hunt(context.Background(), c, stress.HuntOptions{Programs: []*stress.Program{p}, Effort: effort})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{strings.Join(r.NonAtomic, " "), strings.Join(r.Atomic, " ")}; got != want {
			t.Errorf("%s: not atomic %q, seemingly atomic %q, want %q", text, got[0], got[1], want)
		}
	}
}
