package replay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// TestHappened has three locks and no unlock. The first lock returned, and an
// edge marks the second as happened. The third may wait.
func TestHappened(t *testing.T) {
	h := build(t, []history.Event{
		invoke(0, "lock"), invoke(1, "lock"), invoke(2, "lock"), ok(0, history.NoValue),
	}, [2]int64{1, 2})
	if err := replay.Verify(h, lookup(t, "mutex"), []int32{0, 1, 2}, nil); err == nil {
		t.Error("Verify accepts two locks in a row")
	}
	in, err := replay.NewInstance(h, false, replay.AutoChains, nil)
	if err != nil || !slices.Equal(in.Ops, []int32{0, 1}) {
		t.Errorf("without pending operations that may not have happened: %v, %v", in.Ops, err)
	}
}

func TestModelIsASpec(t *testing.T) {
	c := &replay.Model[int]{Label: "coin", Next: func(s int, inv replay.Invocation) []replay.Step[int] {
		switch {
		case inv.Method == "toss":
			return []replay.Step[int]{{Next: 1}, {Next: 2}}
		case s == 0:
			return nil
		}
		return []replay.Step[int]{{Result: history.IntValue(int64(s)), Next: s}}
	}}
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

// TestOverlap: two operations of a process that overlap are not in one chain.
func TestOverlap(t *testing.T) {
	h := &history.History{Processes: []history.Value{history.IntValue(0), history.IntValue(1)}, Ops: []history.Operation{
		{Method: "lock", Call: 0, Return: 3},
		{Method: "lock", Call: 1, Return: 2, Process: 1},
		{Method: "unlock", Call: 2, Return: 5},
		{Method: "lock", Call: 6, Return: 7, Process: 1},
	}}
	in, err := replay.NewInstance(h, true, replay.ProcessChains, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(len(h.Ops)) {
		for j := range i {
			if in.Chains[j] == in.Chains[i] && !in.Poset.Less(j, i) {
				t.Errorf("operations %d and %d are in one chain: %v", j, i, in.Chains)
			}
		}
	}
}

// TestNewInstanceStops: making the poset of a history with edges stops at any
// question, and so does finding its chains.
func TestNewInstanceStops(t *testing.T) {
	const n = 400
	var events []history.Event
	var edges [][2]int64
	for i := range int64(n) {
		events = append(events, invoke(i, "read"))
		for _, step := range []int64{7, 50} {
			if i+step < n {
				edges = append(edges, [2]int64{i, i + step})
			}
		}
	}
	h := build(t, events, edges...)
	asked := 0
	if _, err := replay.NewInstance(h, true, replay.AutoChains, meter.New(func() bool { asked++; return false })); err != nil {
		t.Fatal(err)
	}
	if asked < 10 {
		t.Errorf("asked %d times", asked)
	}
	for stop := 1; stop <= asked; stop++ {
		left := stop
		_, err := replay.NewInstance(h, true, replay.AutoChains, meter.New(func() bool { left--; return left == 0 }))
		if !errors.Is(err, replay.ErrStopped) || left != 0 {
			t.Errorf("stopped at question %d of %d: %v, %d left", stop, asked, err, left)
		}
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
