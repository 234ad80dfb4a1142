package peers_test

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/bench/peers"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec"
)

// register is a register as users of porcupine write it: writes have an input,
// reads have none.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		if input == nil {
			return output == state, state
		}
		return true, input
	},
}

func call(id int, input any) porcupine.Event {
	return porcupine.Event{Kind: porcupine.CallEvent, Id: id, ClientId: id, Value: input}
}

func ret(id int, output any) porcupine.Event {
	return porcupine.Event{Kind: porcupine.ReturnEvent, Id: id, ClientId: id, Value: output}
}

// TestKnownFaults checks that porcupine has the faults in the package's
// documentation. Each of these verdicts is wrong, or is about input that is not
// a history.
func TestKnownFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []porcupine.Event
		legal  bool
	}{
		{"pending write", []porcupine.Event{call(0, 1)}, false},
		{"pending write, not observed", []porcupine.Event{call(0, 1), call(1, nil), ret(1, 0)}, false},
		{"pending write, observed", []porcupine.Event{call(0, 1), call(1, nil), ret(1, 1)}, false},
		{"reused identifier, written twice", []porcupine.Event{call(0, 1), ret(0, nil), call(0, 1), ret(0, nil)}, false},
		{"reused identifier, two open at once", []porcupine.Event{call(0, 1), call(0, 2), ret(0, nil), ret(0, nil)}, false},
	} {
		if legal := porcupine.CheckEvents(register, c.events); legal != c.legal {
			t.Errorf("%s: porcupine now reports %v; the documentation is out of date", c.name, legal)
		}
	}
	backwards := []porcupine.Operation{{Input: 1, Call: 10, Return: 5}}
	if porcupine.CheckOperations(register, backwards) {
		t.Error("response before invocation: porcupine no longer reports illegal; the documentation is out of date")
	}
}

// TestPending: Check handles histories that porcupine alone gets wrong.
func TestPending(t *testing.T) {
	invoke := func(process, op int64, method string, args ...history.Value) history.Event {
		return history.Event{Type: history.Invoke, Process: history.IntValue(process), Op: history.IntValue(op), Method: method, Args: args}
	}
	ok := func(op int64, result history.Value) history.Event {
		return history.Event{Type: history.OK, Op: history.IntValue(op), Result: result}
	}
	one, zero := history.IntValue(1), history.IntValue(0)
	for _, c := range []struct {
		name, model string
		events      []history.Event
		want        porcupine.CheckResult
	}{
		{"write observed", "register:0", []history.Event{invoke(0, 0, "write", one), invoke(1, 1, "read"), ok(1, one)}, porcupine.Ok},
		{"write not observed", "register:0", []history.Event{invoke(0, 0, "write", one), invoke(1, 1, "read"), ok(1, zero)}, porcupine.Ok},
		{"write unobserved again", "register:0", []history.Event{
			invoke(0, 0, "write", one), invoke(1, 1, "read"), ok(1, one), invoke(1, 2, "read"), ok(2, zero),
		}, porcupine.Illegal},
		{"locks", "mutex", []history.Event{invoke(0, 0, "lock"), ok(0, history.NoValue), invoke(1, 1, "lock"), invoke(2, 2, "lock")}, porcupine.Ok},
	} {
		s, err := spec.Parse(c.model)
		if err != nil {
			t.Fatal(err)
		}
		model, err := peers.Model(s)
		if err != nil {
			t.Fatal(err)
		}
		h, err := history.New(history.Header{}, c.events)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := peers.Check(h, model, 0); got != c.want || err != nil {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}
