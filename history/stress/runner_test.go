package stress_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/stresstest"
)

// lossyCounter loses increments that overlap.
type lossyCounter struct{ n atomic.Int64 }

func (c *lossyCounter) increment() int64 {
	n := c.n.Load() + 1
	c.n.Store(n)
	return n
}

func counterClass(broken bool) *stress.Class {
	increment := func(object any) history.Value {
		return history.IntValue(object.(*lossyCounter).n.Add(1))
	}
	if broken {
		increment = func(object any) history.Value { return history.IntValue(object.(*lossyCounter).increment()) }
	}
	return &stress.Class{Name: "counter", New: func() any { return &lossyCounter{} }, Methods: []*stress.Method{
		{Name: "increment", Core: true, Prepare: func([]history.Value) stress.Call { return increment }},
		{Name: "get", Core: true, ReadOnly: true, Prepare: func([]history.Value) stress.Call {
			return func(object any) history.Value { return history.IntValue(object.(*lossyCounter).n.Load()) }
		}},
	}}
}

func mapClass() *stress.Class {
	type object struct {
		mu sync.Mutex
		m  map[int64]int64
	}
	key := func(f func(o *object, k int64) history.Value) func([]history.Value) stress.Call {
		return func(args []history.Value) stress.Call {
			k := args[0].Int()
			return func(x any) history.Value {
				o := x.(*object)
				o.mu.Lock()
				defer o.mu.Unlock()
				return f(o, k)
			}
		}
	}
	return &stress.Class{Name: "map", New: func() any { return &object{m: map[int64]int64{}} }, Methods: []*stress.Method{
		{Name: "add", Params: []stress.Param{stress.Int}, Core: true, Prepare: key(func(o *object, k int64) history.Value { o.m[k]++; return history.IntValue(o.m[k]) })},
		{Name: "remove", Params: []stress.Param{stress.Int}, Core: true, Prepare: key(func(o *object, k int64) history.Value {
			_, ok := o.m[k]
			delete(o.m, k)
			return history.BoolValue(ok)
		})},
	}}
}

func invoke(c *stress.Class, method string, args ...int64) stress.Invocation {
	inv := stress.Invocation{Method: c.Method(method)}
	for _, a := range args {
		inv.Args = append(inv.Args, history.IntValue(a))
	}
	return inv
}

func TestRunProgram(t *testing.T) {
	for _, broken := range []bool{false, true} {
		c := counterClass(broken)
		p := &stress.Program{
			Initial:   []stress.Invocation{invoke(c, "increment")},
			Sequences: [][]stress.Invocation{{invoke(c, "increment"), invoke(c, "increment")}, {invoke(c, "increment"), invoke(c, "get")}},
			Final:     []stress.Invocation{invoke(c, "get")},
		}
		expected, err := stress.NewExpected(c, p)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(expected.Outcomes()); n != 6 {
			t.Errorf("%d outcomes are expected, want 6: %v", n, expected.Outcomes())
		}
		o := stress.RunOptions{Time: 5 * time.Minute, Executions: 10_000, Recorded: 16}
		if *full {
			o.Executions *= 10
		}
		if broken {
			o.Executions, o.Stop = 0, expected // it ends with the first unexpected outcome
		}
		run := stress.RunProgram(context.Background(), c, p, o)
		unexpected, all := int64(0), int64(0)
		for _, count := range run.Outcomes {
			all += count.Times
			if !expected.Contains(count.Outcome) {
				unexpected += count.Times
			}
		}
		t.Logf("broken %v: %d executions in %v, overlap %.2f, pinned %v, %d outcomes, %d unexpected", broken,
			run.Executions, run.Elapsed, run.Overlap(), run.Pinned, len(run.Outcomes), unexpected)
		if all != run.Executions || run.Executions == 0 {
			t.Errorf("%d outcomes of %d executions", all, run.Executions)
		}
		if broken != (unexpected > 0) {
			t.Errorf("broken %v: %d unexpected outcomes", broken, unexpected)
		}
		checkRun(t, c, p, run, expected)
	}
}

