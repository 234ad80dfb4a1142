package decide_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/simulate"
)

// limited are the workloads on which limits are tried: values that occur many
// times, so that no monitor decides them.
var limited = []simulate.Workload{
	{Model: "queue", Threads: 4, Values: 8},
	{Model: "queue", Threads: 16, Values: 8},
	{Model: "stack", Threads: 4, Values: 8},
	{Model: "kv", Threads: 4, Values: 8, Keys: 3},
	{Model: "register", Threads: 4, Values: 3},
	{Model: "counter", Threads: 4},
	{Model: "queue", Threads: 4}, // and one for the monitors
}

// TestLimits drives every row of the table of engines at its limits, one below
// and one above: it is asked for the numbers of operations that it says, and
// the verdict is right on both sides.
func TestLimits(t *testing.T) {
	t.Parallel()
	checked := map[string]bool{} // rows share limits
	for _, row := range decide.Rows() {
		for _, limit := range []int{row.Min, row.Max} {
			if limit < 2 || limit > 1<<20 { // there is no limit
				continue
			}
			for n := limit - 1; n <= limit+1; n++ {
				if !*full && (limit == row.Min && n > limit || limit == row.Max && n < limit) {
					continue // one on each side will do
				}
				for _, w := range limited {
					if n > 1000 && !*full && w.Model != "queue" {
						continue
					}
					w.Ops, w.Seed = n, uint64(n)
					checkLimit(t, row, w, checked)
				}
			}
		}
	}
}

func checkLimit(t *testing.T, row decide.Row, w simulate.Workload, checked map[string]bool) {
	what := fmt.Sprintf("%d operations of %s, %d threads, %d values", w.Ops, w.Model, w.Threads, w.Values)
	name := row.Name + ": " + what
	s := model(t, w.Model)
	right, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(right.Ops); n != w.Ops || row.Applies(right, s) != (n >= row.Min && n <= row.Max) {
		t.Errorf("%s: applies %v, with limits %d and %d", name, row.Applies(right, s), row.Min, row.Max)
	}
	if checked[what] {
		return
	}
	checked[what] = true
	if v := check(t, right, s, replay.Options{}); v.Answer != replay.Linearizable {
		t.Errorf("%s: %v (%v)", name, v.Answer, v.Cause)
	}
	w.Faults = []simulate.Fault{{Kind: simulate.Wrong, Percent: 60}}
	wrong, err := w.History()
	if err != nil {
		return // the history is too short for a fault
	}
	if v := check(t, wrong, s, replay.Options{}); v.Answer != replay.NotLinearizable {
		t.Errorf("%s, a wrong answer: %v (%v)", name, v.Answer, v.Cause)
	}
}

// TestCrowdedDepths bounds the search for a depth. It is short for long histories of
// queues and stacks with many concurrent operations. It is not for shorter ones, for
// long ones with few concurrent operations, and for other objects.
func TestCrowdedDepths(t *testing.T) {
	for _, c := range []struct {
		simulate.Workload
		short bool
	}{
		{simulate.Workload{Model: "queue", Threads: 4, Ops: 1000}, true},
		{simulate.Workload{Model: "queue", Threads: 4, Ops: 1000, Values: 8}, true},
		{simulate.Workload{Model: "queue", Threads: 16, Ops: 1000, Values: 8}, true},
		{simulate.Workload{Model: "stack", Threads: 4, Ops: 1000}, true},
		{simulate.Workload{Model: "stack", Threads: 4, Ops: 769, Values: 8}, true},
		{simulate.Workload{Model: "stack", Threads: 4, Ops: 768, Values: 8}, false},
		{simulate.Workload{Model: "stack", Threads: 1, Ops: 2500}, false},
		{simulate.Workload{Model: "kv", Threads: 16, Ops: 1000}, false},
	} {
		c.Seed = 1
		h, err := c.History()
		if err != nil {
			t.Fatal(err)
		}
		bound := int64(c.Ops) + 1<<12
		share, work := decide.DepthWork(h, model(t, c.Model))
		if c.short && (share > bound || work > bound+3*meter.AskEvery) || !c.short && share < 100*bound {
			t.Errorf("%d operations of %s, %d threads, %d values: %d units of work of %d", c.Ops, c.Model, c.Threads, c.Values, work, share)
		}
	}
}

