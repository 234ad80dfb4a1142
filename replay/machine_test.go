package replay_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// TestMachineSharesStates: different orders of the same writes end in one
// state, and equal operations share a column.
func TestMachineSharesStates(t *testing.T) {
	h := build(t, []history.Event{
		invoke(0, "add", 1), invoke(1, "add", 2), invoke(2, "add", 1),
		ok(0, history.UnknownValue), ok(1, history.UnknownValue), ok(2, history.UnknownValue),
	})
	m := engine.NewMachine(h, lookup(t, "set"))
	run := func(order ...int32) int32 {
		state := m.Start()
		for _, op := range order {
			state = m.Step(state, op)
		}
		return state
	}
	if a, b := run(0, 1), run(1, 2); a != b || a == engine.Fail || a == m.Start() {
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
	h := build(t, []history.Event{invoke(0, "get"), ok(0, history.IntValue(1))})
	for range 2 {
		for n, spec := range []replay.Spec{&zeroes{constant(0)}, &ones{constant(1)}} {
			m := engine.NewMachine(h, spec)
			if can := m.Step(m.Start(), 0) != engine.Fail; can != (n == 1) {
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
	h := build(t, []history.Event{
		invoke(0, "toss"), ok(0, history.NoValue), // twice, so that sets are merged
		invoke(1, "toss"), ok(1, history.NoValue),
		invoke(2, "look"), ok(2, history.IntValue(2)),
		invoke(3, "look"), ok(3, history.IntValue(1)),
		invoke(4, "look"),
	})
	m := engine.NewMachine(h, coin())
	tossed := m.Step(m.Start(), 0)
	if again := m.Step(tossed, 1); again != tossed {
		t.Errorf("a second toss leads from state %d to %d", tossed, again)
	}
	seen2 := m.Step(tossed, 2)
	if seen2 == engine.Fail || seen2 == tossed {
		t.Fatalf("reading 2 leads to state %d, want a single side", seen2)
	}
	if m.Step(seen2, 2) != seen2 || m.Step(seen2, 3) != engine.Fail {
		t.Error("after a read of 2, reads other than of 2 succeed or one of 2 fails")
	}
	if m.Step(m.Start(), 2) != engine.Fail {
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
	m := engine.NewMachine(build(t, []history.Event{invoke(0, "first"), invoke(1, "second")}), words)
	if m.Step(m.Start(), 0) == m.Step(m.Start(), 1) {
		t.Error("{a, bc} and {ab, c} are one state")
	}
}

// TestMachineSparse: many transitions are kept apart.
func TestMachineSparse(t *testing.T) {
	var events []history.Event
	for op := range int64(2000) {
		events = append(events, invoke(op, "write", op), ok(op, history.NoValue))
	}
	m := engine.NewMachine(build(t, events), lookup(t, "register"))
	seen := map[int32]int32{}
	for op := range int32(2000) {
		state := m.Step(m.Start(), op)
		if other, known := seen[state]; known {
			t.Fatalf("write(%d) and write(%d) both lead to state %d", other, op, state)
		}
		seen[state] = op
	}
}

// TestHappened has three locks and no unlock. The first lock returned, and an
// edge marks the second as happened. The third may wait.
func TestHappened(t *testing.T) {
	h := build(t, []history.Event{
		invoke(0, "lock"), invoke(1, "lock"), invoke(2, "lock"), ok(0, history.NoValue),
	}, [2]int64{1, 2})
	mutex := lookup(t, "mutex")
	m := engine.NewMachine(h, mutex)
	held := m.Step(m.Start(), 0)
	if m.Step(held, 1) != engine.Fail {
		t.Error("an operation that happened has no transition, but does not fail")
	}
	if m.Step(held, 2) != held {
		t.Error("a pending operation without a transition does not wait")
	}
	if err := replay.Verify(h, mutex, []int32{0, 1, 2}, nil); err == nil {
		t.Error("Verify accepts two locks in a row")
	}
	in, err := replay.NewInstance(h, false, replay.AutoChains, nil)
	if err != nil || !slices.Equal(in.Ops, []int32{0, 1}) {
		t.Errorf("without pending operations that may not have happened: %v, %v", in.Ops, err)
	}
}

func TestModelIsASpec(t *testing.T) {
	c := coin()
	if c.Name() != "coin" || c.Check(&history.Operation{Method: "anything"}) != nil {
		t.Error("name or check")
	}
	o := c.New()
	if _, ok := o.Apply(replay.Invocation{Method: "look"}); ok {
		t.Error("a read before the toss has a transition")
	}
	if _, ok := o.Apply(replay.Invocation{Method: "toss"}); !ok {
		t.Error("no toss")
	}
	copied := o.(replay.State).Clone()
	if result, ok := copied.Apply(replay.Invocation{Method: "look"}); !ok || result.Int() != 1 {
		t.Errorf("the first outcome of a toss shows %v", result)
	}
	refuse := &replay.Model[int]{Valid: func(*history.Operation) error { return errors.New("no") }}
	if refuse.Check(nil) == nil {
		t.Error("Valid is not called")
	}
}

func TestCheckNamesLines(t *testing.T) {
	var events []history.Event
	for op := range int64(12) {
		e := invoke(op, "fly")
		e.Line = int(op) + 1
		events = append(events, e)
	}
	err := replay.Check(build(t, events), lookup(t, "register"))
	var errs *history.Errors
	if !errors.As(err, &errs) || len(errs.List) != history.MaxErrors || !errs.More || errs.List[9].Line != 10 {
		t.Errorf("%v", err)
	}
}

func TestChains(t *testing.T) {
	none := history.NoValue
	// One process per operation, two open at a time.
	h := build(t, []history.Event{
		invoke(0, "read"), invoke(1, "read"), ok(0, none), invoke(2, "read"), ok(1, none), ok(2, none), invoke(3, "read"),
	})
	for mode, want := range map[replay.ChainMode][]int32{
		replay.AutoChains:    {0, 1, 0, 0},
		replay.MinimumChains: {0, 1, 0, 0},
		replay.ProcessChains: {0, 1, 2, 3},
	} {
		in, err := replay.NewInstance(h, true, mode, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(in.Chains, want) {
			t.Errorf("mode %d: chains %v, want %v", mode, in.Chains, want)
		}
	}
	in, err := replay.NewInstance(h, false, replay.AutoChains, nil)
	if err != nil || !slices.Equal(in.Ops, []int32{0, 1, 2}) {
		t.Errorf("without pending operations: %v, %v", in.Ops, err)
	}
}

func TestWords(t *testing.T) {
	var v replay.Verdict
	if v.Answer.String() != "unknown" || v.Cause.String() != "" {
		t.Errorf("the zero verdict is %v (%v)", v.Answer, v.Cause)
	}
	if replay.NotLinearizable.String() != "not-linearizable" || replay.Cancelled.String() != "cancelled" {
		t.Error("words")
	}
	for _, text := range []string{replay.Answer(9).String(), replay.Cause(99).String(), replay.Engine(99).String()} {
		if !strings.Contains(text, "9") {
			t.Errorf("a value that has no name is %q", text)
		}
	}
	if n := replay.DefaultSchedules(14); n != 1<<20 {
		t.Errorf("%d schedules for 14 operations", n)
	}
	if n := replay.DefaultSchedules(1e9); n != 100 {
		t.Errorf("%d schedules for a billion", n)
	}
}