// TestSlowInvocations: a run of slow invocations ends within its first batch, and tells
// that they return, so that nobody takes it for one that hangs.
func TestSlowInvocations(t *testing.T) {
	t.Parallel()
	c := counterClass(false)
	get := c.Method("get")
	prepare := get.Prepare
	get.Prepare = func(args []history.Value) stress.Call {
		call := prepare(args)
		return func(object any) history.Value {
			time.Sleep(20 * time.Millisecond)
			return call(object)
		}
	}
	moved := 0
	stress.OnMoved(c, func() { moved++ })
	p := &stress.Program{Sequences: [][]stress.Invocation{{invoke(c, "get"), invoke(c, "increment")}, {invoke(c, "get")}}}
	expected, err := stress.NewExpected(c, p)
	if err != nil {
		t.Fatal(err)
	}
	run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Time: time.Millisecond})
	if run.Executions < 8 || run.Executions >= 256 {
		t.Errorf("%d executions in %v, want at least 8 and less than a batch of 256", run.Executions, run.Elapsed)
	}
	if moved == 0 {
		t.Error("it seems to hang")
	}
	checkRun(t, c, p, run, expected)
}

// TestManyInvocations: programs of up to 1000 invocations are run, and their
// recorded executions have all of them.
func TestManyInvocations(t *testing.T) {
	c := counterClass(false)
	for _, n := range []int{126, 127, 128, 129, 999} { // and one more
		p := &stress.Program{Sequences: [][]stress.Invocation{slices.Repeat([]stress.Invocation{invoke(c, "increment")}, n), {invoke(c, "get")}}}
		if n == 999 {
			p.Order = [][2]int{{0, 1}} // one shuffle, as 1000 would take long
		}
		e, err := stress.NewExpected(c, p)
		if err != nil {
			t.Fatal(err)
		}
		run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Executions: 1, Recorded: 1})
		histories, _, err := run.Histories(e)
		if err != nil || len(histories) == 0 {
			t.Fatalf("%d invocations: %d histories, %v", n+1, len(histories), err)
		}
		if got := len(histories[0].Ops); got != n+1 {
			t.Errorf("%d operations, want %d", got, n+1)
		}
	}
}

// TestTooLarge: a program that has too many shuffles, or too long ones, is an
// error, and so is a search that runs no program at all.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	c := counterClass(false)
	program := func(lengths ...int) *stress.Program {
		p := &stress.Program{}
		for _, n := range lengths {
			p.Sequences = append(p.Sequences, slices.Repeat([]stress.Invocation{invoke(c, "increment")}, n))
		}
		return p
	}
	type limit struct {
		lengths []int
		want    string
	}
	limits := []limit{
		{[]int{10, 10}, "more than 131072 shuffles"}, // 184756
		{[]int{1, 1, 1, 1, 1, 1, 1, 1, 1}, "more than 131072 shuffles"},
		{[]int{2, 255}, "more than 8388608 invocations together"}, // 32896 shuffles
		{[]int{1000}, ""}, {[]int{1001}, "1001 invocations, but at most 1000"}, {[]int{5000, 5000}, "10000 invocations, but at most 1000"},
	}
	if *full {
		limits = append(limits, limit{[]int{9, 9}, ""}, limit{[]int{1, 1, 1, 1, 1, 1, 1, 1}, ""},
			limit{[]int{10, 9}, ""}, limit{[]int{2, 254}, ""}) // 92378 and 32640 shuffles
	}
	for _, e := range limits {
		p := program(e.lengths...)
		if _, err := stress.NewExpected(c, p); e.want == "" && err != nil || e.want != "" && (err == nil || !strings.Contains(err.Error(), e.want)) {
			t.Errorf("%v: %v, want %q", e.lengths, err, e.want)
		}
		if e.want == "" {
			continue
		}
		o := stress.Options{Checker: stresstest.Checker(nil), Programs: []string{p.String()}}
		r, err := stress.Search(context.Background(), c, o)
		if err != nil || len(r.Account.LeftOut) != 1 || !strings.Contains(r.Account.LeftOut[0].Why, e.want) {
			t.Errorf("a search that is given %v: %+v, %v, want %q", e.lengths, r, err, e.want)
		} else if line, _ := stress.NotExercised([]*stress.Report{r}); line != "not all of the given programs could be run" || r.Passed() != "" {
			t.Errorf("a search that is given %v judged something: %+v", e.lengths, r)
		}
	}
	o := stress.Options{Checker: stresstest.Checker(nil), Effort: stress.Effort{Time: 1, Program: time.Millisecond},
		Bounds: stress.Bounds{MinInvocations: 900, MaxInvocations: 1000}}
	if _, err := stress.Search(context.Background(), c, o); err == nil || !strings.Contains(err.Error(), "no program within the bounds could be run, of 64 that were tried: ") {
		t.Errorf("no program can be run, but the search returns %v", err)
	}
	// Interrupted before, it does not know that.
	if r, err := stress.Search(&endsSoon{Context: context.Background()}, c, o); err != nil || r.Programs == 0 || r.Programs >= 64 || r.Executions != 0 {
		t.Errorf("interrupted, the search returns %+v, %v", r, err)
	}
}

