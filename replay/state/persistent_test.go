package state

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

// TestPersistent walks at random through the states of an object, and through its
// persistent states: steps succeed together, and states are the same together.
func TestPersistent(t *testing.T) {
	t.Parallel()
	for _, w := range []simulate.Workload{
		{Model: "kv", Threads: 4, Keys: 40, Values: 3},
		{Model: "set", Threads: 4, Values: 300},
		{Model: "multiset", Threads: 4, Values: 20},
		{Model: "queue", Threads: 4, Values: 3, Lost: 50},
		{Model: "stack", Threads: 4, Values: 3, Lost: 50},
		{Model: "queue", Threads: 4, Values: 1},
		{Model: "stack", Threads: 4},
	} {
		w.Ops, w.Seed = 600, 1
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		if w.Model == "queue" || w.Model == "stack" {
			h = withSizes(t, h)
		}
		s, err := spec.Lookup(w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		walkPersistent(t, w.Model, h, s)
	}
}

// compactMachine returns a machine with compact states if that is possible.
func compactMachine(p *ops.Problem) *Machine {
	m := NewMachine(p)
	m.UseCompact(p)
	return m
}

// walkPersistent walks at random through the states of h.
func walkPersistent(t *testing.T, model string, h *history.History, s replay.Spec) {
	t.Helper()
	m := NewMachine(ops.New(h, s, 1<<30))
	c := newPersistent(ops.New(h, s, 1<<30), NewLazyMachine(ops.New(h, s, 1<<30)))
	if c == nil {
		t.Fatalf("%s has no persistent states", model)
	}
	whole, byWhole := map[int32]int32{0: 0}, []int32{0} // composite state -> whole state; composite states met
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 10_000
	if *full {
		rounds = 20_000
	}
	for k := range rounds {
		if k%2_000 == 1999 { // forget most states
			kept := byWhole[len(byWhole)*3/4:]
			old := append([]int32{}, kept...)
			c.keep(kept)
			now := map[int32]int32{0: 0}
			for i := range kept {
				now[kept[i]] = whole[old[i]]
			}
			whole, byWhole = now, append([]int32{0}, kept...)
		}
		from := byWhole[len(byWhole)-1-min(r.IntN(len(byWhole)), r.IntN(20))]
		op := int32(r.IntN(len(h.Ops)))
		got, want := c.step(from, op), m.Step(whole[from], op)
		if got == Fail || want == Fail {
			if got != want {
				t.Fatalf("%s: %v from state %d: %d, the whole object %d", model, &h.Ops[op], from, got, want)
			}
			continue
		}
		if known, ok := whole[got]; !ok {
			whole[got] = want
			byWhole = append(byWhole, got)
		} else if known != want {
			t.Fatalf("%s: %v leads to state %d, which was %d and is %d", model, &h.Ops[op], got, known, want)
		}
	}
	inverse := map[int32]bool{}
	for _, state := range whole {
		if inverse[state] && model != "queue" { // see sequence
			t.Fatalf("%s: state %d of the object has several numbers", model, state)
		}
		inverse[state] = true
	}
	if len(whole) < 15 {
		t.Errorf("%s: %d states met", model, len(whole))
	}
}

// withSizes returns h with operations after it that count, or remove all.
func withSizes(t *testing.T, h *history.History) *history.History {
	b := history.NewBuilder(h.Header)
	call := func(method string, args []history.Value, result history.Value) {
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(0), Method: method, Args: args})
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(0), Result: result})
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() {
			call(op.Method, op.Args, op.Result)
		} else {
			b.Add(&history.Event{Type: history.Invoke, Process: history.StringValue(fmt.Sprint(i)), Method: op.Method, Args: op.Args})
		}
		if i%4 > 0 {
			continue
		}
		call("size", nil, history.IntValue(int64(i/4%9)))
		call("isEmpty", nil, history.BoolValue(i%8 == 0))
		if i%16 == 0 {
			call("clear", nil, history.NoValue)
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSequenceMachine: a compact machine of a queue or a stack has the steps and the
// states of another one.
func TestSequenceMachine(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"queue", "stack"} {
		h, err := simulate.Workload{Model: model, Threads: 4, Values: 3, Ops: SharedOps + 100, Seed: 1}.History()
		if err != nil {
			t.Fatal(err)
		}
		h = withSizes(t, h)
		s, err := spec.Lookup(model, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, whole := compactMachine(ops.New(h, s, 1<<30)), NewMachine(ops.New(h, s, 1<<30))
		if m.compact == nil {
			t.Fatalf("%s: not compact", model)
		}
		r := rand.New(rand.NewPCG(3, 4))
		same, states, others := map[int32]int32{0: 0}, []int32{0}, map[int32]int32{0: 0}
		for range 20_000 {
			from := states[len(states)-1-min(r.IntN(len(states)), r.IntN(20))]
			op := int32(r.IntN(len(h.Ops)))
			got, want := m.Step(from, op), whole.Step(same[from], op)
			if (got == Fail) != (want == Fail) {
				t.Fatalf("%s: %v from state %d: %d, want %d", model, &h.Ops[op], from, got, want)
			}
			if got == Fail {
				continue
			}
			known, met := same[got]
			if other, ok := others[want]; met && known != want || ok && other != got && model != "queue" {
				t.Fatalf("%s: %v leads to %d and %d, of which one was met with another", model, &h.Ops[op], got, want)
			}
			if !met {
				same[got], others[want], states = want, got, append(states, got)
			}
		}
		if len(states) < 1000 || m.Bytes() >= whole.Bytes() {
			t.Errorf("%s: %d states, %d bytes instead of %d", model, len(states), m.Bytes(), whole.Bytes())
		}
	}
	bounded, err := spec.Lookup("queue", []history.Value{history.IntValue(2)})
	if err != nil {
		t.Fatal(err)
	}
	h, err := simulate.Workload{Model: "queue", Threads: 2, Ops: SharedOps + 1, Seed: 1}.History()
	if err != nil {
		t.Fatal(err)
	}
	if m := compactMachine(ops.New(h, bounded, 1<<30)); m.compact != nil {
		t.Error("a bounded queue is compact")
	}
}