// TestLongRefutation has a stack with two results of pop exchanged. To refute it takes
// most of what a search of stacks may, and a search that forgets comes first.
func TestLongRefutation(t *testing.T) {
	if !*full {
		t.Skip("takes ten seconds: with -full")
	}
	h, err := simulate.Workload{Model: "stack", Ops: 600, Threads: 10, Seed: 610, Values: 8}.History()
	if err != nil {
		t.Fatal(err)
	}
	var pops []*history.Operation
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Method == "pop" && op.Result.Kind() == history.Int {
			pops = append(pops, op)
		}
	}
	one := 7 * len(pops) / 10
	other := one + 40
	pops[one].Result, pops[other].Result = pops[other].Result, pops[one].Result
	if v := check(t, h, model(t, "stack"), replay.Options{}); v.Answer != replay.NotLinearizable {
		t.Errorf("%v (%v), want not linearizable", v.Answer, v.Cause)
	}
}

// TestForcedRows: an engine that is asked for by name decides or says why not,
// and says the same of a history as the others.
func TestForcedRows(t *testing.T) {
	names := map[string]bool{}
	for _, row := range decide.Rows() {
		if names[row.Name] || row.Min > row.Max {
			t.Errorf("row %s: its name stands twice, or its limits are %d and %d", row.Name, row.Min, row.Max)
		}
		names[row.Name] = true
		for _, w := range limited {
			w.Ops, w.Seed = 12, 3
			h, err := w.History()
			if err != nil {
				t.Fatal(err)
			}
			f, err := row.Start(h, model(t, w.Model))
			if err != nil || f.Answer == replay.NotLinearizable || !f.Decided() && f.Cause == replay.NoCause {
				t.Errorf("%s on %s: %v (%v), %v", row.Name, w.Model, f.Answer, f.Cause, err)
			}
		}
	}
}

// wide is a nondeterministic object: each operation leads to any of 30 states,
// none of which is met again.
func wide(outcomes *int) replay.Spec {
	return &replay.Model[string]{
		Label: "wide",
		Next: func(s string, _ replay.Invocation) []replay.Step[string] {
			steps := make([]replay.Step[string], 30)
			for k := range steps {
				*outcomes++
				steps[k] = replay.Step[string]{Result: history.IntValue(0), Next: s + string(rune('a'+k))}
			}
			return steps
		},
		Key: func(dst []byte, s string) []byte { return append(dst, s...) },
	}
}

// TestBoundsWithinTransition: a set of states that grows thirtyfold with each
// operation does not keep a check from stopping, in time or in memory.
func TestBoundsWithinTransition(t *testing.T) {
	h := newHistory(t, "invoke A a", "ok A 0", "invoke A b", "ok A 0", "invoke A c", "ok A 0", "invoke A d", "ok A 0",
		"invoke A e", "ok A 0", "invoke A f", "ok A 0", "invoke A g", "ok A 1")
	for _, e := range []replay.Engine{replay.AutoEngine, replay.SearchEngine, replay.FamiliesEngine} {
		outcomes := 0
		ctx, cancel := context.WithCancel(context.Background())
		stopAfter := 100_000
		last := 0
		s := wide(&outcomes)
		inner := s.(*replay.Model[string]).Next
		s.(*replay.Model[string]).Next = func(state string, inv replay.Invocation) []replay.Step[string] {
			if outcomes > stopAfter && last == 0 {
				cancel()
				last = outcomes
			}
			return inner(state, inv)
		}
		v, err := decide.Check(ctx, h, s, replay.Options{Engine: e, Budget: replay.Budget{Bytes: 1 << 40}})
		if err != nil || v.Answer != replay.Undecided || v.Cause != replay.Cancelled || last == 0 {
			t.Errorf("%v: %v (%v), %v", e, v.Answer, v.Cause, err)
		}
		if late := outcomes - last; late > meter.AskEvery {
			t.Errorf("%v: %d outcomes after the context was cancelled", e, late)
		}
		cancel()
		v, err = decide.Check(context.Background(), h, wide(&outcomes), replay.Options{Engine: e, Budget: replay.Budget{Bytes: 1 << 24}})
		if err != nil || v.Answer != replay.Undecided || v.Cause != replay.Memory {
			t.Errorf("%v, 16 MiB: %v (%v), %v", e, v.Answer, v.Cause, err)
		}
	}
}

// A panicking specification panics in one of its methods.
type panicking struct {
	replay.Spec
	in string
}

func (p panicking) Name() string {
	if p.in == "Name" {
		panic("name")
	}
	return p.Spec.Name()
}

func (p panicking) Check(op *history.Operation) error {
	if p.in == "Check" {
		panic("check")
	}
	return p.Spec.Check(op)
}

func (p panicking) New() replay.Object {
	if p.in == "New" {
		panic(errors.New("new"))
	}
	return p.Spec.New()
}

