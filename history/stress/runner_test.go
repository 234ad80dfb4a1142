package stress

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// lossyCounter loses increments that overlap.
type lossyCounter struct{ n atomic.Int64 }

func (c *lossyCounter) increment() int64 {
	n := c.n.Load() + 1
	c.n.Store(n)
	return n
}

func counterClass(broken bool) *Class {
	increment := func(object any) history.Value {
		return history.IntValue(object.(*lossyCounter).n.Add(1))
	}
	if broken {
		increment = func(object any) history.Value { return history.IntValue(object.(*lossyCounter).increment()) }
	}
	return &Class{Name: "counter", New: func() any { return &lossyCounter{} }, Methods: []*Method{
		{Name: "increment", Core: true, Prepare: func([]history.Value) Call { return increment }},
		{Name: "get", Core: true, ReadOnly: true, Prepare: func([]history.Value) Call {
			return func(object any) history.Value { return history.IntValue(object.(*lossyCounter).n.Load()) }
		}},
	}}
}

func mapClass() *Class {
	type object struct {
		mu sync.Mutex
		m  map[int64]int64
	}
	key := func(f func(o *object, k int64) history.Value) func([]history.Value) Call {
		return func(args []history.Value) Call {
			k := args[0].Int()
			return func(x any) history.Value {
				o := x.(*object)
				o.mu.Lock()
				defer o.mu.Unlock()
				return f(o, k)
			}
		}
	}
	return &Class{Name: "map", New: func() any { return &object{m: map[int64]int64{}} }, Methods: []*Method{
		{Name: "add", Params: []Param{Int}, Core: true, Prepare: key(func(o *object, k int64) history.Value { o.m[k]++; return history.IntValue(o.m[k]) })},
		{Name: "remove", Params: []Param{Int}, Core: true, Prepare: key(func(o *object, k int64) history.Value {
			_, ok := o.m[k]
			delete(o.m, k)
			return history.BoolValue(ok)
		})},
	}}
}

func invoke(c *Class, method string, args ...int64) Invocation {
	inv := Invocation{Method: c.Method(method)}
	for _, a := range args {
		inv.Args = append(inv.Args, history.IntValue(a))
	}
	return inv
}

func TestRunProgram(t *testing.T) {
	for _, broken := range []bool{false, true} {
		c := counterClass(broken)
		p := &Program{
			Initial:   []Invocation{invoke(c, "increment")},
			Sequences: [][]Invocation{{invoke(c, "increment"), invoke(c, "increment")}, {invoke(c, "increment"), invoke(c, "get")}},
			Final:     []Invocation{invoke(c, "get")},
		}
		expected, err := NewExpected(c, p)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(expected.Outcomes()); n != 6 {
			t.Errorf("%d outcomes are expected, want 6: %v", n, expected.Outcomes())
		}
		o := RunOptions{Time: 5 * time.Minute, Executions: 100_000, Recorded: 16}
		if broken {
			o.Executions, o.Stop = 0, expected // it ends with the first unexpected outcome
		}
		run := RunProgram(context.Background(), c, p, o)
		unexpected, all := int64(0), int64(0)
		for _, count := range run.Outcomes {
			all += count.Times
			if !expected.Contains(count.Outcome) {
				unexpected += count.Times
			}
		}
		t.Logf("broken %v: %d executions in %v, overlap %.2f, pinned %v, %d outcomes, %d unexpected, %d histories", broken,
			run.Executions, run.Elapsed, run.Overlap(), run.Pinned, len(run.Outcomes), unexpected, len(run.Histories))
		if all != run.Executions || run.Executions == 0 {
			t.Errorf("%d outcomes of %d executions", all, run.Executions)
		}
		if broken != (unexpected > 0) {
			t.Errorf("broken %v: %d unexpected outcomes", broken, unexpected)
		}
		checkRun(t, c, p, run, expected)
	}
}

// checkRun compares the two oracles.
func checkRun(t *testing.T, c *Class, p *Program, run *Run, expected *Expected) {
	t.Helper()
	for _, count := range run.Outcomes {
		h, v, err := confirm(context.Background(), c, p, count.Outcome)
		if err != nil {
			t.Fatal(err)
		}
		if want := expected.Contains(count.Outcome); want != (v.Answer == replay.Linearizable) || v.Answer == replay.Undecided {
			t.Errorf("outcome %v: expected %v, the checker says %v of %d operations", count.Outcome, want, v.Answer, len(h.Ops))
		}
	}
	for i := range run.Histories {
		r := &run.Histories[i]
		h, v, err := r.check(context.Background(), c, p)
		if err != nil {
			t.Fatal(err)
		}
		byObject, err := decide.Check(context.Background(), h, ObjectSpec(c), replay.Options{})
		if err != nil || byObject.Answer != v.Answer {
			t.Errorf("outcome %v, events %v: %v by its runs, %v by the object, %v", r.Outcome, r.Events, v.Answer, byObject.Answer, err)
		}
		if v.Answer == replay.Linearizable && !expected.Contains(r.Outcome) {
			t.Errorf("outcome %v, events %v: linearizable, but not expected", r.Outcome, r.Events)
		}
		if v.Answer == replay.Undecided {
			t.Errorf("outcome %v, events %v: %v", r.Outcome, r.Events, v.Cause)
		}
	}
}

func BenchmarkRunProgram(b *testing.B) {
	for _, c := range []*Class{counterClass(false), mapClass()} {
		b.Run("object="+c.Name, func(b *testing.B) {
			m := c.Methods[0].Name
			p := &Program{Sequences: [][]Invocation{{invoke(c, m, 0)}, {invoke(c, m, 0)}}}
			if c.Name == "counter" {
				p = &Program{Sequences: [][]Invocation{{invoke(c, "increment"), invoke(c, "get")}, {invoke(c, "increment"), invoke(c, "get")}}}
			} else {
				p = &Program{Sequences: [][]Invocation{{invoke(c, "add", 0), invoke(c, "add", 1)}, {invoke(c, "add", 0), invoke(c, "remove", 1)}}}
			}
			run := RunProgram(context.Background(), c, p, RunOptions{Executions: int64(b.N), Time: time.Hour})
			b.ReportMetric(float64(run.Executions)/run.Elapsed.Seconds(), "executions/s")
			b.ReportMetric(run.Overlap(), "overlap")
		})
	}
}
