package decide_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// staggered returns a history in which four processes take turns, so that each operation
// overlaps six others. Operations take effect in the order in which they return; change,
// if set, changes results.
func staggered(t *testing.T, s replay.Spec, calls []replay.Invocation, change func(i int, result history.Value) history.Value) *history.History {
	t.Helper()
	const processes = 4
	b := history.NewBuilder(history.Header{})
	object := s.New()
	add := func(i int, kind history.EventType, e history.Event) {
		e.Type, e.Process, e.Line = kind, history.IntValue(int64(i%processes)), b.Events()+1
		b.Add(&e)
	}
	for i := range len(calls) + processes {
		if k := i - processes; k >= 0 {
			result, ok := object.Apply(calls[k])
			if !ok {
				t.Fatalf("%v waits", calls[k])
			}
			if change != nil {
				result = change(k, result)
			}
			add(k, history.OK, history.Event{Result: result})
		}
		if i < len(calls) {
			add(i, history.Invoke, history.Event{Method: calls[i].Method, Args: calls[i].Args})
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// oddCalls are calls of a queue of Java. Each of the odd ones comes once in 50.
func oddCalls(n int, odd ...replay.Invocation) []replay.Invocation {
	calls := make([]replay.Invocation, n)
	for i := range calls {
		switch k := i % 50; {
		case k > 0 && k <= len(odd):
			calls[i] = odd[k-1]
		case i%2 == 0:
			calls[i] = replay.Invocation{Method: "offer", Args: []history.Value{history.IntValue(int64(i))}}
		default:
			calls[i] = replay.Invocation{Method: "poll"}
		}
	}
	return calls
}

func startRow(t *testing.T, name string, h *history.History, s replay.Spec) replay.Verdict {
	t.Helper()
	v, _ := rowAlone(name)(t, h, s)
	return v
}

// TestOneImpossibleResult has one result that nothing explains in a long history.
func TestOneImpossibleResult(t *testing.T) {
	s := model(t, "LinkedBlockingQueue")
	calls := oddCalls(600, replay.Invocation{Method: "peek"}, replay.Invocation{Method: "size"})
	for _, test := range []struct {
		i     int
		wrong history.Value
		row   string
	}{
		{311, history.IntValue(777), "order"},        // was never inserted
		{5, history.IntValue(18), "order"},           // is inserted later
		{301, history.IntValue(777), "order"},        // was never seen
		{301, history.IntValue(310), "order"},        // was seen too early
		{361, history.ExceptionValue("X"), "order"},  // never thrown
		{361, history.ExceptionValue("X"), "search"}, // never thrown
	} {
		h := staggered(t, s, calls, func(k int, result history.Value) history.Value {
			if k == test.i {
				return test.wrong
			}
			return result
		})
		v := startRow(t, test.row, h, s)
		if v.Answer != replay.NotLinearizable || v.Reached != h.Ops[test.i].Return {
			t.Errorf("%s of %s: %v: %v (%v), reached %d, not %d", test.row, calls[test.i].Method, test.wrong, v.Answer, v.Cause, v.Reached, h.Ops[test.i].Return)
		}
	}
}
