package decide_test

import (
	"fmt"
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

// oddCalls are calls of a queue of Java. Some are known to no monitor: each of the last
// ones comes once in 50.
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

// TestWithoutReads has operations that only the general search knows. It would try the
// orders of hundreds of insertions.
func TestWithoutReads(t *testing.T) {
	contains := replay.Invocation{Method: "contains", Args: []history.Value{history.IntValue(-5)}}
	for _, test := range []struct {
		odd   []replay.Invocation
		model string
	}{
		{[]replay.Invocation{contains}, "ConcurrentLinkedQueue"},
		{[]replay.Invocation{{Method: "remainingCapacity"}, contains}, "LinkedBlockingQueue"},
		{[]replay.Invocation{contains, {Method: "clear"}, {Method: "size"}}, "LinkedBlockingDeque"},
	} {
		s := model(t, test.model)
		calls := oddCalls(600, test.odd...)
		h := staggered(t, s, calls, nil)
		v := startRow(t, "without reads", h, s)
		if v.Answer != replay.Linearizable {
			t.Errorf("%s: %v (%v)", test.model, v.Answer, v.Cause)
		} else if err := replay.Verify(h, s, v.Witness, nil); err != nil {
			t.Errorf("%s: %v", test.model, err)
		}
		h = staggered(t, s, calls, func(i int, result history.Value) history.Value {
			if i == 311 {
				return history.IntValue(0) // it was taken by the first poll
			}
			return result
		})
		if v := startRow(t, "without reads", h, s); v.Answer != replay.NotLinearizable {
			t.Errorf("%s, with a wrong value: %v (%v)", test.model, v.Answer, v.Cause)
		}
	}
}

// TestOneImpossibleResult has one result that nothing explains among operations that make
// all other engines decline.
func TestOneImpossibleResult(t *testing.T) {
	s := model(t, "LinkedBlockingQueue")
	calls := oddCalls(600, replay.Invocation{Method: "clear"}, replay.Invocation{Method: "size"}, replay.Invocation{Method: "remainingCapacity"})
	for i, wrong := range map[int]history.Value{
		311: history.IntValue(777),       // was never inserted
		5:   history.IntValue(18),        // is inserted later
		302: history.IntValue(-1),        // see below
		252: history.IntValue(1000),      // too many
		151: history.NullValue,           // see below
		361: history.ExceptionValue("X"), // never thrown
	} {
		wanted := append([]replay.Invocation{}, calls...)
		switch i {
		case 302:
			wanted[i].Method, wanted[i].Args = "size", nil
		case 151:
			wanted[i] = replay.Invocation{Method: "remove"}
			wanted[i-1] = replay.Invocation{Method: "offer", Args: []history.Value{history.IntValue(3)}}
		}
		h := staggered(t, s, wanted, func(k int, result history.Value) history.Value {
			if k == i {
				return wrong
			}
			return result
		})
		what := fmt.Sprintf("%s: %v", wanted[i].Method, wrong)
		v := startRow(t, "impossible results", h, s)
		if v.Answer != replay.NotLinearizable || len(v.Conflict) != 1 || int(v.Conflict[0]) != i || v.Reached != h.Ops[i].Return {
			t.Errorf("%s: %v (%v), conflict %v, reached %d", what, v.Answer, v.Cause, v.Conflict, v.Reached)
		}
	}
	if v := startRow(t, "impossible results", staggered(t, s, calls, nil), s); v.Cause != replay.Declined {
		t.Errorf("of a linearizable history: %v (%v)", v.Answer, v.Cause)
	}
}
