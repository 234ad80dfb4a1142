package state

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/spec"
)

// transactions returns a history of random transactions, and reads and writes, most
// of whose results are right if they run one after another. Some are pending, some have
// no transition, and some results are unknown.
func transactions(t *testing.T, s replay.Spec, n, keys int) *history.History {
	r := rand.New(rand.NewPCG(5, uint64(keys)))
	b := history.NewBuilder(history.Header{})
	object := s.New()
	text := history.StringValue
	key := func() history.Value { return history.IntValue(r.Int64N(int64(keys))) }
	some := func() history.Value {
		return []history.Value{history.IntValue(0), history.IntValue(1), history.NullValue, history.ListValue(history.IntValue(1))}[r.IntN(4)]
	}
	for i := range n {
		e := history.Event{Type: history.Invoke, Process: history.IntValue(int64(i)), Method: "txn"}
		switch r.IntN(8) {
		case 0:
			e.Method, e.Args = "read", []history.Value{key()}
		case 1:
			e.Method, e.Args = "write", []history.Value{key(), some()}
		default:
			var steps []history.Value
			for range r.IntN(5) {
				f := []string{"read", "write", "append", "read"}[r.IntN(4)]
				if v := some(); f == "read" {
					steps = append(steps, history.ListValue(text(f), key(), history.NullValue))
				} else {
					steps = append(steps, history.ListValue(text(f), key(), v))
				}
			}
			e.Args = []history.Value{history.ListValue(steps...)}
		}
		b.Add(&e)
		result, ok := object.Apply(replay.Invocation{Method: e.Method, Args: e.Args})
		if ok && r.IntN(10) > 0 {
			if r.IntN(10) == 0 {
				result = history.UnknownValue
			}
			b.Add(&history.Event{Type: history.OK, Process: e.Process, Result: result})
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestDivided: transactions step by step lead to the same states as whole ones.
func TestDivided(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"multi-register", "multi-register:0", `multi-register:{"0": [1], "1": 2}`} {
		s, err := spec.Parse(model)
		if err != nil {
			t.Fatal(err)
		}
		for _, keys := range []int{1, 2, 3, 9, 100} {
			h := transactions(t, s, 600, keys)
			walkPersistent(t, model, h, s)
			m := compactMachine(ops.New(h, s, 1<<30))
			if m.compact == nil {
				t.Fatalf("%s: not compact", model)
			}
			happened, failed := 0, 0
			for i := range h.Ops {
				if h.Ops[i].Pending() {
					h.Ops[i].Happened = i%2 == 0
				}
			}
			m, whole := compactMachine(ops.New(h, s, 1<<30)), NewMachine(ops.New(h, s, 1<<30))
			state, other := m.Start(), whole.Start()
			for i := range h.Ops {
				next, want := m.Step(state, int32(i)), whole.Step(other, int32(i))
				switch {
				case (next == Fail) != (want == Fail):
					t.Fatalf("%s: %v leads to %d, want %d", model, &h.Ops[i], next, want)
				case next == Fail:
					failed++
				default:
					state, other = next, want
					if h.Ops[i].Happened {
						happened++
					}
				}
			}
			if happened == 0 || failed == 0 {
				t.Errorf("%s: %d operations happened, %d had no transition", model, happened, failed)
			}
		}
	}
}

// TestDividedWhole: a result that does not fit the transaction cannot be divided, and
// the machine does without.
func TestDividedWhole(t *testing.T) {
	s, err := spec.Parse("multi-register")
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range []history.Value{history.ListValue(), history.NullValue, history.ExceptionValue("E")} {
		h := transactions(t, s, 400, 5)
		for i := range h.Ops {
			if op := &h.Ops[i]; !op.Pending() && op.Method == "txn" && len(op.Args[0].List()) > 0 && op.Result.Kind() == history.List {
				op.Result = result
				if m := compactMachine(ops.New(h, s, 1<<30)); m.compact != nil || m.Step(m.Start(), int32(i)) != Fail {
					t.Errorf("%v is possible, or divided", op)
				}
				break
			}
		}
	}
}
