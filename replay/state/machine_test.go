package state_test

import (
	"encoding/binary"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/state"
)

// sequence returns a history of operations that follow one another. Those
// whose Return is set already stay open.
func sequence(ops ...history.Operation) *history.History {
	for i := range ops {
		ops[i].Call = int32(2 * i)
		if ops[i].Return == 0 {
			ops[i].Return = int32(2*i + 1)
		}
	}
	return &history.History{Ops: ops, Processes: []history.Value{history.IntValue(0)}}
}

func parse(t *testing.T, name string) replay.Spec {
	t.Helper()
	s, err := spec.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMachineSharesStates: different orders of the same writes end in one
// state, and equal operations share a column.
func TestMachineSharesStates(t *testing.T) {
	add := func(n int64) history.Operation {
		return history.Operation{Method: "add", Args: []history.Value{history.IntValue(n)}, Result: history.UnknownValue}
	}
	m := state.NewMachine(ops.New(sequence(add(1), add(2), add(1)), parse(t, "set"), 1<<30))
	run := func(order ...int32) int32 {
		state := m.Start()
		for _, op := range order {
			state = m.Step(state, op)
		}
		return state
	}
	if a, b := run(0, 1), run(1, 2); a != b || a == state.Fail || a == m.Start() {
		t.Errorf("{1, 2} is state %d and %d", a, b)
	}
	before := m.Bytes()
	run(0, 1, 2)
	if m.Bytes() != before {
		t.Error("known transitions are recomputed")
	}
}

// Two Go types never share tables, whatever their keys.
type zeroes struct{ replay.Model[int] }
type ones struct{ replay.Model[int] }

func (zeroes) Traits() replay.Traits                 { return replay.Traits{Key: "constant"} }
func (ones) Traits() replay.Traits                   { return replay.Traits{Key: "constant"} }
func (zeroes) Facts(*history.Operation) replay.Facts { return replay.Facts{} }
func (ones) Facts(*history.Operation) replay.Facts   { return replay.Facts{} }
func constant(n int64) (m replay.Model[int]) {
	m.Label = "constant"
	m.Next = func(s int, _ replay.Invocation) []replay.Step[int] {
		return []replay.Step[int]{{Result: history.IntValue(n), Next: s}}
	}
	m.Key = func(dst []byte, s int) []byte { return binary.AppendVarint(dst, int64(s)) }
	return m
}

func TestTablesOfTwoTypes(t *testing.T) {
	h := sequence(history.Operation{Method: "get", Result: history.IntValue(1)})
	for range 2 {
		for n, spec := range []replay.Spec{&zeroes{constant(0)}, &ones{constant(1)}} {
			m := state.NewMachine(ops.New(h, spec, 1<<30))
			if can := m.Step(m.Start(), 0) != state.Fail; can != (n == 1) {
				t.Errorf("a constant %d returns 1: %v", n, can)
			}
			m.Release()
		}
	}
}

// coin shows heads or tails, whatever it showed before; its Key has the whole
// state.
func coin() replay.Spec {
	return &replay.Model[int]{
		Label: "coin",
		Next: func(s int, inv replay.Invocation) []replay.Step[int] {
			if inv.Method == "look" {
				if s == 0 {
					return nil // not tossed yet: no transition
				}
				return []replay.Step[int]{{Result: history.IntValue(int64(s)), Next: s}}
			}
			return []replay.Step[int]{{Next: 1}, {Next: 2}}
		},
		Key: func(dst []byte, s int) []byte { return binary.AppendVarint(dst, int64(s)) },
	}
}

func TestMachineSetsOfStates(t *testing.T) {
	h := sequence(
		history.Operation{Method: "toss"}, history.Operation{Method: "toss"}, // twice, so that sets are merged
		history.Operation{Method: "look", Result: history.IntValue(2)},
		history.Operation{Method: "look", Result: history.IntValue(1)},
		history.Operation{Method: "look", Result: history.UnknownValue, Return: history.NoReturn},
	)
	m := state.NewMachine(ops.New(h, coin(), 1<<30))
	tossed := m.Step(m.Start(), 0)
	if again := m.Step(tossed, 1); again != tossed {
		t.Errorf("a second toss leads from state %d to %d", tossed, again)
	}
	seen2 := m.Step(tossed, 2)
	if seen2 == state.Fail || seen2 == tossed {
		t.Fatalf("reading 2 leads to state %d, want a single side", seen2)
	}
	if m.Step(seen2, 2) != seen2 || m.Step(seen2, 3) != state.Fail {
		t.Error("after a read of 2, reads other than of 2 succeed or one of 2 fails")
	}
	if m.Step(m.Start(), 2) != state.Fail {
		t.Error("2 is read before the toss")
	}
	if m.Step(m.Start(), 4) != m.Start() {
		t.Error("a pending read before the toss changes the state")
	}
	if err := replay.Verify(h, coin(), []int32{0, 1, 2, 3, 4}, nil); err == nil {
		t.Error("Verify accepts a read of 1 after one of 2")
	}
}

// TestSetKeys has different sets of states whose concatenated keys would be
// equal.
func TestSetKeys(t *testing.T) {
	words := &replay.Model[string]{
		Next: func(_ string, inv replay.Invocation) []replay.Step[string] {
			if inv.Method == "first" {
				return []replay.Step[string]{{Next: "a"}, {Next: "bc"}}
			}
			return []replay.Step[string]{{Next: "ab"}, {Next: "c"}}
		},
		Key: func(dst []byte, s string) []byte { return append(dst, s...) },
	}
	m := state.NewMachine(ops.New(sequence(history.Operation{Method: "first"}, history.Operation{Method: "second"}), words, 1<<30))
	if m.Step(m.Start(), 0) == m.Step(m.Start(), 1) {
		t.Error("{a, bc} and {ab, c} are one state")
	}
}

// TestMachineSparse: many transitions are kept apart.
func TestMachineSparse(t *testing.T) {
	writes := make([]history.Operation, 2000)
	for op := range writes {
		writes[op] = history.Operation{Method: "write", Args: []history.Value{history.IntValue(int64(op))}}
	}
	m := state.NewMachine(ops.New(sequence(writes...), parse(t, "register"), 1<<30))
	seen := map[int32]int32{}
	for op := range int32(2000) {
		state := m.Step(m.Start(), op)
		if other, known := seen[state]; known {
			t.Fatalf("write(%d) and write(%d) both lead to state %d", other, op, state)
		}
		seen[state] = op
	}
}

// TestMachineHappened: a lock that happened has no transition while the mutex is
// held; one that may not have happened waits.
func TestMachineHappened(t *testing.T) {
	lock := history.Operation{Method: "lock", Result: history.UnknownValue, Return: history.NoReturn}
	happened := lock
	happened.Happened = true
	m := state.NewMachine(ops.New(sequence(history.Operation{Method: "lock"}, happened, lock), parse(t, "mutex"), 1<<30))
	held := m.Step(m.Start(), 0)
	if m.Step(held, 1) != state.Fail {
		t.Error("an operation that happened has no transition, but does not fail")
	}
	if m.Step(held, 2) != held {
		t.Error("a pending operation without a transition does not wait")
	}
}

// A sieve accepts multiples of 3 as results of any invocation, and lists only those
// below 10.
type sieve struct{ listed *int }

func (s sieve) Apply(replay.Invocation) (history.Value, bool) { panic("Apply of a Judge") }
func (s sieve) Clone() replay.State                           { return s }
func (s sieve) AppendKey(dst []byte) []byte                   { return dst }

func (s sieve) Outcomes(replay.Invocation) []replay.Outcome {
	*s.listed++
	var all []replay.Outcome
	for n := int64(0); n < 10; n += 3 {
		all = append(all, replay.Outcome{Result: history.IntValue(n), Next: s})
	}
	return all
}

func (s sieve) Judge(_ replay.Invocation, result history.Value) []replay.Outcome {
	if result.Kind() != history.Int || result.Int()%3 != 0 {
		return nil
	}
	return []replay.Outcome{{Result: result, Next: s}}
}

type sieveSpec struct{ listed *int }

func (sieveSpec) Name() string                   { return "sieve" }
func (sieveSpec) Check(*history.Operation) error { return nil }
func (s sieveSpec) New() replay.Object           { return sieve(s) }

// TestMachineJudges: outcomes of a Judge are listed only for unknown results.
func TestMachineJudges(t *testing.T) {
	draw := func(result history.Value) history.Operation { return history.Operation{Method: "draw", Result: result} }
	h := sequence(draw(history.IntValue(300)), draw(history.IntValue(4)), draw(history.UnknownValue))
	listed := 0
	spec := sieveSpec{&listed}
	m := state.NewMachine(ops.New(h, spec, 1<<30))
	if m.Step(m.Start(), 0) == state.Fail || m.Step(m.Start(), 1) != state.Fail {
		t.Error("300 fails or 4 succeeds")
	}
	if err := replay.Verify(&history.History{Ops: h.Ops[:1]}, spec, []int32{0}, nil); err != nil {
		t.Errorf("Verify: %v", err)
	}
	if err := replay.Verify(&history.History{Ops: h.Ops[:2]}, spec, []int32{0, 1}, nil); err == nil {
		t.Error("Verify accepts 4")
	}
	if listed != 0 {
		t.Errorf("outcomes were listed %d times for known results", listed)
	}
	if m.Step(m.Start(), 2) == state.Fail || listed != 1 {
		t.Errorf("outcomes were listed %d times for an unknown result, want once", listed)
	}
}

// A text is a state whose key is the text itself. Any invocation leads to one of the
// texts in next.
type text struct {
	is   string
	next map[string][]string
}

func (s text) Apply(replay.Invocation) (history.Value, bool) { panic("Apply of a Nondeterministic") }
func (s text) Clone() replay.State                           { return s }
func (s text) AppendKey(dst []byte) []byte                   { return append(dst, s.is...) }

func (s text) Outcomes(in replay.Invocation) []replay.Outcome {
	var all []replay.Outcome
	for _, n := range s.next[in.Method] {
		all = append(all, replay.Outcome{Result: history.NoValue, Next: text{n, s.next}})
	}
	return all
}

type textSpec map[string][]string

func (textSpec) Name() string                   { return "text" }
func (textSpec) Check(*history.Operation) error { return nil }
func (s textSpec) New() replay.Object           { return text{"", s} }

type trustedText struct{ textSpec }

func (trustedText) Trusted() {}

// TestMachineKeys: a state whose key is that of a set of states is not taken for it.
func TestMachineKeys(t *testing.T) {
	key := history.StringValue("b").AppendKey(history.StringValue("a").AppendKey(nil))
	m := state.NewMachine(ops.New(sequence(history.Operation{Method: "both"}, history.Operation{Method: "one"}), textSpec{"both": {"a", "b"}, "one": {string(key)}}, 1<<30))
	if both, one := m.Step(m.Start(), 0), m.Step(m.Start(), 1); both == one {
		t.Errorf("both lead to state %d", both)
	}
}

// TestMachineLongArguments: each transition of a long transaction asks whether to stop,
// however few there are.
func TestMachineLongArguments(t *testing.T) {
	long := []history.Value{history.ListValue(make([]history.Value, meter.AskEvery)...)}
	m := state.NewMachine(ops.New(sequence(history.Operation{Method: "a", Args: long}, history.Operation{Method: "b", Args: long},
		history.Operation{Method: "c"}), trustedText{textSpec{"a": {"a"}, "b": {"b"}, "c": {"c"}}}, 1<<30))
	asked := 0
	m.Bound(meter.New(func() bool { asked++; return asked == 3 }), 0)
	for op, want := range []int{1, 2, 2} {
		if m.Step(m.Start(), int32(op)) == state.Fail || asked != want || m.GaveUp() != replay.NoCause {
			t.Errorf("operation %d: asked %d times, want %d; gave up: %v", op, asked, want, m.GaveUp())
		}
	}
	if m.Step(m.Step(m.Start(), 2), 0); m.GaveUp() != replay.Time {
		t.Errorf("gave up for %v, want time", m.GaveUp())
	}
}