// TestUnmodelled: a history has no verdict if that depends on what the specification does
// not model. What does not depend on it is decided, and a fault before it is found.
func TestUnmodelled(t *testing.T) {
	number := func(n int) history.Value { return history.IntValue(int64(n)) }
	for _, test := range []struct {
		got   int // by get(0)
		lists bool
		want  string
	}{
		{0, false, "linearizable"},
		{1, false, "not-linearizable"},
		{1, true, "not-linearizable"},
		{0, true, "refused"},
	} {
		var events []history.Event
		call := func(result history.Value, method string, args ...history.Value) {
			events = append(events, history.Event{Type: history.Invoke, Method: method, Args: args}, history.Event{Type: history.OK, Result: result})
		}
		for k := range 9 {
			call(history.NullValue, "put", number(256*k), number(0))
		}
		call(number(test.got), "get", number(0))
		if test.lists {
			call(history.StringValue("[0]"), "keySet")
		}
		for i := range events {
			events[i].Process, events[i].Line = number(0), i+1
		}
		h, err := history.New(history.Header{}, events)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decide.Check(context.Background(), h, model(t, "ConcurrentHashMap:64"), replay.Options{})
		v.Explanation = explain.Why(context.Background(), h, model(t, "ConcurrentHashMap:64"), v, replay.Options{})
		got := v.Answer.String()
		var e *history.Error
		if errors.As(err, &e) && strings.Contains(e.Msg, "not modelled") {
			got = "refused"
		}
		if got != test.want {
			t.Errorf("%+v: %s (%v)", test, got, err)
		}
		if v.Explanation != nil && strings.Contains(fmt.Sprint(v.Explanation.Missing), "internal error") {
			t.Errorf("%+v: %v", test, v.Explanation.Missing)
		}
	}
}

// TestUnmodelledOrder: what a specification does not describe does not matter if another order
// is a witness. The orders that only a depth needs are left out then.
func TestUnmodelledOrder(t *testing.T) {
	for _, reads := range []int{0, 30} {
		var events []history.Event
		add := func(process int64, kind history.EventType, method string, result history.Value, args ...history.Value) {
			events = append(events, history.Event{Process: history.IntValue(process), Type: kind, Method: method, Args: args, Result: result, Line: len(events) + 1})
		}
		for range reads {
			add(0, history.Invoke, "size", history.Value{})
			add(0, history.OK, "", history.IntValue(0))
		}
		add(1, history.Invoke, "keySet", history.Value{})
		for k := range int64(9) {
			add(0, history.Invoke, "put", history.Value{}, history.IntValue(256*k), history.IntValue(0))
			add(0, history.OK, "", history.NullValue)
		}
		add(1, history.OK, "", history.StringValue("[]"))
		h, err := history.New(history.Header{}, events)
		if err != nil {
			t.Fatal(err)
		}
		for _, exact := range []bool{false, true} {
			v, err := decide.Check(context.Background(), h, model(t, "ConcurrentHashMap:64"), replay.Options{ExactDepth: exact})
			if err != nil || v.Answer != replay.Linearizable || len(v.Witness) != len(h.Ops) {
				t.Errorf("%d reads, exact %v: %v, %v", reads, exact, v.Answer, err)
			}
		}
	}
}

// TestPanics: a panic of a specification, and nil arguments, are errors.
func TestPanics(t *testing.T) {
	h := newHistory(t, "invoke A write 1", "ok A", "invoke A read", "ok A 1")
	for _, in := range []string{"Name", "Check", "New"} {
		_, err := decide.Check(context.Background(), h, panicking{model(t, "register"), in}, replay.Options{})
		var p *decide.PanicError
		if in != "Name" && (!errors.As(err, &p) || len(p.Stack) == 0 || !strings.Contains(err.Error(), strings.ToLower(in))) {
			t.Errorf("%s panics: %v", in, err)
		}
		// The error does not blame leadline, and names the line of the panic in this file.
		if err != nil && (strings.Contains(err.Error(), "internal error") || !strings.Contains(err.Error(), "limits_test.go:")) {
			t.Errorf("%s panics: %v", in, err)
		}
	}
	register := model(t, "register")
	if _, err := decide.Check(context.Background(), nil, register, replay.Options{}); err == nil {
		t.Error("no error for a nil history")
	}
	if _, err := decide.Check(context.Background(), h, nil, replay.Options{}); err == nil {
		t.Error("no error for a nil specification")
	}
	for _, o := range []replay.Options{{Engine: 99}, {Chains: 99}} {
		if _, err := decide.Check(context.Background(), h, register, o); err == nil {
			t.Errorf("no error for engine %v and chains %d", o.Engine, o.Chains)
		}
	}
	//lint:ignore SA1012 what happens then is promised
	if v, err := decide.Check(nil, h, register, replay.Options{}); err != nil || v.Answer != replay.Linearizable {
		t.Errorf("a nil context: %v, %v", v.Answer, err)
	}
}