// endsSoon is a context that is canceled when it has been asked a few times.
type endsSoon struct {
	context.Context
	asked atomic.Int64
}

func (e *endsSoon) Err() error {
	if e.asked.Add(1) > 5 {
		return context.Canceled
	}
	return nil
}

// ask checks a history of a program by the specification in its header.
func ask(t *testing.T, h *history.History) replay.Verdict {
	t.Helper()
	s, err := spec.Lookup(h.Model, h.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decide.Check(context.Background(), h, s, replay.Options{Engine: replay.SearchEngine})
	if err != nil {
		t.Fatal(err)
	}
	v.Explanation = explain.Why(context.Background(), h, s, v, replay.Options{Engine: replay.SearchEngine})
	return v
}

// checkRun compares the expected outcomes with the checker.
func checkRun(t *testing.T, c *stress.Class, p *stress.Program, run *stress.Run, expected *stress.Expected) {
	t.Helper()
	for _, count := range run.Outcomes {
		h, err := expected.Unordered(count.Outcome)
		if err != nil {
			t.Fatal(err)
		}
		v := ask(t, h)
		if want := expected.Contains(count.Outcome); want != (v.Answer == replay.Linearizable) || v.Answer == replay.Undecided {
			t.Errorf("outcome %v: expected %v, the checker says %v of %d operations", count.Outcome, want, v.Answer, len(h.Ops))
		}
	}
	histories, outcomes, err := run.Histories(expected)
	if err != nil || len(histories) == 0 {
		t.Fatalf("%d recorded executions, %v", len(histories), err)
	}
	for i, h := range histories {
		v := ask(t, h)
		byObject, err := decide.Check(context.Background(), h, stresstest.ObjectSpec(c), replay.Options{})
		if err != nil || byObject.Answer != v.Answer {
			t.Errorf("outcome %v of %d: %v by its runs, %v by the object, %v", outcomes[i], i, v.Answer, byObject.Answer, err)
		}
		if v.Answer == replay.Linearizable && !expected.Contains(outcomes[i]) {
			t.Errorf("outcome %v of %d: linearizable, but not expected", outcomes[i], i)
		}
		if v.Answer == replay.Undecided {
			t.Errorf("outcome %v of %d: %v", outcomes[i], i, v.Cause)
		}
	}
}

func BenchmarkRunProgram(b *testing.B) {
	for _, c := range []*stress.Class{counterClass(false), mapClass()} {
		b.Run("object="+c.Name, func(b *testing.B) {
			m := c.Methods[0].Name
			p := &stress.Program{Sequences: [][]stress.Invocation{{invoke(c, m, 0)}, {invoke(c, m, 0)}}}
			if c.Name == "counter" {
				p = &stress.Program{Sequences: [][]stress.Invocation{{invoke(c, "increment"), invoke(c, "get")}, {invoke(c, "increment"), invoke(c, "get")}}}
			} else {
				p = &stress.Program{Sequences: [][]stress.Invocation{{invoke(c, "add", 0), invoke(c, "add", 1)}, {invoke(c, "add", 0), invoke(c, "remove", 1)}}}
			}
			run := stress.RunProgram(context.Background(), c, p, stress.RunOptions{Executions: int64(b.N), Time: time.Hour})
			b.ReportMetric(float64(run.Executions)/run.Elapsed.Seconds(), "executions/s")
			b.ReportMetric(run.Overlap(), "overlap")
		})
	}
}
