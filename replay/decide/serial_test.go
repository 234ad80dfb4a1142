package decide_test

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// onePerTurn returns h with the operations one after another, in the order of their
// invocations.
func onePerTurn(t *testing.T, h *history.History) *history.History {
	b := history.NewBuilder(h.Header)
	for i := range h.Ops {
		op := &h.Ops[i]
		p := h.Processes[op.Process]
		b.Add(&history.Event{Type: history.Invoke, Process: p, Method: op.Method, Args: op.Args, Line: b.Events() + 1})
		if !op.Pending() {
			b.Add(&history.Event{Type: history.OK, Process: p, Result: op.Result, Line: b.Events() + 1})
		}
	}
	serial, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return serial
}

// TestSerial compares the replay of the only order with the search.
func TestSerial(t *testing.T) {
	r := newRand(t)
	counts := map[string]int{}
	for _, s := range subjects(t) {
		_, isState := s.spec.New().(replay.State)
		for range 100 {
			h := onePerTurn(t, randomHistory(t, r, s, 25+r.IntN(12), r.IntN(4) == 0))
			if len(h.Ops) < 25 {
				continue
			}
			f, err := decide.Serial(h, s.spec)
			if err != nil {
				t.Fatal(err)
			}
			if h.Pending() > 0 || !isState {
				if f.Cause != replay.Declined {
					t.Fatalf("decides a history of %s:\n%s", s.spec.Name(), show(h))
				}
				counts["declined"]++
				continue
			}
			counts[fmt.Sprint(f.Answer)]++
			if want := search.Run(ops.New(h, s.spec, 1<<30), nil).Answer; f.Answer != want {
				t.Fatalf("%v instead of %v, a history of %s:\n%s", f.Answer, want, s.spec.Name(), show(h))
			}
			if f.Answer != replay.Linearizable {
				continue
			}
			if err := replay.Verify(h, s.spec, f.Witness, nil); err != nil {
				t.Fatal(err)
			}
			if v := check(t, h, s.spec, replay.Options{Engine: replay.FamiliesEngine}); v.Depth != f.Depth || fmt.Sprint(v.Index) != fmt.Sprint(f.Index) {
				t.Fatalf("depth %d, %v, instead of %d, %v", f.Depth, f.Index, v.Depth, v.Index)
			}
		}
	}
	t.Log(counts)
	for _, what := range []string{"declined", "linearizable", "not-linearizable"} {
		if counts[what] < 20 {
			t.Errorf("only %d histories were %s", counts[what], what)
		}
	}
}

// TestNotSerial: the replay declines histories with more than one order, or with less
// order than real time.
func TestNotSerial(t *testing.T) {
	counter := model(t, "counter")
	overlap := longHistory(t, 30, 1, 30)
	overlap.Ops[3].Return, overlap.Ops[4].Call = overlap.Ops[4].Call, overlap.Ops[3].Return
	edges := longHistory(t, 30, 1, 30)
	edges.Edges = []history.Edge{{From: 0, To: 5}}
	for _, h := range []*history.History{overlap, edges} {
		if f, err := decide.Serial(h, counter); err != nil || f.Cause != replay.Declined {
			t.Errorf("%v, %v, of\n%s", f, err, show(h))
		}
	}
}

// TestSerialStates: a serial history is decided in little memory, however many states
// its object goes through, and large ones.
func TestSerialStates(t *testing.T) {
	r := newRand(t)
	v := history.IntValue
	const keys = 2000
	for _, m := range []struct {
		model string
		make  func(i int) (string, []history.Value)
	}{
		{"multi-register", func(i int) (string, []history.Value) {
			step := func(f string, val history.Value) history.Value {
				return history.ListValue(history.StringValue(f), v(r.Int64N(keys)), val)
			}
			return "txn", []history.Value{history.ListValue(step("write", v(int64(i))), step("read", history.NullValue))}
		}},
		{"kv", func(i int) (string, []history.Value) {
			if i%50 == 0 {
				return "size", nil
			}
			return "put", []history.Value{v(r.Int64N(keys)), v(int64(i))}
		}},
	} {
		s := model(t, m.model)
		object := s.New()
		b := history.NewBuilder(history.Header{ID: "states"})
		for i := range 4000 {
			method, args := m.make(i)
			result, _ := object.Apply(replay.Invocation{Method: method, Args: args})
			p := v(int64(i % 3))
			b.Add(&history.Event{Type: history.Invoke, Process: p, Method: method, Args: args, Line: b.Events() + 1})
			b.Add(&history.Event{Type: history.OK, Process: p, Result: result, Line: b.Events() + 1})
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		o := replay.Options{Budget: replay.Budget{Bytes: 1 << 20}}
		if got := check(t, h, s, o); got.Answer != replay.Linearizable || got.Depth != 1 {
			t.Errorf("%s: %v", m.model, got)
		}
		last := &h.Ops[len(h.Ops)-1]
		if m.model == "kv" {
			last.Method, last.Args, last.Result = "size", nil, v(keys+1)
		} else {
			last.Method, last.Args, last.Result = "read", []history.Value{v(0)}, v(-1)
		}
		if got := check(t, h, s, o); got.Answer != replay.NotLinearizable {
			t.Errorf("%s, a wrong result: %v", m.model, got)
		}
	}
}

// TestTransactionStates: transactions on many registers are decided in little memory,
// though they overlap.
func TestTransactionStates(t *testing.T) {
	r := newRand(t)
	s := model(t, "multi-register")
	v := history.IntValue
	h := overlapping(t, r, "multi-register", 5000, 4, func(i int) replay.Invocation {
		var steps []history.Value
		for range 1 + r.IntN(3) {
			step := []history.Value{history.StringValue("read"), v(r.Int64N(2000)), history.NullValue}
			if r.IntN(2) == 0 {
				step[0], step[2] = history.StringValue("write"), v(int64(i))
			}
			steps = append(steps, history.ListValue(step...))
		}
		return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(steps...)}}
	})
	o := replay.Options{Budget: replay.Budget{Bytes: 32 << 20}}
	if got := check(t, h, s, o); got.Answer != replay.Linearizable {
		t.Errorf("%v", got)
	}
	for i := range h.Ops {
		op := &h.Ops[len(h.Ops)-1-i]
		if steps := op.Result.List(); steps[0].List()[0].Text() == "read" {
			wrong := []history.Value{history.ListValue(history.StringValue("read"), steps[0].List()[1], v(-1))}
			op.Result = history.ListValue(append(wrong, steps[1:]...)...)
			break
		}
	}
	if got := check(t, h, s, o); got.Answer != replay.NotLinearizable {
		t.Errorf("a wrong read: %v", got)
	}
}
